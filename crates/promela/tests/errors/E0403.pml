// expect: E0403 at 3
init {
    run Q()
}
