// expect: W0818 at 4
bool p, q, r;
active proctype P() { p = 1 }
ltl { p U q U r }
