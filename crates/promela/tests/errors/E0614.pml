// expect: E0614 at 4
byte x;
init {
    d_step { { x = 1 } unless { x == 1 } }
}
