// On the cycle of A and C, process B is disabled while C is behind its receive: B may starve, and
// that is weakly fair. It is enabled again and again, so it is not strongly fair.
// none: p violated acceptance-cycle
// weak: p violated acceptance-cycle
// strong: p holds
chan c = [0] of { bit };
bool b = false;
active proctype A() { sa: c!0; goto sa }
active proctype B() { sb: c!1; b = true; goto sb }
active proctype C() { bit x; sc: c?x; x = 0; goto sc }
ltl p { <> (b == true) }
