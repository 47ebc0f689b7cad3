// expect: W0820 at 3
chan c = [1] of { byte }; chan d = [1] of { byte };
proctype P(chan from, to) { xr from; xs to; byte x; from?x; to!x }
proctype Q(chan to) { nfull(to); to!1 }
init { atomic { run P(c, d); run Q(d); run Q(c) } }
