//! Whether something may go wrong at run time, as the text of a program shows it.

use ir::{Failures, Interpreter};

fn may_fail(text: &str) -> bool {
    let loader = |path: &std::path::Path| std::fs::read(path);
    let parsed = promela::parse("model.pml", text.to_string(), &promela::Options::default(), &loader)
        .expect("nobody is impatient");
    let program = promela::lower(&parsed.program).unwrap_or_else(|errors| panic!("{text}: {errors:?}"));
    Failures::of(&Interpreter::new(program)).in_program()
}

#[test]
fn programs_that_cannot_fail_are_known() {
    for text in [
        "byte x; active [3] proctype A() { do :: x++ :: x = x / 2 od }",
        "byte a[3]; active proctype A() { a[2] = 1; assert(a[1] == 0) }",
        "chan c = [1] of { byte, bit }; active proctype A() { byte x; c!3,1; c?x,_; len(c) == 0 }",
        "chan c = [0] of { byte }; active proctype A() { c!3 } active proctype B() { byte x; c?x }",
        "proctype P(byte k) { k = 1 } init { atomic { run P(1); run P(2) } }",
    ] {
        assert!(!may_fail(text), "{text}");
    }
}

#[test]
fn what_may_fail_is_found() {
    for text in [
        "byte x; active proctype A() { x = 1 / x }",
        "byte a[3], i; active proctype A() { a[i] = 1 }",
        "byte a[3], i; active proctype A() { a[0] = a[i] }",
        "chan c, d = [1] of { byte }; active proctype A() { c!3 }",
        "byte x; proctype P() { byte y = 1 / x; skip } init { run P() }",
        "chan c = [1] of { byte }; chan d = [1] of { chan }; active proctype A() { d?c; c!3 }",
        "chan c = [1] of { byte }; chan d; active proctype A() { c = d; c!3 }",
        "chan c = [1] of { byte }; active proctype A(chan e) { e?1 }",
        "byte x; active proctype A() { d_step { x = 1; x == 2 } }",
        "byte x; active proctype A() { atomic { do :: x++ od } }",
        "proctype P() { skip } init { do :: run P() od }",
        "proctype P() { run P() } init { run P() }",
        "byte x; D_proctype A() { if :: x = 1 :: x = 2 fi } init { run A() }",
    ] {
        assert!(may_fail(text), "{text}");
    }
}
