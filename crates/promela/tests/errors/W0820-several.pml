// expect: W0820 at 4
chan c = [1] of { byte };
active proctype Q() { c!1 }
active [2] proctype P() { xr c; byte x; c?x }
