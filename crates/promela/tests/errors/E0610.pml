// expect: E0610 at 3
init {
    return 1
}
