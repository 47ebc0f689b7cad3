// expect: E0105 at 3
init { skip }
/* no end
