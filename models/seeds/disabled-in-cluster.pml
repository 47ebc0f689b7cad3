/*
 * As `disabled-statement.pml`, for clusters of processes: chapter 2 of Bosnacki,
 * "Enhancing State Space Reduction Techniques for Model Checking" (2001).
 *
 * P and Q form a cluster, R is alone. At first only P can move in the cluster,
 * and nothing outside of the cluster touches u. To follow the cluster alone sets
 * u to 1 before Q has had its turn; so the run R, Q, P is lost, and with it the
 * end in which u is 1 and P waits in vain. What must be safe is every statement
 * at which a process of the cluster stands: Q stands before one that reads g,
 * which R writes.
 *
 *   stubborn check models/seeds/disabled-in-cluster.pml     invalid end state
 */

byte u;
bit g;

active proctype P()
{
	u = 1;
	u == 2
}

active proctype Q()
{
	d_step { g == 1 -> u = 2 }
}

active proctype R()
{
	g = 1
}
