// Where nothing can happen the last state is repeated, at valid ends and at others.
// none: never_two violated acceptance-cycle
// none: stays holds
// weak: never_two violated acceptance-cycle
byte x;
active proctype A() { x = 1 }
active proctype B() { x == 5 }
ltl never_two { <> (x == 2) }
ltl stays { <> [] (x == 1) }
