/*
 * Protocol 3 of Holzmann, Godefroid and Pirottin, "Coverage Preserving Reduction
 * Strategies for Reachability Analysis" (1992).
 *
 * As `independent.pml`, but every step also changes a variable that all processes
 * share. There is nothing to reduce for a method that goes by the objects which a
 * statement touches: M^N + 1 states and N (M-1) M^(N-1) + 2 transitions, 100001
 * and 450002. The model shows what a method costs when it does not help.
 *
 * The shared variable says whether the number of all steps is odd, and so adds no
 * states. That the steps commute all the same, as they must if there are no more
 * states than that, is not to be seen from the text; a counter would give it away.
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

bit odd;

proctype Walker()
{
	short x;

end:	do
	:: d_step { x < M - 1 -> x++; odd = 1 - odd }
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
