// expect: E0202 at 2
#define 3
init { skip }
