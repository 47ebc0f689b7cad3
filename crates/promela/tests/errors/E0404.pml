// expect: E0404 at 3
init {
    goto nowhere
}
