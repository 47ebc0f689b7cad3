//! What actions have in common: the parts of the state that more than one process can reach.

use rustc_hash::FxHashMap;

/// Who acts or is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Who {
    /// Nobody: a predicate about the state as a whole.
    Nobody,
    /// A process that lives.
    Live(u16),
    /// Any process of a template that may be made later.
    Future(u32),
}

/// A part of the state, or a question about it that several processes have an influence on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Object {
    /// An element of a shared variable, or a whole array with very many elements.
    Global { slot: u32, element: u32 },
    /// The same of a variable of a process that others can reach, too.
    Frame { owner: Who, slot: u32, element: u32 },
    /// The contents of a channel, by its number.
    Channel(u32),
    /// The contents of any channel of a type that may be made later.
    FutureChannel(u32),
    /// Whether somebody stands at a receive from a rendezvous channel.
    Meeting(u32),
    /// The same for any channel of a type that may be made later.
    FutureMeeting(u32),
    /// That a process stays at a location from which a chain of another may take it away.
    Stay { owner: Who, location: u32 },
    /// Whether a process stands at a location.
    At { owner: Who, location: u32 },
    /// Where a process stands.
    Place(Who),
    /// Whether some process stands at a location with a progress or accept label.
    Marked { accept: bool },
    /// Which processes live.
    Processes,
    /// The automaton that watches messages.
    Monitor,
}

/// A whole array, as an element.
pub const WHOLE: u32 = u32::MAX;

/// Numbers objects.
#[derive(Default)]
pub struct Objects {
    numbers: FxHashMap<Object, u32>,
}

impl Objects {
    pub fn number(&mut self, object: Object) -> u32 {
        let next = self.numbers.len() as u32;
        *self.numbers.entry(object).or_insert(next)
    }

    /// The objects, by their numbers.
    pub fn into_list(self) -> Vec<Object> {
        let mut list: Vec<(u32, Object)> =
            self.numbers.into_iter().map(|(object, number)| (number, object)).collect();
        list.sort_unstable_by_key(|(number, _)| *number);
        list.into_iter().map(|(_, object)| object).collect()
    }
}
