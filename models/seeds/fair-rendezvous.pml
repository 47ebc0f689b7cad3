/*
 * Reduction and weak fairness: chapter 3 of Bosnacki, "Enhancing State Space
 * Reduction Techniques for Model Checking" (2001); the example is Dennis Dams's.
 *
 * C may receive from A for ever. That is fair to B, which cannot send while C is
 * busy with its local step. A reduction that lets C do its local step at once
 * never sees a state in which B cannot move, and then all these runs seem unfair
 * and `served` seems to hold.
 *
 *   stubborn check models/seeds/fair-rendezvous.pml --fairness weak       `served` is violated
 *   stubborn check models/seeds/fair-rendezvous.pml --fairness strong     `served` holds
 */

chan c = [0] of { bit };
bool b;

active proctype A()
{
sa:	c!0;
	goto sa
}

active proctype B()
{
sb:	c!1;
	b = true;
	goto sb
}

active proctype C()
{
	bit x;

sc:	c?x;
	x = 0;
	goto sc
}

ltl served { <> b }
