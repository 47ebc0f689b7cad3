// expect: E0303 at 2
active proctype P() { }
