// expect: W0809 at 4
byte x;
active proctype P() { x = 1 }
ltl { ! x == 1 }
