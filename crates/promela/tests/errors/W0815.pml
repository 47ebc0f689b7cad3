// expect: W0815 at 2
byte a[2] = { 1, 2, 3 };
init { a[0] = 1 }
