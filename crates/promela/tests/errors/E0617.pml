// expect: E0617 at 5
chan c = [1] of { byte, byte };
init {
    byte x;
    c?x,x
}
