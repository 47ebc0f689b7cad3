//! All states of a system, by its definition, and what questions about them mean: each is answered by the plainest means.
//!
//! A state is one that everybody sees; a step between two is an action with the atomic sequence behind it.

use std::collections::{BTreeSet, HashMap};

use logic::{Automaton, Ctl, Quantifier};
use model::{Action, Choices, End, Failure, FailureKind, Fairness, Play, PredicateId};

use crate::runs::{Edge, Graph};

/// A step from a state to another.
#[derive(Clone, Debug)]
pub struct Step {
    /// Where it leads.
    pub target: usize,
    /// Who takes part.
    pub movers: BTreeSet<usize>,
    /// The transition with which it begins.
    pub transition: u32,
}

/// A state, and what is true of it.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// The steps from it.
    pub steps: Vec<Step>,
    /// Who can begin a step.
    pub enabled: BTreeSet<usize>,
    /// Who has not ended there, and may not stay there for ever.
    pub unfinished: BTreeSet<usize>,
    /// The transitions that are executed in steps from it.
    pub executed: BTreeSet<u32>,
    /// What fails in steps from it.
    pub failures: BTreeSet<FailureKind>,
    /// The predicates; none for one that fails.
    pub values: Vec<Option<i64>>,
    /// How a run stands if it ends here.
    pub end: Option<End>,
}

/// All states; the first is the initial one.
#[derive(Clone, Debug, Default)]
pub struct Space {
    /// The states.
    pub states: Vec<State>,
}

/// What becomes of a path that cannot go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ends {
    /// It repeats its last state.
    Repeat,
    /// It ends.
    End,
}

impl Space {
    /// All states that can be reached. None if there are more than `most`, if the initial one cannot be computed, or if
    /// an atomic sequence may go on for ever.
    pub fn of(play: Result<Box<dyn Play + '_>, Failure>, most: usize) -> Option<Space> {
        let play = play.ok()?;
        let mut numbers = HashMap::from([(play.state().to_vec(), 0)]);
        let mut plays = vec![play];
        let mut space = Space::default();
        while space.states.len() < plays.len() {
            if plays.len() > most {
                return None;
            }
            let play = &plays[space.states.len()];
            let choices = play.choices();
            let predicate = |k| play.predicate(PredicateId(k)).ok();
            let mut state = State {
                enabled: choices.actions.iter().map(|action| action.actor.who.0 as usize).collect(),
                unfinished: play.standing().iter().filter(|one| !one.end).map(|one| one.pid.into()).collect(),
                values: (0..play.n_predicates()).map(predicate).collect(),
                end: choices.actions.is_empty().then(|| play.end()),
                ..State::default()
            };
            let mut found = Vec::new();
            for action in &choices.actions {
                let (failures, executed) = (&mut state.failures, &mut state.executed);
                let mut walk = Walk { ends: Vec::new(), failures, executed };
                walk.follow(&**play, action, &choices, &BTreeSet::new(), &mut Vec::new())?;
                found.extend(
                    walk.ends.into_iter().map(|(end, movers)| (end, movers, action.actor.transition)),
                );
            }
            for (end, movers, transition) in found {
                let fresh = plays.len();
                let target = *numbers.entry(end.state().to_vec()).or_insert(fresh);
                if target == fresh {
                    plays.push(end);
                }
                state.steps.push(Step { target, movers, transition });
            }
            space.states.push(state);
        }
        Some(space)
    }

    /// Whether a step fails somewhere, assertions and the like included or not.
    pub fn fails(&self, with_assertions: bool) -> bool {
        let counts = |kind: &FailureKind| with_assertions || !kind.continues();
        self.states.iter().any(|state| state.failures.iter().any(counts))
    }

    /// Whether nothing can happen in some state, and that is not right.
    pub fn is_stuck(&self) -> bool {
        self.states.iter().any(|state| state.end == Some(End::Invalid))
    }

    /// The number of steps.
    pub fn n_steps(&self) -> usize {
        self.states.iter().map(|state| state.steps.len()).sum()
    }

    /// The greatest value of a predicate; none if it fails in some state.
    pub fn greatest(&self, predicate: PredicateId) -> Option<i64> {
        let values = self.states.iter().map(|state| state.values[predicate.0 as usize]);
        values.collect::<Option<Vec<i64>>>().map(|all| all.into_iter().max().unwrap_or(0))
    }

    /// Whether a state can be reached from which somebody never moves again, though he has not ended, and others always go
    /// on.
    pub fn has_local_deadlock(&self) -> bool {
        (0..self.states.len()).any(|from| {
            let behind = self.reachable(from);
            let goes_on = behind.iter().all(|&state| !self.states[state].steps.is_empty());
            let moves = |who: &usize| {
                let mut steps = behind.iter().flat_map(|&state| &self.states[state].steps);
                steps.any(|step| step.movers.contains(who))
            };
            goes_on && !self.states[from].unfinished.iter().all(moves)
        })
    }

    /// Whether one of some transitions can always be executed again.
    pub fn recurs(&self, transitions: &[u32]) -> bool {
        let executes = |state: usize| transitions.iter().any(|one| self.states[state].executed.contains(one));
        (0..self.states.len()).all(|from| self.reachable(from).into_iter().any(executes))
    }

    /// The states that can be reached from one, itself included.
    pub fn reachable(&self, from: usize) -> BTreeSet<usize> {
        let mut seen = BTreeSet::from([from]);
        let mut open = vec![from];
        while let Some(state) = open.pop() {
            for step in &self.states[state].steps {
                if seen.insert(step.target) {
                    open.push(step.target);
                }
            }
        }
        seen
    }

    /// In which states a formula holds. A predicate that fails counts as false.
    pub fn holds(&self, formula: &Ctl<PredicateId>, ends: Ends) -> Vec<bool> {
        let all = || 0..self.states.len();
        let of = |inner: &Ctl<PredicateId>| self.holds(inner, ends);
        match formula {
            Ctl::Constant(value) => vec![*value; self.states.len()],
            Ctl::Atom(PredicateId(k)) => {
                all().map(|s| self.states[s].values[*k as usize].is_some_and(|value| value != 0)).collect()
            }
            Ctl::Not(inner) => of(inner).into_iter().map(|holds| !holds).collect(),
            Ctl::And(list) => {
                let list: Vec<Vec<bool>> = list.iter().map(of).collect();
                all().map(|s| list.iter().all(|holds| holds[s])).collect()
            }
            Ctl::Or(list) => {
                let list: Vec<Vec<bool>> = list.iter().map(of).collect();
                all().map(|s| list.iter().any(|holds| holds[s])).collect()
            }
            Ctl::Next(q, inner) => {
                let inner = of(inner);
                all().map(|s| self.next(*q, s, &inner, ends)).collect()
            }
            Ctl::Eventually(q, inner) => self.until(*q, &vec![true; self.states.len()], &of(inner), ends),
            Ctl::Until(q, before, then) => {
                let before = of(before);
                self.until(*q, &before, &of(then), ends)
            }
            // For ever, or until something: what the other quantifier's least fixpoint leaves.
            Ctl::Always(q, inner) => {
                let broken: Vec<bool> = of(inner).into_iter().map(|holds| !holds).collect();
                not(self.until(other(*q), &vec![true; self.states.len()], &broken, ends))
            }
            Ctl::WeakUntil(q, before, then) => {
                let (before, then) = (of(before), of(then));
                let waits = not(then.clone());
                let broken = all().map(|s| !before[s] && !then[s]).collect::<Vec<_>>();
                not(self.until(other(*q), &waits, &broken, ends))
            }
            Ctl::Release(q, release, kept) => {
                let (release, kept) = (of(release), of(kept));
                not(self.until(other(*q), &not(release), &not(kept), ends))
            }
        }
    }

    /// Whether something holds in the next state of all paths, or of some.
    fn next(&self, quantifier: Quantifier, state: usize, holds: &[bool], ends: Ends) -> bool {
        let steps = &self.states[state].steps;
        if steps.is_empty() && ends == Ends::Repeat {
            return holds[state];
        }
        match quantifier {
            Quantifier::All => steps.iter().all(|step| holds[step.target]),
            Quantifier::Exists => steps.iter().any(|step| holds[step.target]),
        }
    }

    /// A least fixpoint.
    fn until(&self, quantifier: Quantifier, before: &[bool], then: &[bool], ends: Ends) -> Vec<bool> {
        let mut holds = then.to_vec();
        loop {
            let more: Vec<usize> = (0..holds.len())
                .filter(|&s| !holds[s] && before[s])
                .filter(|&s| {
                    // A path that has ended does not get there.
                    !self.states[s].steps.is_empty() && self.next(quantifier, s, &holds, ends)
                })
                .collect();
            if more.is_empty() {
                return holds;
            }
            more.into_iter().for_each(|s| holds[s] = true);
        }
    }

    /// Whether there is a run that an automaton over atoms accepts and that is fair; or a way, on which the automaton
    /// follows, to a step that fails, to an atom without a value, or to the state in which the automaton fails. A run that
    /// has ended repeats its last state, if it `stutters`.
    pub fn violates(
        &self,
        (automaton, fails_at): (&Automaton, Option<u32>),
        atoms: &[PredicateId],
        stutters: bool,
        fairness: Fairness,
    ) -> bool {
        let mut graph = Graph { all_sets: (1 << automaton.n_sets) - 1, ..Graph::default() };
        let mut nodes = vec![(0, automaton.initial)];
        let mut known = HashMap::from([(nodes[0], 0)]);
        while graph.edges.len() < nodes.len() {
            let (state, at) = nodes[graph.edges.len()];
            if fails_at == Some(at) {
                return true;
            }
            let here = &self.states[state];
            let mut ways: Vec<_> = here.steps.iter().map(|step| (step.target, step.movers.clone())).collect();
            if here.end.is_some() && stutters {
                ways.push((state, BTreeSet::new()));
            }
            let (value, missing) = here.valuation(atoms);
            let mut edges = Vec::new();
            for edge in &automaton.states[at as usize].edges {
                match edge.guard.holds_without(value, missing) {
                    None => return true,
                    Some(false) => continue,
                    Some(true) => {}
                }
                if here.failures.iter().any(|kind| !kind.continues()) {
                    return true;
                }
                // The automaton reads the last state of a run, too.
                if fails_at == Some(edge.target) {
                    return true;
                }
                for (to, movers) in &ways {
                    let fresh = nodes.len();
                    let target = *known.entry((*to, edge.target)).or_insert(fresh);
                    if target == fresh {
                        nodes.push((*to, edge.target));
                    }
                    edges.push(Edge { target, accepts: edge.accepts, movers: movers.clone() });
                }
            }
            graph.edges.push(edges);
            graph.enabled.push(here.enabled.clone());
        }
        graph.has_accepted_run(fairness)
    }
}

impl State {
    /// The values of predicates, and which have none, one bit each.
    fn valuation(&self, atoms: &[PredicateId]) -> (u64, u64) {
        atoms.iter().enumerate().fold((0, 0), |(holds, missing), (k, atom)| {
            match self.values[atom.0 as usize] {
                None => (holds, missing | 1 << k),
                Some(value) => (holds | u64::from(value != 0) << k, missing),
            }
        })
    }
}

fn not(holds: Vec<bool>) -> Vec<bool> {
    holds.into_iter().map(|holds| !holds).collect()
}

fn other(quantifier: Quantifier) -> Quantifier {
    match quantifier {
        Quantifier::All => Quantifier::Exists,
        Quantifier::Exists => Quantifier::All,
    }
}

/// The ways through an atomic sequence.
struct Walk<'a, 'f> {
    ends: Vec<(Box<dyn Play + 'a>, BTreeSet<usize>)>,
    failures: &'f mut BTreeSet<FailureKind>,
    executed: &'f mut BTreeSet<u32>,
}

impl<'a> Walk<'a, '_> {
    /// Takes a step, and all that can follow until others see the state. None if that may go on for ever.
    fn follow(
        &mut self,
        play: &(dyn Play + 'a),
        action: &Action,
        choices: &Choices,
        movers: &BTreeSet<usize>,
        path: &mut Vec<(Vec<u64>, Option<model::Actor>)>,
    ) -> Option<()> {
        let mut next = play.fork();
        let told = next.tell(action, choices.phase);
        self.failures.extend(told.failures.iter().map(|failure| failure.kind));
        if told.ended {
            return (!told.failures.iter().any(|failure| failure.kind == FailureKind::EndlessLoop))
                .then_some(());
        }
        self.executed.insert(action.actor.transition);
        self.executed.extend(action.partner().map(|partner| partner.transition));
        let mut movers = movers.clone();
        movers.insert(action.actor.who.0 as usize);
        movers.extend(action.partner().map(|partner| partner.who.0 as usize));
        let behind = next.choices();
        if next.holder().is_none() || behind.observable {
            if !self.ends.iter().any(|(end, known)| end.state() == next.state() && *known == movers) {
                self.ends.push((next, movers));
            }
            return Some(());
        }
        let place = (next.state().to_vec(), next.holder());
        if path.contains(&place) {
            return None;
        }
        path.push(place);
        for action in &behind.actions {
            self.follow(&*next, action, &behind, &movers, path)?;
        }
        path.pop();
        Some(())
    }
}
