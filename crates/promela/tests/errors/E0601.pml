// expect: E0601 at 3
init {
    break
}
