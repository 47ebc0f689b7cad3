// expect: E0507 at 3
proctype P(byte a) { skip }
init { run P(1, 2) }
