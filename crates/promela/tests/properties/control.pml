// What the statements of a claim become.
byte x;
byte a[3];
active proctype P() { do :: x < 9 -> x++ :: x == 9 -> break od }
// `else` is the rest; `break` takes no step of its own; then the claim ends.
never rest { do :: x < 2 :: x > 5 -> break :: else od; x == 3 }
// `skip` is a step. A place without a way out that can be taken accepts nothing more.
never steps { skip; x == 1; x == 2; false }
// A label on the loop, and one on an option.
never labels { accept_loop: do :: x < 5 :: x == 5 -> accept_one: x == 6 od }
// An atomic block is passed in one go, or not at all; `else` looks at its first step only.
never atomic_block { do :: atomic { x == 1 -> if :: x < 3 -> x > 0 :: x > 7 fi; x != 5 } :: else od }
// An assertion is evaluated where the claim stands.
never assertion { do :: x == 1 -> assert(x < 7) :: atomic { x > 2 -> assert(x != 4) } :: else od }
// An `end` label is a violation when it is reached.
never end_label { do :: x < 2 :: x == 2 -> goto end_here od; end_here: skip }
// An escape goes first.
never escape { { do :: x < 5 :: x < 6 && x > 2 od } unless { x == 3 -> x == 4 } }
// In an atomic block, too, a condition may save a later one from a failure.
never saved { do :: atomic { x < 3 -> a[x] == 1 } :: else od }
// Blocks, prints and labels that mean nothing in a claim.
never idle { progress: { x < 1; printf("%d", x) }; do :: skip od }
//> never rest
//>   0: a -> 0; b -> 1; !a !b -> 0
//>   1: c -> 2
//>   2 failed: true -> 2
//>   a = (x<2) @6
//>   b = (x>5) @6
//>   c = (x==3) @6
//> never steps
//>   0: true -> 1
//>   1: a -> 2
//>   2: b -> 3
//>   3: 
//>   a = (x==1) @8
//>   b = (x==2) @8
//> never labels
//>   0 accept: a -> 0; b -> 1
//>   1 accept: c -> 0
//>   a = (x<5) @10
//>   b = (x==5) @10
//>   c = (x==6) @10
//> never atomic_block
//>   0: a !b c d -> 0; a !b e -> 0; !a -> 0
//>   a = (x==1) @8
//>   b = (x==5) @10
//>   c = (x<3) @12
//>   d = (x>0) @12
//>   e = (x>7) @12
//> never assertion
//>   0: a -> 1; b c -> 2; b -> 0; !a !b -> 0
//>   1: !d -> 2; true -> 0
//>   2 failed: true -> 2
//>   a = (x==1) @8
//>   b = (x>2) @14
//>   c = (x==4) @14
//>   d = (x<7) @14
//> never end_label
//>   0: a -> 0; b -> 1
//>   1 failed: true -> 1
//>   a = (x<2) @6
//>   b = (x==2) @8
//> never escape
//>   0: a -> 1; !a b -> 0; !a c d -> 0
//>   1: e -> 2
//>   2 failed: true -> 2
//>   a = (x==3) @6
//>   b = (x<5) @10
//>   c = (x>2) @14
//>   d = (x<6) @18
//>   e = (x==4) @14
//> never saved
//>   0: a -> 0; !b -> 0
//>   a = ((x<3) && (a[x]==1)) @20
//>   b = (x<3) @12
//> never idle
//>   0: a -> 1
//>   1: true -> 2
//>   2: true -> 2
//>   a = (x<1) @22
