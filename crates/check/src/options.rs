//! What can be named on the command line, and what searches and stores can do: one enum for each dimension.

use std::fmt;

use model::Fairness;
use search::{Emptiness, Order};

use crate::soundness::Need;

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
            Need::Path => {
                "what may be left out in a state depends on the path of the search, and each thread has another one"
            }
            Need::Fair(_) if self == Search::Cndfs => "several threads know no fairness",
            Need::Fair(_) => "a nested search knows weak fairness only",
            _ => "this search does not do what is needed",
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
