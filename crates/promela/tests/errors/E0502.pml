// expect: E0502 at 4
byte a[3];
init {
    a = 1
}
