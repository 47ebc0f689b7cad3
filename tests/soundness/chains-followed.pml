/* Merged statements and a claim that follows runs for three states and accepts none of them: the division comes later. If
   the statements before it are merged, it comes sooner, and an error on the way counts: `never` would be violated. */
bit z;

active proctype P()
{
	byte i;
	i = 1;
	i = 2;
	i = 3;
	i = 1 / z
}

never { true; true; true; false }
