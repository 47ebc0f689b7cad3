// expect: E0407 at 3
init {
    counter x;
    skip
}
