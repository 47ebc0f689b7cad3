// An atomic sequence that never ends: y stays 0, and nobody else gets a turn.
// none: p violated runtime-error
// weak: p violated runtime-error
byte x, y;
active proctype A() { atomic { do :: x = 1 - x od } }
active proctype B() { y = 1 }
ltl p { <> (y == 1) }
