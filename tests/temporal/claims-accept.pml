// none: never violated acceptance-cycle
// weak: never holds
bit a, b;
active proctype A() { do :: a = 1 - a od }
active proctype B() { b = 1 }
never {
    do
    :: true
    :: b == 0 -> goto accept
    od;
accept:
    do
    :: b == 0
    od
}
