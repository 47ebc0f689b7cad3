// expect: E0620 at 6
byte x;
active proctype P() { x = 1 }
never {
    do
    :: x < 2 -> x = 2
    od
}
