/*
 * Reduction and `unless`: chapter 3 of Bosnacki, "Enhancing State Space Reduction
 * Techniques for Model Checking" (2001).
 *
 * B fails unless it can send, and at first it cannot: nobody receives. A's first
 * step touches nothing but A, and still it makes B's send possible and so takes
 * B's failure away. A reduction that follows A because its step is local misses
 * the failure.
 *
 *   stubborn check models/seeds/unless-rendezvous.pml      the assertion is violated
 */

chan c = [0] of { bit };

active proctype A()
{
	skip;
	c?1
}

active proctype B()
{
	{ assert(false) } unless { c!1 }
}
