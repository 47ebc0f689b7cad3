// expect: E0201 at 2
#defin N 3
init { skip }
