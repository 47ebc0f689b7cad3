// A guard that fails is an error, unless another process is quicker.
// safety: violated runtime-error
byte z=0, g=1;
active proctype X() { end: (1/z == 1 && g == 0) -> end2: false }
active proctype Y() { atomic { g==1 -> z=1 } }
