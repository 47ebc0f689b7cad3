//! The sizes of automata, compared with those that Spot makes of the same formulas.

use std::path::{Path, PathBuf};

use logic::{Automaton, Dialect, Goal, Ltl, lasso, translate};
use model::{Patience, Random};

/// A formula of the corpus, with the sizes of Spot's automata.
struct Entry {
    text: String,
    formula: Ltl<u32>,
    spot_state_based: usize,
    spot_edges: usize,
    spot_generalised: usize,
}

fn corpus() -> Option<Vec<Entry>> {
    let root = match std::env::var_os("STUBBORN_CORPUS") {
        Some(root) => PathBuf::from(root),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus"),
    };
    let read = |name| std::fs::read_to_string(root.join("ltl").join(name)).ok();
    let texts: Vec<String> =
        ["beem.tsv", "liberouter.tsv", "literature.tsv"].into_iter().map(read).collect::<Option<_>>()?;
    Some(texts.iter().flat_map(|text| text.lines().skip(1)).map(entry).collect())
}

fn entry(line: &str) -> Entry {
    let fields: Vec<&str> = line.split('\t').collect();
    let number = |field: usize| fields[field].parse().expect("a number");
    let parsed =
        logic::parse(fields[0], Dialect::Auto).unwrap_or_else(|error| panic!("{}: {error}", fields[0]));
    let mut names: Vec<String> = Vec::new();
    let formula = parsed.formula.map(&mut |name: String| {
        let known = names.iter().position(|known| *known == name);
        known.unwrap_or_else(|| {
            names.push(name);
            names.len() - 1
        }) as u32
    });
    Entry {
        text: fields[0].to_string(),
        formula,
        spot_state_based: number(1),
        spot_edges: number(2),
        spot_generalised: number(3),
    }
}

/// Words of eight atoms that look random.
fn words() -> Vec<(Vec<u64>, Vec<u64>)> {
    let mut random = Random::new(1);
    let mut valuation = || random.draw() & 255;
    let mut word = |length| (0..length).map(|_| valuation()).collect();
    (0..40).map(|i| (word(i % 5), word(1 + i % 7))).collect()
}

fn n_edges(automaton: &Automaton) -> usize {
    automaton.states.iter().map(|state| state.edges.len()).sum()
}

#[test]
fn automata_of_the_corpus_are_as_small_as_spots() {
    let Some(entries) = corpus() else {
        eprintln!("skipped: there is no corpus");
        return;
    };
    let words = words();
    // Ours and Spot's: states and edges of state-based automata, states of generalised ones.
    let mut sums = [[0; 3]; 2];
    println!("state-based (Spot), generalised (Spot)");
    for entry in entries {
        let [generalised, state_based] = [Goal::Generalised, Goal::StateBased]
            .map(|goal| translate(&entry.formula, goal, &Patience::default()).unwrap());
        for (prefix, cycle) in &words {
            let holds = lasso::holds(&entry.formula, prefix, cycle);
            assert_eq!(lasso::accepts(&generalised, prefix, cycle), holds, "{}", entry.text);
            assert_eq!(lasso::accepts(&state_based, prefix, cycle), holds, "{}", entry.text);
        }
        let ours = [state_based.states.len(), n_edges(&state_based), generalised.states.len()];
        let spots = [entry.spot_state_based, entry.spot_edges, entry.spot_generalised];
        println!("{:3} ({:2}) {:3} ({:2})  {}", ours[0], spots[0], ours[2], spots[2], entry.text);
        for i in 0..3 {
            sums[0][i] += ours[i];
            sums[1][i] += spots[i];
        }
    }
    let [ours, spots] = sums;
    println!("sums of states, edges, states: {ours:?}, Spot {spots:?}");
    assert!(ours[0] * 100 <= spots[0] * 105 && ours[2] * 100 <= spots[2] * 105);
}

#[test]
fn formulas_of_the_corpus_without_next_are_shown_to_be_stutter_invariant() {
    let Some(entries) = corpus() else {
        eprintln!("skipped: there is no corpus");
        return;
    };
    for goal in [Goal::Generalised, Goal::StateBased] {
        let mut counts = [0; 2];
        let of_interest = entries.iter().filter(|entry| !entry.formula.has_next());
        // As in a search: it is the negation that is translated.
        for entry in of_interest {
            let automaton = translate(&entry.formula.clone().negated(), goal, &Patience::default()).unwrap();
            let shown = logic::is_stutter_invariant(&automaton, &Patience::default());
            counts[usize::from(shown)] += 1;
            if !shown {
                println!("not shown, {} states: {}", automaton.states.len(), entry.text);
            }
        }
        println!("{goal:?}: {} shown, {} not", counts[1], counts[0]);
        assert!(counts[1] > 150 && counts[0] * 20 <= counts[1], "{counts:?}");
    }
}
