/* Merged statements and the next-operator: `i = 1` is executed with the statement before it, so the state between the two
   is not there, and `p` would hold. */
bit x;

active proctype P()
{
	bit i;
	x = 1;
	i = 1;
	x = 0
}

ltl p { X X (x == 0) }
