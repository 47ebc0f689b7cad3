// expect: E0615 at 2
proctype P() { skip }
