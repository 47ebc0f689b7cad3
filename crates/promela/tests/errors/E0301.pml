// expect: E0301 at 3
init {
    if :: true fi assert(true)
}
