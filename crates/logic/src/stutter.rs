//! Stutter invariance: whether it makes no difference how often a letter of a word is repeated.
//!
//! Let w and w' be words that differ only in how often, but at least once and finitely often, each
//! letter is repeated. A language is stutter-invariant if it has both or neither. It is so if it is
//! closed under *stretching*, repeating any of the letters, and under *contracting*, leaving out
//! repetitions: contract w to the word without repetitions that it has in common with w', then
//! stretch that.
//!
//! For an automaton A with one acceptance set, two more accept what can be made of its words:
//!
//! - The *stretched* A remembers the last letter. It may read it again and stay where it is, on an
//!   edge that is not accepting, so that no word is accepted because of a letter that is stretched for
//!   ever.
//! - The *contracted* A has, for every path whose edges all read the same letter, an edge from its
//!   first to its last state that reads it once. It is accepting if one of the path is: an accepting
//!   run on a word leaves, when each finite block of repetitions is cut into pieces and each piece is
//!   read at once, infinitely many accepting edges.
//!
//! That A accepts whatever these accept is inclusion of languages, for which *fair simulation* is
//! sufficient (Henzinger, Kupferman and Rajamani): in a game, one player builds a run of the larger
//! automaton step by step, the other answers with steps of A that read the same letters. If the
//! second player has a strategy by which its run is accepting whenever the first one's is, it also has
//! an answer to every accepting run on a word, and that is an accepting run of A. The converse does not
//! hold: the second player may have to know the future. So "yes" is proved, "no" is not.
//!
//! Letters that no guard tells apart are one: if the language of their classes is stutter-invariant,
//! so is that of the letters, since to repeat a letter is to repeat its class.

use model::{Over, Pace, Patience};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::degeneralise::state_based;
use crate::graph::{Arc, Graph};
use crate::reduce::trim;
use crate::{Automaton, simplify};

/// For more atoms, letters are not listed.
const MAX_ATOMS: u32 = 12;
/// Automata with more classes of letters, times edges, are left alone.
const MAX_ARCS: usize = 20_000;
/// A game is given up after so many comparisons of edges.
const MAX_WORK: usize = 30_000_000;

/// Letters are numbered.
type Letter = u32;

/// Whether the automaton is shown to accept a stutter-invariant language before the patience ends. If not, it may do so
/// still.
///
/// A state that is a violation by itself must accept everything, as those of never claims do.
pub fn is_stutter_invariant(automaton: &Automaton, patience: &Patience) -> bool {
    let n_edges: usize = automaton.states.iter().map(|state| state.edges.len()).sum();
    let is_simplified_shown = || simplify(automaton, patience).and_then(|simple| shown(&simple, patience));
    n_edges <= MAX_ARCS && (shown(automaton, patience) == Ok(true) || is_simplified_shown() == Ok(true))
}

fn shown(automaton: &Automaton, patience: &Patience) -> Result<bool, Over> {
    let Some(graph) = with_letters(automaton) else { return Ok(false) };
    let pace = &mut patience.pace();
    let graph = if graph.n_sets == 1 { trim(&graph) } else { state_based(&graph, pace)? };
    debug_assert_eq!(graph.n_sets, 1, "one set, so that a step without it is not accepting");
    let (stretched, contracted) = (trim(&stretched(&graph)), trim(&contracted(&graph, pace)?));
    // Once the contracted automaton is known to accept nothing more, it may answer in place of A; it
    // has more to choose from.
    let mut simulates = |first, second| fairly_simulates(first, second, pace);
    Ok(simulates(&contracted, &graph)? && simulates(&stretched, &contracted)?
        || simulates(&stretched, &graph)? && simulates(&contracted, &stretched)?)
}

/// The automaton with letters for guards, one for all valuations that no guard tells apart.
fn with_letters(automaton: &Automaton) -> Option<Graph<Letter>> {
    let edges = || automaton.states.iter().flat_map(|state| &state.edges);
    let guards: FxHashSet<_> = edges().map(|edge| &edge.guard).collect();
    let atoms = guards.iter().fold(0, |atoms, guard| atoms | guard.atoms());
    if atoms.count_ones() > MAX_ATOMS {
        return None;
    }
    let mut classes: FxHashMap<Vec<bool>, u64> = FxHashMap::default();
    let mut valuation = 0u64;
    loop {
        let class = guards.iter().map(|guard| guard.holds(valuation)).collect();
        classes.entry(class).or_insert(valuation);
        // The next subset of the atoms.
        valuation = valuation.wrapping_sub(atoms) & atoms;
        if valuation == 0 {
            break;
        }
    }
    let mut letters: Vec<u64> = classes.into_values().collect();
    letters.sort_unstable();
    if letters.len() * edges().count() > MAX_ARCS {
        return None;
    }
    let arcs = |state: &crate::State| {
        let arcs = state.edges.iter().flat_map(|edge| {
            let reads = letters.iter().enumerate().filter(|(_, letter)| edge.guard.holds(**letter));
            let (target, accepts) = (edge.target as usize, edge.accepts);
            reads.map(move |(label, _)| Arc { target, accepts, label: label as Letter })
        });
        arcs.collect()
    };
    let states = automaton.states.iter().map(arcs).collect();
    Some(Graph { n_sets: automaton.n_sets, initial: automaton.initial as usize, states })
}

/// Accepts the words of the graph with letters repeated.
fn stretched(graph: &Graph<Letter>) -> Graph<Letter> {
    // The states: where the graph is, and the letter that it has read last.
    let mut order: Vec<(usize, Option<Letter>)> = vec![(graph.initial, None)];
    let mut numbers: FxHashMap<_, usize> = FxHashMap::from_iter([(order[0], 0)]);
    let mut states = Vec::new();
    while let Some(&(state, last)) = order.get(states.len()) {
        let stay = last.map(|label| Arc { target: states.len(), accepts: 0, label });
        let mut arcs: Vec<Arc<Letter>> = stay.into_iter().collect();
        for arc in &graph.states[state] {
            let next = (arc.target, Some(arc.label));
            let target = *numbers.entry(next).or_insert_with(|| {
                order.push(next);
                order.len() - 1
            });
            arcs.push(Arc { target, ..*arc });
        }
        states.push(arcs);
    }
    Graph { n_sets: 1, initial: 0, states }
}

/// Accepts the words of the graph with repetitions left out.
fn contracted(graph: &Graph<Letter>, pace: &mut Pace<'_>) -> Result<Graph<Letter>, Over> {
    let arcs = |state: usize| {
        let mut found: Vec<Arc<Letter>> = graph.states[state].clone();
        let mut seen: FxHashSet<Arc<Letter>> = found.iter().copied().collect();
        let mut at = 0;
        while let Some(&first) = found.get(at) {
            at += 1;
            pace.steps(graph.states[first.target].len())?;
            for next in graph.states[first.target].iter().filter(|next| next.label == first.label) {
                let both = Arc { accepts: first.accepts | next.accepts, ..*next };
                if seen.insert(both) {
                    found.push(both);
                }
            }
        }
        // Where a way is accepting, one that is not is of no use.
        found.retain(|arc| arc.accepts != 0 || !seen.contains(&Arc { accepts: 1, ..*arc }));
        Ok(found)
    };
    let states = (0..graph.states.len()).map(arcs).collect::<Result<_, _>>()?;
    Ok(Graph { n_sets: 1, initial: graph.initial, states })
}

/// Whether the second automaton can answer every run of the first one such that its own is accepting
/// if the first one's is.
fn fairly_simulates(
    first: &Graph<Letter>,
    second: &Graph<Letter>,
    pace: &mut Pace<'_>,
) -> Result<bool, Over> {
    let Some(mut game) = Game::new(first, second, pace)? else { return Ok(false) };
    Ok(game.solve(pace)?.is_some_and(|won| won[0]))
}

/// What a pair of steps is good for, by its importance to the second player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Colour {
    /// Its own step is accepting: good, if it happens again and again.
    Answered,
    /// Only the first player's step is.
    Asked,
    /// Neither is.
    Nothing,
}

/// The game. A position is a pair of states; for every step of the first player there is a list of
/// the answers to it.
struct Game {
    positions: Vec<Vec<Vec<(Colour, usize)>>>,
    work: usize,
}

impl Game {
    /// The positions that can be reached, the initial one first.
    fn new(first: &Graph<Letter>, second: &Graph<Letter>, pace: &mut Pace<'_>) -> Result<Option<Game>, Over> {
        let mut order = vec![(first.initial, second.initial)];
        let mut numbers: FxHashMap<_, usize> = FxHashMap::from_iter([(order[0], 0)]);
        let mut positions = Vec::new();
        let mut size = 0;
        while let Some(&(p, q)) = order.get(positions.len()) {
            let mut steps = Vec::new();
            for step in &first.states[p] {
                pace.steps(second.states[q].len())?;
                let mut answers = Vec::new();
                for answer in second.states[q].iter().filter(|answer| answer.label == step.label) {
                    let colour = match (answer.accepts != 0, step.accepts != 0) {
                        (true, _) => Colour::Answered,
                        (false, true) => Colour::Asked,
                        (false, false) => Colour::Nothing,
                    };
                    let next = (step.target, answer.target);
                    let target = *numbers.entry(next).or_insert_with(|| {
                        order.push(next);
                        order.len() - 1
                    });
                    answers.push((colour, target));
                }
                size += 1 + answers.len();
                if size > MAX_WORK / 10 {
                    return Ok(None);
                }
                steps.push(answers);
            }
            positions.push(steps);
        }
        Ok(Some(Game { positions, work: 0 }))
    }

    /// The positions in which the second player wins, if that is not too much work.
    ///
    /// They are νX. μY. νZ. "whatever the first player does, there is an answer with Answered into X,
    /// with Asked into Y or with Nothing into Z": between two answers that are accepting, it is asked
    /// finitely often.
    fn solve(&mut self, pace: &mut Pace<'_>) -> Result<Option<Vec<bool>>, Over> {
        let n = self.positions.len();
        let mut x = vec![true; n];
        loop {
            let mut y = vec![false; n];
            loop {
                let mut z = x.clone();
                while self.shrink(&x, &y, &mut z, pace)? {}
                if self.work > MAX_WORK {
                    return Ok(None);
                }
                if z == y {
                    break;
                }
                y = z;
            }
            if y == x {
                return Ok(Some(x));
            }
            x = y;
        }
    }

    /// Takes positions out of `z` that do not belong there. Says whether it is to go on: there were some, and it is not
    /// too much work.
    fn shrink(&mut self, x: &[bool], y: &[bool], z: &mut [bool], pace: &mut Pace<'_>) -> Result<bool, Over> {
        let mut changed = false;
        // What is found out travels against the steps, and later positions come behind earlier ones.
        for position in (0..z.len()).rev() {
            let good = |&(colour, target): &(Colour, usize)| match colour {
                Colour::Answered => x[target],
                Colour::Asked => y[target],
                Colour::Nothing => z[target],
            };
            if z[position] {
                let steps = &self.positions[position];
                self.work += 1 + steps.len();
                pace.steps(1 + steps.len())?;
                if !steps.iter().all(|answers| answers.iter().any(good)) {
                    z[position] = false;
                    changed = true;
                }
            }
        }
        Ok(changed && self.work <= MAX_WORK)
    }
}

#[cfg(test)]
mod tests;
