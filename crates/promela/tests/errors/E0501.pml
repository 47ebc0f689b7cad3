// expect: E0501 at 4
byte x;
init {
    x[1] = 1
}
