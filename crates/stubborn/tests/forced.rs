//! Combinations that the table of what is sound refuses as unsound, forced on the models that show it: each must give a
//! wrong answer there, so that no refusal outlives its reason.

use std::path::{Path, PathBuf};

use check::answer::Outcome;
use check::options::{Engine, Options};
use check::prefer::Por;
use check::soundness::{ROWS, Row, Status, Value};
use check::{Control, Fairness, Plan, Property, Question, System, plan, run};
use model::Patience;
use por::{Method, Preserves, Reduction};
use stubborn::{Opened, Reading, Source, What, open};

fn opened(row: &Row, merges: bool) -> Opened {
    let path: PathBuf =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(row.witness.expect("it has one"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let source = Source::of_text(row.id, stubborn::Language::Promela, &text);
    let reading = Reading { merges, ..Reading::default() };
    open(source, &reading, &What::default(), &Patience::default()).unwrap_or_else(|error| panic!("{error:?}"))
}

/// The answer that a plan gives. A run that does not replay is a wrong one, too.
fn answer(system: &dyn System, property: &Property, plan: &Plan, options: &Options) -> Option<Outcome> {
    let mut outcome = None;
    let tell = &mut |_, answer: check::Answer| outcome = Some(answer.outcome);
    run(system, &[(property, plan)], options, &Control::default(), tell).ok()?;
    outcome
}

/// Whether the row speaks of a value.
fn names(row: &Row, value: Value) -> bool {
    row.when.iter().any(|group| group.has(value))
}

#[test]
fn what_is_refused_as_unsound_is_wrong_where_a_model_shows_it() {
    let shown: Vec<&Row> = ROWS.iter().filter(|row| row.status == Status::Unsound).collect();
    assert!(shown.len() >= 6);
    for row in shown {
        let fairness = if names(row, Value::Weak) { Fairness::Weak } else { Fairness::None };
        let options = Options {
            por: Por::None,
            fairness,
            engine: Engine::Interpreter,
            threads: 1,
            ..Options::default()
        };
        let plainly = opened(row, false);
        let property = plainly.asked().last().expect("something is asked");
        let right =
            plan(plainly.system(), property, &options, &Patience::default()).expect("nothing is combined");
        let forced_plan = if names(row, Value::Stubborn) {
            let Question::Forbidden(forbidden) = &property.question else { panic!("{}: no runs", row.id) };
            let watched = forbidden.atoms.clone();
            let (method, preserves) = (Method::Stubborn, Preserves::InfiniteRuns);
            Plan { reduction: Some(Reduction { method, preserves, watched }), ..right.clone() }
        } else {
            right.clone()
        };
        let changed = opened(row, names(row, Value::Chains));
        // It is refused …
        let asked = Options { por: Por::Exactly(Method::Stubborn), ..options.clone() };
        let asked = if names(row, Value::Chains) { &options } else { &asked };
        assert!(
            plan(changed.system(), property, asked, &Patience::default()).is_err(),
            "{} admits it",
            row.id
        );
        // … with reason.
        let expected = answer(plainly.system(), property, &right, &options).expect("the definition is right");
        let found = answer(changed.system(), property, &forced_plan, &options);
        assert!(!matches!(expected, Outcome::Unknown(_)));
        assert_ne!(found, Some(expected), "{}: the refusal has lost its reason", row.id);
    }
}
