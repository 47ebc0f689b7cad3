/*
 * Protocol 2 of Holzmann, Godefroid and Pirottin, "Coverage Preserving Reduction
 * Strategies for Reachability Analysis" (1992).
 *
 * N processes that have nothing to do with each other. Each goes round through M
 * states of its own, for ever.
 *
 * M^N + 1 states and N M^N + 2 transitions: 100001 and 500002. A search that
 * follows one process at a time must let the next one move when the first has
 * come round, so it sees all states, but only 111112 transitions.
 *
 *   stubborn check --explore models/seeds/cycling.pml
 *   stubborn check --explore models/seeds/cycling.pml -DN=6 -DM=4
 */

#ifndef N
#define N 5
#endif
#ifndef M
#define M 10
#endif

proctype Walker()
{
	short x;

	do
	:: x = (x + 1) % M
	od
}

init {
	short i;

	atomic {
		do
		:: i < N -> run Walker(); i++
		:: else -> break
		od
	}
}
