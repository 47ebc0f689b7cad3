// An escape that can be executed does not keep a receive from taking part in a rendezvous.
// safety: violated assertion
chan rv=[0] of {byte}; byte y;
active proctype S() { y=1; end: rv!1; assert(0) }
active proctype R() { byte x;  { rv?x } unless { true -> end: false } }
