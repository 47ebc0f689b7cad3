//! What code is made, and when.

/// What the code is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// [`model::Model::expand`].
    Everything,
    /// [`model::Model::enabled`] and [`model::Model::fire`]: for reduction.
    Chosen,
}

/// How much time it takes to make the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Care {
    /// Two thirds of what it could take: for code that others wait for.
    Quick,
    /// What it takes to make the code itself quick.
    Best,
}

/// How to compile.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// What for.
    pub purpose: Purpose,
    /// How well.
    pub care: Care,
    /// Nothing is compiled before about so many states were expanded: it has to be worth it.
    pub begin_after: u64,
    /// A program with more transitions than this is left to the interpreter.
    pub most_transitions: usize,
    /// Processes that live together get code of their own after about so many states,
    pub fuse_after: u64,
    /// unless they have more statements than this together; long states count, too.
    pub most_fused: usize,
    /// Whether who asks for such code waits for it. Where all cores are busy another thread only takes them from others,
    /// perhaps from one that everybody waits for.
    pub wait_for_fused: bool,
}

impl Options {
    /// What is usual for a purpose.
    pub fn new(purpose: Purpose) -> Options {
        let (care, begin_after) = (Care::Quick, 0);
        Options {
            purpose,
            care,
            begin_after,
            most_transitions: 20_000,
            fuse_after: 1 << 14,
            most_fused: 4_000,
            wait_for_fused: false,
        }
    }
}
