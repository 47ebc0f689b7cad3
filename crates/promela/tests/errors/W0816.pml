// expect: W0816 at 3
typedef T { byte a };
T t = 3;
init { t.a = 1 }
