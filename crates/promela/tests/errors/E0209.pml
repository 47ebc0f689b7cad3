// expect: E0209 at 3
#define MAX(a, b) ((a > b) -> a : b)
init { assert(MAX(1)) }
