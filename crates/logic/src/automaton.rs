/// How many different atoms an automaton may look at: a valuation is one word.
pub const MAX_ATOMS: usize = 64;

/// A conjunction of atoms and negated atoms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cube {
    /// The atoms that must hold, one bit each.
    pub positive: u64,
    /// The atoms that must not hold.
    pub negative: u64,
}

impl Cube {
    /// Whether it holds under a valuation, which has the bits of the atoms that hold.
    pub fn holds(self, valuation: u64) -> bool {
        valuation & self.positive == self.positive && valuation & self.negative == 0
    }
}

/// A condition on a state: a disjunction of cubes. No cube is false; the empty cube is true.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Guard {
    /// The cubes.
    pub cubes: Vec<Cube>,
}

impl Guard {
    /// The condition that always holds.
    pub fn always() -> Guard {
        Guard { cubes: vec![Cube::default()] }
    }

    /// Whether it holds under a valuation.
    pub fn holds(&self, valuation: u64) -> bool {
        self.cubes.iter().any(|cube| cube.holds(valuation))
    }

    /// Whether it holds under a valuation in which some atoms have no value; none if it depends on
    /// them.
    pub fn holds_without(&self, valuation: u64, missing: u64) -> Option<bool> {
        if missing == 0 {
            return Some(self.holds(valuation));
        }
        let is_known = |cube: &&Cube| (cube.positive | cube.negative) & missing == 0;
        let rest =
            |cube: &Cube| Cube { positive: cube.positive & !missing, negative: cube.negative & !missing };
        if self.cubes.iter().filter(is_known).any(|cube| cube.holds(valuation)) {
            Some(true)
        } else if self.cubes.iter().any(|cube| rest(cube).holds(valuation)) {
            None
        } else {
            Some(false)
        }
    }

    /// The atoms that it looks at.
    pub fn atoms(&self) -> u64 {
        self.cubes.iter().fold(0, |atoms, cube| atoms | cube.positive | cube.negative)
    }
}

/// A way from a state of an automaton to another.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Edge {
    /// When it can be taken: a condition on the system's present state.
    pub guard: Guard,
    /// The acceptance sets to which it belongs, one bit each.
    pub accepts: u64,
    /// Where it leads.
    pub target: u32,
}

/// A state of an automaton.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct State {
    /// The ways out. Where none can be taken, the automaton rejects.
    pub edges: Vec<Edge>,
}

/// A transition-based generalised Büchi automaton.
///
/// It reads the states of a run one by one, the initial one first, and accepts if it can take edges
/// of every acceptance set infinitely often. Without acceptance sets it accepts whenever it can go
/// on for ever.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Automaton {
    /// The number of acceptance sets, at most 64.
    pub n_sets: u32,
    /// The state in which it starts.
    pub initial: u32,
    /// The states.
    pub states: Vec<State>,
}

impl Automaton {
    /// The bits of all acceptance sets.
    pub fn all_sets(&self) -> u64 {
        u64::MAX.checked_shr(64 - self.n_sets).unwrap_or(0)
    }

    /// Whether the edges that leave a state all lie in the same acceptance sets, for every state.
    pub fn is_state_based(&self) -> bool {
        self.states.iter().all(|state| state.edges.windows(2).all(|pair| pair[0].accepts == pair[1].accepts))
    }
}
