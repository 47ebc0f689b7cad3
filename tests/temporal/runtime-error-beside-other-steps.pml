// Several things can happen where one of them fails, and there are several steps on the way.
// none: p violated runtime-error
// weak: p violated runtime-error
byte a[2], i, x;
active proctype A() { do :: x < 4 -> x++ :: x > 0 -> x-- :: x == 3 -> i = 5 od }
active proctype B() { i == 5 -> a[i] = 1 }
ltl p { [] <> (x < 9) }
