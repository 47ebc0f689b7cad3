// An assertion in an atomic of a claim is about the same state as its guard.
// none: never violated never-claim
byte x;
active proctype A() { x = 1; x = 2 }
never { do :: atomic { (x == 2) -> assert(!(x == 2)) } :: true od }
