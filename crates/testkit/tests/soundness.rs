//! Combinations that the table of what is sound refuses as unsound, forced on the models that show it: each must give the
//! wrong answer there, so that no refusal outlives its reason.

use check::soundness::{ROWS, Status};
use ir::Interpreter;
use ir::transform::merge_statements;
use logic::Goal;
use model::Patience;
use promela::PropertyKind;
use search::{Cycles, Fairness, Forbidden, Options, Reason, Verdict};

/// Whether the formula of a model holds under weak fairness, with merged statements or without, in a search without
/// reduction.
fn holds_under_weak_fairness(text: &str, merges: bool) -> bool {
    let tree = testkit::parse(text).expect("the model is well-formed");
    let lowered = promela::lower_with_properties(&tree, &Patience::default())
        .expect("there is time")
        .expect("the model is well-formed");
    let mut program = lowered.program;
    if merges {
        let merged = merge_statements(&program, &model::Patience::default()).expect("nobody is impatient");
        program = merged.expect("there is something to merge").0;
    }
    let property = &lowered.properties[0];
    let PropertyKind::Ltl { formula, .. } = &property.kind else { panic!("the model has a formula") };
    let automaton = logic::translate(&formula.clone().negated(), Goal::Generalised, &Patience::default())
        .expect("it is small");
    let cycles = Cycles::fastest(&automaton, Fairness::Weak);
    let forbidden = Forbidden {
        automaton,
        atoms: property.atoms.clone(),
        fails_at: None,
        stutters: true,
        reason: Reason::AcceptanceCycle,
    };
    let findings = search::find_cycle(&Interpreter::new(program), &forbidden, &cycles, &Options::default());
    assert!(!matches!(findings.verdict, Verdict::Unknown(_)));
    findings.verdict == Verdict::Holds
}

#[test]
fn merged_statements_are_wrong_under_weak_fairness() {
    let text = include_str!("../../../tests/soundness/chains-fair.pml");
    assert!(!holds_under_weak_fairness(text, false));
    assert!(holds_under_weak_fairness(text, true), "merging is right here: the refusal has lost its reason");
}

#[test]
fn witnesses_are_there() {
    for row in ROWS.iter().filter(|row| row.status == Status::Unsound) {
        if let Some(witness) = row.witness {
            let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(witness);
            assert!(file.is_file(), "{}: {witness}", row.id);
        }
    }
}
