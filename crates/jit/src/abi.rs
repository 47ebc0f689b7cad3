//! What host and generated code hand to each other.
//!
//! Generated functions get plain pointers and integers and return one 64-bit integer; nothing unwinds
//! through them and they never trap. They read the tables of this file and write *records*: a header
//! word and the words of a state or of a message to the host.
//!
//! | function | arguments | result |
//! |---|---|---|
//! | `successors` | context, state, where to write, first and last instance | behind the last record, or 0 |
//! | `whole` | context, state, where to write: all processes of a shape | as above |
//! | `list` | as `successors`, writes [`model::Action`]s | behind the last action, or 0 |
//! | `fire` | context, state, where to write the next one, instance, partner, both transitions | header |
//! | `follow` | context, state (changed in place), instance | header |
//! | `meet` | context, state, instance, channel | a bit per transition, or [`MEET_BAIL`] |
//! | `take` | context, state (changed in place), instance, channel, transition | header |
//! | `predicate` | context, state | the value in the lower half and [`PREDICATE_OK`], or 0 |
//!
//! 0 always means *bail*: something unusual has happened, and the interpreter has to do all of it again.

use std::mem::MaybeUninit;

/// A process of a shape.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Instance {
    /// Where its frame begins, in bytes from the start of the state.
    pub frame: u32,
    /// Its template.
    pub template: u32,
    /// Its number.
    pub pid: u32,
    /// How many channels were there before its own.
    pub first_channel: u32,
}

impl Instance {
    /// The field at an offset.
    pub fn field(&self, offset: usize) -> u32 {
        [self.frame, self.template, self.pid, self.first_channel][offset / size_of::<u32>()]
    }
}

/// A channel of a shape.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct LiveChannel {
    /// Where it begins, in bytes from the start of the state.
    pub start: u32,
    /// Its type.
    pub kind: u32,
    /// How many messages it holds.
    pub capacity: u32,
    /// How many fields its messages have.
    pub arity: u32,
}

/// What generated code knows of a shape.
#[repr(C)]
#[derive(Debug)]
pub struct ShapeTable {
    /// The processes, by pid.
    pub instances: *const Instance,
    /// The channels; number k is at k - 1.
    pub channels: *const LiveChannel,
    /// Pointers to the processes that may receive in a rendezvous, youngest first.
    pub receivers: *const *const Instance,
    /// Behind the last of them.
    pub receivers_end: *const *const Instance,
    /// For each template, where pointers to its processes begin and end, youngest first.
    pub by_template: *const [*const *const Instance; 2],
    /// For each template, its oldest process, or null.
    pub first_of: *const *const Instance,
    /// The header of a record with a whole state.
    pub whole: u64,
    /// The header of a record with a state without the youngest process.
    pub truncated: u64,
    /// The number of processes.
    pub n_instances: u32,
    /// The number of channels.
    pub n_channels: u32,
    /// The length of a state in bytes.
    pub bytes: u32,
    /// The length of a state without the youngest process.
    pub parent_bytes: u32,
    /// The number of the shape without the youngest process.
    pub parent: u32,
}

/// The longest message of a rendezvous that is handed over by generated code.
pub const MAX_MESSAGE: usize = 32;

/// What generated code needs besides the state.
#[repr(C)]
#[derive(Debug)]
pub struct Context {
    /// The shape of the state.
    pub shape: *const ShapeTable,
    /// Gets a bit for each transition that is executed.
    pub executed: *mut u64,
    /// `follow` of each template.
    pub follow: *const *const u8,
    /// `meet` of each template.
    pub meet: *const *const u8,
    /// `take` of each template.
    pub take: *const *const u8,
    /// Gets some bit if a record is anything but a state of the same shape.
    pub unusual: u64,
    /// Whether `timeout` is true.
    pub timeout: u32,
    /// The number of the first transition to which the latest answer of `meet` refers.
    pub first_met: u32,
    /// The message of the rendezvous that is going on.
    pub message: [MaybeUninit<i32>; MAX_MESSAGE],
}

/// `successors` and `list`.
pub type Loop =
    unsafe extern "C" fn(*mut Context, *const u64, *mut u8, *const Instance, *const Instance) -> *mut u8;
/// `whole`.
pub type Whole = unsafe extern "C" fn(*mut Context, *const u64, *mut u8) -> *mut u8;
/// `fire`.
pub type Fire =
    unsafe extern "C" fn(*mut Context, *const u64, *mut u64, *const Instance, *const Instance, u64) -> u64;
/// `follow`.
pub type Follow = unsafe extern "C" fn(*mut Context, *mut u64, *const Instance) -> u64;
/// `predicate`.
pub type Predicate = unsafe extern "C" fn(*mut Context, *const u64) -> u64;

/// The bit that tells a predicate's value from a bail.
pub const PREDICATE_OK: u64 = 1 << 32;
/// The answer of `meet` when the interpreter has to look.
pub const MEET_BAIL: u64 = u64::MAX;
/// The most transitions of a location that `meet` can answer for.
pub const MAX_MET: usize = 63;

/// What a record says. The kind is in the lowest byte of its header, a pid in bits 16 to 31, the number
/// of words behind it in the upper half.
pub mod record {
    /// An observable state follows.
    pub const STATE: u64 = 1;
    /// A state inside a chain follows, held by the pid: the host goes on.
    pub const CHAIN: u64 = 2;
    /// The host is to fire an action: two words follow, the two sides of the action, each as
    /// pid << 32 | transition.
    pub const ACTION: u64 = 3;
    /// The host is to do all that the pid can do. Nothing follows.
    pub const PROCESS: u64 = 4;
    /// Only between generated functions: a state inside a chain that now another process holds, which can
    /// be asked to go on.
    pub const PASSED: u64 = 5;

    /// The kind of a record.
    pub fn kind(header: u64) -> u64 {
        header & 0xff
    }

    /// The pid in a header.
    pub fn pid(header: u64) -> u16 {
        (header >> 16) as u16
    }

    /// The number of words behind a header.
    pub fn words(header: u64) -> usize {
        (header >> 32) as usize
    }

    /// A header.
    pub const fn header(kind: u64, words: u32) -> u64 {
        kind | (words as u64) << 32
    }
}
