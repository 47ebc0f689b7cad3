//! Where a process goes, and what it can do where it stands.

use promela::tree::{ExprKind, StmtKind};

use super::places::{Body, Kind, PlaceId, Step};

/// A statement that a process may execute where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    /// The statement's place.
    pub place: PlaceId,
    /// The escape that it belongs to.
    pub escape: Option<PlaceId>,
    /// For `else`: how many moves at the start of the list do not count.
    pub since: usize,
}

impl Body<'_> {
    /// Where a process comes to rest that arrives at `place`, from inside an atomic chain or not.
    ///
    /// Joins, exits, `goto` and `break` are passed without a step (rules C2, C6), but a chain never
    /// passes from inside its `atomic` to the outside that way: it rests at the silent place, which
    /// then is a step of its own (rule A6).
    pub fn rest(&self, place: PlaceId, inside: bool) -> PlaceId {
        let mut here = place;
        for _ in 0..1000 {
            let ahead = match &self.places[here].kind {
                Kind::Unless { main, .. } => Some(self.rest(main[0], inside)),
                kind if is_silent(kind) => self.behind(here),
                _ => None,
            };
            match ahead {
                Some(ahead) if !inside || self.places[ahead].atomic => here = ahead,
                _ => return here,
            }
        }
        here // A jump to itself; the parser refuses it.
    }

    /// The place that the step from `place` leads to, before silent places are passed.
    pub fn behind(&self, place: PlaceId) -> Option<PlaceId> {
        match self.places[place].kind {
            Kind::Goto(label) => self.labels[label.0 as usize],
            Kind::Break(exit) => Some(exit),
            _ => self.places[place].next,
        }
    }

    /// Where the step from `place` leads to.
    pub fn target(&self, place: PlaceId) -> PlaceId {
        let behind = self.behind(place).expect("only the end has nothing behind it");
        self.rest(behind, self.places[place].atomic)
    }

    /// What a process that stands at `place` can do, in the order in which it is tried: the escapes
    /// of the outermost `unless` first (rule G3), `else` last.
    pub fn moves(&self, place: PlaceId) -> Vec<Move> {
        let main = self.options(place);
        let mut moves: Vec<Move> = Vec::new();
        for option in &main {
            if matches!(self.places[option.place].kind, Kind::Join) {
                continue;
            }
            let escapes = &self.places[option.place].escapes;
            for &unless in escapes.iter().rev() {
                let Kind::Unless { escape, .. } = &self.places[unless].kind else { unreachable!() };
                let start = self.rest(escape[0], self.places[option.place].atomic);
                let mut group: Vec<Move> = Vec::new();
                for escape in self.options(start) {
                    let known = moves.iter().chain(&group).any(|known| known.place == escape.place);
                    if !known {
                        group.push(Move { escape: Some(start), ..escape });
                    }
                }
                for known in moves.iter_mut() {
                    known.since += group.len();
                }
                moves.splice(0..0, group);
            }
        }
        let n_escapes = moves.len();
        moves.extend(main.iter().map(|option| Move { since: option.since + n_escapes, ..*option }));
        moves
    }

    /// The statements with which a step from `place` can begin, without escapes. An option that
    /// begins with a choice or a block offers the options of that (rule C7).
    pub fn options(&self, place: PlaceId) -> Vec<Move> {
        let mut moves = Vec::new();
        self.collect(place, &mut moves);
        let n_else = moves.iter().filter(|option| self.is_else(option.place)).count();
        if n_else < 2 {
            // Rule G1: whatever stands before it counts.
            moves.iter_mut().for_each(|option| option.since = 0);
        }
        moves
    }

    fn collect(&self, place: PlaceId, out: &mut Vec<Move>) {
        let since = out.len();
        match &self.places[place].kind {
            Kind::Choice(options) => {
                for option in options {
                    let first = self.first(option[0]);
                    if self.is_composite(first) {
                        self.collect(first, out);
                    } else if !self.is_dead(first) {
                        out.push(Move { place: first, escape: None, since });
                    }
                }
            }
            Kind::Block(elements) => self.collect(self.first(elements[0]), out),
            _ => out.push(Move { place, escape: None, since }),
        }
    }

    /// The first statement of a sequence: a loop's join and an `unless` are passed, a jump is not
    /// (rule C3).
    fn first(&self, place: PlaceId) -> PlaceId {
        match &self.places[place].kind {
            Kind::Join => self.places[place].next.map_or(place, |next| self.first(next)),
            Kind::Unless { main, .. } => self.first(main[0]),
            _ => place,
        }
    }

    fn is_composite(&self, place: PlaceId) -> bool {
        matches!(self.places[place].kind, Kind::Choice(_) | Kind::Block(_))
    }

    fn is_else(&self, place: PlaceId) -> bool {
        matches!(self.places[place].kind, Kind::Step(Step::Else))
    }

    /// Rule C8: an option whose guard is the constant 0 is dropped.
    fn is_dead(&self, place: PlaceId) -> bool {
        let Kind::Step(Step::Basic(StmtKind::Condition(guard))) = &self.places[place].kind else {
            return false;
        };
        matches!(guard.kind, ExprKind::Const(0)) && self.places[place].escapes.is_empty()
    }
}

fn is_silent(kind: &Kind) -> bool {
    matches!(kind, Kind::Goto(_) | Kind::Break(_) | Kind::Join | Kind::Exit)
}
