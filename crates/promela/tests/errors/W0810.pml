// expect: W0810 at 3
byte x;
init { byte x; x = 1 }
