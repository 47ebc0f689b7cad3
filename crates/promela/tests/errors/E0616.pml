// expect: E0616 at 4
byte x;
init {
    x = _
}
