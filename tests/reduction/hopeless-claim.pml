// How long a claim without accepting runs follows a run depends on repetitions.
// never: violated runtime-error
byte x,z;
active proctype A() { byte i; i=1; i=2; i=3; i=4; x=1 }
active proctype C() { byte q; q=1/z; assert(0) }
active proctype B() { byte i; i=1; i=2; i=3; i=4;i=1; i=2; i=3; i=4; x=1 }
never { if :: x==0 -> skip fi; if :: x==0 -> skip fi; if :: x==0 -> skip fi; false }
