// expect: E0618 at 3
active proctype P() { skip }
never { do :: _pid == 0 od }
