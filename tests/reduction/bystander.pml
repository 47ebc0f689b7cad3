// Why a reduction must look for cycles: Busy's steps are local and never end. A reduction that follows
// it for ever never lets Failing have its turn.
// safety: violated assertion
active proctype Failing() { assert(false) }
active proctype Busy() { bit x; do :: x = 1 - x od }
