//! The relations that reduction rests on, held against their definitions on small programs: what
//! [`Independence`] says about a state is checked by following the program from there.
//!
//! `STUBBORN_ROUNDS` says how many random programs, `STUBBORN_SEED` which one to start with.

use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};
use std::fmt::Write;
use std::rc::Rc;

use ir::Interpreter;
use model::{
    Action, Actions, Actor, EnablingSets, Failure, Independence, Model, Move, OutcomeKind, Patience, Phase,
    PredicateId, Successors,
};
use testkit::random::{Features, Outline, looping_program, program_with_properties, trace_program};
use testkit::shrink::shrink;

/// Small programs, each for something that random ones hardly show, and what that is.
fn chosen_programs() -> impl Iterator<Item = (&'static str, &'static str)> {
    let parts = include_str!("independence.pml").split("\n// --- ");
    parts.skip(1).map(|part| part.split_once('\n').expect("a program stands below its title"))
}

/// How many states are followed, at most, to check one answer.
const AHEAD: usize = 24;

/// How many combinations of obstacles to the possible partners of a move are tried.
const MANY_COMBINATIONS: usize = 40;

/// One side of an action: a process and its transition.
type Side = (Actor, u32);

/// Sides of actions, in order.
type Sides = Vec<Side>;

/// States that can be reached, and in each the actions that lead on.
type Ahead = Vec<(u32, Vec<Action>)>;

/// What is wrong with an answer.
type Wrong = String;

/// What an action leads to; states by their numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Fired {
    states: BTreeSet<u32>,
    failures: HashSet<Failure>,
    diverges: bool,
}

/// A state.
struct Node {
    words: Rc<[u64]>,
    n_processes: usize,
    /// What is enabled; without what is only because nothing else is.
    enabled: Rc<[Action]>,
    phase: Phase,
    /// What each enabled action leads to, once that was asked for.
    fired: Vec<Option<Rc<Fired>>>,
}

/// The states of a program that were seen.
struct Space<'m> {
    model: &'m Interpreter,
    numbers: HashMap<Rc<[u64]>, u32>,
    nodes: Vec<Node>,
}

impl<'m> Space<'m> {
    fn new(model: &'m Interpreter) -> Space<'m> {
        Space { model, numbers: HashMap::new(), nodes: Vec::new() }
    }

    fn number(&mut self, words: &[u64]) -> u32 {
        if let Some(&known) = self.numbers.get(words) {
            return known;
        }
        let mut actions = Actions::default();
        self.model.enabled(words, &mut actions);
        let phase = actions.phase;
        let enabled: Rc<[Action]> = if phase == Phase::Timeout { Rc::default() } else { actions.list.into() };
        let words: Rc<[u64]> = words.into();
        let number = self.nodes.len() as u32;
        self.nodes.push(Node {
            words: words.clone(),
            n_processes: self.model.n_processes(&words),
            fired: vec![None; enabled.len()],
            enabled,
            phase,
        });
        self.numbers.insert(words, number);
        number
    }

    fn node(&self, state: u32) -> &Node {
        &self.nodes[state as usize]
    }

    fn enabled(&self, state: u32) -> Rc<[Action]> {
        self.node(state).enabled.clone()
    }

    /// What an action leads to; none if it is disabled.
    fn fire(&mut self, state: u32, action: &Action) -> Option<Rc<Fired>> {
        let index = self.node(state).enabled.iter().position(|other| other == action)?;
        if let Some(known) = &self.node(state).fired[index] {
            return Some(known.clone());
        }
        let chosen = Actions { list: vec![*action], phase: Phase::Normal, ..Actions::default() };
        let mut successors = Successors::default();
        self.model.fire(&chosen, &self.node(state).words.clone(), &mut successors);
        let mut fired = Fired::default();
        for outcome in &successors.outcomes {
            match &outcome.kind {
                OutcomeKind::State(range) => {
                    fired.states.insert(self.number(successors.state(range)));
                }
                OutcomeKind::Failed(failure) => {
                    fired.failures.insert(Failure::clone(failure));
                }
                OutcomeKind::Diverges(_) => fired.diverges = true,
            }
        }
        let fired = Rc::new(fired);
        self.nodes[state as usize].fired[index] = Some(fired.clone());
        Some(fired)
    }

    /// The states that can be reached without some sides, and in each the actions that lead on.
    fn without(&mut self, state: u32, excluded: &Sides) -> Ahead {
        let mut known = vec![state];
        let mut found = Vec::new();
        let mut next = 0;
        while next < known.len() && next < AHEAD {
            let here = known[next];
            next += 1;
            let allowed =
                |action: &&Action| sides_of(action).all(|side| excluded.binary_search(&side).is_err());
            let others: Vec<Action> = self.enabled(here).iter().filter(allowed).copied().collect();
            // The number of a process that has ended may come to mean another one.
            if self.node(here).n_processes < self.node(state).n_processes {
                found.push((here, Vec::new()));
                continue;
            }
            for other in &others {
                for &after in self.fire(here, other).iter().flat_map(|fired| &fired.states) {
                    if !known.contains(&after) {
                        known.push(after);
                    }
                }
            }
            found.push((here, others));
        }
        found
    }
}

fn sides_of(action: &Action) -> impl Iterator<Item = Side> {
    [Some(action.actor), action.partner()].into_iter().flatten().map(|party| (party.who, party.transition))
}

/// A model and what it says about the independence of its actions.
struct Checker<'m> {
    space: Space<'m>,
    independence: Box<dyn Independence + 'm>,
    watched: Vec<PredicateId>,
    /// The state that is looked at.
    state: u32,
    /// Its moves as sides of actions.
    sides: Sides,
    /// What can be reached from there without some sides.
    ahead: HashMap<Sides, Rc<Ahead>>,
    /// How often an answer was checked that allowed something: a check of nothing is none.
    n_checked: u64,
}

impl<'m> Checker<'m> {
    /// None if the model does not say anything.
    fn new(space: Space<'m>, watched: &[PredicateId]) -> Option<Checker<'m>> {
        let independence = space.model.independence(watched, &Patience::default()).ok()?;
        Some(Checker {
            space,
            independence,
            watched: watched.to_vec(),
            state: 0,
            sides: Vec::new(),
            ahead: HashMap::new(),
            n_checked: 0,
        })
    }

    /// Checks what is said about the first states of a model.
    ///
    /// # Errors
    /// What is wrong.
    fn check_states(&mut self, n_states: usize) -> Result<(), Wrong> {
        let mut initial = Vec::new();
        if self.space.model.initial(&mut initial).is_err() {
            return Ok(());
        }
        let initial = self.space.number(&initial);
        let mut known = HashSet::from([initial]);
        let mut open = VecDeque::from([initial]);
        while let Some(state) = open.pop_front() {
            self.check(state)?;
            for action in self.space.enabled(state).iter() {
                for &next in self.space.fire(state, action).iter().flat_map(|fired| &fired.states) {
                    if known.len() < n_states && known.insert(next) {
                        open.push_back(next);
                    }
                }
            }
        }
        Ok(())
    }

    /// Checks everything that is said about a state.
    fn check(&mut self, state: u32) -> Result<(), Wrong> {
        let enabled =
            Actions { list: self.space.enabled(state).to_vec(), phase: Phase::Normal, ..Actions::default() };
        if self.space.node(state).phase == Phase::Timeout || enabled.list.is_empty() {
            return Ok(());
        }
        let words = self.space.node(state).words.clone();
        self.independence.look(&words, &enabled);
        self.state = state;
        self.sides = self.all_sides();
        self.ahead.clear();
        for (index, action) in enabled.list.iter().enumerate() {
            self.check_conflicts(action, index)?;
            self.check_left_conflicts(action, index)?;
            self.check_visible(action, index)?;
            self.check_private(action, index)?;
        }
        for number in 0..self.independence.moves().len() as u32 {
            self.check_local(number)?;
            if !self.independence.moves()[number as usize].enabled {
                self.check_obstacles(number)?;
            }
        }
        Ok(())
    }

    /// The moves of the state as sides of actions.
    fn all_sides(&self) -> Sides {
        let moves = self.independence.moves();
        let model = self.space.model;
        let words = &self.space.node(self.state).words;
        let mut sides: Sides = Vec::new();
        for (number, part) in moves.iter().enumerate() {
            let group = Actor(part.group);
            let transition = match sides.last() {
                Some(&(last, transition)) if last == group => transition + 1,
                _ => {
                    let template = model.template_of(words, group.pid());
                    let mut transitions = 0..model.n_transitions() as u32;
                    transitions.find(|&t| model.origin(t).0 == template).expect("it has some")
                }
            };
            assert_eq!(sides.len(), number);
            sides.push((group, transition));
        }
        sides
    }

    fn sides(&self, moves: &[u32]) -> Sides {
        let mut sides: Sides = moves.iter().map(|&number| self.sides[number as usize]).collect();
        sides.sort_unstable();
        sides.dedup();
        sides
    }

    /// The states that can be reached without some moves, and in each the actions that lead on.
    fn without(&mut self, excluded: &[u32]) -> Rc<Ahead> {
        let excluded = self.sides(excluded);
        if let Some(known) = self.ahead.get(&excluded) {
            return known.clone();
        }
        let found = Rc::new(self.space.without(self.state, &excluded));
        self.ahead.insert(excluded, found.clone());
        found
    }

    /// The moves of a group.
    fn group(&self, group: u32) -> Vec<u32> {
        let moves = self.independence.moves();
        (0..moves.len() as u32).filter(|&number| moves[number as usize].group == group).collect()
    }

    /// As long as nothing happens that an action conflicts with, it stays enabled, commutes with what
    /// happens, and disables nothing of it.
    fn check_conflicts(&mut self, action: &Action, index: usize) -> Result<(), Wrong> {
        let moves = self.independence.moves_of(index);
        let mut excluded = Vec::from(moves);
        moves.iter().for_each(|&number| self.independence.conflicts(number, &mut excluded));
        self.check_partners(action, moves)?;
        for (ahead, others) in self.without(&excluded).iter() {
            let Some(here) = self.space.fire(*ahead, action) else {
                return Err(self.tell(action, "is disabled by what does not conflict", action));
            };
            for other in others {
                self.n_checked += 1;
                self.check_pair(*ahead, action, &here, other)?;
            }
        }
        Ok(())
    }

    /// The sides of a rendezvous conflict with each other, and neither is private.
    fn check_partners(&mut self, action: &Action, moves: [u32; 2]) -> Result<(), Wrong> {
        let [one, other] = moves;
        for (one, other) in [(one, other), (other, one)].into_iter().filter(|(one, other)| one != other) {
            let (mut conflicts, mut left) = (Vec::new(), Vec::new());
            self.independence.conflicts(one, &mut conflicts);
            self.independence.left_conflicts(one, &mut left);
            if !conflicts.contains(&other) || !left.contains(&other) || self.independence.is_private(one) {
                return Err(self.tell(action, "has sides that do not belong together:", action));
            }
        }
        Ok(())
    }

    /// Two actions that are enabled in a state stay so, and both orders lead to the same.
    fn check_pair(&mut self, state: u32, action: &Action, here: &Fired, other: &Action) -> Result<(), Wrong> {
        let there = self.space.fire(state, other).expect("it is enabled");
        let mut around: BTreeSet<u32> = BTreeSet::new();
        for &next in &there.states {
            let Some(then) = self.space.fire(next, action) else {
                return Err(self.tell(action, "is disabled by", other));
            };
            if then.failures != here.failures || then.diverges != here.diverges {
                return Err(self.tell(action, "fails otherwise behind", other));
            }
            around.extend(&then.states);
        }
        let mut across: BTreeSet<u32> = BTreeSet::new();
        for &next in &here.states {
            let Some(then) = self.space.fire(next, other) else {
                return Err(self.tell(action, "disables", other));
            };
            if then.failures != there.failures || then.diverges != there.diverges {
                return Err(self.tell(other, "fails otherwise behind", action));
            }
            across.extend(&then.states);
        }
        if !here.states.is_empty() && !there.states.is_empty() && around != across {
            return Err(self.tell(action, "does not commute with", other));
        }
        Ok(())
    }

    /// As long as nothing happens that an action has a left conflict with: if it can happen in the end,
    /// it could as well have happened first. In between it may be disabled.
    fn check_left_conflicts(&mut self, action: &Action, index: usize) -> Result<(), Wrong> {
        let moves = self.independence.moves_of(index);
        let mut excluded = Vec::from(moves);
        moves.iter().for_each(|&number| self.independence.left_conflicts(number, &mut excluded));
        let ahead: HashMap<u32, Vec<Action>> = self.without(&excluded).iter().cloned().collect();
        let first = self.space.fire(self.state, action).expect("it is enabled");
        // A state, and where one gets to in the same way if the action happens first.
        let mut known = vec![(self.state, first.states.clone())];
        let mut next = 0;
        while next < known.len() && next < 2 * AHEAD {
            let (here, behind) = known[next].clone();
            next += 1;
            for other in ahead.get(&here).into_iter().flatten() {
                let mut across: BTreeSet<u32> = BTreeSet::new();
                for &state in &behind {
                    let fired = self.space.fire(state, other);
                    across.extend(fired.iter().flat_map(|fired| &fired.states));
                }
                for &after in &self.space.fire(here, other).expect("it is enabled").states {
                    if let Some(last) = self.space.fire(after, action) {
                        self.n_checked += 1;
                        if !last.failures.is_subset(&first.failures) || (last.diverges && !first.diverges) {
                            return Err(self.tell(action, "fails, from the left, only behind", other));
                        }
                        if !last.states.is_subset(&across) {
                            return Err(self.tell(action, "does not commute, from the left, with", other));
                        }
                    }
                    let pair = (after, across.clone());
                    if !known.contains(&pair) {
                        known.push(pair);
                    }
                }
            }
        }
        Ok(())
    }

    /// As long as nothing of an obstacle happens, the move stays disabled.
    fn check_obstacles(&mut self, number: u32) -> Result<(), Wrong> {
        for set in self.enabling_sets(number)? {
            let mut excluded = set.clone();
            excluded.push(number);
            let mut n_tries = 0;
            if let Some(action) = self.gets_enabled(number, &excluded, &mut Vec::new(), &mut n_tries)? {
                let side = self.sides[number as usize];
                return Err(self.tell(&action, &format!("enables {side:?} without an obstacle:"), &action));
            }
        }
        Ok(())
    }

    /// An action with a disabled move that gets enabled while some moves are `excluded`, its own
    /// obstacle among them.
    ///
    /// If an obstacle to one side of a rendezvous is the other one, then what that demands of a set in
    /// which it is belongs to it, too: whichever way it is met. `partners` are those of which that was
    /// taken into account.
    fn gets_enabled(
        &mut self,
        number: u32,
        excluded: &[u32],
        partners: &mut Vec<u32>,
        n_tries: &mut usize,
    ) -> Result<Option<Action>, Wrong> {
        *n_tries += 1;
        if *n_tries > MANY_COMBINATIONS {
            return Ok(None);
        }
        let Some(action) = self.find_enabled(number, excluded) else { return Ok(None) };
        let own = self.sides[number as usize];
        let other = sides_of(&action).find(|&side| side != own);
        let is_partner = |&known: &u32| Some(self.sides[known as usize]) == other;
        let Some(partner) = excluded.iter().copied().find(is_partner) else { return Ok(Some(action)) };
        if partners.contains(&partner) {
            return Ok(Some(action));
        }
        partners.push(partner);
        let mut ways = Vec::new();
        if self.independence.moves()[partner as usize].enabled {
            let mut conflicts = Vec::new();
            self.independence.conflicts(partner, &mut conflicts);
            ways.push(conflicts);
        } else {
            ways = self.enabling_sets(partner)?;
        }
        let mut found = None;
        for way in ways {
            let all = [excluded, &way].concat();
            found = self.gets_enabled(number, &all, partners, n_tries)?;
            if found.is_some() {
                break;
            }
        }
        partners.pop();
        Ok(found)
    }

    fn enabling_sets(&mut self, number: u32) -> Result<Vec<Vec<u32>>, Wrong> {
        let mut obstacles = EnablingSets::default();
        self.independence.enabling_sets(number, &mut obstacles);
        let sets: Vec<Vec<u32>> = obstacles.iter().map(<[u32]>::to_vec).collect();
        if sets.is_empty() { Err("a disabled move without obstacles".to_string()) } else { Ok(sets) }
    }

    /// An action of a move that gets enabled without some others.
    fn find_enabled(&mut self, number: u32, excluded: &[u32]) -> Option<Action> {
        let wanted = self.sides[number as usize];
        for (ahead, _) in self.without(excluded).iter() {
            self.n_checked += 1;
            let enabled = &self.space.node(*ahead).enabled;
            if let Some(action) = enabled.iter().find(|action| sides_of(action).any(|side| side == wanted)) {
                return Some(*action);
            }
        }
        None
    }

    /// An action that is not visible changes no predicate.
    fn check_visible(&mut self, action: &Action, index: usize) -> Result<(), Wrong> {
        let moves = self.independence.moves_of(index);
        if moves.iter().any(|&number| self.independence.moves()[number as usize].visible) {
            return Ok(());
        }
        let fired = self.space.fire(self.state, action).expect("it is enabled");
        let model = self.space.model;
        for &predicate in &self.watched {
            let before = model.predicate(predicate, &self.space.node(self.state).words);
            for &next in &fired.states {
                self.n_checked += 1;
                if model.predicate(predicate, &self.space.node(next).words) != before {
                    return Err(self.tell(action, "is visible, as is", action));
                }
            }
        }
        Ok(())
    }

    /// A private action changes nothing about what others can do, now or later.
    fn check_private(&mut self, action: &Action, index: usize) -> Result<(), Wrong> {
        let moves = self.independence.moves_of(index);
        if moves[0] != moves[1] || !self.independence.is_private(moves[0]) {
            return Ok(());
        }
        let group = self.independence.moves()[moves[0] as usize].group;
        for (ahead, _) in self.without(&self.group(group)).iter() {
            let Some(fired) = self.space.fire(*ahead, action) else { continue };
            for &next in &fired.states {
                self.n_checked += 1;
                // Where nothing else is enabled, `timeout` comes into play.
                if self.space.node(next).phase == Phase::Timeout {
                    continue;
                }
                if self.actions_of_others(*ahead, group) != self.actions_of_others(next, group) {
                    return Err(self.tell(action, "is not private, nor is", action));
                }
            }
        }
        Ok(())
    }

    fn actions_of_others(&self, state: u32, group: u32) -> Vec<Action> {
        let list = self.space.enabled(state);
        list.iter().filter(|other| other.actor.who.0 != group).copied().collect()
    }

    /// Nobody else enables or disables a local move.
    fn check_local(&mut self, number: u32) -> Result<(), Wrong> {
        let Move { group, here, enabled, .. } = self.independence.moves()[number as usize];
        if !here || !self.independence.is_local(number) {
            return Ok(());
        }
        let own = self.sides[number as usize];
        for (ahead, _) in self.without(&self.group(group)).iter() {
            self.n_checked += 1;
            let node = self.space.node(*ahead);
            let now = node.enabled.iter().any(|action| sides_of(action).any(|side| side == own));
            if now != enabled && node.phase == Phase::Normal {
                return Err(format!("{own:?} is not local {}", self.write_state()));
            }
        }
        Ok(())
    }

    fn write_state(&self) -> String {
        let mut text = "in".to_string();
        for variable in self.space.model.variables(&self.space.node(self.state).words) {
            let _ = write!(text, " {} = {:?};", variable.name, variable.value);
        }
        text
    }

    fn tell(&self, action: &Action, what: &str, other: &Action) -> Wrong {
        format!("{action:?} {what} {other:?} {}", self.write_state())
    }
}

/// Checks the first states of a program. Programs that the tool refuses are none.
fn check(text: &str) -> Result<u64, Wrong> {
    let Ok(tree) = testkit::parse(text) else { return Ok(0) };
    let Ok(lowered) = promela::lower_with_properties(&tree, &Patience::default()).expect("there is time")
    else {
        return Ok(0);
    };
    let interpreter = Interpreter::new(lowered.program);
    let mut n_checked = 0;
    let mut space = Space::new(&interpreter);
    // Each property watches its own predicates; the first check is without any.
    let watched = lowered.properties.iter().map(|property| property.atoms.clone());
    for atoms in std::iter::once(Vec::new()).chain(watched.take(2)) {
        let Some(mut checker) = Checker::new(space, &atoms) else { return Ok(0) };
        checker.check_states(if atoms.is_empty() { 20 } else { 6 })?;
        n_checked += checker.n_checked;
        space = checker.space;
    }
    Ok(n_checked)
}

/// Checks random programs, some at a time: the number of answers that allowed something.
fn check_random(rounds: u64, program: impl Fn(u64) -> Outline + Sync) -> u64 {
    let first = testkit::rounds::setting("STUBBORN_SEED", 0);
    let n_threads = std::thread::available_parallelism().map_or(1, |n| n.get() as u64);
    let check_some = |thread: u64| -> Result<u64, u64> {
        let mut seeds = (first..first + rounds).filter(|seed| seed % n_threads == thread);
        seeds.try_fold(0, |sum, seed| check(&program(seed).text()).map(|n| sum + n).map_err(|_| seed))
    };
    let results: Vec<Result<u64, u64>> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..n_threads)
            .map(|thread| {
                scope.spawn({
                    let check_some = &check_some;
                    move || check_some(thread)
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().expect("it panics nowhere")).collect()
    });
    if let Some(seed) = results.iter().filter_map(|result| result.err()).min() {
        let small = shrink(&program(seed), |text| check(text).is_err()).text();
        let why = check(&small).expect_err("it was wrong before");
        panic!("seed {seed}: {why}\n{small}");
    }
    results.iter().flatten().sum()
}

#[test]
fn what_is_said_about_chosen_programs_is_true() {
    for (title, text) in chosen_programs() {
        match check(text) {
            Ok(n_checked) => assert!(n_checked > 0, "{title} Nothing is said."),
            Err(wrong) => panic!("{title} {wrong}"),
        }
    }
}

#[test]
fn what_is_said_about_random_programs_is_true() {
    let rounds = testkit::rounds::setting("STUBBORN_ROUNDS", 400);
    let features = Features { priorities: false, last: false, ..Features::ALL };
    let n_checked = check_random(rounds, |seed| program_with_properties(seed, features));
    assert!(n_checked > 100 * rounds, "only {n_checked} answers allowed anything");
}

#[test]
fn what_is_said_about_programs_that_loop_is_true() {
    let rounds = testkit::rounds::setting("STUBBORN_ROUNDS", 400) / 2;
    let n_checked = check_random(rounds, looping_program);
    assert!(n_checked > 100 * rounds, "only {n_checked} answers allowed anything");
}

#[test]
fn what_is_said_about_programs_with_event_traces_is_true() {
    let rounds = testkit::rounds::setting("STUBBORN_ROUNDS", 400);
    let n_checked = check_random(rounds, trace_program);
    assert!(n_checked > 10 * rounds, "only {n_checked} answers allowed anything");
}
