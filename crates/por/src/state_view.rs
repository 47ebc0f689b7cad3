//! A state as the methods see it: its moves, whose they are, and which actions consist of them.
//!
//! Everything here is filled anew for each state and keeps its memory.

use std::cmp::Reverse;

use model::{EnablingSets, Independence, Move, Patience};

/// The moves of one group, which are numbered from `start` up to, but not including, `end`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Group {
    pub number: u32,
    pub start: u32,
    pub end: u32,
}

impl Group {
    /// The moves of the group.
    pub fn moves(self) -> std::ops::Range<u32> {
        self.start..self.end
    }

    /// Whether all the given moves are of the group.
    pub fn covers(self, moves: &[u32]) -> bool {
        moves.iter().all(|number| self.moves().contains(number))
    }
}

/// Which enabled moves must not be in a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unwanted {
    Nothing,
    /// Those of whose actions one may change what is watched. Both sides of a rendezvous count: what
    /// happens is the action.
    Visible,
}

/// The end of a chain of actions.
const END: u32 = u32::MAX;

/// The state that is looked at.
pub(crate) struct StateView<'m> {
    pub independence: Box<dyn Independence + 'm>,
    unwanted: Unwanted,
    /// A copy, so that questions can be asked while moves are looked at.
    pub moves: Vec<Move>,
    /// Those that have enabled moves, the highest number first; empty unless they were asked for.
    pub groups: Vec<Group>,
    /// The enabled moves, those of the highest group first.
    pub seeds: Vec<u32>,
    /// The moves of which each enabled action consists.
    parts: Vec<[u32; 2]>,
    /// The actions of a move are a chain of links 2 · action + part: here it begins, for each move …
    chains: Vec<u32>,
    /// … and here it goes on, for each link.
    links: Vec<u32>,
    obstacles: EnablingSets,
    /// How many questions were asked about moves.
    pub n_questions: u64,
    pub limit: Limit,
}

/// How long questions are answered. What follows from answers that were not given is worth nothing.
#[derive(Default)]
pub(crate) struct Limit {
    pub patience: Patience,
    /// Whether it counts.
    pub is_set: bool,
    pub is_over: bool,
    /// How much may be asked before the clock is looked at again.
    rest: usize,
}

impl Limit {
    /// Notes a question about a state with so many moves. Says whether it is to be answered.
    fn allows(&mut self, n_moves: usize) -> bool {
        /// So many moves can be looked at in a microsecond or so …
        const QUICK: usize = 64;
        /// … and the clock once in so many.
        const SELDOM: usize = 1 << 10;
        if self.is_set && !self.is_over {
            match self.rest.checked_sub(1 + n_moves / QUICK) {
                Some(rest) => self.rest = rest,
                None => {
                    self.rest = SELDOM;
                    self.is_over = self.patience.check().is_err();
                }
            }
        }
        !self.is_over
    }
}

impl<'m> StateView<'m> {
    pub fn new(independence: Box<dyn Independence + 'm>, unwanted: Unwanted) -> StateView<'m> {
        StateView {
            independence,
            unwanted,
            moves: Vec::new(),
            groups: Vec::new(),
            seeds: Vec::new(),
            parts: Vec::new(),
            chains: Vec::new(),
            links: Vec::new(),
            obstacles: EnablingSets::default(),
            n_questions: 0,
            limit: Limit::default(),
        }
    }

    /// Turns to the state that `independence` looks at, in which so many actions are enabled.
    pub fn turn(&mut self, n_actions: usize) {
        let is_fixed = self.independence.has_fixed_moves() && !self.moves.is_empty();
        if is_fixed {
            self.enable_parts(false);
        } else {
            self.moves.clear();
            self.moves.extend_from_slice(self.independence.moves());
        }
        self.groups.clear();
        self.chain_actions(n_actions);
        if is_fixed {
            self.enable_parts(true);
        }
        self.find_seeds();
    }

    /// Copies of the moves of the enabled actions what may change. A net may have far more moves than these.
    fn enable_parts(&mut self, enabled: bool) {
        self.parts.iter().flatten().for_each(|&part| self.moves[part as usize].enabled = enabled);
    }

    /// Looks at the actions only: a net may have far more moves than are enabled.
    fn find_seeds(&mut self) {
        let moves = &self.moves;
        let rank = |number: &u32| Reverse((moves[*number as usize].group, *number));
        self.seeds.clear();
        self.seeds.extend(self.parts.iter().rev().flatten());
        if !self.seeds.is_sorted_by_key(rank) {
            self.seeds.sort_unstable_by_key(rank);
        }
        self.seeds.dedup();
    }

    /// Finds the groups, for methods that need them.
    pub fn find_groups(&mut self) {
        self.groups.clear();
        for &seed in &self.seeds {
            let number = self.moves[seed as usize].group;
            if self.groups.last().is_none_or(|group| group.number != number) {
                let (before, behind) = self.moves.split_at(seed as usize);
                let is_same = |part: &&Move| part.group == number;
                let n_before = before.iter().rev().take_while(is_same).count() as u32;
                let n_behind = behind.iter().take_while(is_same).count() as u32;
                self.groups.push(Group { number, start: seed - n_before, end: seed + n_behind });
            }
        }
    }

    fn chain_actions(&mut self, n_actions: usize) {
        if self.chains.len() == self.moves.len() {
            self.parts.iter().flatten().for_each(|&part| self.chains[part as usize] = END);
        } else {
            self.chains.clear();
            self.chains.resize(self.moves.len(), END);
        }
        self.parts.clear();
        self.links.clear();
        for action in 0..n_actions {
            let parts = self.independence.moves_of(action);
            self.parts.push(parts);
            for (place, part) in parts.into_iter().enumerate() {
                let link = self.links.len() as u32;
                let is_new = place == 0 || part != parts[0];
                self.links.push(if is_new {
                    std::mem::replace(&mut self.chains[part as usize], link)
                } else {
                    END
                });
            }
        }
    }

    pub fn is_enabled(&self, number: u32) -> bool {
        self.moves[number as usize].enabled
    }

    /// Whether an enabled move must not be in a set.
    pub fn is_unwanted(&self, number: u32) -> bool {
        let is_visible = |action| self.parts(action).iter().any(|&part| self.moves[part as usize].visible);
        self.unwanted == Unwanted::Visible && self.actions(number).any(is_visible)
    }

    /// The moves of which an enabled action consists.
    pub fn parts(&self, action: u32) -> [u32; 2] {
        self.parts[action as usize]
    }

    /// The enabled actions that consist of a move.
    pub fn actions(&self, number: u32) -> impl Iterator<Item = u32> {
        let begin = self.chains[number as usize];
        let proper = |link: u32| (link != END).then_some(link);
        std::iter::successors(proper(begin), move |&link| proper(self.links[link as usize]))
            .map(|link| link / 2)
    }

    /// Appends the enabled actions that consist of one of the moves, each once, in the model's order.
    pub fn actions_of(&self, moves: &[u32], out: &mut Vec<u32>) {
        let start = out.len();
        for &number in moves {
            out.extend(self.actions(number));
        }
        out[start..].sort_unstable();
        let mut kept = start;
        for next in start..out.len() {
            if kept == start || out[kept - 1] != out[next] {
                out[kept] = out[next];
                kept += 1;
            }
        }
        out.truncate(kept);
    }

    /// Counts a question. Says whether it is to be answered.
    fn asks(&mut self) -> bool {
        self.n_questions += 1;
        self.limit.allows(self.moves.len())
    }

    /// Appends what an enabled move conflicts with.
    pub fn conflicts(&mut self, enabled: u32, out: &mut Vec<u32>) {
        if self.asks() {
            self.independence.conflicts(enabled, out);
        }
    }

    /// Appends what an enabled move of a weak set conflicts with if it is not the key.
    pub fn left_conflicts(&mut self, enabled: u32, out: &mut Vec<u32>) {
        if self.asks() {
            self.independence.left_conflicts(enabled, out);
        }
    }

    /// The obstacles to a disabled move.
    pub fn enabling_sets(&mut self, disabled: u32) -> &EnablingSets {
        self.obstacles.clear();
        if self.asks() {
            self.independence.enabling_sets(disabled, &mut self.obstacles);
        }
        &self.obstacles
    }

    /// Appends the obstacle to a disabled move that promises the smallest set. `price` says what a move
    /// costs: [`StateView::price`], but nothing if it is in the set anyway. The cheapest is taken, among
    /// these the first.
    pub fn best_obstacle(&mut self, disabled: u32, out: &mut Vec<u32>, price: impl Fn(u32, u32) -> u32) {
        self.obstacles.clear();
        if !self.asks() {
            return;
        }
        self.independence.enabling_sets(disabled, &mut self.obstacles);
        let cost = |set: &&[u32]| {
            let prices = set.iter().map(|&number| price(number, self.price(number)));
            prices.fold(0, u32::saturating_add)
        };
        let best = self.obstacles.iter().min_by_key(cost);
        out.extend_from_slice(best.expect("a disabled move has an obstacle"));
    }

    /// What it costs to have a move in a set: an enabled one more than any number of others.
    fn price(&self, number: u32) -> u32 {
        if self.is_enabled(number) { 1 << 16 } else { 1 }
    }
}
