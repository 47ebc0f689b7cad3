// none: guarded holds
// none: open violated runtime-error
byte a[2], i;
active proctype A() { i = 1; i = 2 }
ltl guarded { [] (i < 2 -> a[i] == 0) }
ltl open { [] (a[i] == 0) }
