//! Random programs with formulas and never claims: what the lowered predicates say in a state is what
//! the expressions of the tree say there, and the automaton of a claim does what its statements do.
//!
//! `STUBBORN_ROUNDS` says how many programs, `STUBBORN_SEED` which one to start with.

use std::collections::HashMap;

use ir::Interpreter;
use logic::Ltl;
use model::{Actions, FailureKind, Model, OutcomeKind, Patience, Random, Successors};
use promela::{Lowered, NeverClaim, Property, PropertyKind};
use testkit::naive::{Limits, Observer, Position, State, TooLarge, Watcher, for_ever};
use testkit::random::{Features, program_with_properties};
use testkit::shrink::shrink;

const LIMITS: Limits = Limits { states: 300, chain_steps: 500 };

/// A state of the tree and the same one of the lowered program, with the numbers of those behind it.
struct Pair {
    tree: State,
    words: Vec<u64>,
    next: Vec<usize>,
}

/// The successors of a state, each one once, in the order in which they are found.
fn successors(interpreter: &Interpreter, state: &[u64]) -> Vec<Vec<u64>> {
    let (mut actions, mut out) = (Actions::default(), Successors::default());
    interpreter.enabled(state, &mut actions);
    interpreter.fire(&actions, state, &mut out);
    let mut found: Vec<Vec<u64>> = Vec::new();
    for outcome in &out.outcomes {
        if let OutcomeKind::State(range) = &outcome.kind
            && !found.iter().any(|known| known == out.state(range))
        {
            found.push(out.state(range).to_vec());
        }
    }
    found
}

/// The value of an atom of a property.
fn atom(
    interpreter: &Interpreter,
    property: &Property,
    atom: u32,
    state: &[u64],
) -> Result<bool, FailureKind> {
    let value = interpreter.predicate(property.atoms[atom as usize], state);
    value.map(|value| value != 0).map_err(|failure| failure.kind)
}

/// Where the automaton of a claim can stand after it has seen a state.
fn step(
    claim: &NeverClaim,
    from: &[u32],
    holds: &mut dyn FnMut(u32) -> Result<bool, FailureKind>,
) -> Result<Vec<u32>, FailureKind> {
    let mut found = Vec::new();
    for &state in from {
        for edge in &claim.automaton.states[state as usize].edges {
            let mut valuation = 0;
            for number in (0..64).filter(|number| edge.guard.atoms() >> number & 1 == 1) {
                valuation |= u64::from(holds(number)?) << number;
            }
            if edge.guard.holds(valuation) && !found.contains(&edge.target) {
                found.push(edge.target);
            }
        }
    }
    Ok(found)
}

/// What a walk shows of a claim.
#[derive(Debug, PartialEq)]
struct Shown {
    /// How many places it may stand at.
    places: usize,
    /// Whether it has failed.
    failed: bool,
    /// Whether one of the places accepts. Without an edge an automaton cannot say.
    accepts: Option<bool>,
}

/// A claim in both forms.
struct BothClaims<'a, 't> {
    property: &'a Property,
    automaton: &'a NeverClaim,
    watcher: Watcher<'t>,
}

fn check_claim<'t>(
    interpreter: &Interpreter,
    observer: &Observer<'t>,
    claim: &BothClaims<'_, 't>,
    walk: &[(&State, &[u64])],
) -> Result<(), String> {
    let BothClaims { property, automaton: claim, watcher } = claim;
    let (mut tree, mut states) = (vec![watcher.start()], vec![claim.automaton.initial]);
    for (k, (tree_state, words)) in walk.iter().enumerate() {
        let mut after = Vec::new();
        let mut failed = None;
        for position in &tree {
            match watcher.step(*position, observer, tree_state) {
                Ok(found) => after.extend(found),
                Err(failure) => failed = Some(failure),
            }
        }
        let automaton = step(claim, &states, &mut |number| atom(interpreter, property, number, words));
        after.sort_by_key(|position| format!("{position:?}"));
        after.dedup();
        let Ok(found) = &automaton else {
            return match failed {
                Some(_) => Ok(()),
                None => Err(format!("{}: {automaton:?} after {k} states", property.name)),
            };
        };
        let edges = |state: &u32| &claim.automaton.states[*state as usize].edges;
        let is_certain = found.iter().all(|state| !edges(state).is_empty());
        let accepting = || found.iter().any(|state| edges(state).iter().any(|edge| edge.accepts == 1));
        let of_automaton = Shown {
            places: found.len(),
            failed: found.iter().any(|state| claim.fails_at == Some(*state)),
            accepts: is_certain.then(accepting),
        };
        let of_tree = Shown {
            places: after.len(),
            failed: after.contains(&Position::Failed),
            accepts: is_certain.then(|| after.iter().any(|&position| watcher.accepts(position))),
        };
        if failed.is_some() || of_tree != of_automaton {
            let message = format!("{failed:?} {of_tree:?}, {of_automaton:?} after {k} states");
            return Err(format!("{}: {message}", property.name));
        }
        (tree, states) = (after, automaton.unwrap_or_default());
    }
    Ok(())
}

/// Compares tree and lowered program; says how many states there are, unless there are too many.
fn compare(text: &str) -> Result<Option<usize>, String> {
    let tree = testkit::parse(text)?;
    let Lowered { program, properties, .. } = promela::lower_with_properties(&tree, &Patience::default())
        .expect("there is time")
        .map_err(|errors| format!("{errors:?}"))?;
    ir::verify(&program).map_err(|errors| format!("{errors:?}"))?;
    let interpreter = Interpreter::new(program);
    let observer = Observer::new(&tree, LIMITS);
    let Some(pairs) = pair_up(&interpreter, &observer)? else { return Ok(None) };
    let (claims, formulas) = properties.split_at(tree.claims.len());
    for (property, ltl) in formulas.iter().zip(&tree.ltl) {
        let PropertyKind::Ltl { formula, .. } = &property.kind else { panic!("a formula") };
        for Pair { tree, words, .. } in &pairs {
            let expected = observer.holds_for_ever(&ltl.formula, tree);
            let found = lowered_for_ever(formula, &interpreter, property, words);
            if expected != found {
                return Err(format!("{}: {expected:?} expected, found {found:?} in {tree:?}", ltl.name));
            }
        }
    }
    for (property, claim) in claims.iter().zip(&tree.claims) {
        let PropertyKind::Never(automaton) = &property.kind else { panic!("a claim") };
        let both = BothClaims { property, automaton, watcher: Watcher::new(&tree, claim) };
        for seed in 0..20 {
            check_claim(&interpreter, &observer, &both, &random_walk(&pairs, seed))?;
        }
    }
    Ok(Some(pairs.len()))
}

fn lowered_for_ever(
    formula: &Ltl<u32>,
    interpreter: &Interpreter,
    property: &Property,
    words: &[u64],
) -> Result<bool, FailureKind> {
    for_ever(formula, &mut |&number| atom(interpreter, property, number, words))
}

/// The reachable states of both, matched by the order in which they are found.
fn pair_up(interpreter: &Interpreter, observer: &Observer<'_>) -> Result<Option<Vec<Pair>>, String> {
    let mut words = Vec::new();
    let (Ok(tree), Ok(())) = (observer.initial(), interpreter.initial(&mut words)) else { return Ok(None) };
    let mut known = HashMap::from([(words.clone(), 0)]);
    let mut pairs = vec![Pair { tree, words, next: Vec::new() }];
    let mut at = 0;
    while at < pairs.len() {
        let of_tree = match observer.successors(&pairs[at].tree) {
            Ok(found) if pairs.len() <= LIMITS.states => found,
            Ok(_) | Err(TooLarge) => return Ok(None),
        };
        let of_program = successors(interpreter, &pairs[at].words);
        if of_tree.len() != of_program.len() {
            return Err(format!(
                "{} and {} states behind {:?}",
                of_tree.len(),
                of_program.len(),
                pairs[at].tree
            ));
        }
        for (tree, words) in of_tree.into_iter().zip(of_program) {
            let n = pairs.len();
            let number = *known.entry(words.clone()).or_insert(n);
            if number == n {
                pairs.push(Pair { tree, words, next: Vec::new() });
            } else if pairs[number].tree != tree {
                return Err("states are found in another order".to_string());
            }
            pairs[at].next.push(number);
        }
        at += 1;
    }
    Ok(Some(pairs))
}

/// The states on a random way from the initial one; at its end the last one is repeated.
fn random_walk(pairs: &[Pair], seed: u64) -> Vec<(&State, &[u64])> {
    let mut prng = Random::new(seed);
    let mut at = 0;
    let mut walk = Vec::new();
    for _ in 0..30 {
        walk.push((&pairs[at].tree, pairs[at].words.as_slice()));
        if !pairs[at].next.is_empty() {
            at = *prng.pick(&pairs[at].next);
        }
    }
    walk
}

fn compare_all(features: Features, first: u64, rounds: u64) {
    let mut n_compared = 0;
    for seed in first..first + rounds {
        let outline = program_with_properties(seed, features);
        match compare(&outline.text()) {
            Ok(found) => n_compared += u64::from(found.is_some()),
            Err(message) => {
                let first_word = |message: &str| message.split(' ').next().unwrap_or_default().to_owned();
                let kind = first_word(&message);
                let fails = |text: &str| compare(text).is_err_and(|other| first_word(&other) == kind);
                let small = shrink(&outline, fails).text();
                panic!("STUBBORN_SEED={seed}\n{:?}\n{small}", compare(&small));
            }
        }
    }
    println!("{n_compared} programs compared");
    assert!(n_compared * 4 > rounds, "only {n_compared} of {rounds} programs are small enough");
}

#[test]
fn predicates_and_claims_agree_with_the_tree() {
    compare_all(
        Features::COMPARABLE,
        testkit::rounds::setting("STUBBORN_SEED", 1),
        testkit::rounds::setting("STUBBORN_ROUNDS", 500),
    );
}

#[test]
fn conditions_without_a_value_agree_too() {
    compare_all(
        Features::ALL,
        testkit::rounds::setting("STUBBORN_SEED", 100_001),
        testkit::rounds::setting("STUBBORN_ROUNDS", 300),
    );
}
