// What somebody can do is asked behind an else, too.
// safety: violated assertion
byte x,y;
active proctype A() { if :: enabled(1) -> x=1 :: else -> x=3 fi; assert(x==3) }
active proctype B() { y==1 }
active proctype C() { y=1 }
