//! Traces that do what they claim, and traces that do not.

use ir::{Interpreter, Player};
use model::{Failure, FailureKind, Lasso, Location, Model, Over, Patience, Phase, Play, Run, Step, Trace};
use replay::{Evidence, Unconfirmed, json, settle};

fn model(text: &str) -> Interpreter {
    let no_files = |_: &std::path::Path| Err(std::io::Error::other("no includes here"));
    let parsed = promela::parse("m.pml", text.to_string(), &promela::Options::default(), &no_files);
    Interpreter::new(
        promela::lower(&parsed.expect("nobody is impatient").accept().expect("the model is correct").program)
            .expect("it can be lowered"),
    )
}

/// Runs a model, each time taking the choice with the given number, as long as there are choices.
/// Returns the trace and what failed in its last step.
fn drive(interpreter: &Interpreter, choices: &[usize]) -> (Trace, Vec<Failure>) {
    let mut player = Player::new(interpreter).expect("the initial state can be computed");
    let mut trace = Trace::default();
    let mut failures = Vec::new();
    for &choice in choices {
        let possible = player.choices();
        let told = player.tell(&possible.actions[choice], possible.phase);
        trace.steps.push(told.step.step);
        failures = told.failures;
    }
    (trace, failures)
}

fn message(result: Result<Run, Unconfirmed>) -> String {
    match result.expect_err("the trace must be refused") {
        Unconfirmed::Mismatch(mismatch) => mismatch.message,
        other => panic!("{other}"),
    }
}

fn replay(interpreter: &Interpreter, trace: &Trace, evidence: &Evidence) -> Result<Run, Unconfirmed> {
    replay::replay(Player::start(interpreter), trace, evidence, &Patience::default())
}

fn resolve(trace: &json::JsonTrace, interpreter: &Interpreter) -> Result<Trace, Unconfirmed> {
    replay::resolve(Player::start(interpreter), trace, &Patience::default())
}

const FAILING: &str = "byte x; active proctype A() { x = 1; x = 2; assert(x == 1) }";

#[test]
fn a_failure_must_happen_in_the_last_step() {
    let interpreter = model(FAILING);
    let (trace, failures) = drive(&interpreter, &[0, 0, 0]);
    assert_eq!(failures.len(), 1);
    let evidence = Evidence::Failure(failures[0].clone());
    let run = replay(&interpreter, &trace, &evidence).unwrap();
    assert_eq!(run.steps.len(), 3);
    assert_eq!(run.steps[1].changes.len(), 1);

    let mut short = trace.clone();
    short.steps.pop();
    assert!(message(replay(&interpreter, &short, &evidence)).contains("does not happen"));
    let elsewhere = Failure { location: Location { line: 7, ..Location::default() }, ..failures[0].clone() };
    assert!(replay(&interpreter, &trace, &Evidence::Failure(elsewhere)).is_err());
    let other = Failure { kind: FailureKind::DivisionByZero, ..failures[0].clone() };
    assert!(replay(&interpreter, &trace, &Evidence::Failure(other)).is_err());
}

#[test]
fn a_run_is_stuck_only_where_nothing_can_happen_and_the_end_is_invalid() {
    let interpreter =
        model("byte x; active proctype A() { x = 1; x == 2 } active proctype B() { end: x == 3 }");
    let (trace, _) = drive(&interpreter, &[0]);
    let run = replay(&interpreter, &trace, &Evidence::Stuck).unwrap();
    let standing: Vec<bool> = run.standing.iter().map(|process| process.end).collect();
    assert_eq!(standing, [false, true]);
    assert!(message(replay(&interpreter, &Trace::default(), &Evidence::Stuck)).contains("still enabled"));

    let interpreter = model("active proctype B() { end: 0 }");
    assert!(message(replay(&interpreter, &Trace::default(), &Evidence::Stuck)).contains("valid"));
}

#[test]
fn nobody_moves_while_another_process_is_in_an_atomic_sequence() {
    let interpreter = model(
        "byte x; active proctype A() { atomic { x = 1; x = 2; x == 3; x = 4 } } active proctype B() { x = 3 }",
    );
    // B is listed first; it may move before A starts, and again where A is blocked.
    let (good, _) = drive(&interpreter, &[1, 0, 0]);
    let run = replay(&interpreter, &good, &Evidence::Run).unwrap();
    let observable: Vec<bool> = run.steps.iter().map(|step| step.step.observable).collect();
    assert_eq!(observable, [false, true, true]);

    let mut early = good.clone();
    early.steps.swap(1, 2);
    assert!(message(replay(&interpreter, &early, &Evidence::Run)).contains("atomic sequence"));
    let mut wrong = good.clone();
    wrong.steps[0].observable = true;
    assert!(message(replay(&interpreter, &wrong, &Evidence::Run)).contains("observable"));
}

#[test]
fn timeout_is_taken_only_when_nothing_else_is_possible() {
    let interpreter = model("byte x; active proctype A() { x = 1; timeout -> x = 2 }");
    let (trace, _) = drive(&interpreter, &[0, 0, 0]);
    assert_eq!(trace.steps[1].phase, Phase::Timeout);
    assert!(replay(&interpreter, &trace, &Evidence::Run).is_ok());
    let mut wrong = trace.clone();
    wrong.steps[0].phase = Phase::Timeout;
    assert!(message(replay(&interpreter, &wrong, &Evidence::Run)).contains("timeout"));
    let mut wrong = trace;
    wrong.steps[1].phase = Phase::Normal;
    assert!(message(replay(&interpreter, &wrong, &Evidence::Run)).contains("timeout"));
}

/// What fails before the step turns out not to end has failed nevertheless.
#[test]
fn all_failures_of_a_step_that_does_not_end_are_told() {
    let interpreter = model("active proctype A() { d_step { assert(false); do :: skip od } }");
    let (trace, failures) = drive(&interpreter, &[0]);
    let kinds: Vec<FailureKind> = failures.iter().map(|failure| failure.kind).collect();
    assert_eq!(kinds, [FailureKind::Assertion, FailureKind::EndlessLoop]);
    for failure in failures {
        assert!(replay(&interpreter, &trace, &Evidence::Failure(failure)).is_ok());
    }
}

#[test]
fn an_endless_atomic_sequence_cannot_be_left() {
    let endless = Evidence::Failure(Failure {
        kind: FailureKind::EndlessLoop,
        location: Location::default(),
        detail: String::new(),
    });
    let interpreter = model("byte x; active proctype A() { atomic { x = 1; do :: x = 2 :: x = 3 od } }");
    let (trace, _) = drive(&interpreter, &[0]);
    assert!(replay(&interpreter, &trace, &endless).is_ok());
    let interpreter = model("byte x; active proctype A() { atomic { x = 1; do :: x = 2 :: break od } }");
    let (trace, _) = drive(&interpreter, &[0]);
    assert!(message(replay(&interpreter, &trace, &endless)).contains("can be left"));
}

#[test]
fn a_runtime_error_ends_the_run() {
    let interpreter = model("byte a[2]; byte i = 2; active proctype A() { a[i] = 1; i = 0 }");
    let (trace, failures) = drive(&interpreter, &[0]);
    assert_eq!(failures[0].kind, FailureKind::IndexOutOfRange);
    assert!(replay(&interpreter, &trace, &Evidence::Failure(failures[0].clone())).is_ok());
    let mut longer = trace.clone();
    longer.steps.push(trace.steps[0]);
    assert!(message(replay(&interpreter, &longer, &Evidence::Run)).contains("run ends here"));
}

const RENDEZVOUS: &str = "chan c = [0] of { byte }; mtype = { red, green }; mtype m = red; byte x;
    active proctype S() { if :: skip; c!1 :: skip; c!2 fi }
    active proctype R() { c?x; m = green }";

#[test]
fn a_trace_in_json_is_read_back() {
    let interpreter = model(RENDEZVOUS);
    let (trace, _) = drive(&interpreter, &[1, 0, 0]);
    let run = replay(&interpreter, &trace, &Evidence::Run).unwrap();
    let mut written = json::JsonTrace::from(json::trace(&run));
    assert_eq!(written.steps[1].partner, Some(1));
    assert_eq!(serde_json::to_string(&written.steps[2].changes).unwrap(), r#"{"m":["red","green"]}"#);
    assert_eq!(resolve(&written, &interpreter).unwrap(), trace);

    // Without our own additions the two `skip` on line 2 look alike; what follows tells them apart.
    for step in &mut written.steps {
        (step.transition, step.partner_transition, step.partner_action, step.file) = (None, None, None, None);
    }
    assert_eq!(resolve(&written, &interpreter).unwrap(), trace);

    written.steps[2].changes.clear();
    assert!(
        matches!(resolve(&written, &interpreter), Err(Unconfirmed::Mismatch(mismatch)) if mismatch.step == 2)
    );
}

#[test]
fn a_trace_file_says_what_it_claims() {
    let interpreter = model(FAILING);
    let (trace, failures) = drive(&interpreter, &[0, 0, 0]);
    let evidence = Evidence::Failure(failures[0].clone());
    let run = replay(&interpreter, &trace, &evidence).unwrap();
    let file = json::TraceFile {
        trace: json::JsonTrace::from(json::trace(&run)),
        property: Some("safety".to_string()),
        kind: None,
        reason: Some("assertion".to_string()),
        formula: None,
        fairness: None,
        failure: Some(json::failure(&failures[0], &interpreter.program().files)),
    };
    let text = serde_json::to_string(&file).unwrap();
    let back = json::parse(&text).unwrap();
    let other = |_: Option<&str>| Err("nothing else".to_string());
    let files = &interpreter.program().files;
    assert_eq!(json::evidence(&back, files, other), Ok(evidence));
    let report = format!(r#"{{"results": [{{"trace": null}}, {{"trace": {text}, "reason": "deadlock"}}]}}"#);
    assert_eq!(json::evidence(&json::parse(&report).unwrap(), files, other), Ok(Evidence::Stuck));

    for wrong in ["", "[]", "{}", r#"{"results": []}"#, r#"{"initial": {}, "steps": [{}]}"#] {
        assert!(json::parse(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn a_model_that_cannot_start_has_an_empty_trace() {
    let interpreter = model("byte z; byte x = 1 / z; active proctype A() { x = 1 }");
    let failure = interpreter.initial(&mut Vec::new()).unwrap_err();
    assert!(replay(&interpreter, &Trace::default(), &Evidence::Failure(failure)).is_ok());
    assert!(replay(&interpreter, &Trace::default(), &Evidence::Stuck).is_err());
}

#[test]
fn work_ends_without_patience() {
    let interpreter = model("byte x; active proctype A() { do :: x++ od }");
    let (trace, _) = drive(&interpreter, &[0; 4000]);
    let patience = Patience { deadline: Some(std::time::Instant::now()), ..Patience::default() };
    let replayed = replay::replay(Player::start(&interpreter), &trace, &Evidence::Run, &patience);
    assert_eq!(replayed, Err(Unconfirmed::Over(Over::Time)));
    assert_eq!(settle(Player::start(&interpreter), &trace, &patience), Err(Unconfirmed::Over(Over::Time)));
    let run = replay(&interpreter, &trace, &Evidence::Run).unwrap();
    let written = json::JsonTrace::from(json::trace(&run));
    let resolved = replay::resolve(Player::start(&interpreter), &written, &patience);
    assert_eq!(resolved, Err(Unconfirmed::Over(Over::Time)));
}

/// The same trace, with flags and phases that nobody has set.
fn unsettled(trace: &Trace) -> Trace {
    let step = |step: &Step| Step { observable: true, phase: Phase::Normal, ..*step };
    Trace { steps: trace.steps.iter().map(step).collect(), lasso: trace.lasso }
}

#[test]
fn flags_and_phases_are_settled() {
    let interpreter = model(
        "byte x; active proctype A() { atomic { x = 1; x = 2; x == 3; x = 4 }; timeout -> x = 5 }
         active proctype B() { x = 3 }",
    );
    let (trace, _) = drive(&interpreter, &[1, 0, 0, 0, 0, 0]);
    assert_ne!(unsettled(&trace), trace);
    let settled = settle(Player::start(&interpreter), &unsettled(&trace), &Patience::default());
    assert_eq!(settled, Ok(trace.clone()));
    let mut impossible = unsettled(&trace);
    impossible.steps.swap(1, 2);
    assert!(settle(Player::start(&interpreter), &impossible, &Patience::default()).is_err());
}

#[test]
fn what_comes_behind_the_end_is_left_out() {
    let interpreter = model("byte a[2]; byte i = 2; active proctype A() { a[i] = 1; i = 0 }");
    let (trace, failures) = drive(&interpreter, &[0]);
    let mut longer = trace.clone();
    longer.steps.push(trace.steps[0]);
    let settled = settle(Player::start(&interpreter), &longer, &Patience::default()).unwrap();
    assert_eq!(settled.steps.len(), 1);
    assert!(replay(&interpreter, &settled, &Evidence::Failure(failures[0].clone())).is_ok());
}

/// What is dead where a loop starts need not have its value yet the first time.
#[test]
fn a_loop_is_repeated_until_it_closes() {
    let interpreter = model("active proctype A() { byte dead; do :: dead = 7 :: dead = 0 od }");
    let (mut trace, _) = drive(&interpreter, &[0]);
    trace.lasso = Some(Lasso { start: 0 });
    assert!(message(replay(&interpreter, &trace, &Evidence::Run)).contains("does not lead back"));
    let settled = settle(Player::start(&interpreter), &trace, &Patience::default()).unwrap();
    assert_eq!((settled.steps.len(), settled.lasso), (2, Some(Lasso { start: 1 })));
    assert!(replay(&interpreter, &settled, &Evidence::Run).is_ok());

    let endless = model("active proctype A() { int x; do :: x++ od }");
    let (mut trace, _) = drive(&endless, &[0]);
    trace.lasso = Some(Lasso { start: 0 });
    let settled = settle(Player::start(&endless), &trace, &Patience::default());
    assert!(
        matches!(settled, Err(Unconfirmed::Mismatch(mismatch)) if mismatch.message.contains("lead back"))
    );
}
