// expect: E0608 at 4
byte i;
init {
    select(i : 3 .. 1)
}
