// expect: W0819 at 3
byte x;
active proctype P() { do :: atomic { progress_1: x = 1; d_step { x = 2; progress_2: x = 0 } } od }
