//! Small systems on which a careless reducer goes wrong, and the order of what is proposed.

mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use model::{Actions, EnablingSets, Independence, Move, Phase};
use por::{Effort, Method, Preserves, Reducer};
use support::System;
use support::explore::{explore_fully, explore_reduced};
use support::net::{Net, Transition as NetTransition};
use support::process::{Effect, Processes, Sync, Transition};

const METHODS: [Method; 5] = [Method::Local, Method::Ample, Method::Stubborn, Method::Deletion, Method::Weak];

/// What is chosen in the initial state, by the transitions of the actors.
fn subsets(system: &dyn System, method: Method, preserves: Preserves) -> Vec<Vec<u32>> {
    let (mut enabled, mut chosen) = (Actions::default(), Actions::default());
    system.enabled(&system.initial(), &mut enabled);
    let mut reducer = Reducer::new(system.independence(), method, preserves);
    reducer.look(&system.initial(), &enabled);
    let mut found = Vec::new();
    while reducer.choose(Effort::Thorough, found.len(), &enabled, &mut chosen) {
        found.push(chosen.list.iter().map(|action| action.actor.transition).collect());
    }
    found
}

fn processes(n_processes: usize, n_variables: usize, transitions: Vec<Transition>) -> Processes {
    Processes { n_processes, variables: vec![0; n_variables], transitions, watched: None }
}

/// `if :: x = 1 :: (g == 1) fi` beside `g = 1`: only `x = 1` is enabled, and it is local, but it has an
/// alternative. The definition as it was printed once looks at what is enabled and loses a deadlock.
#[test]
fn a_disabled_alternative_counts() {
    let (x, g) = (0, 1);
    let system = processes(
        2,
        2,
        vec![
            Transition { effect: Some((x, Effect::Set(1))), ..Transition::skip(0, 0, 1) },
            Transition { guard: Some((g, 1)), ..Transition::skip(0, 0, 2) },
            Transition { effect: Some((g, Effect::Set(1))), ..Transition::skip(1, 0, 1) },
        ],
    );
    let full = explore_fully(&system, 100).unwrap();
    assert_eq!(full.deadlocks().len(), 2);
    for method in METHODS {
        assert!(!subsets(&system, method, Preserves::Deadlocks).contains(&vec![0]), "{method:?}");
        let reduced = explore_reduced(&system, method, Preserves::Deadlocks, 0);
        assert_eq!(reduced.deadlocks(), full.deadlocks(), "{method:?}");
    }
}

/// Process 2 goes on alone to where it can receive. That is invisible and independent, but it enables
/// the senders: how long they were disabled is what fairness asks about (Dams' counterexample).
#[test]
fn what_enables_others_is_not_private() {
    let send = |process, to| Transition { sync: Some(Sync::Send(0)), ..Transition::skip(process, 0, to) };
    let system = processes(
        4,
        0,
        vec![
            send(0, 0),
            send(1, 1),
            Transition::skip(2, 0, 1),
            Transition { sync: Some(Sync::Receive(0)), ..Transition::skip(2, 1, 0) },
            Transition::skip(3, 0, 1),
        ],
    );
    for method in METHODS {
        let found = subsets(&system, method, Preserves::InfiniteRuns);
        assert!(found.contains(&vec![2]) && found.contains(&vec![4]), "{method:?}: {found:?}");
        assert_eq!(subsets(&system, method, Preserves::FairRuns), [[4]], "{method:?}");
    }
}

/// What is watched is written by the receiver; the sender alone looks harmless.
#[test]
fn both_sides_of_a_rendezvous_are_watched() {
    let mut system = processes(
        3,
        1,
        vec![
            Transition { sync: Some(Sync::Send(0)), ..Transition::skip(0, 0, 1) },
            Transition {
                sync: Some(Sync::Receive(0)),
                effect: Some((0, Effect::Set(1))),
                ..Transition::skip(1, 0, 1)
            },
            Transition::skip(2, 0, 1),
        ],
    );
    system.watched = Some(0);
    for method in [Method::Stubborn, Method::Deletion, Method::Weak] {
        assert_eq!(subsets(&system, method, Preserves::FiniteRuns), [[2], [0]], "{method:?}");
        assert_eq!(subsets(&system, method, Preserves::InfiniteRuns), [[2]], "{method:?}");
    }
}

/// Deletion would keep the visible transition 1, which it tries last, if it did not take it away first.
#[test]
fn deletion_avoids_what_is_visible() {
    let mut net = Net::default();
    let places = net.places(2, 1);
    let seen = net.place(0);
    net.transition(&[places[0]], &[]);
    net.transition(&[places[1]], &[seen]);
    net.watched = Some(seen);
    assert_eq!(subsets(&net, Method::Deletion, Preserves::Deadlocks), [[1], [0]]);
    assert_eq!(subsets(&net, Method::Deletion, Preserves::InfiniteRuns), [[0]]);
}

#[test]
fn processes_are_tried_from_the_last_to_the_first() {
    // Process 2 has a choice, the others have none.
    let system = processes(
        4,
        0,
        vec![
            Transition::skip(0, 0, 1),
            Transition::skip(1, 0, 1),
            Transition::skip(2, 0, 1),
            Transition::skip(2, 0, 2),
        ],
    );
    assert_eq!(subsets(&system, Method::Local, Preserves::Deadlocks), [vec![2, 3], vec![1], vec![0]]);
    for method in [Method::Ample, Method::Stubborn, Method::Weak] {
        assert_eq!(
            subsets(&system, method, Preserves::Deadlocks),
            [vec![1], vec![0], vec![2, 3]],
            "{method:?}"
        );
    }
}

/// Ties between sets of more than one action go to the highest group.
#[test]
fn the_highest_group_comes_first() {
    let choices = (0..3).flat_map(|process| [1, 2].map(|to| Transition::skip(process, 0, to)));
    let system = processes(3, 0, choices.collect());
    for method in METHODS {
        let found = subsets(&system, method, Preserves::Deadlocks);
        assert_eq!(found, [[4, 5], [2, 3], [0, 1]], "{method:?}");
    }
}

/// Transition 0 reads the place from which transition 1 takes: 1 can only disable it. As an element of a
/// weak set that has another key it does not drag 1 along.
#[test]
fn weak_sets_are_smaller() {
    let mut net = Net::default();
    let (read, rival, own) = (net.place(1), net.place(1), net.place(1));
    let arcs = |places: &[usize]| places.iter().map(|&place| (place, 1)).collect::<Vec<_>>();
    net.transitions = vec![
        NetTransition { takes: arcs(&[read, rival]), gives: arcs(&[read]) },
        NetTransition { takes: arcs(&[read]), gives: vec![] },
        NetTransition { takes: arcs(&[rival]), gives: vec![] },
        NetTransition { takes: arcs(&[own]), gives: arcs(&[own]) },
    ];
    assert_eq!(subsets(&net, Method::Weak, Preserves::Deadlocks), [vec![3], vec![0, 2], vec![0, 1, 2]]);
    assert_eq!(subsets(&net, Method::Stubborn, Preserves::Deadlocks), [vec![3], vec![0, 1, 2]]);
}

/// The first obstacle to transition 0, which competes with 1, leads to a rival of everything; the second
/// one says that it can never happen.
#[test]
fn the_best_obstacle_is_taken() {
    let mut net = Net::default();
    let (shared, wide, never) = (net.place(1), net.place(0), net.place(0));
    let free = net.places(3, 1);
    net.transition(&[shared, wide, never], &[]);
    net.transition(&[shared], &[]);
    free.iter().for_each(|&place| net.transition(&[place], &[wide]));
    let found = subsets(&net, Method::Stubborn, Preserves::Deadlocks);
    assert!(found.contains(&vec![1]), "{found:?}");
}

/// Counts how often a state is looked at, and how often something is asked about a move.
struct Counting<'m> {
    inner: Box<dyn Independence + 'm>,
    looks: Arc<AtomicU64>,
    questions: Arc<AtomicU64>,
}

impl<'m> Counting<'m> {
    fn new(inner: Box<dyn Independence + 'm>) -> Counting<'m> {
        Counting { inner, looks: Arc::default(), questions: Arc::default() }
    }

    fn ask(&mut self) -> &mut dyn Independence {
        self.questions.fetch_add(1, Ordering::Relaxed);
        &mut *self.inner
    }
}

impl Independence for Counting<'_> {
    fn look(&mut self, state: &[u64], enabled: &Actions) {
        self.looks.fetch_add(1, Ordering::Relaxed);
        self.inner.look(state, enabled);
    }
    fn moves(&self) -> &[Move] {
        self.inner.moves()
    }
    fn moves_of(&self, action: usize) -> [u32; 2] {
        self.inner.moves_of(action)
    }
    fn conflicts(&mut self, enabled: u32, out: &mut Vec<u32>) {
        self.ask().conflicts(enabled, out);
    }
    fn left_conflicts(&mut self, enabled: u32, out: &mut Vec<u32>) {
        self.ask().left_conflicts(enabled, out);
    }
    fn enabling_sets(&mut self, disabled: u32, out: &mut EnablingSets) {
        self.ask().enabling_sets(disabled, out);
    }
    fn is_local(&mut self, number: u32) -> bool {
        self.inner.is_local(number)
    }
    fn is_private(&mut self, enabled: u32) -> bool {
        self.inner.is_private(enabled)
    }
}

#[test]
fn nothing_is_asked_where_there_is_no_choice() {
    let net = Net::philosophers(3);
    let counting = Counting::new(net.independence());
    let looks = Arc::clone(&counting.looks);
    let mut reducer = Reducer::new(Box::new(counting), Method::Stubborn, Preserves::Deadlocks);
    let (mut enabled, mut chosen) = (Actions::default(), Actions::default());
    net.enabled(&net.initial(), &mut enabled);

    let one = Actions { list: enabled.list[..1].to_vec(), phase: Phase::Normal, ..Actions::default() };
    reducer.look(&net.initial(), &one);
    assert!(!reducer.choose(Effort::Thorough, 0, &one, &mut chosen));
    let late = Actions { list: enabled.list.clone(), phase: Phase::Timeout, ..Actions::default() };
    reducer.look(&net.initial(), &late);
    assert!(!reducer.choose(Effort::Thorough, 0, &late, &mut chosen));
    reducer.look(&net.initial(), &enabled);
    assert_eq!(looks.load(Ordering::Relaxed), 0);

    // Once for all questions about a state. In the beginning everybody competes for forks.
    assert!(!reducer.choose(Effort::Thorough, 0, &enabled, &mut chosen));
    assert!(!reducer.choose(Effort::Thorough, 1, &enabled, &mut chosen));
    assert_eq!(looks.load(Ordering::Relaxed), 1);
}

/// A search decides by that whether reduction pays.
#[test]
fn all_questions_are_counted() {
    let mut net = Net::philosophers(3);
    let free = net.places(2, 1);
    free.iter().for_each(|&place| net.transition(&[place], &[]));
    for method in [Method::Ample, Method::Stubborn, Method::Deletion, Method::Weak] {
        let counting = Counting::new(net.independence());
        let questions = Arc::clone(&counting.questions);
        let mut reducer = Reducer::new(Box::new(counting), method, Preserves::Deadlocks);
        let (mut enabled, mut chosen) = (Actions::default(), Actions::default());
        net.enabled(&net.initial(), &mut enabled);
        reducer.look(&net.initial(), &enabled);
        let mut before = 0;
        for effort in [Effort::Quick, Effort::Thorough] {
            let is_there = effort == Effort::Thorough || reducer.has_quick();
            assert_eq!(reducer.choose(effort, 0, &enabled, &mut chosen), is_there, "{method:?}");
            assert!(!reducer.choose(effort, 20, &enabled, &mut chosen), "{method:?}");
            assert_eq!(reducer.n_questions(), questions.load(Ordering::Relaxed), "{method:?} {effort:?}");
            assert_eq!(questions.load(Ordering::Relaxed) > before, is_there, "{method:?} {effort:?}");
            before = questions.load(Ordering::Relaxed);
        }
    }
}
