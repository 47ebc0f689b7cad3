// expect: E0622 at 4
byte x;
active proctype P() { x = 1 }
never { do :: d_step { x < 1; x < 2 } od }
