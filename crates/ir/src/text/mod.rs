//! The text form of programs.
//!
//! It shows guarded commands as one would write them down: variables with their places in the state,
//! channels, and for each process its locations with what can happen there.
//!
//! ```text
//! file "counter.pml"
//! globals {
//!   x: u8 @32;
//!   a[3]: i16 @48;
//! }
//! channel c [2] of { u8, i16 }
//! shared c
//! init { x = 1 }
//! start P
//! process P @3:1 {
//!   frame {
//!     _p: u2 @0 internal;
//!     i: u8 @8;
//!   }
//!   params .i
//!   location 0 #2 "L" end @4:1 {
//!     [x < 3 && len(1) == 0] 1 ! x, .i { a[x] = .i; x = x + 1 } -> 1 chain "c!x,i" @4:5;
//!     else -> 1;
//!   }
//!   location 1 { terminate; }
//! }
//! predicate x == P[0]::i || P::@1 || some_at(progress) "x == P[0]:i" @9:7
//! ```
//!
//! - A reference is a name; `x#3` where slot 3 shares its name with another one; `#3` where the name
//!   is a word of this language or no word at all. (Processes and channels with such a name have it
//!   in quotes.) `x` is shared, `.x` belongs to the process that
//!   acts, `P::x` and `P[pid]::x` to another one. `P[pid]::@3` asks whether it stands at location 3.
//! - Types are `u1` … `u32` and `i1` … `i32`, with `chan` or `names k` behind them for what the values
//!   stand for. Offsets (`@32`), strides and the size of a region (`bits`) may be left out where they
//!   follow from what is in front of them.
//! - The conjuncts of a guard are joined by `&&`; a conjunct with an operator that binds less is in
//!   parentheses. `->` leads to a location, in a `block` also to its `exit`.
//! - `some_at(progress)` asks whether some process stands at a location marked so; `some_at(accept)`
//!   likewise.
//! - `"…"` behind a transition is the statement, `@line:column` or `@file:line:column` its place;
//!   behind a predicate likewise.
//! - `//` starts a comment.

mod declare;
mod lex;
mod names;
mod parse;
mod parse_expr;
mod print;
mod print_expr;
mod stream;

pub use parse::{parse, parse_condition};
pub use print::print;

/// The code of the error that a text gives which is not a program.
pub const MALFORMED: &str = "E0009";
