// An escape that is a receive shuts nothing out as long as nobody sends.
// safety: violated assertion
chan c = [1] of { bit }; chan r = [0] of { bit }; bit x;
active proctype A() { c?x; end: false }
active proctype B() { x = 1; end: false }
active proctype C() { end: r!1; end1: false }
active proctype D() { c!1; end: { c!1; assert(false) } unless { r?_ -> end1: false } }
