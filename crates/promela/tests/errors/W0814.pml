// expect: W0814 at 4
byte i;
init {
    for (i : 3 .. 1) { skip }
}
