// expect: E0606 at 3
init {
    _pid = 1
}
