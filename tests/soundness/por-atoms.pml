/* Reduction and a condition that has no value: from the state behind that in which `q` becomes true the automaton looks at
   `a[i]`. If R moves there, `i` is still out of range. But R's step may go first in all runs; then P has put `i`
   right by then, and `p` would hold. */
byte i = 5, r;
byte a[2] = 1;
bool q;

active proctype P() { q = true; i = 0 }
active proctype R() { r = 1 }

ltl p { !(<> q && [] <> (a[i] == 0)) }
