// expect: E0618 at 2
byte x = _pid;
init { skip }
