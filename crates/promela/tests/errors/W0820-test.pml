// expect: W0820 at 3
chan c[2] = [1] of { byte };
active proctype P() { chan mine = c[1]; xr mine; byte x; mine?x }
active proctype Q() { c[1]!1; empty(c[1]) }
