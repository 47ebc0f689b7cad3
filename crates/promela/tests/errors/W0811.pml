// expect: W0811 at 3
#define N 1
#define N 2
init { skip }
