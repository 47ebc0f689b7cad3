// To reach the end of a claim is a violation.
// none: never violated never-claim
// weak: never violated never-claim
byte x;
active proctype A() { do :: x < 3 -> x++ :: x > 0 -> x-- od }
never { do :: x == 2 -> break :: else od }
