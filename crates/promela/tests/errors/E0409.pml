// expect: E0409 at 3
inline f() {
    f()
}
init { f() }
