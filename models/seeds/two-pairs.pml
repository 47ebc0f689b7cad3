/*
 * The worked example of chapter 2 of Bosnacki, "Enhancing State Space Reduction
 * Techniques for Model Checking" (2001): two pairs of processes, each pair with a
 * variable of its own.
 *
 * The processes do not end, so that only the four assignments are steps: 25
 * states and 40 transitions, and the initial state counts as arrived in, so the
 * report says 41. To follow a single process does not reduce anything, as every
 * assignment depends on another one. To follow a pair gives 13 states and 12
 * transitions.
 *
 *   stubborn check --explore models/seeds/two-pairs.pml
 */

int u, v;

active proctype P0()
{
	u = 0;
end:	false
}

active proctype P1()
{
	u = 1;
end:	false
}

active proctype P2()
{
	v = 0;
end:	false
}

active proctype P3()
{
	v = 1;
end:	false
}
