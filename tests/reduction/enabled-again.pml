// What never happens at the same time may still happen one behind the other.
// safety: violated assertion
byte g=1,h=0; bit k,t;
active proctype K() { h=2; k=1 }
active proctype X() { atomic { g==1 -> g=2; h=1 } }
active proctype T() { g=0; atomic{ g==0 -> g=1};  t=1 }
active proctype C() { k; t; assert(!(g==2 && h==2)) }
