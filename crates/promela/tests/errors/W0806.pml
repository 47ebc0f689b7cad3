// expect: W0806 at 3
byte n = 3;
byte a[n];
init { a[0] = 1 }
