// none: turns violated acceptance-cycle
// none: follows holds
// none: inside holds
byte x;
active proctype A() { do :: x = 0 od }
active proctype B() { do :: x = 1; inside: x = 2 od }
ltl turns { [] <> (_last == 1) }
ltl follows { [] ((_last == 1 && x == 1) -> B@inside) }
ltl inside { [] (B@inside -> X (B@inside || x == 2 || x == 0)) }
