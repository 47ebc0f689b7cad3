/* Merged statements and fairness: between its two statements P offers no rendezvous, so Q is not enabled all the time and
   may wait for ever under weak fairness. If they are merged, Q is always enabled, and `p` would hold. */
chan c = [0] of { bit };
bit s;
bool got;

active proctype P()
{
	bit i;
	do
	:: c?_ -> break
	:: s = 1 - s; i = 1 - i
	od
}

active proctype Q()
{
	c!1;
	got = true
}

ltl p { <> got }
