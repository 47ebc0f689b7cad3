use std::time::{Duration, Instant};

use super::term::{Node, Term, Terms};
use super::*;
use crate::testing::{BINARY, Lasso, Random, UNARY, small_lassos};
use crate::{BinaryOp, Dialect, Notation, UnaryOp, lasso, parse, print};

/// Translates as long as it takes.
fn translate(formula: &Ltl<u32>, goal: Goal) -> Result<Automaton, Untranslated> {
    super::translate(formula, goal, &Patience::default())
}

const GOALS: [Goal; 2] = [Goal::Generalised, Goal::StateBased];

/// All formulas of a size over the atoms 0 and 1.
fn formulas(size: usize) -> Vec<Ltl<u32>> {
    if size == 1 {
        return vec![Ltl::Atom(0), Ltl::Atom(1)];
    }
    let smaller = formulas(size - 1);
    let unary = |&op: &UnaryOp| smaller.iter().map(move |operand| Ltl::unary(op, operand.clone()));
    let mut all: Vec<Ltl<u32>> = UNARY.iter().flat_map(unary).collect();
    for left_size in 1..size - 1 {
        let (lefts, rights) = (formulas(left_size), formulas(size - 1 - left_size));
        for (op, left) in BINARY.iter().flat_map(|op| lefts.iter().map(move |left| (*op, left))) {
            all.extend(rights.iter().map(|right| Ltl::binary(op, left.clone(), right.clone())));
        }
    }
    all
}

/// Of two formulas that differ only in the names of their atoms, one is enough.
fn begins_with_first_atom(formula: &Ltl<u32>) -> bool {
    match formula {
        Ltl::Constant(_) => true,
        Ltl::Atom(atom) => *atom == 0,
        Ltl::Unary(_, operand) => begins_with_first_atom(operand),
        Ltl::Binary(_, left, _) => begins_with_first_atom(left),
    }
}

fn text(formula: &Ltl<u32>) -> String {
    print(formula, Notation::Spot, &|atom| format!("p{atom}"))
}

/// Compares the automata of a formula and of its negation with the formula's meaning.
fn check(formula: &Ltl<u32>, lassos: &[Lasso]) {
    let negation = formula.clone().negated();
    for goal in GOALS {
        let [automaton, complement] = [formula, &negation].map(|formula| translate(formula, goal).unwrap());
        if goal == Goal::StateBased {
            assert!(automaton.n_sets == 1 && automaton.is_state_based(), "{}", text(formula));
        }
        for (prefix, cycle) in lassos {
            let expected = lasso::holds(formula, prefix, cycle);
            let found = lasso::accepts(&automaton, prefix, cycle);
            assert_eq!(found, expected, "{} for {goal:?} on {prefix:?} {cycle:?}", text(formula));
            let found = lasso::accepts(&complement, prefix, cycle);
            assert_eq!(found, !expected, "!({}) for {goal:?} on {prefix:?} {cycle:?}", text(formula));
        }
    }
}

#[test]
fn all_small_formulas_mean_the_same_as_their_automata() {
    let lassos = small_lassos();
    for formula in (1..=5).flat_map(formulas).filter(begins_with_first_atom) {
        check(&formula, &lassos);
    }
}

#[test]
fn random_formulas_mean_the_same_as_their_automata() {
    let mut random = Random::new(0x9e3779b97f4a7c15);
    for i in 0..4000 {
        let formula = random.formula(3 + i % 13, 3);
        let lassos: Vec<Lasso> = (0..60).map(|_| random.lasso(3)).collect();
        check(&formula, &lassos);
    }
}

#[test]
fn many_formulas_that_recur_take_turns() {
    let mut random = Random::new(0x6c62272e07bb0142);
    let often = |event| Ltl::unary(UnaryOp::Always, Ltl::unary(UnaryOp::Eventually, event));
    for _ in 0..100 {
        let mut parts: Vec<Ltl<u32>> = (0..12).map(|_| often(random.formula(5, 3))).collect();
        parts.push(random.formula(5, 3));
        let formula = conjunction(parts.into_iter());
        let lassos: Vec<Lasso> = (0..200).map(|_| random.lasso(3)).collect();
        check(&formula, &lassos);
    }
    // One atom at a time, and sometimes none.
    let formula = conjunction((0..8).map(|atom| often(Ltl::Atom(atom))));
    let all: Vec<u64> = (0..16).map(|i| (i % 2) << (i / 2)).collect();
    check(&formula, &[(vec![0], all.clone()), (all[..2].to_vec(), all[2..].to_vec())]);
}

#[test]
fn a_formula_and_its_negation_have_no_run_in_common() {
    let mut random = Random::new(0x853c49e6748fea9b);
    for i in 0..1500 {
        let formula = random.formula(3 + i % 12, 3);
        for goal in GOALS {
            let patience = Patience::default();
            let mut bdds = Bdds::new(&patience);
            let automata = [formula.clone(), formula.clone().negated()].map(|f| translate(&f, goal).unwrap());
            let [a, b] = automata.map(|automaton| Graph::from_automaton(&automaton, &mut bdds).unwrap());
            assert!(obligation::are_disjoint(&a, &b, &mut bdds).unwrap(), "{}", text(&formula));
        }
    }
}

/// A simplified formula as a formula again.
fn to_ltl(term: Term, terms: &Terms) -> Ltl<u32> {
    let ltl = |term| to_ltl(term, terms);
    let join = |op, parts: &[Term]| {
        parts.iter().map(|&part| ltl(part)).reduce(|left, right| Ltl::binary(op, left, right)).unwrap()
    };
    match terms.node(term) {
        Node::Constant(value) => Ltl::Constant(*value),
        Node::Literal { atom, positive: true } => Ltl::Atom(*atom),
        Node::Literal { atom, positive: false } => Ltl::Atom(*atom).negated(),
        Node::Next(operand) => Ltl::unary(UnaryOp::Next, ltl(*operand)),
        Node::And(parts) => join(BinaryOp::And, parts),
        Node::Or(parts) => join(BinaryOp::Or, parts),
        Node::Until(left, right) => Ltl::binary(BinaryOp::Until, ltl(*left), ltl(*right)),
        Node::Release(left, right) => Ltl::binary(BinaryOp::Release, ltl(*left), ltl(*right)),
    }
}

/// On which lassos a formula holds.
fn truth(formula: &Ltl<u32>, lassos: &[Lasso]) -> Vec<bool> {
    lassos.iter().map(|(prefix, cycle)| lasso::holds(formula, prefix, cycle)).collect()
}

fn check_simplification(formula: &Ltl<u32>, lassos: &[Lasso]) {
    let patience = Patience::default();
    let mut terms = Terms::new(&patience);
    let term = terms.term(formula).unwrap();
    let delayed = terms.delayed(term);
    for simplified in [term, delayed] {
        let simplified = to_ltl(simplified, &terms);
        let same = truth(formula, lassos) == truth(&simplified, lassos);
        assert!(same, "{} became {}", text(formula), text(&simplified));
    }
}

#[test]
fn simplified_formulas_mean_the_same() {
    let lassos = small_lassos();
    let mut random = Random::new(0xda3e39cb94b95bdb);
    for i in 0..3000 {
        check_simplification(&random.formula(3 + i % 12, 2), &lassos);
    }
}

/// The laws are about parts that come, go, or stay, joined below temporal operators.
#[test]
fn simplified_junctions_mean_the_same() {
    let lassos = small_lassos();
    let parts: Vec<Ltl<u32>> =
        ["a", "b", "F a", "G b", "GF a", "FG b", "X a", "a U b", "b R a"].map(formula).into();
    let outer = ["F p", "G p", "FG p", "GF p", "X p", "a U p", "p U a"]
        .map(|text| parse(text, Dialect::Spot).unwrap());
    for (i, first) in parts.iter().enumerate() {
        for (j, second) in parts.iter().enumerate().skip(i + 1) {
            for third in &parts[j + 1..] {
                for op in [BinaryOp::And, BinaryOp::Or] {
                    let junction =
                        Ltl::binary(op, first.clone(), Ltl::binary(op, second.clone(), third.clone()));
                    for outer in &outer {
                        let formula = substitute(&outer.formula, &junction);
                        check_simplification(&formula, &lassos);
                    }
                }
            }
        }
    }
}

/// A formula over the atoms a and b.
fn formula(text: &str) -> Ltl<u32> {
    parse(text, Dialect::Spot).unwrap().formula.map(&mut |name| (name == "b") as u32)
}

/// The formula with something else for p.
fn substitute(formula: &Ltl<String>, operand: &Ltl<u32>) -> Ltl<u32> {
    match formula {
        Ltl::Atom(name) if name == "p" => operand.clone(),
        Ltl::Atom(name) => Ltl::Atom((name == "b") as u32),
        Ltl::Constant(value) => Ltl::Constant(*value),
        Ltl::Unary(op, inner) => Ltl::unary(*op, substitute(inner, operand)),
        Ltl::Binary(op, left, right) => {
            Ltl::binary(*op, substitute(left, operand), substitute(right, operand))
        }
    }
}

#[test]
fn what_is_said_of_formulas_is_true() {
    let lassos = small_lassos();
    let mut random = Random::new(0xc0ffee123456789b);
    let patience = Patience::default();
    let mut terms = Terms::new(&patience);
    let mut implications = 0;
    for _ in 0..150 {
        let formulas: Vec<Term> =
            (0..12).map(|i| terms.term(&random.formula(1 + i % 7, 2)).unwrap()).collect();
        let ltl: Vec<Ltl<u32>> = formulas.iter().map(|&term| to_ltl(term, &terms)).collect();
        let truths: Vec<Vec<bool>> = ltl.iter().map(|formula| truth(formula, &lassos)).collect();
        for (a, term) in formulas.iter().enumerate() {
            let eventually = truth(&Ltl::unary(UnaryOp::Eventually, ltl[a].clone()), &lassos);
            let always = truth(&Ltl::unary(UnaryOp::Always, ltl[a].clone()), &lassos);
            assert!(
                !terms.is_eventual(*term) || eventually == truths[a],
                "{} is not eventual",
                text(&ltl[a])
            );
            assert!(!terms.is_universal(*term) || always == truths[a], "{} is not universal", text(&ltl[a]));
            for (b, other) in formulas.iter().enumerate().filter(|&(b, _)| b != a) {
                if terms.implies(*term, *other) {
                    implications += 1;
                    let implied = truths[a].iter().zip(&truths[b]).all(|(a, b)| !a || *b);
                    assert!(implied, "{} does not imply {}", text(&ltl[a]), text(&ltl[b]));
                }
            }
        }
    }
    assert!(implications > 500, "only {implications} implications");
}

#[test]
fn weak_automata_mean_the_same_as_their_formulas() {
    let lassos = small_lassos();
    let mut random = Random::new(0x14057b7ef767814f);
    let mut found = 0;
    for i in 0..1500 {
        let formula = random.formula(3 + i % 9, 2);
        let patience = Patience::default();
        let (mut terms, mut bdds) = (Terms::new(&patience), Bdds::new(&patience));
        let term = terms.term(&formula).unwrap();
        let graph = tableau_reduced(term, &mut terms, &mut bdds, MAX_WORK).unwrap();
        let Some(weak) = weak(term, &graph, &mut terms, &mut bdds).unwrap() else { continue };
        let automaton = weak.to_automaton(&mut bdds).unwrap();
        assert!(crate::weak_acceptance(&automaton).is_some() && automaton.is_state_based());
        for (prefix, cycle) in &lassos {
            let expected = lasso::holds(&formula, prefix, cycle);
            assert_eq!(lasso::accepts(&automaton, prefix, cycle), expected, "{}", text(&formula));
        }
        found += 1;
    }
    assert!(found > 1000, "only {found} weak automata");
}

#[test]
fn the_bare_tableau_means_the_same_as_its_formula() {
    let lassos = small_lassos();
    let mut random = Random::new(0x5851f42d4c957f2d);
    for i in 0..1500 {
        let formula = random.formula(3 + i % 8, 2);
        let patience = Patience::default();
        let (mut terms, mut bdds) = (Terms::new(&patience), Bdds::new(&patience));
        let term = terms.term(&formula).unwrap();
        let graph = tableau(term, &terms, &mut bdds, MAX_WORK).unwrap();
        let automaton = graph.to_automaton(&mut bdds).unwrap();
        for (prefix, cycle) in &lassos {
            let expected = lasso::holds(&formula, prefix, cycle);
            assert_eq!(lasso::accepts(&automaton, prefix, cycle), expected, "{}", text(&formula));
        }
    }
}

fn conjunction(parts: impl Iterator<Item = Ltl<u32>>) -> Ltl<u32> {
    parts.reduce(|left, right| Ltl::binary(BinaryOp::And, left, right)).unwrap()
}

#[test]
fn what_would_take_too_long_is_refused() {
    let often = |atom| Ltl::unary(UnaryOp::Always, Ltl::unary(UnaryOp::Eventually, Ltl::Atom(atom)));
    assert_eq!(translate(&conjunction((0..4).map(often)), Goal::StateBased).unwrap().states.len(), 5);
    assert_eq!(translate(&conjunction((0..60).map(often)), Goal::StateBased).unwrap().states.len(), 61);
    let eventually = |atom| Ltl::unary(UnaryOp::Eventually, Ltl::Atom(atom));
    assert_eq!(
        translate(&conjunction((0..60).map(eventually)), Goal::Generalised),
        Err(Untranslated::TooLarge)
    );
    let parity =
        (0..64).map(Ltl::Atom).reduce(|left, right| Ltl::binary(BinaryOp::Xor, left, right)).unwrap();
    assert_eq!(translate(&parity, Goal::Generalised), Err(Untranslated::TooLarge));
    let deep = (0..MAX_HEIGHT).fold(Ltl::Atom(0), |operand, _| Ltl::unary(UnaryOp::Next, operand));
    assert_eq!(translate(&deep, Goal::Generalised).unwrap().states.len(), MAX_HEIGHT + 2);
    assert_eq!(translate(&Ltl::unary(UnaryOp::Next, deep), Goal::Generalised), Err(Untranslated::TooLarge));
}

/// Formulas whose translation takes seconds, each in another of its phases.
fn hard_formulas() -> Vec<Ltl<u32>> {
    let often = |atom| Ltl::unary(UnaryOp::Always, Ltl::unary(UnaryOp::Eventually, Ltl::Atom(atom)));
    let at_last = |atom| Ltl::unary(UnaryOp::Eventually, Ltl::unary(UnaryOp::Always, Ltl::Atom(atom)));
    let all = conjunction((0..64).map(|atom| if atom % 2 == 0 { often(atom) } else { at_last(atom) }));
    let implications = (0..30).map(|k| Ltl::binary(BinaryOp::Implies, often(2 * k), often(2 * k + 1)));
    let nexts = |depth, operand| (0..depth).fold(operand, |inner, _| Ltl::unary(UnaryOp::Next, inner));
    let waits = (1..400).map(|depth| {
        let wait =
            Ltl::binary(BinaryOp::Until, Ltl::Atom(depth % 5), nexts(depth / 100, Ltl::Atom(depth % 61)));
        Ltl::unary(UnaryOp::Always, wait)
    });
    let untils = (1..12).fold(Ltl::Atom(0), |left, atom| {
        let either = Ltl::binary(BinaryOp::Xor, left.clone(), Ltl::Atom(atom));
        Ltl::binary(BinaryOp::Until, either, Ltl::unary(UnaryOp::Always, Ltl::Atom(atom + 12)))
    });
    vec![
        all.clone().negated(),
        all,
        conjunction(implications.clone()).negated(),
        conjunction(implications),
        conjunction(waits),
        untils,
    ]
}

#[test]
fn translation_ends_when_there_is_no_patience_left() {
    let mut random = Random::new(0x9fb21c651e98df25);
    let formulas = hard_formulas().into_iter().chain((0..20).map(|_| random.formula(150, 6)));
    let mut n_over = 0;
    for (k, formula) in formulas.enumerate() {
        for goal in GOALS {
            let late = Patience { deadline: Some(Instant::now()), ..Patience::default() };
            assert_eq!(super::translate(&formula, goal, &late), Err(Untranslated::Over(Over::Time)));
            let start = Instant::now();
            let deadline = Some(start + Duration::from_millis(20));
            let patience = Patience { deadline, ..Patience::default() };
            let is_over = super::translate(&formula, goal, &patience) == Err(Untranslated::Over(Over::Time));
            println!("formula {k} for {goal:?}: over {is_over} after {:?}", start.elapsed());
            n_over += usize::from(is_over);
            assert!(start.elapsed() < Duration::from_millis(800), "{}", text(&formula));
        }
    }
    assert!(n_over > 5, "only {n_over} formulas are hard");
}
