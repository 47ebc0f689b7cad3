// expect: E0611 at 3
proctype P() { skip }
init { (run P() && true) }
