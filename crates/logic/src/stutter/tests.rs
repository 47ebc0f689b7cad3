use super::*;
use crate::testing::{Lasso, Random, small_lassos};
use crate::{Dialect, Goal, Ltl, UnaryOp, lasso, parse};

const GOALS: [Goal; 2] = [Goal::Generalised, Goal::StateBased];

/// The automaton of a formula.
fn translate(formula: &Ltl<u32>, goal: Goal) -> Automaton {
    crate::translate(formula, goal, &Patience::default()).unwrap()
}

fn is_stutter_invariant(automaton: &Automaton) -> bool {
    super::is_stutter_invariant(automaton, &Patience::default())
}

fn formula(text: &str) -> Ltl<u32> {
    let parsed = parse(text, Dialect::Spot).unwrap_or_else(|error| panic!("{text}: {error}"));
    parsed.formula.numbered().0
}

/// A word that differs from another only in how often letters are repeated.
fn restuttered(random: &mut Random, (prefix, cycle): &Lasso) -> Lasso {
    let mut change = |word: &[u64], first: Option<u64>| {
        let mut changed: Vec<u64> = Vec::new();
        for (k, &letter) in word.iter().enumerate() {
            let before = if k == 0 { first } else { Some(word[k - 1]) };
            // A letter that is the same as the one before need not be there.
            let least = u64::from(before != Some(letter));
            let times = least + random.below(3) * random.below(2);
            changed.extend((0..times).map(|_| letter));
        }
        changed
    };
    let prefix = change(prefix, None);
    // The first letter of the cycle also follows the last one, so it always stays.
    (prefix, change(cycle, None))
}

/// The word in which no letter is repeated, unless for ever.
fn without_repetitions((prefix, cycle): &Lasso) -> Lasso {
    let mut word: Lasso = (prefix.clone(), cycle.clone());
    // The cycle once more in front, so that its seam is at a change of letters.
    let at = (0..cycle.len()).find(|&k| cycle[k] != cycle[(k + cycle.len() - 1) % cycle.len()]);
    word.0.extend(&cycle[..at.unwrap_or(0)]);
    word.1.rotate_left(at.unwrap_or(0));
    word.1.dedup();
    word.0.dedup();
    if word.0.last() == word.1.first() {
        word.0.pop();
    }
    word
}

#[test]
fn the_words_of_these_tests_are_what_they_should_be() {
    let mut random = Random::new(5);
    for _ in 0..5000 {
        let word = random.lasso(2);
        let other = restuttered(&mut random, &word);
        let formula = random.formula(7, 2);
        if !formula.has_next() {
            assert_eq!(
                lasso::holds(&formula, &word.0, &word.1),
                lasso::holds(&formula, &other.0, &other.1),
                "{formula:?} {word:?} {other:?}"
            );
            let short = without_repetitions(&word);
            assert_eq!(
                lasso::holds(&formula, &word.0, &word.1),
                lasso::holds(&formula, &short.0, &short.1),
                "{formula:?} {word:?} {short:?}"
            );
        }
    }
}

#[test]
fn what_is_shown_is_true() {
    let lassos = small_lassos();
    let mut n_shown = 0;
    let mut n_known = 0;
    for seed in 0..3000 {
        let mut random = Random::new(seed + 1);
        let automaton = match seed % 4 {
            0 => random.automaton(seed as u32 % 3),
            1 => random.state_based_automaton(),
            _ => {
                let size = 3 + random.below(7);
                translate(&random.formula(size, 2), GOALS[seed as usize % 2])
            }
        };
        let accepts = |(prefix, cycle): &Lasso| lasso::accepts(&automaton, prefix, cycle);
        let differs = lassos.iter().find(|word| {
            let expected = accepts(word);
            accepts(&without_repetitions(word)) != expected
                || (0..3).any(|_| accepts(&restuttered(&mut random, word)) != expected)
        });
        n_known += u32::from(differs.is_none());
        if is_stutter_invariant(&automaton) {
            n_shown += 1;
            assert_eq!(differs, None, "seed {seed}: {automaton:?}");
        }
    }
    println!("{n_shown} shown, {n_known} seem to be");
    assert!(n_shown > 1500, "{n_shown}");
}

#[test]
fn most_formulas_without_next_are_shown() {
    // The last number says how many are shown at least for each that is not.
    for (size, n_atoms, rate) in [(5, 2, 90), (8, 2, 80), (10, 3, 20), (14, 3, 15)] {
        let mut counts = [[0; 2]; 2];
        for seed in 0..2000 {
            let formula = Random::new(seed * 7 + size).formula(size, n_atoms);
            if formula.has_next() {
                continue;
            }
            for (goal, count) in GOALS.into_iter().zip(&mut counts) {
                let automaton = translate(&formula, goal);
                count[usize::from(is_stutter_invariant(&automaton))] += 1;
            }
        }
        println!("size {size}, {n_atoms} atoms: {counts:?}");
        assert!(counts.iter().all(|[not, shown]| rate * not <= *shown), "{counts:?}");
    }
}

#[test]
fn next_is_not_shown() {
    for text in ["X a", "F (a & X a)", "G (a -> X b)", "a & X !a", "F (a & X (b & X a))", "G (a <-> X !a)"] {
        for goal in GOALS {
            assert!(!is_stutter_invariant(&translate(&formula(text), goal)), "{text}");
        }
    }
    // X may be there and say nothing.
    for text in ["X F a | F a", "G X a & a", "F (a & X !a) | G !a | G F a"] {
        assert!(is_stutter_invariant(&translate(&formula(text), Goal::Generalised)), "{text}");
    }
}

#[test]
fn the_operators_are_shown() {
    for text in
        ["1", "0", "a", "F a", "G a", "a U b", "a R b", "G F a", "F G a", "G (a -> F b)", "G F a & G F b"]
    {
        for goal in GOALS {
            assert!(is_stutter_invariant(&translate(&formula(text), goal)), "{text}");
        }
    }
}

#[test]
fn too_many_atoms_are_not_listed() {
    let all = (1..40).fold(Ltl::Atom(0), |all, k| Ltl::binary(crate::BinaryOp::And, all, Ltl::Atom(k)));
    let automaton = translate(&Ltl::unary(UnaryOp::Always, all), Goal::Generalised);
    assert!(!is_stutter_invariant(&automaton));
}
