//! Programs as machine code: a [`model::Model`] that behaves as [`ir::Interpreter`] does, only faster.
//!
//! For each process template there is a function that goes through all its processes and writes their
//! successor states; what processes live and where is in a table per shape, so the code does not depend
//! on it. The scheme rests on two ways back to the interpreter, which stays the definition of what a
//! program means:
//!
//! - *Bailing out*: whenever anything unusual happens (a failed assertion, an index out of range, a
//!   blocked `d_step`, a loop that takes long), generated code gives up and the interpreter does all of
//!   the state again. Failures are rare, so this costs nothing, and generated code has no messages.
//! - *Leaving something to the host*: what is not worth compiling (`run`, sorted sends, `enabled()`) is
//!   known before. Generated code writes a record that says so, and the host does that part with the
//!   interpreter, in its place among the others.
//!
//! [`Native::new`] returns at once; the interpreter works until the code is there. Shapes that are met often get code
//! of their own later, for all their processes at once (`fused`).
//!
//! `abi` says what host and code hand to each other, `plan` decides what is compiled, `emit` makes
//! Cranelift's intermediate form, `code` makes machine code, `machine` holds it, `table` describes shapes,
//! `native` is the model.
//!
//! The interpreter and all generated code give the same successors in the same order, so nothing depends on when code is
//! ready. Until then the interpreter works, or a model with code that was made for an earlier search
//! ([`Native::behind`]). The chain of an action is followed in generated code as long as it has no choice, also across a
//! rendezvous; the rest of it is explored by `ir::interpreter::chain`, for all engines alike.

mod abi;
mod background;
mod call;
mod code;
mod emit;
mod fused;
mod machine;
mod native;
mod options;
mod plan;
mod stepper;
mod table;

pub use native::{Native, Statistics};
pub use options::{Care, Options, Purpose};
