// expect: E0603 at 4
byte x;
init {
    d_step { x = 1; goto L };
    L: skip
}
