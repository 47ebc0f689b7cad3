// expect: E0511 at 2
unsigned x;
init { skip }
