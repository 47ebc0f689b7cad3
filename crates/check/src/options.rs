//! What can be named on the command line, and what searches and stores can do: one enum for each dimension.

use std::fmt;
use std::time::Duration;

use model::Fairness;
pub use search::{Deadlocks, Flags as Copies};
use search::{Emptiness, Order};

use crate::prefer::Por;
use crate::soundness::Need;

/// What the user wants of an answer. What is left open is chosen by [`crate::prefer`].
#[derive(Clone, Debug)]
pub struct Options {
    /// The search.
    pub search: Option<Search>,
    /// Partial-order reduction.
    pub por: Por,
    /// Whether a smaller program may be explored instead, where that is sound.
    pub compresses: bool,
    /// Which infinite runs count.
    pub fairness: Fairness,
    /// How a nested search deals with weak fairness.
    pub copies: Option<Copies>,
    /// Where the states are kept.
    pub store: Option<Store>,
    /// What executes the system.
    pub engine: Engine,
    /// The number of threads.
    pub threads: usize,
    /// Whether these are all that the machine can run at a time.
    pub fills_cores: bool,
    /// After how many violations a search stops; without it, none does.
    pub stop_after: Option<u64>,
    /// Whether a violation is made shorter, if the system's users expect that.
    pub shortens: bool,
    /// What becomes of a run in a deadlock, for branching time.
    pub deadlocks: Deadlocks,
    /// Where random numbers begin.
    pub seed: Option<u64>,
    /// The limits.
    pub limits: Limits,
    /// What is spent on several questions together before each is asked alone.
    pub effort: Effort,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            search: None,
            por: Por::Best,
            compresses: true,
            fairness: Fairness::None,
            copies: None,
            store: None,
            engine: Engine::Jit,
            threads: 1,
            fills_cores: false,
            stop_after: Some(1),
            shortens: true,
            deadlocks: Deadlocks::Stutter,
            seed: None,
            limits: Limits::default(),
            effort: Effort::default(),
        }
    }
}

impl Options {
    /// The order in which finite runs are explored, if that is fixed: a store that keeps no states serves one only.
    pub fn order(&self) -> Option<Order> {
        let lossy = self.store.filter(|store| store.is_lossy()).map(|_| Order::Any);
        self.search.and_then(Search::order).or(lossy)
    }

    /// Whether a search is wanted that looks for one state, and may miss others.
    pub fn seeks(&self) -> bool {
        matches!(self.order(), Some(Order::Guided | Order::Walk))
    }
}

/// How much may be taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes, by the process.
    pub memory: u64,
    /// Time, for each question.
    pub time: Option<Duration>,
    /// Number of states.
    pub states: u64,
    /// Number of observable steps from the initial state.
    pub depth: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { memory: u64::MAX, time: None, states: u64::MAX, depth: u64::MAX }
    }
}

/// What is spent before another way to an answer is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// Number of states.
    pub states: u64,
    /// Time.
    pub time: Duration,
}

impl Default for Effort {
    /// The first time: enough for systems that are small.
    fn default() -> Effort {
        Effort { states: 1 << 18, time: Duration::from_secs(5) }
    }
}

/// What executes a system.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Engine {
    /// Machine code that is made for it.
    #[default]
    Jit,
    /// An interpreter.
    Interpreter,
    /// The firing rule of nets.
    Net,
}

impl Engine {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Engine::Jit => "jit",
            Engine::Interpreter => "interpreter",
            Engine::Net => "net",
        }
    }
}

/// Where the visited states are kept, as users name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Store {
    /// As they are.
    Table,
    /// Compressed, as a tree.
    Tree,
    /// Compressed, with a part of each state's entry left to its place.
    Cleary,
    /// Not at all: a few bits are set for each.
    Bitstate,
    /// Not at all, but for a hash of 64 bits.
    HashCompact,
}

impl Store {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Store::Table => "table",
            Store::Tree => "tree",
            Store::Cleary => "cleary",
            Store::Bitstate => "bitstate",
            Store::HashCompact => "hash-compact",
        }
    }

    /// Whether it may take a new state for a known one.
    pub fn is_lossy(self) -> bool {
        matches!(self, Store::Bitstate | Store::HashCompact)
    }

    /// What a search that may take so much memory uses.
    pub fn for_search(self, memory: u64) -> search::Store {
        match self {
            Store::Table => search::Store::Table,
            Store::Tree => search::Store::Tree,
            Store::Cleary => search::Store::Compressed,
            // As much as there is, but for what the search itself needs.
            Store::Bitstate => search::Store::Bitstate(memory / 8 * 5),
            Store::HashCompact => search::Store::HashCompact,
        }
    }
}

impl fmt::Display for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A search, as users name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Search {
    /// Finite runs, in any order, with all threads.
    Reach,
    /// Depth-first; for infinite runs one depth-first search is enough if the automaton is weak.
    Dfs,
    /// Breadth-first.
    Bfs,
    /// What seems nearest to the goal first.
    Guided,
    /// At random.
    Walk,
    /// Strongly connected components.
    Scc,
    /// Nested depth-first search with early detection.
    Ndfs,
    /// Nested depth-first search.
    NdfsBasic,
    /// Nested depth-first search with several threads.
    Cndfs,
    /// The graph of the states, for branching time.
    Graph,
}

impl Search {
    /// Those that users can name.
    pub const NAMED: [Search; 9] = [
        Search::Reach,
        Search::Dfs,
        Search::Bfs,
        Search::Scc,
        Search::Ndfs,
        Search::NdfsBasic,
        Search::Cndfs,
        Search::Guided,
        Search::Walk,
    ];

    /// The one with a name.
    pub fn named(name: &str) -> Option<Search> {
        Search::NAMED.into_iter().find(|search| search.name() == name)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Search::Reach => "reach",
            Search::Dfs => "dfs",
            Search::Bfs => "bfs",
            Search::Guided => "guided",
            Search::Walk => "walk",
            Search::Scc => "scc",
            Search::Ndfs => "ndfs",
            Search::NdfsBasic => "ndfs-basic",
            Search::Cndfs => "cndfs",
            Search::Graph => "graph",
        }
    }

    /// Whether it does what a row of the table needs.
    pub fn provides(self, need: Need) -> bool {
        match need {
            // The sets are found by the same code for all; which proviso is asked for follows from what is kept.
            Need::Keep(_) | Need::KeepGoal | Need::OwnSets | Need::Whole | Need::WholeSteps => true,
            Need::Path => {
                matches!(self, Search::Dfs | Search::Scc | Search::Ndfs | Search::NdfsBasic | Search::Graph)
            }
            Need::Fair(Fairness::None) => true,
            Need::Fair(Fairness::Weak) => matches!(self, Search::Scc | Search::Ndfs | Search::NdfsBasic),
            Need::Fair(Fairness::Strong) => self == Search::Scc,
        }
    }

    /// Why it does not do what is needed.
    pub fn lacks(self, need: Need) -> &'static str {
        match need {
            Need::Path => "the reduction depends on the search path, and each thread has its own path",
            Need::Fair(_) if self == Search::Cndfs => {
                "the search with several threads does not support fairness"
            }
            Need::Fair(_) => "a nested search supports weak fairness only",
            _ => "this search does not provide what is needed",
        }
    }

    /// The algorithm for infinite runs that it names.
    pub fn emptiness(self) -> Option<Emptiness> {
        match self {
            Search::Scc => Some(Emptiness::Scc),
            Search::Ndfs => Some(Emptiness::Ndfs),
            Search::NdfsBasic => Some(Emptiness::NdfsBasic),
            Search::Cndfs => Some(Emptiness::Cndfs),
            _ => None,
        }
    }

    /// The order for finite runs that it names.
    pub fn order(self) -> Option<Order> {
        match self {
            Search::Reach => Some(Order::Any),
            Search::Dfs => Some(Order::Depth),
            Search::Bfs => Some(Order::Breadth),
            Search::Guided => Some(Order::Guided),
            Search::Walk => Some(Order::Walk),
            _ => None,
        }
    }
}

impl From<Order> for Search {
    fn from(order: Order) -> Search {
        match order {
            Order::Any => Search::Reach,
            Order::Depth => Search::Dfs,
            Order::Breadth => Search::Bfs,
            Order::Guided => Search::Guided,
            Order::Walk => Search::Walk,
        }
    }
}

impl From<Emptiness> for Search {
    fn from(emptiness: Emptiness) -> Search {
        match emptiness {
            Emptiness::Weak => Search::Dfs,
            Emptiness::NdfsBasic => Search::NdfsBasic,
            Emptiness::Ndfs => Search::Ndfs,
            Emptiness::Scc => Search::Scc,
            Emptiness::Cndfs => Search::Cndfs,
        }
    }
}

impl fmt::Display for Search {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
