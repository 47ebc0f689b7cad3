//! Home properties: what can be reached again and again, and what is so for ever from some time on.
//!
//! They depend on the terminal components alone: AG EF φ says that every one has a φ-state, AG EF AG φ that
//! every one has nothing else, EF AG EF φ and EF AG φ the same of some. Longer alternations of AG and EF
//! mean one of these.
//!
//! In a reduced graph a terminal component shows part of one only ([`terminal`]). A state of it is enough: what else
//! there is can be reached from it, and is looked for if it was not seen (K. Schmidt's method in two phases, one of
//! which does not wait for the other).

use logic::HomeForm;
use model::{Actor, BitSet, PredicateId};
use rustc_hash::FxHashMap;

use super::ctl::Reach;
use super::graph::{Graph, Purpose};
use super::terminal::{self, Survey};
use super::{Decided, Halt};

/// Whether a property is decided by components that have φ-states, not by those that have others.
fn is_about_phi(form: HomeForm) -> bool {
    matches!(form, HomeForm::AgEf | HomeForm::EfAgEf)
}

/// Decides a home property. The run leads into the terminal component that decides.
///
/// # Errors
/// If a limit is reached, or a runtime error happens.
pub fn home(graph: &mut Graph<'_>, predicate: PredicateId, form: HomeForm) -> Result<Decided, Halt> {
    let is_reduced = graph.view(Purpose::Terminal).is_reduced();
    let reach = is_reduced.then(|| Reach::new(predicate, is_about_phi(form)));
    decide(graph, Purpose::Terminal, form, |graph, state| graph.holds(predicate, state), reach)
}

/// Decides whether the initial state can be reached from everywhere. If not, the run leads to where it
/// cannot.
///
/// # Errors
/// If a limit is reached, or a runtime error happens.
pub fn is_reversible(graph: &mut Graph<'_>) -> Result<Decided, Halt> {
    decide(graph, Purpose::Everything, HomeForm::AgEf, |_, state| Ok(state == Graph::INITIAL), None)
}

/// Decides whether there is a state in which nothing can happen, and leads to it.
///
/// # Errors
/// If a limit is reached, or a runtime error happens.
pub fn find_deadlock(graph: &mut Graph<'_>) -> Result<Decided, Halt> {
    struct Dead;
    impl Survey for Dead {
        fn enter(&mut self, _: &mut Graph<'_>, _: u32, _: u32) -> Result<bool, Halt> {
            Ok(false)
        }

        fn decides(&mut self, graph: &mut Graph<'_>, first: u32, _: u32) -> Result<bool, Halt> {
            Ok(graph.is_dead(first))
        }
    }
    let first = terminal::search(graph, Purpose::Terminal, &mut Dead)?;
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
pub fn transitions(graph: &mut Graph<'_>) -> Result<Transitions, Halt> {
    let mut survey = Liveness::default();
    terminal::search(graph, Purpose::Terminal, &mut survey)?;
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
pub fn is_live(graph: &mut Graph<'_>, n_transitions: usize) -> Result<Decided, Halt> {
    let mut survey = Liveness { n_live: n_transitions, ..Liveness::default() };
    let first = terminal::search(graph, Purpose::Terminal, &mut survey)?;
    Ok(decided(graph, false, first))
}

/// Decides whether of each of some lists of transitions one can always happen again, also behind the first step of an
/// action. If not, the run leads to where none of a list ever will.
///
/// # Errors
/// If a limit is reached, or a runtime error happens.
pub fn recurs(graph: &mut Graph<'_>, lists: &[Vec<u32>]) -> Result<Decided, Halt> {
    struct Recurrence<'l> {
        lists: &'l [Vec<u32>],
        /// For each transition, the number of the last state from which it was executed.
        seen: Vec<u32>,
    }
    impl Survey for Recurrence<'_> {
        fn enter(&mut self, graph: &mut Graph<'_>, state: u32, number: u32) -> Result<bool, Halt> {
            graph.each_step(state, |step| {
                for party in [Some(step.action.actor), step.action.partner()].into_iter().flatten() {
                    let transition = party.transition as usize;
                    if self.seen.len() <= transition {
                        self.seen.resize(transition + 1, 0);
                    }
                    self.seen[transition] = number;
                }
            });
            Ok(false)
        }

        fn decides(&mut self, _: &mut Graph<'_>, _: u32, number: u32) -> Result<bool, Halt> {
            let recurs =
                |&transition: &u32| self.seen.get(transition as usize).is_some_and(|&seen| seen >= number);
            Ok(!self.lists.iter().all(|list| list.iter().any(recurs)))
        }
    }
    let mut survey = Recurrence { lists, seen: Vec::new() };
    let first = terminal::search(graph, Purpose::Terminal, &mut survey)?;
    Ok(decided(graph, false, first))
}

/// Decides whether no actor can get stuck while others go on: it is in no terminal component in which something happens that
/// it has not ended, may not stay where it is, and never moves. If one is, the run leads there; gives those that are stuck,
/// too.
///
/// # Errors
/// If a limit is reached, or a runtime error happens.
pub fn nobody_is_stuck(graph: &mut Graph<'_>) -> Result<(Decided, Vec<Actor>), Halt> {
    #[derive(Default)]
    struct Stuck {
        /// For each actor the number of the last state from which it has moved.
        moved: FxHashMap<Actor, u32>,
        found: Vec<Actor>,
    }
    impl Survey for Stuck {
        fn enter(&mut self, graph: &mut Graph<'_>, state: u32, number: u32) -> Result<bool, Halt> {
            graph.each_step(state, |step| {
                let partner = step.action.partner().map(|partner| partner.who);
                self.moved.extend(
                    [Some(step.action.actor.who), partner].into_iter().flatten().map(|who| (who, number)),
                );
            });
            Ok(false)
        }

        fn decides(&mut self, graph: &mut Graph<'_>, first: u32, number: u32) -> Result<bool, Halt> {
            if !graph.is_dead(first) {
                self.found = graph.unfinished(first);
                self.found.retain(|who| self.moved.get(who).is_none_or(|&last| last < number));
            }
            Ok(!self.found.is_empty())
        }
    }
    let mut survey = Stuck::default();
    let first = terminal::search(graph, Purpose::Terminal, &mut survey)?;
    Ok((decided(graph, false, first), survey.found))
}

/// Decides whether all transitions, of which there are so many, can happen at least once.
///
/// # Errors
/// If a limit is reached, or a runtime error happens.
pub fn is_quasi_live(graph: &mut Graph<'_>, n_transitions: usize) -> Result<bool, Halt> {
    let mut survey = Liveness { n_possible: Some(n_transitions), ..Liveness::default() };
    Ok(n_transitions == 0 || terminal::search(graph, Purpose::Terminal, &mut survey)?.is_some())
}

/// The answer `holds` if there is a component that decides so, and the other one if not.
fn decided(graph: &mut Graph<'_>, holds: bool, component: Option<u32>) -> Decided {
    match component {
        Some(first) => {
            let path = graph.path_to(first);
            Decided { holds, run: graph.trace(&path, None).ok() }
        }
        None => Decided { holds: !holds, run: None },
    }
}

fn decide(
    graph: &mut Graph<'_>,
    purpose: Purpose,
    form: HomeForm,
    phi: impl FnMut(&mut Graph<'_>, u32) -> Result<bool, Halt>,
    reach: Option<Reach>,
) -> Result<Decided, Halt> {
    let mut survey = Home { form, phi, last: 0, reach };
    let first = terminal::search(graph, purpose, &mut survey)?;
    Ok(decided(graph, matches!(form, HomeForm::EfAg | HomeForm::EfAgEf), first))
}

struct Home<P> {
    form: HomeForm,
    phi: P,
    /// The last φ-state entered, by its number, or the last other one, whichever the form is about.
    last: u32,
    /// What finds such a state where not all are entered.
    reach: Option<Reach>,
}

impl<P: FnMut(&mut Graph<'_>, u32) -> Result<bool, Halt>> Survey for Home<P> {
    fn enter(&mut self, graph: &mut Graph<'_>, state: u32, number: u32) -> Result<bool, Halt> {
        if (self.phi)(graph, state)? == is_about_phi(self.form) {
            self.last = number;
        }
        Ok(false)
    }

    fn decides(&mut self, graph: &mut Graph<'_>, first: u32, number: u32) -> Result<bool, Halt> {
        let has_one = match &mut self.reach {
            _ if self.last >= number => true,
            Some(reach) => reach.finds(graph, first)?,
            None => false,
        };
        Ok(match self.form {
            HomeForm::AgEf | HomeForm::EfAg => !has_one,
            HomeForm::AgEfAg | HomeForm::EfAgEf => has_one,
        })
    }
}

#[derive(Default)]
struct Liveness {
    /// For each transition, the number of the last state in which it can happen.
    seen: Vec<u32>,
    n_seen: usize,
    /// Those that are in all terminal components so far, once there is one.
    live: Option<Vec<u32>>,
    /// It is enough if fewer are.
    n_live: usize,
    /// It is enough if so many are seen.
    n_possible: Option<usize>,
    /// What can happen in a state.
    listed: Vec<u32>,
}

impl Survey for Liveness {
    fn enter(&mut self, graph: &mut Graph<'_>, state: u32, number: u32) -> Result<bool, Halt> {
        graph.transitions(state, &mut self.listed);
        for &transition in &self.listed {
            if self.seen.len() <= transition as usize {
                self.seen.resize(transition as usize + 1, 0);
            }
            let seen = &mut self.seen[transition as usize];
            self.n_seen += usize::from(*seen == 0);
            *seen = number;
        }
        Ok(self.n_possible.is_some_and(|enough| self.n_seen >= enough))
    }

    fn decides(&mut self, _: &mut Graph<'_>, _: u32, number: u32) -> Result<bool, Halt> {
        let Liveness { seen, live, n_live, .. } = self;
        let live = live.get_or_insert_with(|| (0..seen.len() as u32).collect());
        live.retain(|&transition| seen[transition as usize] >= number);
        Ok(live.len() < *n_live)
    }
}
