// expect: E0506 at 5
chan c = [1] of { byte };
chan d;
init {
    d!1,2
}
