// Under weak fairness B comes by its label again and again.
// none: non-progress violated non-progress-cycle
// weak: non-progress holds
// strong: non-progress holds
byte x;
active proctype A() { do :: x = 1 - x od }
active proctype B() { do :: skip; progress: skip od }
