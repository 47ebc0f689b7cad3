// A run that ends is no non-progress cycle.
// none: non-progress holds
// weak: non-progress holds
byte x;
active proctype A() { x = 1; x == 5 }
