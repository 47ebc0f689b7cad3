// Processes come and go; each is gone again after a step, so nobody is owed anything.
// none: p violated acceptance-cycle
// weak: p holds
// strong: p holds
byte n; bool done;
proctype Child() { n = 1 - n }
active proctype A() { do :: _nr_pr < 3 -> run Child() od }
active proctype B() { done = true }
ltl p { <> done }
