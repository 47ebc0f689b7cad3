// expect: E0517 at 2
proctype P(byte a[2]) { skip }
init { skip }
