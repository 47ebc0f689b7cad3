// expect: E0516 at 4
byte a[2];
init {
    select(a[1] : 1 .. 3)
}
