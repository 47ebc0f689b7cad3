//! The relations that reduction rests on, held against their definitions on random programs: what
//! [`Independence`] says about a state is checked by following the program from there.
//!
//! `STUBBORN_ROUNDS` says how many programs, `STUBBORN_SEED` which one to start with.

use std::collections::{BTreeSet, HashSet};
use std::fmt::Write;

use ir::Interpreter;
use model::{Action, Actions, Failure, Independence, Model, Obstacles, OutcomeKind, PredicateId, Successors};
use testkit::random::{Features, program_with_properties};
use testkit::shrink::shrink;

/// How many states are followed, at most, to check one answer.
const AHEAD: usize = 24;

/// What an action leads to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Fired {
    states: BTreeSet<Vec<u64>>,
    failures: HashSet<Failure>,
}

/// A model and what it says about the independence of its actions.
struct Checker<'m> {
    model: &'m Interpreter,
    independence: Box<dyn Independence + 'm>,
    watched: Vec<PredicateId>,
    /// How often an answer was checked that allowed something: a check of nothing is none.
    n_checked: u64,
}

/// What is wrong with an answer.
type Wrong = String;

impl<'m> Checker<'m> {
    /// None if the model does not say anything.
    fn new(model: &'m Interpreter, watched: &[PredicateId]) -> Option<Checker<'m>> {
        let independence = model.independence(watched).ok()?;
        Some(Checker { model, independence, watched: watched.to_vec(), n_checked: 0 })
    }

    /// Checks what is said about the first states of a model.
    ///
    /// # Errors
    /// What is wrong.
    fn check_states(&mut self, n_states: usize) -> Result<(), Wrong> {
        let mut initial = Vec::new();
        if self.model.initial(&mut initial).is_err() {
            return Ok(());
        }
        let mut known = HashSet::from([initial.clone()]);
        let mut open = std::collections::VecDeque::from([initial]);
        while let Some(state) = open.pop_front() {
            self.check(&state)?;
            for action in self.enabled(&state).list {
                for next in self.fire(&state, &action).states {
                    if known.len() < n_states && known.insert(next.clone()) {
                        open.push_back(next);
                    }
                }
            }
        }
        Ok(())
    }

    /// Checks everything that is said about a state.
    fn check(&mut self, state: &[u64]) -> Result<(), Wrong> {
        let enabled = self.enabled(state);
        if enabled.timeout || enabled.list.is_empty() {
            return Ok(());
        }
        self.independence.look(state, &enabled);
        for index in 0..enabled.list.len() {
            self.check_conflicts(state, &enabled, index)?;
            self.check_visible(state, &enabled, index)?;
            self.check_private(state, &enabled.list, index)?;
        }
        for number in 0..self.independence.moves().len() as u32 {
            if !self.independence.moves()[number as usize].enabled {
                self.check_obstacles(state, number)?;
            }
        }
        Ok(())
    }

    /// As long as nothing happens that an action conflicts with, it stays enabled, commutes with what
    /// happens, and disables nothing of it.
    fn check_conflicts(&mut self, state: &[u64], enabled: &Actions, index: usize) -> Result<(), Wrong> {
        let action = enabled.list[index];
        let moves = self.independence.moves_of(index);
        let mut excluded = Vec::from(moves);
        moves.iter().for_each(|&number| self.independence.conflicts(number, &mut excluded));
        let excluded = self.parties(state, &excluded);
        for (ahead, others) in self.without(state, &excluded) {
            let here = self.fire(&ahead, &action);
            for other in others {
                self.n_checked += 1;
                let there = self.fire(&ahead, &other);
                let mut around = BTreeSet::new();
                for next in &there.states {
                    if !self.is_enabled(next, &action) {
                        return Err(self.tell(state, &action, &other, "is disabled by"));
                    }
                    let then = self.fire(next, &action);
                    if then.failures != here.failures {
                        return Err(self.tell(state, &action, &other, "fails otherwise behind"));
                    }
                    around.extend(then.states);
                }
                let mut across = BTreeSet::new();
                for next in &here.states {
                    if !self.is_enabled(next, &other) {
                        return Err(self.tell(state, &action, &other, "disables"));
                    }
                    let then = self.fire(next, &other);
                    if then.failures != there.failures {
                        return Err(self.tell(state, &other, &action, "fails otherwise behind"));
                    }
                    across.extend(then.states);
                }
                if here.states.is_empty() || there.states.is_empty() {
                    continue;
                }
                if around != across {
                    return Err(self.tell(state, &action, &other, "does not commute with"));
                }
            }
        }
        Ok(())
    }

    /// As long as nothing of an obstacle happens, the move stays disabled. If the obstacle to one side of
    /// a rendezvous is the other one, what keeps that from happening belongs to it.
    fn check_obstacles(&mut self, state: &[u64], number: u32) -> Result<(), Wrong> {
        let wanted = self.party(state, number);
        for set in self.obstacles(number)? {
            let excluded = self.parties(state, &set);
            let Some(action) = self.find_enabled(state, &excluded, wanted) else { continue };
            let sides = parties_of(&action);
            let partner = set.iter().find(|&&other| {
                let party = self.party(state, other);
                party != wanted && sides.contains(&party)
            });
            let mut ways = Vec::new();
            if let Some(&partner) = partner {
                if self.independence.moves()[partner as usize].enabled {
                    let mut conflicts = vec![partner];
                    self.independence.conflicts(partner, &mut conflicts);
                    ways.push(conflicts);
                } else {
                    ways = self.obstacles(partner)?;
                }
            }
            let mut still = |more: &Vec<u32>| {
                let both: Vec<u32> = set.iter().chain(more).copied().collect();
                let excluded = self.parties(state, &both);
                self.find_enabled(state, &excluded, wanted).is_some()
            };
            if ways.is_empty() || ways.iter().any(&mut still) {
                let text = format!("{wanted:?} gets enabled by what is no obstacle:");
                return Err(self.tell(state, &action, &action, &text));
            }
        }
        Ok(())
    }

    fn obstacles(&mut self, number: u32) -> Result<Vec<Vec<u32>>, Wrong> {
        let mut obstacles = Obstacles::default();
        self.independence.obstacles(number, &mut obstacles);
        let sets: Vec<Vec<u32>> = obstacles.iter().map(<[u32]>::to_vec).collect();
        if sets.is_empty() { Err("a disabled move without obstacles".to_string()) } else { Ok(sets) }
    }

    /// An action of a move that gets enabled without some others.
    fn find_enabled(
        &mut self,
        state: &[u64],
        excluded: &HashSet<(u16, u32)>,
        wanted: (u16, u32),
    ) -> Option<Action> {
        for (ahead, _) in self.without(state, excluded) {
            self.n_checked += 1;
            let now = self.enabled(&ahead);
            if let Some(action) = now.list.iter().find(|action| parties_of(action).contains(&wanted))
                && !now.timeout
            {
                return Some(*action);
            }
        }
        None
    }

    /// An action that is not visible changes no predicate.
    fn check_visible(&mut self, state: &[u64], enabled: &Actions, index: usize) -> Result<(), Wrong> {
        let moves = self.independence.moves_of(index);
        if moves.iter().any(|&number| self.independence.moves()[number as usize].visible) {
            return Ok(());
        }
        let action = enabled.list[index];
        for predicate in self.watched.clone() {
            let before = self.model.predicate(predicate, state);
            for next in self.fire(state, &action).states {
                self.n_checked += 1;
                if self.model.predicate(predicate, &next) != before {
                    return Err(self.tell(state, &action, &action, "is visible"));
                }
            }
        }
        Ok(())
    }

    /// A private action changes nothing about what others can do, now or later.
    fn check_private(&mut self, state: &[u64], enabled: &[Action], index: usize) -> Result<(), Wrong> {
        let moves = self.independence.moves_of(index);
        if moves[0] != moves[1] || !self.independence.is_private(moves[0]) {
            return Ok(());
        }
        let action = enabled[index];
        let group = self.independence.moves()[moves[0] as usize].group;
        let all = 0..self.independence.moves().len() as u32;
        let own: Vec<u32> = all.filter(|&n| self.independence.moves()[n as usize].group == group).collect();
        let excluded = self.parties(state, &own);
        for (ahead, _) in self.without(state, &excluded) {
            for next in self.fire(&ahead, &action).states {
                self.n_checked += 1;
                // Where nothing else is enabled, `timeout` comes into play.
                if self.enabled(&next).timeout || self.enabled(&ahead).timeout {
                    continue;
                }
                if self.actions_of_others(&ahead, group) != self.actions_of_others(&next, group) {
                    return Err(self.tell(state, &action, &action, "is not private"));
                }
            }
        }
        Ok(())
    }

    fn actions_of_others(&self, state: &[u64], group: u32) -> Vec<Action> {
        let list = self.enabled(state).list;
        list.into_iter().filter(|other| u32::from(other.actor.process) != group).collect()
    }

    /// The states that can be reached without some moves, and in each the actions that lead on.
    fn without(&self, state: &[u64], excluded: &HashSet<(u16, u32)>) -> Vec<(Vec<u64>, Vec<Action>)> {
        let mut known = vec![state.to_vec()];
        let mut found = Vec::new();
        let mut next = 0;
        while next < known.len() && next < AHEAD {
            let here = known[next].clone();
            next += 1;
            let enabled = self.enabled(&here);
            let allowed = |action: &Action| parties_of(action).iter().all(|party| !excluded.contains(party));
            let others: Vec<Action> = match enabled.timeout {
                true => Vec::new(),
                false => enabled.list.into_iter().filter(allowed).collect(),
            };
            for other in &others {
                for after in self.fire(&here, other).states {
                    // The number of a process that has ended may come to mean another one.
                    let is_complete = self.model.n_processes(&after) >= self.model.n_processes(state);
                    if is_complete && !known.contains(&after) {
                        known.push(after);
                    }
                }
            }
            found.push((here, others));
        }
        found
    }

    /// Moves of a state as processes and transitions.
    fn parties(&self, state: &[u64], moves: &[u32]) -> HashSet<(u16, u32)> {
        moves.iter().map(|&number| self.party(state, number)).collect()
    }

    fn party(&self, state: &[u64], number: u32) -> (u16, u32) {
        let moves = self.independence.moves();
        let group = moves[number as usize].group;
        let first = moves.iter().position(|other| other.group == group).expect("it is there") as u32;
        let template = self.model.template_of(state, group as u16);
        let mut transitions = 0..self.model.n_transitions() as u32;
        let start = transitions.find(|&t| self.model.origin(t).0 == template).expect("it has some");
        (group as u16, start + number - first)
    }

    fn enabled(&self, state: &[u64]) -> Actions {
        let mut actions = Actions::default();
        self.model.enabled(state, &mut actions);
        actions
    }

    fn is_enabled(&self, state: &[u64], action: &Action) -> bool {
        let now = self.enabled(state);
        !now.timeout && now.list.contains(action)
    }

    fn fire(&self, state: &[u64], action: &Action) -> Fired {
        let chosen = Actions { list: vec![*action], timeout: false };
        let mut successors = Successors::default();
        self.model.fire(&chosen, state, &mut successors);
        let mut fired = Fired::default();
        for outcome in &successors.outcomes {
            match &outcome.kind {
                OutcomeKind::State(range) => {
                    fired.states.insert(successors.state(range).to_vec());
                }
                OutcomeKind::Failed(failure) => {
                    fired.failures.insert(failure.clone());
                }
                OutcomeKind::Diverges(_) => {}
            }
        }
        fired
    }

    fn write_state(&self, state: &[u64], text: &mut String) {
        for variable in self.model.variables(state) {
            let _ = write!(text, "{} = {:?}; ", variable.name, variable.value);
        }
    }

    fn tell(&self, state: &[u64], action: &Action, other: &Action, what: &str) -> Wrong {
        let mut text = format!("{action:?} {what} {other:?} from ");
        self.write_state(state, &mut text);
        text
    }
}

fn parties_of(action: &Action) -> Vec<(u16, u32)> {
    let partner = action.partner();
    [Some(action.actor), partner].iter().flatten().map(|party| (party.process, party.transition)).collect()
}

/// Checks the first states of a program. Programs that the tool refuses are none.
fn check(text: &str) -> Result<u64, Wrong> {
    let Ok(tree) = testkit::parse(text) else { return Ok(0) };
    let Ok(lowered) = promela::lower_with_properties(&tree) else { return Ok(0) };
    let interpreter = Interpreter::new(lowered.program);
    let mut n_checked = 0;
    // Each property watches its own predicates; the first check is without any.
    let watched = lowered.properties.iter().map(|property| property.atoms.clone());
    for atoms in std::iter::once(Vec::new()).chain(watched.take(2)) {
        let Some(mut checker) = Checker::new(&interpreter, &atoms) else { return Ok(0) };
        checker.check_states(if atoms.is_empty() { 20 } else { 6 })?;
        n_checked += checker.n_checked;
    }
    Ok(n_checked)
}

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

#[test]
fn what_is_said_about_independence_is_true() {
    let (first, rounds) = (number("STUBBORN_SEED", 0), number("STUBBORN_ROUNDS", 400));
    let features = Features { priorities: false, last: false, ..Features::ALL };
    let mut n_checked = 0;
    for seed in first..first + rounds {
        let outline = program_with_properties(seed, features);
        match check(&outline.text()) {
            Ok(n) => n_checked += n,
            Err(wrong) => {
                let small = shrink(&outline, |text| check(text).is_err()).text();
                let why = check(&small).err().unwrap_or(wrong);
                panic!("seed {seed}: {why}\n{small}");
            }
        }
    }
    assert!(n_checked > 100 * rounds, "only {n_checked} answers allowed anything");
}
