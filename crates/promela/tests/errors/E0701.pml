// expect: E0701 at 3
init {
    c_code { now.x = 0x1F; }
}
