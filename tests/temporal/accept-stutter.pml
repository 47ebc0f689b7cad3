// A process that is stuck at an accept label is accepting for ever, also under fairness.
// none: acceptance violated acceptance-cycle
// weak: acceptance violated acceptance-cycle
// strong: acceptance violated acceptance-cycle
active proctype A() { skip; accept: end: false }
