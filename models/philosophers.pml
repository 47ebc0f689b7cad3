/*
 * N dining philosophers who all take their left fork first.
 *
 * When everybody holds one fork nobody gets a second one: an invalid end state.
 * With -DPOLITE the last philosopher takes the right fork first, which breaks
 * the circle.
 *
 *   stubborn check models/philosophers.pml            violated
 *   stubborn check models/philosophers.pml -DPOLITE   holds
 */

#ifndef N
#define N 4
#endif

#define LEFT	(_pid)
#define RIGHT	((_pid + 1) % N)

bool taken[N];		/* the forks    */
byte eating;		/* who is eating */

inline take(fork)
{
	atomic { !taken[fork] -> taken[fork] = true }
}

active [N] proctype Philosopher()
{
	do
	:: true ->		/* thinking */
#ifdef POLITE
		if
		:: _pid == N - 1 -> take(RIGHT); take(LEFT)
		:: else -> take(LEFT); take(RIGHT)
		fi;
#else
		take(LEFT);
		take(RIGHT);
#endif
		eating++;
		assert(eating <= N / 2);
		eating--;

		taken[RIGHT] = false;
		taken[LEFT] = false
	od
}
