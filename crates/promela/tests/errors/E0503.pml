// expect: E0503 at 4
byte x;
init {
    x.f = 1
}
