/* Reduction and the next-operator: Q's step is independent of P's and changes nothing that the formula sees, so it may go
   first in all runs; then `x` is still 0 in the second state, and `p` would hold. */
bit x, y;

active proctype P() { x = 1 }
active proctype Q() { y = 1 }

ltl p { X (x == 0) }
