// expect: E0401 at 3
init {
    counter = 1
}
