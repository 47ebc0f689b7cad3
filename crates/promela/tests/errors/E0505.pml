// expect: E0505 at 2
byte a[0];
init { skip }
