// A claim that cannot move has nothing more to say about a run; the assertion is the matter of safety.
// none: never holds
// none: safety violated assertion
byte x;
active proctype A() { x = 1; x = 2; assert(x == 0) }
never { x == 0; x == 0 }
