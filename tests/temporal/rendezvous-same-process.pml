// A rendezvous is enabled for its sender only. P can always do something else, so Q may wait for ever.
// none: p violated acceptance-cycle
// weak: p violated acceptance-cycle
chan c = [0] of { bit };
bit x, y;
active proctype P() { do :: c!1 :: x = 1 - x od }
active proctype Q() { do :: c?_ -> y = 1 od }
ltl p { <> (y == 1) }
