// expect: E0518 at 2
active [300] proctype P() { skip }
