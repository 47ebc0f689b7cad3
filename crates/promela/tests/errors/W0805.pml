// expect: W0805 at 4
init {
    skip;
    chan c = [1] of { byte };
    c!1
}
