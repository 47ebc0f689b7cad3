//! Moves and their dependencies as a table: what no sensible model answers, but may.

use model::{Action, Actions, Actor, EnablingSets, Independence, Move, Phase};

/// An enabled move with its conflicts, or a disabled one with its obstacles.
#[derive(Clone, Debug)]
pub enum Answer {
    Conflicts(Vec<u32>),
    EnablingSets(Vec<Vec<u32>>),
}

#[derive(Clone, Debug, Default)]
pub struct Table {
    moves: Vec<Move>,
    answers: Vec<Answer>,
    actions: Vec<[u32; 2]>,
    /// The moves that concern others.
    exposed: Vec<u32>,
    /// The moves that touch nothing shared.
    local: Vec<u32>,
}

impl Table {
    /// Adds an invisible move of a group.
    pub fn add(&mut self, group: u32, answer: Answer) -> u32 {
        let enabled = matches!(answer, Answer::Conflicts(_));
        self.moves.push(Move { here: true, group, enabled, visible: false });
        self.answers.push(answer);
        self.moves.len() as u32 - 1
    }

    /// Adds an enabled move that is an action.
    pub fn action(&mut self, group: u32, conflicts: &[u32]) -> u32 {
        let number = self.add(group, Answer::Conflicts(conflicts.to_vec()));
        self.actions.push([number; 2]);
        number
    }

    /// Adds an enabled move that is an action together with another one.
    pub fn rendezvous(&mut self, group: u32, partner: u32) -> u32 {
        let number = self.add(group, Answer::Conflicts(vec![]));
        self.actions.push([partner, number]);
        number
    }

    pub fn disabled(&mut self, group: u32, obstacles: &[&[u32]]) -> u32 {
        self.add(group, Answer::EnablingSets(obstacles.iter().map(|set| set.to_vec()).collect()))
    }

    /// Adds a move that its group must come to first.
    pub fn later(&mut self, group: u32, obstacles: &[&[u32]]) -> u32 {
        let number = self.disabled(group, obstacles);
        self.moves[number as usize].here = false;
        number
    }

    pub fn watch(&mut self, number: u32) {
        self.moves[number as usize].visible = true;
    }

    /// Makes a move concern others.
    pub fn expose(&mut self, number: u32) {
        self.exposed.push(number);
    }

    /// Makes a move touch nothing shared.
    pub fn localize(&mut self, number: u32) {
        self.local.push(number);
    }

    /// The actions, each named by its place.
    pub fn enabled(&self) -> Actions {
        Actions {
            list: (0..self.actions.len() as u32).map(|k| Action::solo(Actor(0), k)).collect(),
            phase: Phase::Normal,
            ..Actions::default()
        }
    }
}

impl Independence for Table {
    fn look(&mut self, _: &[u64], _: &Actions) {}

    fn moves(&self) -> &[Move] {
        &self.moves
    }

    fn moves_of(&self, action: usize) -> [u32; 2] {
        self.actions[action]
    }

    fn conflicts(&mut self, enabled: u32, out: &mut Vec<u32>) {
        let Answer::Conflicts(moves) = &self.answers[enabled as usize] else {
            panic!("{enabled} is disabled")
        };
        out.extend(moves);
    }

    fn enabling_sets(&mut self, disabled: u32, out: &mut EnablingSets) {
        let Answer::EnablingSets(sets) = &self.answers[disabled as usize] else {
            panic!("{disabled} is enabled")
        };
        for set in sets {
            set.iter().for_each(|&number| out.push(number));
            out.end();
        }
    }

    fn is_local(&mut self, number: u32) -> bool {
        self.local.contains(&number)
    }

    fn is_private(&mut self, enabled: u32) -> bool {
        !self.exposed.contains(&enabled)
    }
}
