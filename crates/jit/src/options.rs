//! What code is made, and when.

/// What the code is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// [`model::Model::expand`].
    Everything,
    /// [`model::Model::enabled`] and [`model::Model::fire`]: for reduction.
    Chosen,
}

/// How to compile.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// What for.
    pub purpose: Purpose,
    /// A program with more transitions than this is left to the interpreter.
    pub most_transitions: usize,
    /// Processes that live together get code of their own after about so many states,
    pub fuse_after: u64,
    /// unless they have more statements than this together; long states count, too.
    pub most_fused: usize,
}

impl Options {
    /// What is usual for a purpose.
    pub fn new(purpose: Purpose) -> Options {
        Options { purpose, most_transitions: 20_000, fuse_after: 1 << 14, most_fused: 4_000 }
    }
}
