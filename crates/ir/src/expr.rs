//! Expressions, places and effects.

use model::Location;

use crate::program::{LocationId, ProcessId};

/// How many expressions may lie one inside the other: whatever walks over them calls itself.
pub const MAX_DEPTH: usize = 1000;

/// An expression. All values are 32-bit signed integers; truth is 1 or 0.
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    /// A constant.
    Const(i32),
    /// The value of a variable.
    Load(Place),
    /// The number of the process that evaluates the expression.
    Pid,
    /// The number of processes.
    NrProcesses,
    /// The number of the k-th channel that was made with the process that evaluates the expression.
    OwnChannel(u32),
    /// Whether nothing can be executed without this being true.
    Timeout,
    /// The pid that the `run` in front of this expression gave out.
    NewPid,
    /// An operator in front.
    Unary(UnaryOp, Box<Expr>),
    /// An operator in between. `And` and `Or` evaluate the right side only if it matters.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `condition ? then : otherwise`
    Cond(Box<Expr>, Box<Expr>, Box<Expr>),
    /// A question to the channel with the given number.
    Channel(ChannelOp, Box<Expr>),
    /// Whether a receive could be executed.
    Poll(Box<Receive>),
    /// Whether the process with the given number can execute something.
    Enabled(Box<Expr>),
    /// The number of the location at which the given process stands; 0 if there is none.
    PcValue(Box<Expr>),
    /// The priority of the given process.
    PriorityOf(Box<Expr>),
    /// Whether an instance of `process` stands at a location.
    At {
        /// The template.
        process: ProcessId,
        /// The instance; without it, the one with the lowest pid.
        pid: Option<Box<Expr>>,
        /// The location; none if no process can ever stand there.
        location: Option<LocationId>,
    },
    /// Whether some process stands at a location with a mark.
    SomeAt(Mark),
}

/// What the front end says about a location.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mark {
    /// [`crate::ControlLocation::progress`]
    Progress,
    /// [`crate::ControlLocation::accept`]
    Accept,
}

/// An operator with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names say it")]
pub enum UnaryOp {
    Neg,
    Not,
    BitNot,
}

/// An operator with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names say it")]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    BitAnd,
    BitXor,
    BitOr,
    Lt,
    Le,
    Gt,
    Ge,
    Eq,
    Ne,
    And,
    Or,
    Shl,
    Shr,
}

/// A question to a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "the names say it")]
pub enum ChannelOp {
    Len,
    Empty,
    Nempty,
    Full,
    Nfull,
}

/// Where a variable lives.
#[derive(Clone, Debug, PartialEq)]
pub enum Base {
    /// Among the shared variables.
    Global,
    /// In the frame of the process that acts.
    Frame,
    /// In the frame of another process. If there is none, the value is 0.
    Remote {
        /// The template.
        process: ProcessId,
        /// The instance; without it, the one with the lowest pid.
        pid: Option<Box<Expr>>,
    },
}

/// A variable, or an element of an array.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    /// Where it lives.
    pub base: Base,
    /// The slot of that region.
    pub slot: u32,
    /// An index for each of the slot's dimensions.
    pub indices: Vec<Expr>,
    /// Copied from the slot, for speed: its offset in bits,
    pub offset: u32,
    /// its width in bits,
    pub width: u8,
    /// whether it can be negative,
    pub signed: bool,
    /// and the length and the stride of each dimension.
    pub dims: Vec<(u32, u32)>,
}

/// A send.
#[derive(Clone, Debug, PartialEq)]
pub struct Send {
    /// The channel's number.
    pub channel: Expr,
    /// The message.
    pub fields: Vec<Expr>,
    /// True if the message goes in front of the first one that is greater.
    pub sorted: bool,
}

/// A receive.
#[derive(Clone, Debug, PartialEq)]
pub struct Receive {
    /// The channel's number.
    pub channel: Expr,
    /// What becomes of each part of the message.
    pub fields: Vec<Pattern>,
    /// True if the first message that matches is taken, not only the oldest.
    pub random: bool,
    /// True if the message stays in the channel.
    pub peek: bool,
}

/// What becomes of a part of a received message.
#[derive(Clone, Debug, PartialEq)]
pub enum Pattern {
    /// It is stored.
    Store(Place),
    /// It is thrown away.
    Ignore,
    /// It must be equal to a value.
    Match(Expr),
}

/// An effect.
#[derive(Clone, Debug, PartialEq)]
pub enum Op {
    /// A value, cut to the width of the place, is stored.
    Assign(Place, Expr),
    /// A process is made. Its pid can be read as [`Expr::NewPid`] in the rest of the effect.
    Run {
        /// The template.
        process: ProcessId,
        /// The values of the parameters; missing ones are 0.
        args: Vec<Expr>,
        /// The priority.
        priority: u8,
    },
    /// A claim about the state.
    Assert {
        /// What must be true.
        condition: Expr,
        /// How it is written.
        text: String,
        /// Where it stands.
        source: Location,
    },
    /// The priority of a process is changed.
    SetPriority(Expr, Expr),
    /// Something is printed, when steps are shown to people.
    Print(Print),
}

/// What to print.
#[derive(Clone, Debug, PartialEq)]
pub struct Print {
    /// The pieces, in order.
    pub pieces: Vec<Piece>,
}

/// A piece of output.
#[derive(Clone, Debug, PartialEq)]
pub enum Piece {
    /// Text.
    Text(String),
    /// A value in decimal.
    Decimal(Expr),
    /// A value as unsigned decimal.
    Unsigned(Expr),
    /// A value in hexadecimal.
    Hex(Expr),
    /// A value in octal.
    Octal(Expr),
    /// A character.
    Char(Expr),
    /// A value's name in a set of names; in decimal if it has none.
    Name(Expr, u32),
}

impl Piece {
    /// The expression whose value is printed.
    pub fn value(&self) -> Option<&Expr> {
        match self {
            Piece::Text(_) => None,
            Piece::Decimal(expr)
            | Piece::Unsigned(expr)
            | Piece::Hex(expr)
            | Piece::Octal(expr)
            | Piece::Char(expr)
            | Piece::Name(expr, _) => Some(expr),
        }
    }
}
