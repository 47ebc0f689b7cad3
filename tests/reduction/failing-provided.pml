// The same in the provided clause of a process.
// safety: violated runtime-error
byte z=0, g=1;
active proctype X() provided (1/z==1) { end: (g==0) -> end2: false }
active proctype Y() { atomic { g==1 -> z=1 } }
