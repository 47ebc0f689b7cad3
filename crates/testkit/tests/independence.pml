// Programs for tests/independence.rs, each of its own. The line of dashes above one says what it is for.
// --- Two possible partners of a rendezvous, each with something in front of it.
chan c = [0] of { bit };
active [2] proctype P() { skip; c!1 }
active proctype Q() { c?_ }
// --- A step that may be disabled and enabled again before it happens, and changes what that depends on.
chan q = [1] of { byte };
active proctype P() { if :: skip :: q!1 fi }
active proctype Q() { q!5 }
active proctype R() { q?5 }
// --- The same with messages taken away.
chan q = [1] of { byte };
active proctype P() { q!1; if :: skip :: q?_ fi }
active proctype Q() { q?_ }
active proctype R() { q!2 }
// --- The same with a variable: what seems exclusive is not if the first step is disabled in between.
byte x, z;
active proctype P() { if :: skip :: atomic { x == 0; z = 3 } fi }
active proctype Q() { x = 1; skip; x = 0 }
active proctype R() { atomic { x == 1; z = 2 } }
// --- The same with a lock.
bit lock; byte z;
active proctype P() { if :: skip :: atomic { lock == 0; lock = 1; z = 1 } fi }
active proctype Q() { atomic { lock == 0; lock = 1; z = 2 }; lock = 0 }
// --- A step that only waits: it may be disabled in between.
bit a; byte z;
active proctype P() { if :: skip :: atomic { a == 0; z = z + 1 } fi }
active proctype Q() { a = 1; a = 0; z = z + 1 }
// --- The same where the condition may fail.
byte i, z; bit b[2];
active proctype P() { if :: skip :: b[i] == 0 -> z = 1 fi }
active proctype Q() { i = 5; i = 0 }
// --- A condition behind one that may fail.
byte i; bit b[2]; byte x;
active proctype P() { b[i] == 0 && x == 1 }
active proctype Q() { i = 7 }
// --- The same, seen while the process stands elsewhere.
byte i = 3; bit b[2]; byte x;
active proctype P() { skip; b[i] == 0 && x == 1 }
active proctype Q() { skip; i = 0; i = 3 }
// --- What is possible, to fail, though it seems to exclude what others do.
byte i = 3; bit b[2]; byte z;
active proctype P() { b[i] == 0 && z == 1 }
active proctype Q() { atomic { z == 0; i = 0 }; z = 1 }
// --- The same with a channel.
byte i = 3; bit b[2]; byte z; chan q = [1] of { bit };
active proctype P() { b[i] == 0 && nempty(q) }
active proctype Q() { atomic { empty(q); i = 0 }; q!1 }
// --- Whoever makes a process enables it.
proctype R() { do :: skip od }
active proctype P() { run R() }
// --- A receive that is shut out by an escape may be the other side of a rendezvous all the same.
chan c = [0] of { bit }; bit y = 1;
active proctype P() { { c?_ } unless { y == 1; skip } }
active proctype Q() { skip; c!1 }
active proctype R() { skip; y = 0 }
// --- The same where the escape may take the message.
chan c = [0] of { bit }; bit y = 1;
active proctype P() { { c?_ } unless { c?eval(y) } }
active proctype Q() { c!1 }
active proctype R() { skip; y = 0 }
// --- An escape that takes part in a rendezvous of somebody else shuts nothing out.
chan c = [0] of { bit, bit }; bit y;
active proctype P() { { c!0,1 } unless { c?_,_ } }
active proctype Q() { skip; c?y,_ }
active proctype R() { c!0,0 }
// --- A condition of a whole process that fails: only one of its steps is listed for that.
byte i = 3; bit b[2]; byte x;
active proctype P() provided (b[i] == 0) { if :: x == 1 :: else fi }
active proctype Q() { i = 0 }
// --- An escape from a channel of which it is not known whether it is a rendezvous.
chan q = [1] of { bit }; chan r = [0] of { bit }; bit x;
active proctype P() { chan k = q; if :: k = q :: k = r fi; { x = 1 } unless { k?_ } }
active proctype Q() { q!1; q?_ }
active proctype R() { r!1 }
// --- What is read and written.
byte x, y, z;
active proctype P() { x = y }
active proctype Q() { y = z }
active proctype R() { z = 1 }
// --- What is written twice.
byte x, y, z;
active proctype P() { x = y }
active proctype Q() { x = z }
active proctype R() { y = 1; z = 2 }
// --- Two comparisons that both may hold.
byte x, z;
active proctype P() { atomic { x != 1; z = 1 } }
active proctype Q() { atomic { x != 2; z = 2 }; x = 3 }
// --- A constant to the left of a comparison.
byte x = 2, z;
active proctype P() { atomic { 1 < x; z = 1 } }
active proctype Q() { atomic { x == 2; z = 2 }; x = 3 }
// --- A channel that is neither full nor empty.
chan q = [2] of { byte }; byte z;
active proctype P() { q!0; atomic { q!1; z = 1 } }
active proctype Q() { atomic { q?_; z = 2 } }
// --- Where somebody stands.
byte x;
active proctype Q() { skip; L: skip; skip }
active proctype P() { (Q@L); x = 1 }
// --- A message that is cut.
chan c = [0] of { bit };
active proctype P() { skip; c!2 }
active proctype Q() { c?0 }
// --- A constant that is added.
byte x, y;
active proctype P() { x++; skip }
active proctype Q() { y = x }
active proctype R() { x == 1; skip }
// --- A constant that is added, and one that is set.
byte x;
active proctype P() { x++ }
active proctype Q() { x = 5 }
// --- Something else that is added.
byte x, y;
active proctype P() { x = x + y }
active proctype Q() { y = 2 }
// --- What is tested and written.
byte x, y;
active proctype P() { x == 0 }
active proctype Q() { x = y }
active proctype R() { y = 1; y = 2 }
// --- What is waited for and written.
byte x, y;
active proctype P() { x == 1 }
active proctype Q() { y = 1; x = y }
// --- What is waited for and set.
byte x;
active proctype P() { x == 1 }
active proctype Q() { x = 1 }
// --- A look at a message.
chan q = [2] of { byte }; byte x;
active proctype P() { q!1; q!2; q?<x> }
active proctype Q() { q?_ }
// --- A look at a message that comes again.
chan q = [1] of { byte }; byte x;
active proctype P() { q!1; if :: skip :: q?<x> fi }
active proctype Q() { q?_ }
active proctype R() { q!2 }
// --- Questions about messages.
chan q = [1] of { byte };
active proctype P() { q?[1]; skip }
active proctype Q() { q!1; q?_ }
active proctype R() { nempty(q) }
// --- Questions about the state of a channel.
chan q = [1] of { byte };
active proctype P() { nfull(q); empty(q) }
active proctype Q() { q!1; q?_ }
active proctype R() { full(q) }
// --- A message among others.
chan q = [2] of { byte };
active proctype P() { q!5; q!!2 }
active proctype Q() { byte x; q?x }
// --- Messages at a distance.
chan q = [2] of { byte };
active proctype P() { atomic { skip; q!1 } }
active proctype Q() { q!2 }
// --- Who is taken along by a chain.
chan c = [0] of { byte }; byte z;
active proctype P() { atomic { skip; c!1 } }
active proctype Q() { byte x; if :: c?x :: skip fi; z = 1 }
// --- The same, with something that is waited for.
chan c = [0] of { byte };
active proctype P() { atomic { skip; c!1 } }
active proctype Q() { byte x; do :: c?x :: x == 1 -> break od }
// --- The same, with a chain that goes on and stops.
chan c = [0] of { byte }; byte y, z;
active proctype P() { atomic { skip; c!1 } }
active proctype Q() { byte x; atomic { c?x; skip; y == 1; z = 1 } }
active proctype R() { y = 1 }
// --- The same, with what is stored.
chan c = [0] of { byte }; byte x, y;
active proctype P() { atomic { skip; c!1 } }
active proctype Q() { c?x }
active proctype R() { y = x }
// --- The same, with a question where it stands.
chan c = [0] of { byte }; byte x;
active proctype P() { atomic { skip; c!1 } }
active proctype Q() { L: c?_; skip }
active proctype R() { (Q@L); x = 1 }
// --- The same, by somebody who does not live yet.
chan c = [0] of { byte }; byte z;
proctype A() { atomic { skip; c!1 } }
active proctype P() { run A() }
active proctype Q() { c?_; z = 1 }
// --- `else`
byte x;
active proctype P() { if :: x == 1 :: else fi }
active proctype Q() { x = 1; x = 0 }
// --- `d_step`
byte x;
active proctype P() { d_step { x == 1; skip } }
active proctype Q() { x = 1; x = 0 }
// --- What a message says.
chan c = [0] of { byte }; byte x;
active proctype P() { c!x }
active proctype Q() { c?1 }
active proctype R() { x = 1; x = 2 }
// --- What is asked of a message.
chan c = [0] of { byte }; byte x;
active proctype P() { c!1 }
active proctype Q() { c?eval(x) }
active proctype R() { x = 1; x = 2 }
// --- `else` with a rendezvous.
chan c = [0] of { byte }; byte x, z;
active proctype P() { if :: c!1; z = 2 :: else -> z = 1 fi }
active proctype Q() { c?eval(x) }
active proctype R() { x = 1 }
// --- Who makes somebody who makes somebody.
byte x;
proctype B() { x = 1 }
proctype A() { run B() }
active proctype P() { run A() }
active proctype Q() { skip; x = 2 }
// --- A chain that may stop.
byte x, z;
active proctype P() { atomic { skip; x == 1; z = 1 } }
active proctype Q() { skip; x = 1 }
// --- Who fails to say from which channel is everybody's partner.
chan a[2] = [0] of { bit }; byte i;
active proctype P() { a[0]!1 }
active proctype Q() { a[i]?_ }
active proctype R() { skip; i = 3 }
// --- Messages that are watched.
chan q = [2] of { bit }; chan r = [2] of { bit };
trace { do :: q!_; r!_ od }
active proctype P() { q!1 }
active proctype Q() { r!1 }
// --- A process type without choices.
byte x = 1, y;
active D_proctype P() { if :: x == 1 -> skip :: y == 1 -> skip fi }
active proctype Q() { y = 1; x = 0 }
// --- A value that is cut.
bit b = 1;
active proctype P() { b != 0 }
active proctype Q() { b = 2 }
// --- What a new process starts with.
byte g;
proctype A() { byte l = g; l++ }
active proctype P() { run A() }
active proctype Q() { g = 1 }
// --- What only the process itself can reach.
active proctype P() { byte l; do :: l == 1 -> break :: l = 1 od }
active proctype Q() { skip }
// --- Parameters.
byte x[2];
proctype A(byte k) { x[k] = 1 }
active proctype P() { if :: run A(0) :: run A(1) fi }
active proctype Q() { skip; x[0] = 2; x[1] = 3 }
// --- Elements by pid.
byte a[2];
active [2] proctype P() { a[_pid] = 1 }
active proctype Q() { a[0] = 5; a[1] = 6 }
// --- What is received.
chan q = [1] of { byte }; byte x, y;
active proctype P() { q?x }
active proctype Q() { x == 1 }
active proctype R() { q!1 }
active proctype S() { y = x }
// --- `timeout`
byte x;
active proctype P() { (timeout || x == 1) }
active proctype Q() { x = 1; x = 0 }
// --- A rendezvous that begins a chain.
chan c = [0] of { bit }; byte z;
active proctype P() { atomic { c!1; z = 1 } }
active proctype Q() { c?_ }
// --- Processes that come.
byte x;
proctype A() { skip }
proctype B() { skip }
active proctype P() { run A() }
active proctype Q() { run B() }
active proctype R() { x = _nr_pr }
// --- Processes that are waited for.
proctype A() { skip }
active proctype P() { run A() }
active proctype Q() { _nr_pr == 3 }
active proctype R() { _nr_pr == 2 }
// --- A choice in the middle of a chain.
byte x, z;
active proctype P() { atomic { skip; if :: x == 1 -> z = 1 :: else -> z = 2 fi } }
active proctype Q() { x = 1 }
// --- An assertion.
byte x;
active proctype P() { assert(x == 0) }
active proctype Q() { x = 1 }
// --- A variable that others can reach.
active proctype P() { byte l; l = 1; l = 2 }
active proctype Q() { (P:l == 1) }
// --- A condition of a whole process.
byte x;
active proctype P() provided (x == 1) { byte l; l = 1; l = 2 }
active proctype Q() { x = 1; x = 0 }
// --- Predicates about variables.
byte x, y;
active proctype P() { x = 1; y = x; x = y }
active proctype Q() { y++ }
ltl f { [] (x == 0) && [] (y == 0) }
// --- Predicates about channels.
chan q = [1] of { bit };
active proctype P() { q!1 }
active proctype Q() { q?_ }
ltl f { [] (len(q) == 0) }
// --- Predicates about places.
active proctype P() { skip; L: skip; progress: skip; skip }
ltl f { [] (!P@L) }
ltl g { [] np_ }
// --- Predicates about processes.
proctype A() { skip }
active proctype P() { run A() }
ltl f { [] (_nr_pr == 1) }
// --- A larger message that is cut.
chan c = [0] of { byte };
active proctype P() { skip; c!256 }
active proctype Q() { c?0 }
// --- Processes that come and stay.
proctype A() { do :: skip od }
proctype B() { do :: skip od }
active proctype P() { run A() }
active proctype Q() { run B() }
// --- Processes that are waited for and stay.
proctype A() { do :: skip od }
active proctype P() { run A() }
active proctype Q() { _nr_pr == 3 }
// --- Who fails to say from which channel is the partner even of those that it cannot mean.
chan a[2] = [0] of { bit }; chan d = [0] of { bit }; byte i;
active proctype P() { d!1 }
active proctype Q() { a[i]?_ }
active proctype R() { skip; i = 3 }
// --- A condition of a whole process that stays true.
byte x;
active proctype P() provided (x == 1) { byte l; l = 1; l = 2 }
active proctype Q() { x = 1 }
// --- A predicate about what cannot go on.
byte x;
active proctype P() { skip; timeout; x = 1 }
ltl f { [] !timeout }
// --- `else` inside `d_step`
byte x;
active proctype P() { if :: x == 1 :: d_step { else; skip } fi }
active proctype Q() { x = 1; x = 0 }
// --- A question what somebody can do.
byte x, y;
active proctype P() { x == 1; skip }
active proctype Q() { enabled(0); y = 1 }
active proctype R() { x = 1; x = 2 }
// --- The same, behind `else`.
byte x, y;
active proctype P() { x == 1; skip }
active proctype Q() { if :: enabled(0) -> y = 1 :: else -> y = 2 fi }
active proctype R() { x = 1; x = 2 }
// --- A question where somebody is.
active proctype P() { skip; skip; skip }
active proctype Q() { pc_value(0) == 2 }
// --- A guard that fails, and would be true behind another step.
byte z, g = 1;
active proctype X() { (1 / z == 1 && g == 0) }
active proctype Y() { atomic { g == 1 -> z = 1 } }
// --- The same of a whole process.
byte z, g = 1;
active proctype X() provided (1 / z == 1) { (g == 0) }
active proctype Y() { atomic { g == 1 -> z = 1 } }
