// expect: E0508 at 3
inline f(a, b) { skip }
init { f(1) }
