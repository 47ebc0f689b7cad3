// expect: W0807 at 2
int x = 4294967297;
init { skip }
