//! Programs whose processes go on for ever, for what makes a difference to fairness.

use super::outline::{Node, Outline, Unit};
use model::Random;

const STATEMENTS: [&str; 14] = [
    "a = 1 - a",
    "b = 1 - b",
    "x = (x + 1) % 3",
    "x = 0",
    "skip",
    "a == 1",
    "b == 0",
    "x > 0",
    "r!0",
    "r?_",
    "q!1",
    "q?_",
    "empty(q)",
    "timeout",
];

const ATOMS: [&str; 9] = ["a", "b", "x == 0", "x == 2", "len(q) == 1", "np_", "a == b", "enabled(0)", "true"];

/// A random program of processes that loop, with formulas. The same seed always gives the same one.
pub fn looping_program(seed: u64) -> Outline {
    let mut prng = Random::new(seed);
    let globals = ["bit a, b;", "byte x;", "chan r = [0] of { bit };", "chan q = [1] of { bit };"];
    let mut outline = Outline { globals: globals.map(str::to_string).to_vec(), units: Vec::new() };
    let mut n_labels = 0;
    for k in 0..prng.range(2, 3) {
        let options = (0..prng.range(1, 3)).map(|_| option(&mut prng, &mut n_labels)).collect();
        let body = vec![Node::Choice { head: "do".into(), options }];
        outline.units.push(Unit { head: format!("active proctype P{k}()"), clauses: Vec::new(), body });
    }
    for k in 0..4 {
        // What fairness is for: something happens in the end.
        let formula = match k {
            0 => format!("<> {}", atom(&mut prng)),
            1 => format!("[]<> {}", atom(&mut prng)),
            _ => formula(&mut prng, 3),
        };
        let body = vec![Node::Line(formula)];
        outline.units.push(Unit { head: format!("ltl f{k}"), clauses: Vec::new(), body });
    }
    outline
}

fn option(prng: &mut Random, n_labels: &mut usize) -> Vec<Node> {
    let mut statements: Vec<Node> = Vec::new();
    for k in 0..prng.range(1, 3) {
        let statement = *prng.pick(&STATEMENTS);
        // Spin knows no labels at the start of an option.
        let label = if k > 0 && prng.chance(20) { *prng.pick(&["progress", "accept"]) } else { "" };
        *n_labels += 1;
        let label = if label.is_empty() { String::new() } else { format!("{label}_{n_labels}: ") };
        statements.push(Node::Line(format!("{label}{statement}")));
    }
    match prng.chance(20) {
        true => vec![Node::Block { head: "atomic".into(), body: statements }],
        false => statements,
    }
}

fn atom(prng: &mut Random) -> String {
    format!("({})", prng.pick(&ATOMS))
}

fn formula(prng: &mut Random, depth: usize) -> String {
    if depth == 0 || prng.chance(20) {
        return atom(prng);
    }
    if prng.chance(60) {
        let prefix = *prng.pick(&["[]<>", "<>[]", "<>", "[]", "!", "X"]);
        return format!("({prefix} {})", formula(prng, depth - 1));
    }
    let infix = *prng.pick(&["&&", "||", "->", "U", "W", "V"]);
    let left = formula(prng, depth - 1);
    format!("({left} {infix} {})", formula(prng, depth - 1))
}
