// expect: E0408 at 3
active proctype P() { byte x; x = 1 }
active proctype Q() { P:y == 1 }
