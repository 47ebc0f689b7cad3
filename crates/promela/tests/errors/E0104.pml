// expect: E0104 at 3
init {
    assert(0x10 == 16)
}
