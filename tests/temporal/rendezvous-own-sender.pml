// With the send in a process of its own the handshake must come.
// none: p violated acceptance-cycle
// weak: p holds
chan c = [0] of { bit };
bit x, y;
active proctype P() { do :: c!1 od }
active proctype R() { do :: x = 1 - x od }
active proctype Q() { do :: c?_ -> y = 1 od }
ltl p { <> (y == 1) }
