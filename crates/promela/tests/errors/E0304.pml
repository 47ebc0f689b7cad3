// expect: E0304 at 3
init {
    mtype = { a, b };
    skip
}
