//! The published figures, and how to obtain ours.

/// Where a model is.
#[derive(Clone, Copy)]
pub enum Home {
    /// In `models/seeds`.
    Seeds(&'static str),
    /// In `tests/reduction`.
    Tests(&'static str),
    /// In the corpus.
    Corpus(&'static str),
}

/// A published number of states, with the number of transitions where that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size(pub u64, pub Option<u64>);

/// How the arrival in the initial state is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Initial {
    /// As a transition, as we count it.
    Counted,
    /// Not at all.
    Left,
}

/// A figure.
pub struct Figure {
    pub model: &'static str,
    pub home: Home,
    /// Options for the model: macros, limits.
    pub options: &'static [&'static str],
    /// What the publication calls the method.
    pub algorithm: &'static str,
    /// What we call it: a value of `--por`.
    pub method: &'static str,
    pub published: Size,
    pub initial: Initial,
    /// Why ours differs, if it does.
    pub why: &'static str,
}

/// A publication with its figures.
pub struct Seed {
    pub title: &'static str,
    pub about: &'static str,
    pub figures: &'static [Figure],
}

/// A model with an error that an unsound reduction loses.
pub struct Trap {
    pub model: &'static str,
    pub home: Home,
    /// What is asked, and under which fairness.
    pub options: &'static [&'static str],
    pub lost_by: &'static str,
}

const fn figure(
    model: &'static str,
    home: Home,
    options: &'static [&'static str],
    algorithm: &'static str,
    method: &'static str,
    states: u64,
    transitions: u64,
) -> Figure {
    let published = Size(states, Some(transitions));
    Figure { model, home, options, algorithm, method, published, initial: Initial::Counted, why: "" }
}

const INDEPENDENT: Home = Home::Seeds("independent.pml");
const CYCLING: Home = Home::Seeds("cycling.pml");
const DEPENDENT: Home = Home::Seeds("dependent.pml");
const PAIRS: Home = Home::Seeds("pairs.pml");
const TWO_PAIRS: Home = Home::Seeds("two-pairs.pml");
const DTP: Home = Home::Corpus("spin/Examples/dtp.pml");

const COVERAGE: [Figure; 17] = [
    figure("1: independent", INDEPENDENT, &[], "1: all", "none", 100_001, 450_002),
    figure("1: independent", INDEPENDENT, &[], "2: local", "local", 47, 47),
    figure("1: independent", INDEPENDENT, &[], "3: conflict sets", "conflict", 100_001, 100_001),
    figure("1: independent", INDEPENDENT, &[], "2+3", "local+conflict", 47, 47),
    Figure {
        published: Size(9002, None),
        ..figure(
            "1: independent, N=1000",
            INDEPENDENT,
            &["-DN=1000", "--max-processes", "1001"],
            "2: local",
            "local",
            0,
            0,
        )
    },
    figure("2: cycling", CYCLING, &[], "1: all", "none", 100_001, 500_002),
    Figure {
        why: "steps that were tried in vain are not counted as transitions, and no more than three processes are \
              tried in a state before all of them move",
        ..figure("2: cycling", CYCLING, &[], "2: local", "local", 100_001, 111_112)
    },
    figure("2: cycling", CYCLING, &[], "3: conflict sets", "conflict", 100_001, 111_112),
    figure("2: cycling", CYCLING, &[], "2+3", "local+conflict", 47, 52),
    figure("3: dependent", DEPENDENT, &[], "1: all", "none", 100_001, 450_002),
    figure("3: dependent", DEPENDENT, &[], "2: local", "local", 100_001, 450_002),
    figure("3: dependent", DEPENDENT, &[], "3: conflict sets", "conflict", 100_001, 450_002),
    figure("3: dependent", DEPENDENT, &[], "2+3", "local+conflict", 100_001, 450_002),
    figure("5: DTP", DTP, &[], "1: all", "none", 251_409, 648_467),
    figure("5: DTP", DTP, &[], "2: local", "local", 91_343, 117_396),
    figure("5: DTP", DTP, &[], "3: conflict sets", "conflict", 251_409, 262_561),
    figure("5: DTP", DTP, &[], "2+3", "local+conflict", 65_774, 69_611),
];

const CLUSTERS: [Figure; 15] = [
    figure("best case N=2", PAIRS, &["-DN=2"], "no POR", "none", 65, 108),
    figure("best case N=2", PAIRS, &["-DN=2"], "standard POR", "local", 60, 76),
    figure("best case N=2", PAIRS, &["-DN=2"], "cluster POR", "cluster", 30, 30),
    figure("best case N=3", PAIRS, &["-DN=3"], "no POR", "none", 329, 784),
    figure("best case N=3", PAIRS, &["-DN=3"], "standard POR", "local", 304, 480),
    figure("best case N=3", PAIRS, &["-DN=3"], "cluster POR", "cluster", 66, 66),
    figure("best case N=4", PAIRS, &["-DN=4"], "no POR", "none", 1657, 5216),
    figure("best case N=4", PAIRS, &["-DN=4"], "standard POR", "local", 1532, 2908),
    figure("best case N=4", PAIRS, &["-DN=4"], "cluster POR", "cluster", 138, 138),
    figure("best case N=5", PAIRS, &["-DN=5"], "no POR", "none", 8313, 32_680),
    figure("best case N=5", PAIRS, &["-DN=5"], "standard POR", "local", 7688, 17_064),
    figure("best case N=5", PAIRS, &["-DN=5"], "cluster POR", "cluster", 282, 282),
    example("no POR", "none", 25, 40),
    example("ample", "local", 25, 40),
    example("cample", "cluster", 13, 12),
];

const fn example(algorithm: &'static str, method: &'static str, states: u64, transitions: u64) -> Figure {
    let figure = figure("two pairs", TWO_PAIRS, &[], algorithm, method, states, transitions);
    Figure { initial: Initial::Left, ..figure }
}

/// The publications.
pub const SEEDS: [Seed; 2] = [
    Seed {
        title: "Coverage preserving reduction strategies (Holzmann, Godefroid, Pirottin, 1992)",
        about: "\
Table II, with N = 5 processes of M = 10 states each, unless otherwise stated. Algorithm 2 selects a process at a location where
every statement, executable or not, is local, provided that at least one of its steps leads to a state outside the search stack.
If none does, the next such process is tried, and the steps that were tried before count as transitions. The source of protocol 4,
the Universal Receiver Protocol, was not found.",
        figures: &COVERAGE,
    },
    Seed {
        title: "Enhancing state space reduction techniques, chapter 2 (Bošnački, 2001)",
        about: "\
Table 1 with N pairs of processes, and the worked example of two pairs, which is counted without end transitions and without the
arrival in the initial state. Standard reduction selects a single process. Because every statement except the end of a process is
global here, this corresponds to `--por local`.",
        figures: &CLUSTERS,
    },
];

/// The errors.
pub const TRAPS: [Trap; 6] = [
    Trap {
        model: "unless-rendezvous",
        home: Home::Seeds("unless-rendezvous.pml"),
        options: &["--safety"],
        lost_by: "a local step that makes a rendezvous possible, which disables a statement by `unless`",
    },
    Trap {
        model: "fair-rendezvous",
        home: Home::Seeds("fair-rendezvous.pml"),
        options: &["--property", "served", "--fairness", "weak"],
        lost_by: "a local step that ends the time in which another process is disabled, which makes a run unfair",
    },
    Trap {
        model: "disabled-statement",
        home: Home::Seeds("disabled-statement.pml"),
        options: &["--safety"],
        lost_by: "looking only at the enabled statements of a process",
    },
    Trap {
        model: "disabled-in-cluster",
        home: Home::Seeds("disabled-in-cluster.pml"),
        options: &["--safety"],
        lost_by: "looking only at the enabled statements of a cluster",
    },
    Trap {
        model: "spin78",
        home: Home::Tests("spin78.pml"),
        options: &["--safety"],
        lost_by: "taking the end of a process for a local step while others can still start processes",
    },
    Trap {
        model: "cycling with a bystander",
        home: Home::Tests("bystander.pml"),
        options: &["--safety"],
        lost_by: "following a process that goes round for ever, while another one waits for its turn",
    },
];
