/*
 * Leader election in a ring (Chang and Roberts, 1979).
 *
 * N nodes with different numbers stand in a ring and know only their right
 * neighbour. Each sends its number round. A node passes on what is larger than
 * its own number and drops what is smaller; who receives its own number has
 * won, and tells the others.
 *
 *   stubborn check models/leader.pml            holds, and everybody is told in the end
 *   stubborn check models/leader.pml -DN=7      the same with more nodes
 */

#ifndef N
#define N 4
#endif

#define NUMBER(i)	(N - (i))	/* falling round the ring: the most messages */

mtype = { candidate, elected };

chan ring[N] = [N] of { mtype, byte };

byte leaders;		/* how many have won      */
byte informed;		/* how many know about it */

ltl told { <> (informed == N) }

proctype Node(byte number; chan left, right)
{
	byte other;

	right ! candidate(number);

end:	do
	:: left ? candidate(other) ->
		if
		:: other > number -> right ! candidate(other)
		:: other < number -> skip
		:: other == number ->
			leaders++;
			assert(leaders == 1 && number == N);
			right ! elected(number)
		fi
	:: left ? elected(other) ->
		assert(other == N);
		informed++;
		if
		:: other != number -> right ! elected(other)
		:: else -> assert(informed == N)
		fi;
		break
	od
}

init {
	byte i;

	atomic {
		for (i : 0 .. N - 1) {
			run Node(NUMBER(i), ring[i], ring[(i + 1) % N])
		}
	}
}
