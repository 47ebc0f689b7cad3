// expect: E0205 at 3
init { skip }
#ifdef N
