// expect: E0509 at 4
byte x;
init {
    x!1
}
