//! The interpreter on small programs: each file in `programs/` says in comments what happens in it.
//!
//! Lines that start with `//>` are what exploring the program yields: the number of states and of
//! arrivals at them, the states in which nothing can happen with their variables, the failures, the
//! values of the predicates. `BLESS=1` writes them anew; read what changes.

mod support;

use std::collections::{BTreeSet, HashMap};
use std::path::Path;

use ir::{Interpreter, Program};
use model::{Actions, End, Failure, Model, OutcomeKind, PredicateId, Successors};

#[test]
fn programs_do_what_they_say() {
    let bless = std::env::var_os("BLESS").is_some();
    let mut wrong = Vec::new();
    for path in support::hand_written() {
        let text = std::fs::read_to_string(&path).expect("the file can be read");
        let program = ir::text::parse(&text).unwrap_or_else(|error| panic!("{}:{error}", path.display()));
        ir::verify(&program).unwrap_or_else(|errors| panic!("{}: {errors:#?}", path.display()));
        let expected: Vec<&str> = text.lines().filter(|line| line.starts_with("//>")).collect();
        let found = explore(program);
        if expected != found && bless {
            write(&path, &text, &found);
        } else if expected != found {
            wrong.push(format!(
                "{}: expected\n{}\nfound\n{}",
                path.display(),
                expected.join("\n"),
                found.join("\n")
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// Puts the expectations behind the comment at the top.
fn write(path: &Path, text: &str, found: &[String]) {
    let lines = || text.lines().filter(|line| !line.starts_with("//>"));
    let head = lines().take_while(|line| line.starts_with("//"));
    let tail = lines().skip_while(|line| line.starts_with("//"));
    let all: Vec<&str> = head.chain(found.iter().map(String::as_str)).chain(tail).collect();
    std::fs::write(path, all.join("\n") + "\n").expect("the file can be written");
}

/// Explores all states and says what there is.
fn explore(program: Program) -> Vec<String> {
    let n_predicates = program.predicates.len();
    let interpreter = Interpreter::new(program);
    let mut initial = Vec::new();
    if let Err(failure) = interpreter.initial(&mut initial) {
        return vec![failed(&failure)];
    }
    let mut seen = HashMap::from([(initial.clone(), 0)]);
    let mut states = vec![initial];
    let mut arrivals = 1;
    let mut notes = BTreeSet::new();
    let mut values = vec![BTreeSet::new(); n_predicates];
    let (mut actions, mut out) = (Actions::default(), Successors::default());
    let mut next = 0;
    while next < states.len() {
        let state = states[next].clone();
        next += 1;
        for (k, values) in values.iter_mut().enumerate() {
            values.insert(match interpreter.predicate(PredicateId(k as u32), &state) {
                Ok(value) => value.to_string(),
                Err(Failure { kind, location, .. }) => {
                    format!("{kind:?} at {}:{}", location.line, location.column)
                }
            });
        }
        interpreter.enabled(&state, &mut actions);
        if actions.list.is_empty() {
            notes.insert(stuck(&interpreter, &state));
        }
        out.clear();
        interpreter.fire(&actions, &state, &mut out);
        for outcome in &out.outcomes {
            match &outcome.kind {
                OutcomeKind::State(range) => {
                    arrivals += 1;
                    let n_states = seen.len();
                    let words = out.state(range).to_vec();
                    if *seen.entry(words.clone()).or_insert(n_states) == n_states {
                        states.push(words);
                    }
                }
                OutcomeKind::Diverges(_) => unreachable!("nobody has asked for it"),
                OutcomeKind::Failed(failure) => {
                    notes.insert(failed(failure));
                }
            }
        }
    }
    let mut lines = vec![format!("//> {} states, {arrivals} arrivals", states.len())];
    lines.extend(notes);
    for (k, values) in values.iter().enumerate() {
        lines.push(format!("//> predicate {k}: {}", Vec::from_iter(values.iter().cloned()).join(" ")));
    }
    lines
}

fn stuck(interpreter: &Interpreter, state: &[u64]) -> String {
    let end = match interpreter.end(state) {
        End::Valid => "valid end",
        End::Invalid => "invalid end",
    };
    let variables = interpreter.variables(state);
    let shown = variables.iter().map(|variable| format!(" {}={}", variable.name, variable.value));
    format!("//> {end}:{}", shown.collect::<String>())
}

fn failed(failure: &Failure) -> String {
    let Failure { kind, location, detail } = failure;
    format!("//> {kind:?} at {}:{}: {detail}", location.line, location.column)
}
