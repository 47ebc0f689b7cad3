//! How properties are checked: the options that say so, and what is left open by them.

use ::check::options::Search;
use ::check::prefer::{Conflict, Por};
use ::check::soundness::{Need, Setting, Value};
use report::Method;
use search::{Emptiness, Fairness, Flags, Order, Statistics, Store};

use crate::Outcome;
use crate::args::{CopiesArg, EngineArg, FairnessArg, HowArgs, StoreArg};
use crate::exit::Stop;

/// What is asked for.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// The search, if the user has named one.
    pub search: Option<Search>,
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
    pub por: Por,
    /// Where random numbers begin, if the user has said so.
    pub seed: Option<u64>,
}

impl Wanted {
    /// What the options ask for. Everything that there is no choice about must be what there is.
    pub fn from_options(how: &HowArgs) -> Outcome<Wanted> {
        refuse_unavailable(how)?;
        let search = how.search.as_deref().map(search).transpose()?;
        let fairness = match how.fairness {
            FairnessArg::None => Fairness::None,
            FairnessArg::Weak => Fairness::Weak,
            FairnessArg::Strong => Fairness::Strong,
        };
        let emptiness = search.and_then(Search::emptiness);
        if let Some(search) = search.filter(|_| emptiness.is_some()) {
            refuse_unfair(search, fairness)?;
        }
        let flags = how.fairness_copies.map(|copies| match copies {
            CopiesArg::NPlusOne => Flags::NPlusOne,
            CopiesArg::NPlusTwo => Flags::NPlusTwo,
        });
        let order = search.and_then(Search::order);
        let threads = how.threads.map_or_else(default_threads, |threads| threads as usize);
        let por = how.por.as_deref().map_or(Ok(Por::Best), por)?;
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
        let option = match self.search {
            Some(search @ (Search::Guided | Search::Walk)) => format!("--search {search}"),
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

/// The search that a name stands for.
fn search(name: &str) -> Outcome<Search> {
    let known = Search::NAMED.into_iter().find(|search| search.name() == name);
    known.ok_or_else(|| {
        let message = format!(
            "`--search {name}`: no such choice; use reach, dfs, bfs, scc, ndfs, ndfs-basic or cndfs, for nets \
             also guided or walk"
        );
        Stop::refuse("E0001", message)
    })
}

/// Refuses a search for infinite runs that does not know which of them count.
fn refuse_unfair(search: Search, fairness: Fairness) -> Outcome<()> {
    let need = Need::Fair(fairness);
    if search.provides(need) {
        return Ok(());
    }
    let setting = Setting::of(&[Value::Linear]).with_fairness(fairness);
    Err(Stop::refuse("E0001", Conflict::Lacking { search, need, setting }.message("")))
}

/// What a name says about partial-order reduction.
fn por(name: &str) -> Outcome<Por> {
    if name == "none" {
        return Ok(Por::None);
    }
    if let Some(method) = por::Method::ALL.into_iter().find(|method| method.name() == name) {
        return Ok(Por::Exactly(method));
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
            Search::from(order),
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
