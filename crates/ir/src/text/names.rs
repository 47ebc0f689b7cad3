//! How things are called: by a name if one thing has it, with a number behind it if several do, by
//! the number alone if the name cannot be written.

use rustc_hash::FxHashMap;

use super::lex::quote;
use crate::expr::BinaryOp;
use crate::layout::{Dim, Region, Size};
use crate::program::Program;

/// Words with a meaning where a name could stand.
const RESERVED: [&str; 46] = [
    "_",
    "_nr_pr",
    "_pid",
    "assert",
    "at",
    "block",
    "chan",
    "channel",
    "char",
    "else",
    "empty",
    "enabled",
    "eval",
    "exit",
    "file",
    "full",
    "globals",
    "hex",
    "init",
    "last",
    "len",
    "location",
    "lossy",
    "monitor",
    "name",
    "names",
    "nempty",
    "new_pid",
    "nfull",
    "none",
    "octal",
    "own",
    "pc_value",
    "poll",
    "predicate",
    "print",
    "priorities",
    "priority",
    "process",
    "run",
    "shared",
    "some_at",
    "start",
    "terminate",
    "timeout",
    "unsigned",
];

/// Whether a word can be a name.
pub fn is_free(word: &str) -> bool {
    RESERVED.binary_search(&word).is_err()
}

/// Whether a text is a word.
pub fn is_word(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Whether a slot's name is made of words with `[]` behind them, one for each dimension.
pub fn is_path(name: &str, n_dims: usize) -> bool {
    let words = |part: &str| {
        is_word(part.split("[]").next().unwrap_or_default()) && {
            let first = part.find("[]").unwrap_or(part.len());
            part[first..].split("[]").all(str::is_empty)
        }
    };
    name.split('.').all(words) && name.matches("[]").count() == n_dims
}

/// The names of a list of things.
#[derive(Default)]
pub struct Names {
    /// For each name the first thing that has it, and whether it is the only one.
    found: FxHashMap<String, (u32, bool)>,
    /// The name of each thing, and whether it can be written.
    list: Vec<(String, bool)>,
}

impl Names {
    /// Of a list of names, each with whether it can be written.
    fn new<'a>(names: impl Iterator<Item = (&'a str, bool)>) -> Names {
        let mut out = Names::default();
        for (index, (name, writable)) in names.enumerate() {
            let count = out.found.entry(name.to_string()).or_insert((index as u32, true));
            count.1 &= count.0 == index as u32;
            out.list.push((name.to_string(), writable));
        }
        out
    }

    pub fn of_slots(region: &Region) -> Names {
        let writable = |name: &str, n_dims| {
            is_path(name, n_dims) && is_free(name.split(['.', '[']).next().unwrap_or_default())
        };
        Names::new(
            region.slots.iter().map(|slot| (slot.name.as_str(), writable(&slot.name, slot.dims.len()))),
        )
    }

    /// Of things that are called by a word.
    pub fn of_words<'a>(names: impl Iterator<Item = &'a str>) -> Names {
        Names::new(names.map(|name| (name, is_word(name) && is_free(name))))
    }

    /// The thing that has a name, and whether it is the only one.
    pub fn find(&self, name: &str) -> Option<(u32, bool)> {
        self.found.get(name).copied()
    }

    /// What to write for a slot: its name, if it has one that can be written, and its number, if it
    /// needs one.
    pub fn reference(&self, index: u32) -> (&str, Option<u32>) {
        match self.list.get(index as usize) {
            Some((name, true)) if self.find(name) == Some((index, true)) => (name, None),
            Some((name, true)) => (name, Some(index)),
            _ => ("", Some(index)),
        }
    }

    /// What to write for a process or a channel: a name that is no word is put in quotes.
    pub fn quoted(&self, index: u32) -> String {
        match (self.list.get(index as usize), self.reference(index)) {
            (Some((name, false)), _) if self.find(name) == Some((index, true)) => quote(name),
            (_, (name, None)) => name.to_string(),
            (_, (name, Some(number))) => format!("{name}#{number}"),
        }
    }

    /// Whether a thing has a name.
    pub fn is_named(&self, index: u32, name: &str) -> bool {
        self.list.get(index as usize).is_some_and(|(found, _)| found == name)
    }
}

/// The names of a program.
pub struct ProgramNames {
    pub globals: Names,
    pub frames: Vec<Names>,
    pub channels: Names,
    pub processes: Names,
}

impl ProgramNames {
    pub fn new(program: &Program) -> ProgramNames {
        ProgramNames {
            globals: Names::of_slots(&program.globals),
            frames: program.processes.iter().map(|process| Names::of_slots(&process.frame)).collect(),
            channels: Names::of_words(program.channels.iter().map(|channel| channel.name.as_str())),
            processes: Names::of_words(program.processes.iter().map(|process| process.name.as_str())),
        }
    }
}

/// The slot that holds the location of a process, unless it says otherwise.
pub const PC: &str = "_p";
/// The slot that holds its priority, unless it says otherwise.
pub const PRIORITY: &str = "_priority";

/// How tightly an operator binds, and how it is written.
pub fn operator(op: BinaryOp) -> (u8, &'static str) {
    match op {
        BinaryOp::Or => (1, "||"),
        BinaryOp::And => (2, "&&"),
        BinaryOp::BitOr => (3, "|"),
        BinaryOp::BitXor => (4, "^"),
        BinaryOp::BitAnd => (5, "&"),
        BinaryOp::Eq => (6, "=="),
        BinaryOp::Ne => (6, "!="),
        BinaryOp::Lt => (7, "<"),
        BinaryOp::Le => (7, "<="),
        BinaryOp::Gt => (7, ">"),
        BinaryOp::Ge => (7, ">="),
        BinaryOp::Shl => (8, "<<"),
        BinaryOp::Shr => (8, ">>"),
        BinaryOp::Add => (9, "+"),
        BinaryOp::Sub => (9, "-"),
        BinaryOp::Mul => (10, "*"),
        BinaryOp::Div => (10, "/"),
        BinaryOp::Rem => (10, "%"),
    }
}

/// What every operator with two operands binds less than.
pub const UNARY: u8 = 11;
/// What the conjuncts of a guard bind at least as.
pub const CONJUNCT: u8 = 3;

/// The strides of dense dimensions of the given lengths.
pub fn dense_strides(lens: &[u32], width: u8) -> Vec<u64> {
    let mut strides = vec![0; lens.len()];
    let mut size = Size::scalar(width).bits;
    for (stride, &len) in strides.iter_mut().zip(lens).rev() {
        *stride = size;
        size = size.saturating_mul(u64::from(len));
    }
    strides
}

/// Behind the last bit of a slot, with the padding of an element.
pub fn end_of_slot(offset: u64, width: u8, dims: &[Dim]) -> u64 {
    let last = dims.iter().fold(0u64, |at, dim| {
        at.saturating_add(u64::from(dim.len.saturating_sub(1)) * u64::from(dim.stride))
    });
    offset.saturating_add(last).saturating_add(Size::scalar(width).bits)
}
