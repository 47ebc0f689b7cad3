// A may go round without progress for ever; under weak fairness B moves, but only once.
// none: non-progress violated non-progress-cycle
// weak: non-progress violated non-progress-cycle
// none: again violated acceptance-cycle
byte x;
active proctype A() { do :: x = 1 - x od }
active proctype B() { progress: skip }
ltl again { [] <> !np_ }
