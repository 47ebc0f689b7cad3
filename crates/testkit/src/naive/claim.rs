//! Never claims, statement by statement.

use model::FailureKind;
use promela::tree::{NeverClaim, Program, StmtKind};

use super::build;
use super::control::Move;
use super::observe::Observer;
use super::places::{Body, Kind, PlaceId, Step};
use super::state::State;

/// Where a claim stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Position {
    /// At a place.
    At(PlaceId),
    /// It has ended, or an assertion in it has failed.
    Failed,
}

/// A claim made ready.
pub struct Watcher<'t> {
    body: Body<'t>,
    moves: Vec<Vec<Move>>,
}

impl<'t> Watcher<'t> {
    /// Makes a claim ready.
    pub fn new(program: &'t Program, claim: &'t NeverClaim) -> Watcher<'t> {
        let body = build::build(program, &claim.body);
        let moves = (0..body.places.len()).map(|place| body.moves(place)).collect();
        Watcher { body, moves }
    }

    /// Where it starts.
    pub fn start(&self) -> Position {
        self.arrive(self.body.rest(self.body.start, false))
    }

    /// Whether it stands at an `accept` label.
    pub fn accepts(&self, position: Position) -> bool {
        match position {
            Position::At(place) => self.body.places[place].accept,
            Position::Failed => true,
        }
    }

    /// Where it can stand after it has seen a state.
    ///
    /// # Errors
    /// The failure that evaluating a condition runs into.
    pub fn step(
        &self,
        from: Position,
        observer: &Observer<'t>,
        state: &State,
    ) -> Result<Vec<Position>, FailureKind> {
        let mut found = Vec::new();
        match from {
            Position::At(place) => self.walk(place, observer, state, &mut Vec::new(), &mut found)?,
            Position::Failed => found.push(from),
        }
        Ok(found)
    }

    fn arrive(&self, place: PlaceId) -> Position {
        let is_end = self.body.places[place].end || matches!(self.body.places[place].kind, Kind::End);
        if is_end { Position::Failed } else { Position::At(place) }
    }

    /// An `atomic` is passed in one go: the way goes on in the same state, or is none.
    fn walk(
        &self,
        place: PlaceId,
        observer: &Observer<'t>,
        state: &State,
        passed: &mut Vec<PlaceId>,
        found: &mut Vec<Position>,
    ) -> Result<(), FailureKind> {
        let mut executed: Vec<usize> = Vec::new();
        let mut escape = None;
        for (k, option) in self.moves[place].iter().enumerate() {
            if escape.is_some() && escape != option.escape {
                break;
            }
            let is_executable = match &self.body.places[option.place].kind {
                Kind::Step(Step::Else) => !executed.iter().any(|&before| before >= option.since),
                Kind::Step(Step::Basic(StmtKind::Condition(condition))) => {
                    observer.eval(condition, state)? != 0
                }
                _ => true,
            };
            if !is_executable {
                continue;
            }
            executed.push(k);
            escape = option.escape;
            if let Kind::Step(Step::Basic(StmtKind::Assert(condition))) = &self.body.places[option.place].kind
                && observer.eval(condition, state)? == 0
            {
                add(found, Position::Failed);
            }
            if passed.contains(&option.place) {
                continue;
            }
            match self.arrive(self.body.target(option.place)) {
                Position::At(target) if self.body.places[option.place].atomic => {
                    passed.push(option.place);
                    self.walk(target, observer, state, passed, found)?;
                    passed.pop();
                }
                position => add(found, position),
            }
        }
        Ok(())
    }
}

fn add(found: &mut Vec<Position>, position: Position) {
    if !found.contains(&position) {
        found.push(position);
    }
}
