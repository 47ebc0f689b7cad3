// expect: E0101 at 3
init {
    skip; ` skip
}
