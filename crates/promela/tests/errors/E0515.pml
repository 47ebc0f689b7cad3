// expect: E0515 at 3
byte n = 3;
byte a[n + 1];
init { skip }
