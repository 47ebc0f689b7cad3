// Claims in the form in which Spin translates formulas.
bool p, q;
active proctype P() { p = 1; q = 1 }
never safety {
T0_init:
	do
	:: atomic { (! ((p))) -> assert(!(! ((p)))) }
	:: (1) -> goto T0_init
	od;
accept_all:
	skip
}
never response {
T0_init:
	do
	:: (! ((q)) && (p)) -> goto accept_S4
	:: (1) -> goto T0_init
	od;
accept_S4:
	do
	:: (! ((q))) -> goto accept_S4
	od;
}
never {
T0_init:
	if
	:: (p) -> goto accept_all
	:: (1) -> goto T0_init
	fi;
accept_all:
	skip
}
//> never safety
//>   0: !a -> 1; !a -> 0; true -> 0
//>   1 failed: true -> 1
//>   a = p @7
//> never response
//>   0: a !b -> 1; true -> 0
//>   1 accept: !b -> 1
//>   a = p @7
//>   b = q @16
//> never never
//>   0: a -> 1; true -> 0
//>   1 accept: true -> 2
//>   2 failed: true -> 2
//>   a = p @7
