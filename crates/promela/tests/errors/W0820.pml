// expect: W0820 at 3
chan c = [1] of { byte };
active proctype P() { xr c; byte x; c?x }
active proctype Q() { byte x; c!1; c?x }
