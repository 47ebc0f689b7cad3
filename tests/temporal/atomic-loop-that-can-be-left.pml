// Process P may go round in its atomic sequence for ever, although it could leave it. Nobody else can
// move then, so that run is fair. What is seen of it is the last observable state, again and again.
// none: happens violated acceptance-cycle
// weak: happens violated acceptance-cycle
// strong: happens violated acceptance-cycle
// none: stays holds
// none: repeats holds
// none: safety holds
// none: non-progress violated non-progress-cycle
byte x, y;
active proctype P() { atomic { do :: x == 0 -> skip :: break od }; y = 1 }
ltl happens { <> (y == 1) }
ltl stays { [] (y <= 1) }
ltl repeats { [] (y == 1 -> [] (y == 1)) }
