// expect: W0801 at 2
hidden byte x;
init { x = 1 }
