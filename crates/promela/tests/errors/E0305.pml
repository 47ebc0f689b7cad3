// expect: E0305 at 3
init {
    here: byte x;
    skip
}
