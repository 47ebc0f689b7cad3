// expect: E0611 at 4
proctype Q() { skip }
active proctype P() { run Q() }
never { do :: run Q() od }
