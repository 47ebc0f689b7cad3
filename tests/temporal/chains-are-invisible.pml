// States inside an atomic sequence are seen by nobody; where it is given up, they are.
// none: passed holds
// none: blocked violated acceptance-cycle
// none: over holds
byte x, y;
active proctype A() { atomic { x = 1; x = 2 } }
active proctype B() { atomic { y = 1; x == 7; y = 2 } }
ltl passed { [] (x != 1) }
ltl blocked { [] (y != 1) }
ltl over { (x == 0 && y == 0) -> X (x == 2 || y == 1) }
