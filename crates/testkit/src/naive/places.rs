//! The places where a process can stand, and what lies behind each.
//!
//! The statements of a body become places, one for each step, with these additions:
//!
//! - a *join* behind each `if` and `unless` and in front of each `do`: where the options meet;
//! - an *exit* behind each `do`: where `break` leads;
//! - a place for each block: a process that arrives at `{ do … od }` stands in front of the block, one
//!   that comes back to the loop stands at the loop (Spin counts two states).
//!
//! Joins, exits, `goto` and `break` are passed without a step, see [`crate::naive::control`]. Nothing is folded or
//! optimised here, so that each rule of the language can be read off where it is applied.

use promela::tree::{Expr, LabelId, StmtKind, VarId, VarRef};

/// Index into [`Body::places`].
pub type PlaceId = usize;

/// The places of one process type.
pub struct Body<'t> {
    /// The places, about in textual order.
    pub places: Vec<Place<'t>>,
    /// Where the labels stand.
    pub labels: Vec<Option<PlaceId>>,
    /// Where a process starts, before silent places are passed.
    pub start: PlaceId,
}

/// A place.
pub struct Place<'t> {
    /// What happens here.
    pub kind: Kind<'t>,
    /// The place behind it.
    pub next: Option<PlaceId>,
    /// The step from here stays inside an atomic chain: it lies in an `atomic` and is not its last
    /// place.
    pub atomic: bool,
    /// It is the last place of an `atomic`.
    pub last: bool,
    /// The `d_step` that it lies in.
    pub d_step: Option<PlaceId>,
    /// The `unless` places whose escapes can be taken from here, the outermost first.
    pub escapes: Vec<PlaceId>,
    /// It carries a label.
    pub labelled: bool,
    /// It carries an `end` label.
    pub end: bool,
    /// It carries a `progress` label.
    pub progress: bool,
    /// It carries an `accept` label.
    pub accept: bool,
}

/// What happens at a place.
pub enum Kind<'t> {
    /// A step.
    Step(Step<'t>),
    /// `goto`
    Goto(LabelId),
    /// `break`, with the exit it leads to.
    Break(PlaceId),
    /// Where options meet.
    Join,
    /// Where a loop is left.
    Exit,
    /// `if` or `do`: the places of each option; `else` is the last option.
    Choice(Vec<Vec<PlaceId>>),
    /// A block, an inline, or an `atomic`.
    Block(Vec<PlaceId>),
    /// A `d_step`.
    DStep(Vec<PlaceId>),
    /// `main unless escape`
    Unless {
        /// The places of the main part.
        main: Vec<PlaceId>,
        /// The places of the escape.
        escape: Vec<PlaceId>,
    },
    /// The end of the process: it waits here for its removal.
    End,
}

/// A step.
#[derive(Clone, Copy)]
pub enum Step<'t> {
    /// `skip`
    Skip,
    /// `else`
    Else,
    /// A basic statement, as written.
    Basic(&'t StmtKind),
    /// A declaration that is not at the start of the body.
    Declare(VarId),
    /// The start of a `for` or a `select`: `var = value`.
    Start(&'t VarRef, &'t Expr),
    /// An option of a `select`: `var = value`.
    Pick(&'t VarRef, i32),
    /// The test of a `for`: `var <= bound`.
    AtMost(&'t VarRef, &'t Expr),
    /// The test of a `select`: `var < bound`.
    Below(&'t VarRef, &'t Expr),
    /// `var++` of a `for` or a `select`.
    Increment(&'t VarRef),
    /// The start of a `for` over a channel.
    CountFromZero(VarId),
    /// The test of a `for` over a channel: `counter < len(chan)`.
    CountBelowLen(VarId, &'t VarRef),
    /// `chan ? fields` of a `for` over a channel.
    TakeMessage(&'t VarRef, &'t [VarRef]),
    /// `chan ! fields` of a `for` over a channel.
    PutBack(&'t VarRef, &'t [VarRef]),
    /// `counter++` of a `for` over a channel.
    Count(VarId),
}
