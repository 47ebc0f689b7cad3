// expect: E0208 at 3
#ifndef N
#error define N
#endif
init { skip }
