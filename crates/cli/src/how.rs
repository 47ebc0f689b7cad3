//! How properties are checked: the options that say so, and what is left open by them.

use reduce::Wish;
use report::Method;
use search::{Emptiness, Fairness, Flags, Order, Statistics, Store};

use crate::Outcome;
use crate::args::{CopiesArg, EngineArg, FairnessArg, HowArgs, StoreArg};
use crate::exit::Stop;

/// What is asked for.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// The search, as the user has named it.
    pub search: Option<String>,
    /// The order for finite runs, if the user has named one.
    pub order: Option<Order>,
    /// The number of threads.
    pub threads: usize,
    /// What executes the model.
    pub engine: EngineArg,
    /// Where the states are kept, if the user has said so.
    pub store: Option<StoreArg>,
    /// The algorithm for infinite runs, if the user has named one.
    pub emptiness: Option<Emptiness>,
    /// Which infinite runs count.
    pub fairness: Fairness,
    /// How a nested search deals with weak fairness, if the user has said so.
    pub flags: Option<Flags>,
    /// What is said about partial-order reduction.
    pub por: Wish,
    /// Where random numbers begin, if the user has said so.
    pub seed: Option<u64>,
}

impl Wanted {
    /// What the options ask for. Everything that there is no choice about must be what there is.
    pub fn from_options(how: &HowArgs) -> Outcome<Wanted> {
        refuse_unavailable(how)?;
        let search = how.search.clone();
        let emptiness = emptiness(search.as_deref().unwrap_or("dfs"))?;
        let nested = matches!(emptiness, Some(Emptiness::Improved | Emptiness::Nested));
        let fairness = match how.fairness {
            FairnessArg::None => Fairness::None,
            FairnessArg::Weak => Fairness::Weak,
            FairnessArg::Strong => Fairness::Strong,
        };
        if emptiness == Some(Emptiness::Concurrent) && fairness != Fairness::None {
            let message = "`--search cndfs` with `--fairness`: several threads know no fairness; use \
                           `--search scc`, or leave --search out";
            return Err(Stop::refuse("E0001", message));
        }
        if nested && fairness == Fairness::Strong {
            let message = "`--search ndfs` with `--fairness strong`: a nested search knows weak fairness \
                           only; use `--search scc`, or leave --search out";
            return Err(Stop::refuse("E0001", message));
        }
        let flags = how.fairness_copies.map(|copies| match copies {
            CopiesArg::NPlusOne => Flags::NPlusOne,
            CopiesArg::NPlusTwo => Flags::NPlusTwo,
        });
        let order = search.as_deref().and_then(order);
        let threads = how.threads.map_or_else(default_threads, |threads| threads as usize);
        let por = how.por.as_deref().map_or(Ok(Wish::Best), wish)?;
        Ok(Wanted {
            search,
            order,
            threads,
            engine: how.engine,
            store: how.store,
            emptiness,
            fairness,
            flags,
            por,
            seed: how.seed,
        })
    }
}

impl Wanted {
    /// Refuses what there is for nets alone.
    pub fn expect_program(&self) -> Outcome<()> {
        let option = match self.order {
            Some(order @ (Order::Guided | Order::Walk)) => format!("--search {}", order_name(order)),
            _ if self.seed.is_some() => "--seed".to_string(),
            _ => return Ok(()),
        };
        Err(Stop::refuse(
            "E0001",
            format!("`{option}` is for nets, and this model is a program; leave it out"),
        ))
    }
}

/// As many as the machine has cores.
pub fn default_threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// The order for finite runs that a name stands for.
fn order(search: &str) -> Option<Order> {
    match search {
        "dfs" => Some(Order::Depth),
        "bfs" => Some(Order::Breadth),
        "reach" => Some(Order::Any),
        "guided" => Some(Order::Guided),
        "walk" => Some(Order::Walk),
        _ => None,
    }
}

/// The algorithm for infinite runs that a name stands for; none if it is one for finite runs.
fn emptiness(search: &str) -> Outcome<Option<Emptiness>> {
    Ok(match search {
        "dfs" | "bfs" | "reach" | "guided" | "walk" => None,
        "ndfs" => Some(Emptiness::Improved),
        "ndfs-basic" => Some(Emptiness::Nested),
        "scc" => Some(Emptiness::Components),
        "cndfs" => Some(Emptiness::Concurrent),
        other => {
            let message = format!(
                "`--search {other}`: no such choice; use reach, dfs, bfs, scc, ndfs, ndfs-basic or cndfs, for nets \
                 also guided or walk"
            );
            return Err(Stop::refuse("E0001", message));
        }
    })
}

/// What a name says about partial-order reduction.
fn wish(name: &str) -> Outcome<Wish> {
    if name == "none" {
        return Ok(Wish::None);
    }
    if let Some(method) = reduce::Method::ALL.into_iter().find(|method| method.name() == name) {
        return Ok(Wish::Exactly(method));
    }
    let known = "none, local, ample, stubborn, deletion or weak";
    Err(if matches!(name, "cluster" | "conflict") {
        Stop::unavailable(&format!("`--por {name}`"), &format!("use {known}"))
    } else {
        Stop::refuse("E0001", format!("`--por {name}`: no such choice; use {known}"))
    })
}

/// How the answer is found, for the report.
pub fn method() -> Method {
    let none = || "none".to_string();
    Method {
        search: none(),
        por: none(),
        symmetry: none(),
        fairness: none(),
        store: none(),
        engine: none(),
        threads: 1,
    }
}

/// The name of an engine on the command line.
pub fn engine_name(engine: EngineArg) -> &'static str {
    match engine {
        EngineArg::Jit => "jit",
        EngineArg::Interpreter => "interpreter",
    }
}

/// The name of a store on the command line.
pub fn store_name(store: Store) -> &'static str {
    match store {
        Store::Compressed => "cleary",
        Store::Tree => "tree",
        Store::Table => "table",
        Store::HashCompact => "hash-compact",
        Store::Bitstate(_) => "bitstate",
    }
}

/// The same for what the user has asked for.
pub fn store_arg_name(store: StoreArg) -> &'static str {
    match store {
        StoreArg::Cleary => "cleary",
        StoreArg::Tree => "tree",
        StoreArg::Table => "table",
        StoreArg::HashCompact => "hash-compact",
        StoreArg::Bitstate => "bitstate",
    }
}

/// Where the states are kept of a search that may take so much memory. Some orders look states up again.
pub fn store(asked: StoreArg, order: Order, memory: u64, property: &str) -> Outcome<Store> {
    if is_lossy(asked) && order != Order::Any {
        let message = format!(
            "`--store {}` with `--search {}` for the property `{property}`: it keeps no states, which this search \
             has to look up again; use `--search reach`",
            store_arg_name(asked),
            order_name(order),
        );
        return Err(Stop::refuse("E0001", message));
    }
    Ok(match asked {
        StoreArg::Cleary => Store::Compressed,
        StoreArg::Tree => Store::Tree,
        StoreArg::Table => Store::Table,
        StoreArg::HashCompact => Store::HashCompact,
        // As much as there is, but for what the search itself needs.
        StoreArg::Bitstate => Store::Bitstate(memory / 8 * 5),
    })
}

/// Whether a store may take a new state for a known one.
pub fn is_lossy(store: StoreArg) -> bool {
    matches!(store, StoreArg::Bitstate | StoreArg::HashCompact)
}

/// What there is to know about the answer of a search whose store keeps no states.
pub fn omission_note(statistics: &Statistics) -> Option<String> {
    let omission = statistics.omission?;
    Some(format!(
        "the store keeps no states; the probability that some were missed is estimated as {omission:.1e}"
    ))
}

/// The name of an order on the command line.
pub fn order_name(order: Order) -> &'static str {
    match order {
        Order::Depth => "dfs",
        Order::Breadth => "bfs",
        Order::Any => "reach",
        Order::Guided => "guided",
        Order::Walk => "walk",
    }
}

/// The name of an algorithm on the command line.
pub fn emptiness_name(emptiness: Emptiness) -> &'static str {
    match emptiness {
        Emptiness::Simple => "dfs",
        Emptiness::Nested => "ndfs-basic",
        Emptiness::Improved => "ndfs",
        Emptiness::Components => "scc",
        Emptiness::Concurrent => "cndfs",
    }
}

/// The name of a fairness on the command line.
pub fn fairness_name(fairness: Fairness) -> &'static str {
    match fairness {
        Fairness::None => "none",
        Fairness::Weak => "weak",
        Fairness::Strong => "strong",
    }
}

fn refuse_unavailable(how: &HowArgs) -> Outcome<()> {
    let known = ["none", "full", "sorted", "segmented", "pc-sorted", "pc-segmented", "auto"];
    // The first is the one that there is.
    if how.symmetry != known[0] {
        return Err(unavailable_value("--symmetry", &how.symmetry, &known));
    }
    if how.compress_transitions {
        return Err(Stop::unavailable("--compress-transitions", "leave it out"));
    }
    Ok(())
}

fn unavailable_value(option: &str, value: &str, known: &[&str]) -> Stop {
    if known.contains(&value) {
        Stop::unavailable(&format!("`{option} {value}`"), &format!("use `{option} {}`", known[0]))
    } else {
        Stop::refuse("E0001", format!("`{option} {value}`: no such choice; use `{option} {}`", known[0]))
    }
}
