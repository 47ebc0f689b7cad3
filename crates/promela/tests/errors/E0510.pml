// expect: E0510 at 2
byte x = [1] of { byte };
init { skip }
