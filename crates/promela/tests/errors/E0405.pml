// expect: E0405 at 4
init {
    L: skip;
    L: skip
}
