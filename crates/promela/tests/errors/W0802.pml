// expect: W0802 at 3
init {
    printf("%d %d\n", 1)
}
