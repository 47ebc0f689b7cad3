// expect: E0612 at 4
byte x;
init {
    { x = 1 } unless { L: x == 1 -> skip }
}
