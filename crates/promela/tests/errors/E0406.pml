// expect: E0406 at 5
typedef T { byte a };
T t;
init {
    t.b = 1
}
