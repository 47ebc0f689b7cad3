//! `trace` and `notrace` declarations.
//!
//! A declaration is followed on all ways at once: what is kept is the set of the places where it can
//! stand. Sends and receives take it on; everything else (`goto`, `break`, a label at the end) is passed
//! by itself, before the next message.

use std::collections::BTreeSet;

use promela::tree::{ExprKind, Program, RecvArg, StmtKind, VarRef};

use super::build;
use super::control::Move;
use super::eval::{Result, World};
use super::places::{Body, Kind, PlaceId, Step};

/// A message that is sent or received.
#[derive(Clone, Copy)]
pub struct Message<'a> {
    /// Whether it is sent.
    pub sent: bool,
    /// The channel's number.
    pub channel: i32,
    /// The values.
    pub values: &'a [i32],
}

/// A declaration made ready.
pub struct EventTrace<'t> {
    body: Body<'t>,
    moves: Vec<Vec<Move>>,
    /// True for `notrace`.
    pub forbidden: bool,
}

/// What comes of a message.
pub enum Verdict {
    /// The declaration says nothing about such messages, or it can stand at these places now.
    Fine(BTreeSet<PlaceId>),
    /// The message is not allowed.
    Unexpected,
    /// A `notrace` has come to its end.
    Matched,
}

impl<'t> EventTrace<'t> {
    /// The declaration of a program, if it has one.
    pub fn new(program: &'t Program) -> Option<EventTrace<'t>> {
        let declaration = program.trace.as_ref()?;
        let body = build::build(program, &declaration.body);
        let moves = (0..body.places.len()).map(|place| body.moves(place)).collect();
        Some(EventTrace { body, moves, forbidden: declaration.forbidden })
    }

    /// Where it can stand before the first message.
    pub fn start(&self) -> BTreeSet<PlaceId> {
        self.with_silent_moves(BTreeSet::from([self.body.rest(self.body.start, false)]))
    }

    /// Whether the system may stop. A `notrace` that stands nowhere is finished.
    pub fn may_stop(&self, places: &BTreeSet<PlaceId>) -> bool {
        places.is_empty() || places.iter().any(|&place| self.is_end(place) || self.body.places[place].end)
    }

    /// What comes of a message; `world` says what the fields are compared with.
    pub fn follow(&self, world: &mut World<'_, 't>, message: Message<'_>) -> Result<Verdict> {
        let before = world.state.trace.clone();
        if !self.is_watched(world, message)? {
            return Ok(Verdict::Fine(before));
        }
        let mut after = BTreeSet::new();
        for &place in &before {
            let mut escape = None;
            for option in &self.moves[place] {
                if escape.is_some() && escape != option.escape {
                    break; // Rule G3.
                }
                if let Some(event) = self.event(option.place)
                    && fits(event, world, message)?
                {
                    after.insert(self.body.target(option.place));
                    escape = option.escape;
                }
            }
        }
        let after = self.with_silent_moves(after);
        let matched = after.iter().any(|&place| self.is_end(place));
        Ok(match self.forbidden {
            true if matched => Verdict::Matched,
            false if after.is_empty() => Verdict::Unexpected,
            _ => Verdict::Fine(after),
        })
    }

    /// Whether the declaration names the channel for the same kind of statement, wherever that is.
    fn is_watched(&self, world: &mut World<'_, 't>, message: Message<'_>) -> Result<bool> {
        let mut watched = false;
        for place in 0..self.body.places.len() {
            if let Some(event) = self.event(place) {
                let (sent, chan) = head(event);
                watched |= sent == message.sent && world.read(chan)? == message.channel;
            }
        }
        Ok(watched)
    }

    fn with_silent_moves(&self, mut places: BTreeSet<PlaceId>) -> BTreeSet<PlaceId> {
        loop {
            let silent = |&place: &PlaceId| {
                let options = self.moves[place].iter().map(|option| option.place);
                options.filter(|&option| !self.is_end(option) && self.event(option).is_none())
            };
            let behind: Vec<PlaceId> =
                places.iter().flat_map(silent).map(|option| self.body.target(option)).collect();
            let n_before = places.len();
            places.extend(behind);
            if places.len() == n_before {
                return places;
            }
        }
    }

    fn is_end(&self, place: PlaceId) -> bool {
        matches!(self.body.places[place].kind, Kind::End)
    }

    /// The send or receive at a place.
    fn event(&self, place: PlaceId) -> Option<&'t StmtKind> {
        match &self.body.places[place].kind {
            Kind::Step(Step::Basic(event @ (StmtKind::Send { .. } | StmtKind::Receive { .. }))) => {
                Some(event)
            }
            _ => None,
        }
    }
}

/// Whether it is a send, and the channel.
fn head(event: &StmtKind) -> (bool, &VarRef) {
    match event {
        StmtKind::Send { chan, .. } => (true, chan),
        StmtKind::Receive { chan, .. } => (false, chan),
        _ => unreachable!("neither a send nor a receive"),
    }
}

fn fits(event: &StmtKind, world: &mut World<'_, '_>, message: Message<'_>) -> Result<bool> {
    let (sent, chan) = head(event);
    if sent != message.sent || world.read(chan)? != message.channel {
        return Ok(false);
    }
    let wanted: Vec<Option<&promela::tree::Expr>> = match event {
        StmtKind::Send { args, .. } => {
            args.iter().map(|arg| Some(arg).filter(|arg| !matches!(arg.kind, ExprKind::Any))).collect()
        }
        StmtKind::Receive { args, .. } => args
            .iter()
            .map(|arg| match arg {
                RecvArg::Match(value) => Some(value),
                RecvArg::Store(_) | RecvArg::Ignore => None,
            })
            .collect(),
        _ => unreachable!("neither a send nor a receive"),
    };
    if wanted.len() != message.values.len() {
        return Ok(false);
    }
    for (wanted, &value) in wanted.into_iter().zip(message.values) {
        if let Some(wanted) = wanted
            && world.eval(wanted)? != value
        {
            return Ok(false);
        }
    }
    Ok(true)
}
