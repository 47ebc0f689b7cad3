// expect: E0103 at 4
byte x;
init {
    x = 'ab
}
