/*
 * The best case for cluster-based reduction, Table 1 of chapter 2 of Bosnacki,
 * "Enhancing State Space Reduction Techniques for Model Checking" (2001).
 *
 * N pairs of processes. The two of a pair write to one variable, different
 * values, and so depend on each other; nobody else touches it. No step but the
 * end of a process is independent of all others, so a method that follows a single
 * process gains next to nothing, while one that follows a pair needs
 * 9 * 2^N - 6 states.
 *
 * States and transitions for N = 2..5:
 *   all               65/108   329/784   1657/5216   8313/32680
 *   single process    60/76    304/480   1532/2908   7688/17064
 *   pair              30/30     66/66     138/138     282/282
 *
 *   stubborn check --explore models/seeds/pairs.pml
 *   stubborn check --explore models/seeds/pairs.pml -DN=5
 */

#ifndef N
#define N 2
#endif

byte shared[N];

proctype Zero(byte pair)
{
	shared[pair] = 0
}

proctype One(byte pair)
{
	shared[pair] = 1
}

init {
	byte i;

	atomic {
		do
		:: i < N -> run Zero(i); run One(i); i++
		:: else -> break
		od
	}
}
