// expect: E0513 at 4
chan c = [1] of { byte };
init {
    assert(c + 1 > 0)
}
