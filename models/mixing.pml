/*
 * Three processes that stir three numbers below M. If M is a prime number, nearly
 * all M to the power 3 combinations are reached, and the way there jumps about:
 * the opposite of models/counters.pml. For measuring how time and memory grow
 * with the number of states while a state stays as long as it is.
 *
 *   stubborn check models/mixing.pml              holds, 1 331 states
 *   stubborn check models/mixing.pml -DM=101      1 030 301 states
 */

#ifndef M
#define M 11
#endif

short a, b, c;

active proctype First()
{
	do
	:: a = (a + b * c + 1) % M
	od
}

active proctype Second()
{
	do
	:: b = (b + 3 * a + c) % M
	od
}

active proctype Third()
{
	do
	:: c = (c + 5 * b + a) % M
	od
}
