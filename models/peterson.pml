/*
 * Peterson's mutual exclusion for N processes (the filter lock).
 *
 * A process climbs through N-1 levels. At each level it makes itself the last
 * one to have arrived and waits until nobody else is at this level or above,
 * or until somebody has arrived after it. Each level holds back one process,
 * so at most one gets through.
 *
 * Nobody waits for ever, if every process that can move does so in the end: weak
 * fairness. Without it the others may go on alone.
 *
 *   stubborn check models/peterson.pml                    `entry` is violated
 *   stubborn check models/peterson.pml --fairness weak    everything holds
 *   stubborn check models/peterson.pml --safety -DN=4     more processes
 */

#ifndef N
#define N 3
#endif

byte level[N];      /* how far each process is; 0: not interested  */
byte last[N];       /* who has arrived last at each level          */
byte inside;        /* how many are in the critical section        */

ltl exclusion { [] (inside <= 1) }
ltl entry     { [] (level[0] > 0 -> <> (level[0] == 0)) }

active [N] proctype Process()
{
	byte l, other;

	do
	:: true ->
		for (l : 1 .. N - 1) {
			level[_pid] = l;
			last[l] = _pid;

			/* Look at the others one by one. */
			other = 0;
			do
			:: other == N -> break
			:: other < N && (other == _pid || level[other] < l || last[l] != _pid) ->
				other++
			od
		}

		inside++;
		assert(inside == 1);
		inside--;

		level[_pid] = 0;
		l = 0;
		other = 0
	od
}
