// expect: E0504 at 5
typedef T { byte a };
T t, u;
init {
    t = u.a
}
