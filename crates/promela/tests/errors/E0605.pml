// expect: E0605 at 2
active proctype P() { np_ -> skip }
