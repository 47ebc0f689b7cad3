// expect: E0604 at 3
proctype P() { skip }
init { d_step { skip; run P() } }
