// expect: E0609 at 3
byte x;
ltl { [] x == 1 }
init { skip }
