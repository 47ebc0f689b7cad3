// expect: W0809 at 4
byte x;
init {
    !x == 5
}
