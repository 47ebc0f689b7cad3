//! What is preferred where the user has left something open: the first that the table admits is taken.

use model::PredicateId;
use por::{Method, Reduction};
use search::Order;

use crate::answer::Remark;
use crate::options::{Options, Search};
use crate::soundness::{self, Dimension, Need, Refusal, Row, Setting, Value};
use crate::system::Habits;

/// What the user says about partial-order reduction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Por {
    /// Nothing: the best that is sound.
    #[default]
    Best,
    /// It is not wanted.
    None,
    /// This method or no answer at all.
    Exactly(Method),
}

impl Por {
    /// What a name says.
    pub fn named(name: &str) -> Option<Por> {
        if name == "none" {
            return Some(Por::None);
        }
        Method::ALL.into_iter().find(|method| method.name() == name).map(Por::Exactly)
    }
}

/// How a question is answered soundly.
#[derive(Clone, Debug)]
pub struct Admitted {
    /// The row that says so.
    pub row: &'static Row,
    /// What is left out, if anything.
    pub reduction: Option<Reduction>,
    /// Whether that is said of a smaller system.
    pub compressed: bool,
    /// What there is to know about that.
    pub remark: Option<Remark>,
}

/// What does not go together.
#[derive(Clone, Copy, Debug)]
pub enum Conflict {
    /// The table refuses it.
    Refused(Refusal),
    /// The search does not do what a row needs.
    Lacking {
        /// The search that was named.
        search: Search,
        /// What it does not do.
        need: Need,
        /// The setting.
        setting: Setting,
    },
}

impl Conflict {
    /// Why.
    pub fn why(&self) -> &'static str {
        match self {
            Conflict::Refused(refusal) => refusal.why(),
            Conflict::Lacking { search, need, .. } => search.lacks(*need),
        }
    }

    /// The message for the user, about a property with this name.
    pub fn message(&self, property: &str) -> String {
        match self {
            Conflict::Refused(refusal) => refusal.message(property),
            Conflict::Lacking { search, need: Need::Path, setting } => {
                let method = setting.get(Dimension::Por).map_or("", Value::name);
                format!(
                    "`--por {method}` with `--search {search}`: {}; use `--por none`, or leave --por out, or use another \
                     search",
                    self.why()
                )
            }
            Conflict::Lacking { search, setting, .. } => {
                let fairness = if setting.has(Value::Strong) { "strong" } else { "weak" };
                format!(
                    "`--search {search}` with `--fairness {fairness}`: {}; use `--search scc`, or leave --search out",
                    self.why()
                )
            }
        }
    }
}

/// Whether anything is to be left out, if that is sound.
pub fn wants_reduction(options: &Options) -> bool {
    options.por != Por::None && !(options.por == Por::Best && options.order() == Some(Order::Breadth))
}

/// Whether a smaller system is explored where the user says nothing: not where all states, all errors, or a shortest run are
/// wanted, or no reduction.
pub fn compresses(options: &Options, setting: Setting) -> bool {
    let wants = [Value::Count, Value::AllErrors, Value::Shortest, Value::DepthLimit];
    options.compresses && options.por != Por::None && !wants.into_iter().any(|value| setting.has(value))
}

/// The order in which finite runs are explored. Reduction does best depth-first.
pub fn order(options: &Options, is_reduced: bool) -> Order {
    let fastest = if is_reduced { Order::Depth } else { Order::Any };
    within_depth(options.order().unwrap_or(fastest), options)
}

/// Whether random walks are made beside an exploration that turns out to be long. A search that is named is used alone.
pub fn probes(options: &Options, habits: Habits) -> bool {
    let is_exact = options.store.is_none_or(|store| !store.is_lossy());
    let wants_one = options.stop_after == Some(1) && options.limits.depth == u64::MAX;
    habits.probes && options.search.is_none() && is_exact && wants_one
}

/// The order instead of one that cannot be limited in depth.
pub fn within_depth(order: Order, options: &Options) -> Order {
    if order == Order::Any && options.limits.depth < u64::MAX { Order::Depth } else { order }
}

/// The method that is tried first where none is named.
fn methods(setting: Setting) -> &'static [Method] {
    // Where reduction would take away what the user wants to see: a shortest counterexample, every error, every state.
    let wants = [Value::Count, Value::AllErrors, Value::Shortest];
    if wants.into_iter().any(|value| setting.has(value)) {
        &[]
    } else if setting.has(Value::Weak) {
        &[Method::Ample]
    } else {
        &[Method::Stubborn]
    }
}

/// Decides whether and how partial orders are reduced, in a setting that says nothing about that, for a search and the
/// predicates on which the question depends.
///
/// # Errors
/// If what the user has named does not go together.
pub fn reduction(
    setting: Setting,
    por: Por,
    search: Search,
    watched: &[PredicateId],
) -> Result<Admitted, Conflict> {
    let plain = admit(setting, search, watched)?;
    let (wanted, is_named) = match por {
        Por::None => (&[][..], false),
        Por::Exactly(ref method) => (std::slice::from_ref(method), true),
        Por::Best => (methods(setting), false),
    };
    let mut passed_over = None;
    for &method in wanted {
        match admit(setting.with(method.into()), search, watched) {
            Ok(admitted) => return Ok(admitted),
            Err(conflict) if is_named => return Err(conflict),
            Err(conflict) => passed_over = Some(conflict.why()),
        }
    }
    Ok(Admitted { remark: passed_over.map(Remark::NotReduced), ..plain })
}

/// What the table says of a setting in which everything is fixed.
fn admit(setting: Setting, search: Search, watched: &[PredicateId]) -> Result<Admitted, Conflict> {
    let row = soundness::judge(setting).map_err(Conflict::Refused)?;
    if let Some(&need) = row.needs().iter().find(|&&need| !search.provides(need)) {
        return Err(Conflict::Lacking { search, need, setting });
    }
    let named = setting.get(Dimension::Por).and_then(Value::method);
    let reduction = named.and_then(|method| obey(row, method, watched));
    let used = reduction.as_ref().map(|reduction| reduction.method);
    let remark = named.and_then(|por| {
        if used.is_some_and(|used| used != por) && row.needs().contains(&Need::OwnSets) {
            return Some(Remark::SetsOfOneProcess(por));
        }
        let text = soundness::notes(setting).next()?.text;
        Some(Remark::Row { por, counts_states: setting.has(Value::Count), text })
    });
    Ok(Admitted { row, reduction, compressed: false, remark })
}

/// The reduction that a row asks for if a method is named.
fn obey(row: &Row, named: Method, watched: &[PredicateId]) -> Option<Reduction> {
    let mut reduction = None;
    let mut method = named;
    for need in row.needs() {
        match need {
            Need::Keep(preserves) => reduction = Some(*preserves),
            // Sets towards a goal are closed in one way only, whichever method is named.
            Need::KeepGoal => {
                reduction = watched.first().map(|&goal| por::Preserves::Goal(goal));
                method = Method::Stubborn;
            }
            Need::OwnSets if named != Method::Local => method = Method::Ample,
            Need::OwnSets | Need::Whole | Need::WholeSteps | Need::Path | Need::Fair(_) => {}
        }
    }
    let preserves = reduction?;
    // What keeps finite runs keeps failures, too, and depends on no predicate.
    let is_blind = matches!(preserves, por::Preserves::Deadlocks | por::Preserves::FiniteRuns);
    let watched = if is_blind { Vec::new() } else { watched.to_vec() };
    Some(Reduction { method, preserves, watched })
}
