/*
 * Protocol 1 of Holzmann, Godefroid and Pirottin, "Coverage Preserving Reduction
 * Strategies for Reachability Analysis" (1992).
 *
 * N processes that have nothing to do with each other. Each passes through M
 * states of its own and then stands still: it does not end, so that nothing is
 * counted but these states.
 *
 * M^N + 1 states and N (M-1) M^(N-1) + 2 transitions: 100001 and 450002. The
 * state before the processes are made counts too, and so does arriving in it. A
 * search that follows one process at a time sees N (M-1) + 2 states: 47.
 *
 *   stubborn check --explore models/seeds/independent.pml
 *   stubborn check --explore models/seeds/independent.pml -DN=6 -DM=4
 *   stubborn check --explore models/seeds/independent.pml -DN=1000 --max-processes 1001 --por local
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

end:	do
	:: d_step { x < M - 1 -> x++ }
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
