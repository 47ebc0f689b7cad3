/*
 * Why a reduction must look at disabled statements too.
 *
 * Bosnacki, "Enhancing State Space Reduction Techniques for Model Checking"
 * (2001), defines in chapter 2 that a process may be followed alone if all its
 * *enabled* steps are safe. At first P can only do the safe x = 1. To follow P
 * alone loses the run in which Q comes first and P chooses the other branch, and
 * with it the end in which x is 0 and the assertion fails. What must be safe is
 * every statement at which the process stands, as the same author has it in
 * chapter 3.
 *
 *   stubborn check models/seeds/disabled-statement.pml     the assertion is violated
 */

bit g;

active proctype P()
{
	bit x;

	if
	:: x = 1
	:: g == 1
	fi;
	assert(x == 1)
}

active proctype Q()
{
	g = 1
}
