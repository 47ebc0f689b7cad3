// none: p violated runtime-error
// none: safety violated runtime-error
byte a[2], i;
active proctype A() { i = 5; a[i] = 1 }
ltl p { [] (i < 9) }
