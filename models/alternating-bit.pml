/*
 * The alternating bit protocol over channels that lose messages, with a bug.
 *
 * The sender repeats a message until it is acknowledged with the message's
 * bit. The receiver delivers a message whose bit it expects, and acknowledges
 * every message with the bit that came with it. The planted bug: after one stale
 * acknowledgement the sender takes the next one for the right one, whatever its
 * bit. That hides the loss of a message, and the receiver misses it.
 *
 *   stubborn check models/alternating-bit.pml           violated
 *   stubborn check models/alternating-bit.pml -DFIXED   holds
 */

#ifndef N
#define N 3		/* messages are numbered modulo N */
#endif
#ifndef SIZE
#define SIZE 2		/* what a channel holds */
#endif

chan data = [SIZE] of { bit, byte };
chan ack  = [SIZE] of { bit };

active proctype Sender()
{
	bit turn, answer;
	byte message;
	bool impatient;

	do
	:: data ! turn, message			/* send, or send again */
	:: full(data) -> skip			/* the message is lost */
	:: ack ? answer ->
		if
#ifdef FIXED
		:: answer == turn ->
#else
		:: answer == turn || impatient ->	/* BUG */
#endif
			message = (message + 1) % N;
			turn = 1 - turn;
			impatient = false
		:: else ->
			impatient = true
		fi
	od
}

active proctype Receiver()
{
	bit expected, got;
	byte message, wanted;

	do
	:: data ? got, message ->
		if
		:: got == expected ->
			assert(message == wanted);
			wanted = (wanted + 1) % N;
			expected = 1 - expected
		:: else -> skip
		fi;
		if
		:: ack ! got
		:: skip				/* the acknowledgement is lost */
		fi
	od
}

/* Loses messages on their way. */
active proctype Thief()
{
end:	do
	:: data ? _, _
	:: ack ? _
	od
}
