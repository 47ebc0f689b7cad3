// Spin issue 38: both processes may end with n == 2. The last state is repeated for ever, and nobody
// is enabled there, so that run is fair too.
// none: p violated acceptance-cycle
// weak: p violated acceptance-cycle
// strong: p violated acceptance-cycle
byte n;
active proctype A() { n = 1 }
active proctype B() { n = 2 }
ltl p { <>[](n == 1) }
