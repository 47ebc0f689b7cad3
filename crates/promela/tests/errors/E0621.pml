// expect: E0621 at 4
byte x;
active proctype P() { x = 1 }
never { byte y = 1; do :: x < y od }
