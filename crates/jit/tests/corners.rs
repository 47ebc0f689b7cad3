//! What few models do: each program is compared with the interpreter in all its states, and nothing of it
//! may be left to the interpreter.

mod support;

use support::compare;

/// Compares all states of a program, which must be done by generated code alone.
fn check(name: &str, program: ir::Program) {
    ir::verify(&program).unwrap_or_else(|errors| panic!("{name}: {errors:?}"));
    match compare(program, 5_000) {
        Ok(share) => {
            assert!(share.states > 1, "{name}: {share:?}");
            assert_eq!((share.bailed, share.left), (0, 0), "{name}: {share:?}");
        }
        Err(message) => panic!("{name}: {message}"),
    }
}

fn promela(name: &str, text: &str) {
    let tree = testkit::parse(text).unwrap_or_else(|error| panic!("{name}: {error}"));
    check(name, promela::lower(&tree).expect("it can be lowered"));
}

#[test]
fn arithmetic() {
    promela(
        "division",
        "int a[3], i, x, y; active proctype P() {
           a[0] = -2147483647; a[0] = a[0] - 1; a[1] = 7; a[2] = -7;
           do
           :: i < 3 -> x = a[i] / (0 - 1); y = a[i] % (0 - 1); x = a[i] / (i - 4); y = a[i] % (i - 4);
              x = a[i] / (i + 1); y = a[i] % (i + 1); x = a[i] / -1; y = a[i] % -1;
              x = a[i] / (a[1] - 8); y = a[i] % (a[1] - 8); i++
           :: else -> break
           od }",
    );
    promela(
        "shifts",
        "int i, x, y; active proctype P() { i = -40;
           do :: i < 80 -> x = 1 << i; y = -77777 >> i; x = y << (i * 7); i = i + 7 :: else -> break od }",
    );
    promela(
        "widths",
        "unsigned a : 3; unsigned b : 5; unsigned c : 11; unsigned d : 23; bit e; short s; byte z; int i;
         bit f[9]; short h[3];
         active proctype P() {
           do
           :: i < 300 -> a = i; b = i * 3; c = i * 37; d = i * 65537; e = i; s = i * 1001; z = i;
              f[i % 9] = i / 9; h[i % 3] = -i;
              i = i + 7
           :: else -> break
           od }",
    );
    promela(
        "conditional",
        "byte a[4]; byte i; int x; active proctype P() {
           do :: i < 6 -> x = (i < 4 -> a[i] + 1 : -1);
                 x = ((i < 4 && a[i] == 0) || (i >= 4 && i < 9) -> x : 100); i++ :: else -> break od }",
    );
}

#[test]
fn channels_of_all_sizes() {
    for (fields, n) in
        [("byte", 1), ("bit, bit", 2), ("bit", 1), ("short, byte", 2), ("int, byte", 2)].into_iter().chain([
            ("int, int, int", 3),
            ("int, int, short, short, int, bit", 6),
            ("byte, byte, byte, short", 4),
        ])
    {
        for capacity in [1, 3, 9, 40, 200] {
            let message = |k: &str| vec![k; n].join(",");
            let places: Vec<String> = (0..n).map(|k| format!("x[{k}]")).collect();
            let text = format!(
                "chan c = [{capacity}] of {{ {fields} }}; byte i, n; int x[6];
                 active proctype P() {{
                   do
                   :: i < 5 && nfull(c) -> c!{}; i++
                   :: len(c) > 0 -> c?<{}>; c?{}; n++
                   :: c?[{}] -> c?{}
                   :: i == 5 && empty(c) -> break
                   od }}",
                message("i * 21 - 1"),
                places.join(","),
                places.join(","),
                message("20"),
                message("_"),
            );
            promela(&format!("{capacity} of {fields}"), &text);
        }
    }
    promela(
        "full",
        "chan c = [200] of { short }; byte i; short x; active proctype P() {
           do :: i < 200 -> c!i * 300; i++ :: else -> break od;
           do :: c?x :: empty(c) -> break od }",
    );
    promela(
        "full of large messages",
        "chan c = [30] of { int, int, short }; byte i; int x, y; short z; active proctype P() {
           do :: i < 30 -> c!i, -i, i; i++ :: else -> break od;
           do :: c?x, y, z :: empty(c) -> break od }",
    );
}

#[test]
fn receives_that_depend_on_what_they_store() {
    promela(
        "the index is in the message",
        "chan c = [2] of { byte, byte }; byte i, a[4]; active proctype P() { byte j, b[4];
           c!2, 7; c!3, 9; c?i, a[i]; c?j, b[j]; c!1, 5; c!0, 6; c?i, b[i]; c?j, a[j] }",
    );
    promela(
        "the index is in the message of a rendezvous",
        "chan c = [0] of { byte, byte }; byte i, a[4];
         active proctype P() { c!2, 7; c!3, 9 }
         active proctype Q() { byte j, b[4]; c?i, a[i]; c?j, b[j] }",
    );
}

#[test]
fn channels_of_several_types() {
    promela(
        "passed",
        "chan a = [1] of { byte }; chan b = [3] of { int };
         chan names = [2] of { chan }; byte n;
         active proctype P() { chan c; names!a; names!b; names?c; c!1; names?c; c!300; a?n; b?n }
         active [2] proctype Q() { chan c; if :: c = a :: c = b fi; c?n }",
    );
}

#[test]
fn rendezvous() {
    promela(
        "a second one inside the chain",
        "chan a = [0] of { byte }; chan b = [0] of { byte }; byte n;
         active proctype S() { a!1; a!2 }
         active [2] proctype R() { byte x; do :: atomic { a?x; b!x + 10 } :: a?eval(2) od }
         active [2] proctype T() { do :: b?n :: atomic { a?n; n++ } od }",
    );
    promela(
        "back and forth",
        "chan a = [0] of { byte }; chan b = [0] of { byte }; byte n;
         active proctype S() { atomic { a!1; b?n; a!n; b?n } }
         active proctype R() { byte x; do :: atomic { a?x; x++; b!x } od }",
    );
    promela(
        "fields are cut and extended",
        "chan c = [0] of { short, byte, bit }; int x; int y; int z;
         active proctype S() { c!-5, 300, 2; c!40000, -1, 3 }
         active proctype R() { do :: c?eval(-5), x, y :: c?x, eval(255), z od }",
    );
    promela(
        "many receivers",
        "mtype = { one, two }; chan c = [0] of { mtype, byte }; byte n;
         active [2] proctype S() { if :: c!one, _pid :: c!two, 3 fi }
         active [3] proctype R() { byte x; do :: c?one, x :: c?two, eval(n) :: c?two, n -> n = 3 od }",
    );
}

#[test]
fn effects_of_several_operations() {
    let text = r#"
globals { x: u8; y: u8; a[4]: u8; b: u1; c: u1; k: u8; m: i8 }
channel q [2] of { u8, u8 }
shared q
init { k = 300; m = 200 }
start P, Q
process P {
  frame { _p: u2 internal; z: i8; w: u3 }
  location 0 {
    [x < 3] { x = x + 1; y = x; a[x] = y + 1; .z = .z - x; .w = .z; b = b + 1; c = b } -> 0 "all";
    [x < 3] 1 ! x, y { x = x + 2; a[x % 4] = x; b = 1; .z = a[x % 4] } -> 1 "send";
  }
  location 1 { 1 ? x, y { .w = len(1); x = x - 1 + .w; y = x + y + (k == 44) + (m < 0); .w = x; .z = .w - y } -> 0 "receive"; }
}
process Q {
  frame { _p: u1 internal }
  location 0 { [x > 1] { x = 0; x = x + 1; y = x + 1; a[y] = x; c = b; b = 0; c = c + b } -> 0 "back"; }
}
"#;
    let program = ir::text::parse(text).unwrap_or_else(|error| panic!("{error}"));
    check("several operations", program);
}

#[test]
fn chains_and_blocks() {
    promela(
        "without a choice",
        "byte x, y; active [2] proctype P() { byte i;
           atomic { x == 0 -> x = 1; i = 3; do :: i > 0 -> y = y + i; i-- :: i == 0 -> break od; x = 0 } }",
    );
    promela(
        "that wait",
        "byte x; bool go; active proctype P() { atomic { x = 1; go; x = 2; x != 2; x = 3 } }
         active proctype Q() { x == 1; go = true; x == 2; x = 0 }",
    );
    promela(
        "blocks with loops",
        "byte a[8], i, s; active [2] proctype P() { d_step { i = 0; s = 0;
           do :: i < 8 -> a[i] = i + _pid; s = s + a[i]; i++ :: else -> break od }; s = 1 }",
    );
    promela(
        "remote references",
        "byte n; active [2] proctype P() { byte k; do :: k < 3 -> k++ :: else -> break od }
         active proctype Q() { byte q = 77; P[0]:k == 2 && P[1]:k < 2; n = P[1]:k + 1; n = P[7]:k; n = 5; n = P[2]:k }",
    );
}

#[test]
fn deep_expressions() {
    let mut value = ir::Expr::Const(1);
    for k in 0..ir::MAX_DEPTH - 2 {
        let op = if k % 3 == 0 { ir::BinaryOp::Sub } else { ir::BinaryOp::BitXor };
        value = ir::Expr::Binary(op, Box::new(ir::Expr::Pid), Box::new(value));
    }
    let tree = testkit::parse("int x; active [2] proctype P() { x = 1; x = 2 }").expect("it parses");
    let mut program = promela::lower(&tree).expect("it can be lowered");
    let command = &mut program.processes[0].locations[0].transitions[0].command;
    let ir::Command::Guarded(guarded) = command else { panic!("an assignment") };
    let ir::Op::Assign(_, assigned) = &mut guarded.effect[0] else { panic!("an assignment") };
    *assigned = value;
    check("a deep expression", program);
}
