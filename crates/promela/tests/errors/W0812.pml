// expect: W0812 at 2
#warning look out
init { skip }
