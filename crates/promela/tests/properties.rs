//! Formulas and never claims as properties: each file in `properties/` says in comments what becomes
//! of the properties in it.
//!
//! Lines that start with `//>` show the properties: a formula as Spin echoes it and over its atoms, a
//! claim as the states of its automaton with the guards of their edges, and the atoms. `BLESS=1` writes
//! them anew; read what changes.

use std::path::Path;

use logic::{Automaton, BinaryOp, Guard, Ltl, UnaryOp};
use model::Patience;
use promela::{Lowered, NeverClaim, Options, Property, PropertyKind, lower_with_properties, parse};

fn lowered(path: &str, text: &str) -> Lowered {
    let missing = |_: &Path| Err(std::io::Error::from(std::io::ErrorKind::NotFound));
    let parsed = parse(path, text.to_owned(), &Options::default(), &missing)
        .expect("there is time")
        .accept()
        .unwrap_or_else(|rejected| panic!("{path}: {:?}", rejected.diagnostics));
    let lowered = lower_with_properties(&parsed.program, &Patience::default())
        .expect("there is time")
        .unwrap_or_else(|errors| panic!("{path}: {errors:?}"));
    ir::verify(&lowered.program).unwrap_or_else(|errors| panic!("{path}: {errors:?}"));
    lowered
}

#[test]
fn properties_are_what_the_files_say() {
    let bless = std::env::var_os("BLESS").is_some();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/properties");
    let mut wrong = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("it can be read").path();
        let text = std::fs::read_to_string(&path).expect("the file can be read");
        let found = describe(&lowered(&path.display().to_string(), &text));
        let expected: Vec<&str> = text.lines().filter(|line| line.starts_with("//>")).collect();
        if expected != found && bless {
            let rest: Vec<&str> = text.lines().filter(|line| !line.starts_with("//>")).collect();
            let blessed = format!("{}\n{}\n", rest.join("\n"), found.join("\n"));
            std::fs::write(&path, blessed).expect("the file can be written");
        } else if expected != found {
            wrong.push(format!("{}: found\n{}", path.display(), found.join("\n")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

fn describe(lowered: &Lowered) -> Vec<String> {
    let mut lines = Vec::new();
    for property in &lowered.properties {
        match &property.kind {
            PropertyKind::Ltl { formula, text } => {
                lines.push(format!("//> ltl {}: {text}", property.name));
                lines.push(format!("//>   {}", shown(formula)));
            }
            PropertyKind::Never(claim) => {
                lines.push(format!("//> never {}", property.name));
                lines.extend(states(claim));
            }
        }
        lines.extend(atoms(property, &lowered.program));
    }
    lines
}

fn atoms(property: &Property, program: &ir::Program) -> Vec<String> {
    let line = |(k, atom): (usize, &model::PredicateId)| {
        let predicate = &program.predicates[atom.0 as usize];
        format!("//>   {} = {} @{}", letter(k as u32), predicate.text, predicate.source.line)
    };
    property.atoms.iter().enumerate().map(line).collect()
}

fn states(claim: &NeverClaim) -> Vec<String> {
    let NeverClaim { automaton: Automaton { n_sets, initial, states }, fails_at } = claim;
    assert_eq!((*n_sets, *initial), (1, 0));
    assert!(claim.automaton.is_state_based());
    let line = |(k, state): (usize, &logic::State)| {
        let accepts = state.edges.first().is_some_and(|edge| edge.accepts == 1);
        let mark = match (*fails_at == Some(k as u32), accepts) {
            (true, _) => " failed",
            (false, true) => " accept",
            (false, false) => "",
        };
        let edges = state.edges.iter().map(|edge| format!("{} -> {}", guard(&edge.guard), edge.target));
        format!("//>   {k}{mark}: {}", edges.collect::<Vec<_>>().join("; "))
    };
    states.iter().enumerate().map(line).collect()
}

fn letter(atom: u32) -> char {
    char::from(b'a' + atom as u8)
}

fn guard(guard: &Guard) -> String {
    let cubes = guard.cubes.iter().map(|cube| {
        let literals =
            (0..64).filter_map(|atom| match (cube.positive >> atom & 1, cube.negative >> atom & 1) {
                (1, _) => Some(letter(atom).to_string()),
                (_, 1) => Some(format!("!{}", letter(atom))),
                _ => None,
            });
        let literals: Vec<String> = literals.collect();
        if literals.is_empty() { "true".to_owned() } else { literals.join(" ") }
    });
    cubes.collect::<Vec<_>>().join(" | ")
}

fn shown(formula: &Ltl<u32>) -> String {
    match formula {
        Ltl::Constant(value) => value.to_string(),
        Ltl::Atom(atom) => letter(*atom).to_string(),
        Ltl::Unary(op, operand) => {
            let sign = match op {
                UnaryOp::Not => "!",
                UnaryOp::Next => "X ",
                UnaryOp::Always => "[] ",
                UnaryOp::Eventually => "<> ",
            };
            format!("{sign}{}", shown(operand))
        }
        Ltl::Binary(op, left, right) => {
            let sign = match op {
                BinaryOp::And => "&&",
                BinaryOp::Or => "||",
                BinaryOp::Implies => "->",
                BinaryOp::Equivalent => "<->",
                BinaryOp::Until => "U",
                BinaryOp::WeakUntil => "W",
                BinaryOp::Release => "V",
                other => panic!("{other:?} cannot be written in Promela"),
            };
            format!("({} {sign} {})", shown(left), shown(right))
        }
    }
}
