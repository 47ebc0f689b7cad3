//! The strongly connected components of a graph.

/// Which state lies in which component.
pub struct Components {
    /// The component of every state. Every edge leads to the same component or to one with a
    /// smaller number.
    pub of: Vec<usize>,
    /// How many there are.
    pub n: usize,
}

impl Components {
    /// The states of every component, in order.
    pub(crate) fn members(&self) -> Vec<Vec<usize>> {
        let mut members = vec![Vec::new(); self.n];
        for (state, &component) in self.of.iter().enumerate() {
            members[component].push(state);
        }
        members
    }
}

/// Tarjan's algorithm, without recursion. `successor(state, i)` is the state's `i`th successor, if
/// it has so many.
pub fn components(n_states: usize, successor: impl Fn(usize, usize) -> Option<usize>) -> Components {
    const NEW: usize = usize::MAX;
    let mut search =
        Search { index: vec![NEW; n_states], low: vec![0; n_states], of: vec![NEW; n_states], n: 0 };
    let mut open = Vec::new();
    let mut n_seen = 0;
    for root in 0..n_states {
        if search.index[root] != NEW {
            continue;
        }
        let mut path = vec![(root, 0)];
        while let Some((state, next)) = path.last_mut() {
            let state = *state;
            if *next == 0 && search.index[state] == NEW {
                search.index[state] = n_seen;
                search.low[state] = n_seen;
                n_seen += 1;
                open.push(state);
            }
            if let Some(target) = successor(state, *next) {
                *next += 1;
                if search.index[target] == NEW {
                    path.push((target, 0));
                } else if search.of[target] == NEW {
                    search.low[state] = search.low[state].min(search.index[target]);
                }
            } else {
                path.pop();
                if let Some(&(parent, _)) = path.last() {
                    search.low[parent] = search.low[parent].min(search.low[state]);
                }
                if search.low[state] == search.index[state] {
                    search.close(state, &mut open);
                }
            }
        }
    }
    Components { of: search.of, n: search.n }
}

struct Search {
    index: Vec<usize>,
    low: Vec<usize>,
    of: Vec<usize>,
    n: usize,
}

impl Search {
    /// Gives the component whose first state was `root` its number.
    fn close(&mut self, root: usize, open: &mut Vec<usize>) {
        while let Some(state) = open.pop() {
            self.of[state] = self.n;
            if state == root {
                break;
            }
        }
        self.n += 1;
    }
}
