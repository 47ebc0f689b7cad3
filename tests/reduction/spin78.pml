// The end of a process decides about the number of the next one: Late gets 1 if Early is gone and 2
// if it is not. A reduction that lets Early end first, as if nobody could notice, misses the
// violation. Spin 6.5.2 does so (its issue 78): no error, but one with -noreduce.
// safety: violated assertion
init { run Late() }
active proctype Early() { skip }
proctype Late() { assert(_pid == 1) }
