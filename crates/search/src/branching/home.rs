//! Home properties: what can be reached again and again, and what is so for ever from some time on.
//!
//! They depend on the terminal components alone: AG EF φ says that every one has a φ-state, AG EF AG φ that
//! every one has nothing else, EF AG EF φ and EF AG φ the same of some. Longer alternations of AG and EF
//! mean one of these.

use model::{BitSet, PredicateId};

use super::graph::Graph;
use super::terminal::{self, Survey};
use super::{Decided, Obstacle};

/// What is said about a predicate φ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// AG EF φ: from everywhere a φ-state can be reached.
    AgEf,
    /// EF AG φ: there is a state from which on all are φ-states.
    EfAg,
    /// AG EF AG φ: from everywhere such a state can be reached.
    AgEfAg,
    /// EF AG EF φ: there is a state from which on a φ-state can always be reached.
    EfAgEf,
}

/// Decides a home property. The run leads into the terminal component that decides.
///
/// # Errors
/// If a limit is reached, or a runtime error happens.
pub fn home(graph: &mut Graph<'_>, predicate: PredicateId, form: Form) -> Result<Decided, Obstacle> {
    decide(graph, form, |graph, state| graph.holds(predicate, state))
}

/// Decides whether the initial state can be reached from everywhere. If not, the run leads to where it
/// cannot.
///
/// # Errors
/// If a limit is reached, or a runtime error happens.
pub fn is_reversible(graph: &mut Graph<'_>) -> Result<Decided, Obstacle> {
    decide(graph, Form::AgEf, |_, state| Ok(state == Graph::INITIAL))
}

/// Decides whether there is a state in which nothing can happen, and leads to it.
///
/// # Errors
/// If a limit is reached, or a runtime error happens.
pub fn find_deadlock(graph: &mut Graph<'_>) -> Result<Decided, Obstacle> {
    struct Dead;
    impl Survey for Dead {
        fn enter(&mut self, _: &mut Graph<'_>, _: u32, _: u32) -> Result<(), Obstacle> {
            Ok(())
        }

        fn decides(&mut self, graph: &Graph<'_>, first: u32, _: u32) -> bool {
            graph.is_dead(first)
        }
    }
    let first = terminal::search(graph, &mut Dead)?;
    Ok(decided(graph, true, first))
}

/// Which transitions can happen. A transition counts where it is the first of an action.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Transitions {
    /// Those that can happen at least once.
    pub possible: BitSet,
    /// Those that can always happen again, later.
    pub live: BitSet,
}

/// Finds out which transitions can happen once, and which again and again.
///
/// # Errors
/// If a limit is reached, or a runtime error happens.
pub fn transitions(graph: &mut Graph<'_>) -> Result<Transitions, Obstacle> {
    let mut survey = Liveness::default();
    terminal::search(graph, &mut survey)?;
    let mut transitions = Transitions::default();
    let possible = (0..survey.seen.len()).filter(|&transition| survey.seen[transition] > 0);
    possible.for_each(|transition| _ = transitions.possible.insert(transition));
    let live = survey.live.unwrap_or_default();
    live.into_iter().for_each(|transition| _ = transitions.live.insert(transition as usize));
    Ok(transitions)
}

/// Decides whether all transitions, of which there are so many, can always happen again. If not, the run
/// leads to where one of them never will.
///
/// # Errors
/// If a limit is reached, or a runtime error happens.
pub fn is_live(graph: &mut Graph<'_>, n_transitions: usize) -> Result<Decided, Obstacle> {
    let mut survey = Liveness { n_wanted: n_transitions, ..Liveness::default() };
    let first = terminal::search(graph, &mut survey)?;
    Ok(decided(graph, false, first))
}

/// The answer `holds` if there is a component that decides so, and the other one if not.
fn decided(graph: &mut Graph<'_>, holds: bool, component: Option<u32>) -> Decided {
    match component {
        Some(first) => {
            let path = graph.path_to(first);
            Decided { holds, run: Some(graph.trace(&path, None)) }
        }
        None => Decided { holds: !holds, run: None },
    }
}

fn decide(
    graph: &mut Graph<'_>,
    form: Form,
    phi: impl FnMut(&mut Graph<'_>, u32) -> Result<bool, Obstacle>,
) -> Result<Decided, Obstacle> {
    let mut survey = Home { form, phi, last_phi: 0, last_other: 0 };
    let first = terminal::search(graph, &mut survey)?;
    Ok(decided(graph, matches!(form, Form::EfAg | Form::EfAgEf), first))
}

struct Home<P> {
    form: Form,
    phi: P,
    /// The last φ-state entered, by its number, and the last other one.
    last_phi: u32,
    last_other: u32,
}

impl<P: FnMut(&mut Graph<'_>, u32) -> Result<bool, Obstacle>> Survey for Home<P> {
    fn enter(&mut self, graph: &mut Graph<'_>, state: u32, number: u32) -> Result<(), Obstacle> {
        *if (self.phi)(graph, state)? { &mut self.last_phi } else { &mut self.last_other } = number;
        Ok(())
    }

    fn decides(&mut self, _: &Graph<'_>, _: u32, number: u32) -> bool {
        let (has_phi, has_other) = (self.last_phi >= number, self.last_other >= number);
        match self.form {
            Form::AgEf => !has_phi,
            Form::EfAg => !has_other,
            Form::AgEfAg => has_other,
            Form::EfAgEf => has_phi,
        }
    }
}

#[derive(Default)]
struct Liveness {
    /// For each transition, the number of the last state in which it can happen.
    seen: Vec<u32>,
    /// Those that are in all terminal components so far, once there is one.
    live: Option<Vec<u32>>,
    /// It is enough if there are fewer.
    n_wanted: usize,
    /// What can happen in a state.
    listed: Vec<u32>,
}

impl Survey for Liveness {
    fn enter(&mut self, graph: &mut Graph<'_>, state: u32, number: u32) -> Result<(), Obstacle> {
        graph.transitions(state, &mut self.listed);
        for &transition in &self.listed {
            if self.seen.len() <= transition as usize {
                self.seen.resize(transition as usize + 1, 0);
            }
            self.seen[transition as usize] = number;
        }
        Ok(())
    }

    fn decides(&mut self, _: &Graph<'_>, _: u32, number: u32) -> bool {
        let Liveness { seen, live, n_wanted, .. } = self;
        let live = live.get_or_insert_with(|| (0..seen.len() as u32).collect());
        live.retain(|&transition| seen[transition as usize] >= number);
        live.len() < *n_wanted
    }
}
