/*
 * Protocol 3 of Holzmann, Godefroid and Pirottin, "Coverage Preserving Reduction
 * Strategies for Reachability Analysis" (1992).
 *
 * As `independent.pml`, but every step also changes a variable that all processes
 * share. There is nothing to reduce for a method that goes by the objects which a
 * statement touches: M^N + 1 states and N (M-1) M^(N-1) + 2 transitions, 100001
 * and 450002. The model shows what a method costs when it does not help.
 *
 * The shared variable counts all steps, and so adds no states.
 *
 *   stubborn check --explore models/seeds/dependent.pml
 *   stubborn check --explore models/seeds/dependent.pml -DN=6 -DM=4
 */

#ifndef N
#define N 5
#endif
#ifndef M
#define M 10
#endif

int steps;

proctype Walker()
{
	short x;

end:	do
	:: d_step { x < M - 1 -> x++; steps++ }
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
