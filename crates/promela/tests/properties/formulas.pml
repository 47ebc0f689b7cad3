// Formulas over their atoms: what is said twice, or negated, is one atom.
byte x, y;
bool p, q;
byte a[3];
chan c = [1] of { byte };
active proctype P() { byte v; L: x = 1; progress: x = 2 }
ltl response { [] (p -> <> q) }
ltl shared { [] (x == 1 && y > 2) -> <> (x != 1 || !(y > 2) || y <= 2) }
ltl weak { p W q }
ltl equal { p <-> q }
ltl { [] (P@L -> <> (P[0]:v == 0)) }
ltl { []<> !np_ && <> (_last == 0) && [] enabled(0) && <> (pc_value(0) == 2) && [] !timeout }
ltl constants { [] (1 && !0) || false }
// A condition that saves another one from a failure stays together.
ltl safe_index { [] (x < 3 -> a[x] == 0) && [] (x < 3 && a[x] == 1 || p) && [] (p && a[2] == 1) }
ltl channel { [] (len(c) < 1 && p) && <> c?[1] }
//> ltl response: [] ((! (p)) || (<> (q)))
//>   [] (a -> <> b)
//>   a = p @7
//>   b = q @7
//> ltl shared: (! ([] (((x==1)) && ((y>2))))) || (<> ((((x!=1)) || (! ((y>2)))) || ((y<=2))))
//>   ([] (a && b) -> <> ((!a || !b) || !b))
//>   a = (x==1) @8
//>   b = (y>2) @8
//> ltl weak: ([] (p)) || ((p) U (q))
//>   (a W b)
//>   a = p @7
//>   b = q @7
//> ltl equal: (p) <-> (q)
//>   (a <-> b)
//>   a = p @7
//>   b = q @7
//> ltl ltl_0: [] ((! ((P@L))) || (<> ((P[0]:v==0))))
//>   [] (a -> <> b)
//>   a = P@L @11
//>   b = (P[0]:v==0) @11
//> ltl ltl_1: (((([] (<> (! (np_)))) && (<> ((_last==0)))) && ([] (enabled(0)))) && (<> ((pc_value(0)==2)))) && ([] (! (timeout)))
//>   (((([] <> !a && <> b) && [] c) && <> d) && [] !e)
//>   a = np_ @12
//>   b = (_last==0) @12
//>   c = enabled(0) @12
//>   d = (pc_value(0)==2) @12
//>   e = timeout @12
//> ltl constants: ([] ((1) && (! (0)))) || (0)
//>   ([] (true && !false) || false)
//> ltl safe_index: (([] ((! ((x<3))) || ((a[x]==0)))) && ([] ((((x<3)) && ((a[x]==1))) || (p)))) && ([] ((p) && ((a[2]==1))))
//>   (([] a && [] (b || c)) && [] (c && d))
//>   a = (x<3) -> (a[x]==0) @15
//>   b = (x<3) && (a[x]==1) @15
//>   c = p @7
//>   d = (a[2]==1) @15
//> ltl channel: ([] (((len(c)<1)) && (p))) && (<> (c?[1]))
//>   ([] (a && b) && <> c)
//>   a = (len(c)<1) @16
//>   b = p @7
//>   c = c?[1] @16
