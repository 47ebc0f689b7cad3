//! Place/transition nets: each transition is a move and a group of its own.

use model::{Action, Actions, Actor, EnablingSets, Independence, Move, Random};

use super::System;

#[derive(Debug, Default)]
pub struct Transition {
    /// Places with weights.
    pub takes: Vec<(usize, u64)>,
    pub gives: Vec<(usize, u64)>,
}

impl Transition {
    fn taken(&self, place: usize) -> u64 {
        self.takes.iter().filter(|arc| arc.0 == place).map(|arc| arc.1).sum()
    }

    fn given(&self, place: usize) -> u64 {
        self.gives.iter().filter(|arc| arc.0 == place).map(|arc| arc.1).sum()
    }

    fn is_enabled(&self, marking: &[u64]) -> bool {
        self.takes.iter().all(|&(place, weight)| marking[place] >= weight)
    }
}

#[derive(Debug, Default)]
pub struct Net {
    pub initial: Vec<u64>,
    pub transitions: Vec<Transition>,
    /// The place that is watched.
    pub watched: Option<usize>,
}

impl Net {
    pub fn place(&mut self, tokens: u64) -> usize {
        self.initial.push(tokens);
        self.initial.len() - 1
    }

    pub fn places(&mut self, n: usize, tokens: u64) -> Vec<usize> {
        (0..n).map(|_| self.place(tokens)).collect()
    }

    /// Adds a transition with arcs of weight 1.
    pub fn transition(&mut self, takes: &[usize], gives: &[usize]) {
        let weigh = |places: &[usize]| places.iter().map(|&place| (place, 1)).collect();
        self.transitions.push(Transition { takes: weigh(takes), gives: weigh(gives) });
    }

    /// The dining philosophers.
    pub fn philosophers(n: usize) -> Net {
        let mut net = Net::default();
        let (think, left) = (net.places(n, 1), net.places(n, 0));
        let (eat, right, fork) = (net.places(n, 0), net.places(n, 0), net.places(n, 1));
        for i in 0..n {
            let other = fork[(i + 1) % n];
            net.transition(&[think[i], fork[i]], &[left[i]]);
            net.transition(&[left[i], other], &[eat[i]]);
            net.transition(&[eat[i]], &[right[i], fork[i]]);
            net.transition(&[right[i]], &[think[i], other]);
        }
        net
    }

    /// Data access: each process may read, together with others, or write, alone.
    pub fn data_access(n: usize) -> Net {
        let mut net = Net::default();
        let (idle, read, write, semaphore) =
            (net.places(n, 1), net.places(n, 0), net.places(n, 0), net.places(n, 1));
        for i in 0..n {
            net.transition(&[idle[i], semaphore[i]], &[read[i]]);
            net.transition(&[read[i]], &[idle[i], semaphore[i]]);
            let all: Vec<usize> = std::iter::once(idle[i]).chain(semaphore.iter().copied()).collect();
            net.transition(&all, &[write[i]]);
            net.transition(&[write[i]], &all);
        }
        net
    }

    /// Readers and writers with a key that keeps readers from starving writers.
    pub fn readers_and_writers(n: usize) -> Net {
        let mut net = Net::default();
        let key = net.place(1);
        let (idle, reading, semaphore) = (net.places(n, 1), net.places(n, 0), net.places(n, 1));
        for i in 0..n {
            net.transition(&[idle[i], key, semaphore[i]], &[reading[i], key]);
            net.transition(&[reading[i]], &[idle[i], semaphore[i]]);
        }
        let (idle, pending, writing) = (net.places(n, 1), net.places(n, 0), net.places(n, 0));
        for i in 0..n {
            net.transition(&[idle[i], key], &[pending[i]]);
            let with = |place| std::iter::once(place).chain(semaphore.iter().copied()).collect::<Vec<_>>();
            net.transition(&with(pending[i]), &[writing[i], key]);
            net.transition(&[writing[i]], &with(idle[i]));
        }
        net
    }

    pub fn random(prng: &mut Random) -> Net {
        let mut net = Net::default();
        for _ in 0..4 + prng.below(5) {
            let tokens = [0, 0, 1, 1, 2][prng.below(5)];
            net.place(tokens);
        }
        let n_places = net.initial.len();
        let arcs = |prng: &mut Random, n: usize| {
            let mut arcs: Vec<(usize, u64)> = Vec::new();
            for _ in 0..n {
                let place = prng.below(n_places);
                if arcs.iter().all(|arc| arc.0 != place) {
                    arcs.push((place, if prng.chance(10) { 2 } else { 1 }));
                }
            }
            arcs
        };
        for _ in 0..3 + prng.below(6) {
            let n = 1 + prng.below(2);
            let takes = arcs(prng, n);
            let n = prng.below(3);
            let mut gives = arcs(prng, n);
            // Something that is only read.
            if prng.chance(25) && gives.iter().all(|arc| arc.0 != takes[0].0) {
                gives.push(takes[0]);
            }
            net.transitions.push(Transition { takes, gives });
        }
        net.watched = Some(prng.below(n_places));
        net
    }
}

impl System for Net {
    fn initial(&self) -> Vec<u64> {
        self.initial.clone()
    }

    fn enabled(&self, state: &[u64], out: &mut Actions) {
        out.clear();
        for (number, transition) in self.transitions.iter().enumerate() {
            if transition.is_enabled(state) {
                out.list.push(Action::solo(Actor(number as u32), number as u32));
            }
        }
    }

    fn fire(&self, state: &[u64], action: Action) -> Vec<u64> {
        let transition = &self.transitions[action.actor.transition as usize];
        let mut after = state.to_vec();
        transition.takes.iter().for_each(|&(place, weight)| after[place] -= weight);
        transition.gives.iter().for_each(|&(place, weight)| after[place] += weight);
        after
    }

    fn independence(&self) -> Box<dyn Independence + '_> {
        let n_places = self.initial.len();
        let mut consumers = vec![Vec::new(); n_places];
        let mut producers = vec![Vec::new(); n_places];
        for (number, transition) in (0..).zip(&self.transitions) {
            transition.takes.iter().for_each(|&(place, _)| consumers[place].push(number));
            transition.gives.iter().for_each(|&(place, _)| producers[place].push(number));
        }
        Box::new(View { net: self, consumers, producers, ..View::empty(self) })
    }

    fn show(&self, state: &[u64]) -> u64 {
        self.watched.map_or(0, |place| state[place])
    }
}

struct View<'n> {
    net: &'n Net,
    consumers: Vec<Vec<u32>>,
    producers: Vec<Vec<u32>>,
    marking: Vec<u64>,
    moves: Vec<Move>,
    enabled: Vec<u32>,
}

impl View<'_> {
    fn empty(net: &Net) -> View<'_> {
        View {
            net,
            consumers: Vec::new(),
            producers: Vec::new(),
            marking: Vec::new(),
            moves: Vec::new(),
            enabled: Vec::new(),
        }
    }

    fn is_alone(&self, number: u32, users: &[Vec<u32>], arcs: &[(usize, u64)]) -> bool {
        arcs.iter().all(|&(place, _)| users[place].iter().all(|&user| user == number))
    }
}

impl Independence for View<'_> {
    fn look(&mut self, state: &[u64], enabled: &Actions) {
        self.marking.clear();
        self.marking.extend_from_slice(state);
        self.moves.clear();
        self.enabled.clear();
        for (number, transition) in (0..).zip(&self.net.transitions) {
            let enabled = transition.is_enabled(state);
            let changes = |place| transition.given(place) != transition.taken(place);
            let visible = self.net.watched.is_some_and(changes);
            self.moves.push(Move { here: true, group: number, enabled, visible });
            if enabled {
                self.enabled.push(number);
            }
        }
        assert_eq!(self.enabled.len(), enabled.list.len());
    }

    fn moves(&self) -> &[Move] {
        &self.moves
    }

    fn moves_of(&self, action: usize) -> [u32; 2] {
        [self.enabled[action]; 2]
    }

    fn conflicts(&mut self, enabled: u32, out: &mut Vec<u32>) {
        for &(place, _) in &self.net.transitions[enabled as usize].takes {
            out.extend(&self.consumers[place]);
        }
    }

    fn left_conflicts(&mut self, enabled: u32, out: &mut Vec<u32>) {
        let transition = &self.net.transitions[enabled as usize];
        for &(place, weight) in &transition.takes {
            if transition.given(place) < weight {
                out.extend(&self.consumers[place]);
            }
        }
    }

    fn enabling_sets(&mut self, disabled: u32, out: &mut EnablingSets) {
        for &(place, weight) in &self.net.transitions[disabled as usize].takes {
            if self.marking[place] < weight {
                self.producers[place].iter().for_each(|&producer| out.push(producer));
                out.end();
            }
        }
    }

    fn is_local(&mut self, number: u32) -> bool {
        let transition = &self.net.transitions[number as usize];
        let arcs: Vec<(usize, u64)> = [&transition.takes[..], &transition.gives].concat();
        self.is_alone(number, &self.consumers, &arcs) && self.is_alone(number, &self.producers, &arcs)
    }

    fn is_private(&mut self, enabled: u32) -> bool {
        let transition = &self.net.transitions[enabled as usize];
        self.is_alone(enabled, &self.consumers, &transition.takes)
            && self.is_alone(enabled, &self.consumers, &transition.gives)
    }
}
