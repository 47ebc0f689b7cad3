// The same with a way to the circle and a circle of several steps, in the second process only.
// none: p violated acceptance-cycle
// weak: p violated acceptance-cycle
// none: q holds
byte x, y; bool z;
active proctype A() { do :: z = !z od }
active proctype B() { atomic { x = 3; y = 1; do :: x = 0 :: x = 1 :: x = 2 :: break od; y = 2 } }
ltl p { <> (y == 2) }
ltl q { [] (y == 0 || y == 2) }
