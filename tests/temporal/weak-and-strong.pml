// B is enabled half of the time.
// none: p violated acceptance-cycle
// weak: p violated acceptance-cycle
// strong: p holds
bit turn; bool done;
active proctype A() { do :: turn = 1 - turn od }
active proctype B() { turn == 1 -> done = true }
ltl p { <> done }
