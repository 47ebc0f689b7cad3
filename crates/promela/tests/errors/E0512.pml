// expect: E0512 at 2
chan c = [1] of { unsigned };
init { skip }
