/*
 * K counters that know nothing of each other and stop at M - 1: M to the power K
 * states, as regular as a state space can be. For measuring how time and memory
 * grow with the number of states while a state stays as long as it is.
 *
 *   stubborn check models/counters.pml --por none           holds, 1 296 states
 *   stubborn check models/counters.pml --por none -DM=32    1 048 576 states
 */

#ifndef K
#define K 4
#endif
#ifndef M
#define M 6
#endif

active [K] proctype Counter()
{
	byte count;

end:	do
	:: d_step { count < M - 1 -> count++ }
	od
}
