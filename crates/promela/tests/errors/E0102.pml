// expect: E0102 at 3
init {
    printf("no end)
}
