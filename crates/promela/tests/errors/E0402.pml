// expect: E0402 at 4
active proctype P() {
    byte x;
    { byte x; x = 1 }
}
