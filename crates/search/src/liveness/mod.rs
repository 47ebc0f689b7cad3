//! Searches for infinite runs that a property forbids.
//!
//! An automaton accepts the forbidden runs; `product` puts it together with the model. Whether the
//! product has an accepted path is decided by one of the algorithms, each in a file of its own:
//! [`weak`] for weak automata, [`ndfs_basic`] and [`ndfs`] for one acceptance set on states,
//! [`scc`] for any. Fairness is part of acceptance in `scc`; nested searches have
//! copies of the graph for it ([`fair`]). [`lasso`] makes a run of what they find.
//!
//! The algorithms see a [`graph::Graph`]: numbered nodes, edges with marks, and the enabled actors of a node. So the same
//! code runs in tests on random explicit graphs (`explicit`), where the definition tries all sets of nodes. An algorithm
//! answers with a strongly connected part of the graph; `lasso` finds a short run in it.
//!
//! Fairness is acceptance. An edge says which actors move, a node which are enabled. Weak fairness asks of a component
//! that each actor is disabled in some node or moves on some edge, strong fairness that it moves on some edge if it is
//! enabled in some node. A rendezvous is enabled for its sender, and both sides move. An action moves every actor that
//! takes a step in its atomic chain. Where a run ends, a stutter step repeats the last state. No actor is enabled there,
//! so the repetition is fair.

mod actors;
mod cndfs;
mod colours;
#[cfg(test)]
mod explicit;
mod fair;
mod graph;
mod lasso;
mod marks;
mod memory;
mod ndfs;
mod ndfs_basic;
mod path;
mod product;
mod reader;
mod scc;
mod streett;
#[cfg(test)]
mod tests;
mod weak;

use logic::Automaton;
use model::{Fairness, Lasso, Model, OutcomeKind, PredicateId, Step, Trace};

pub use fair::Flags;

use store::Shared;

use crate::kernel::generator::Generator;
use crate::kernel::trace::Event;
use crate::kernel::{self, Kernel};
use crate::visited;
use crate::{Evidence, Findings, Options, Preserves, Reason, Reduction, StopReason, Verdict, Violation};
use graph::{Answer, Halt, Hop};
use product::Product;
use reader::Wrong;

/// The infinite runs that must not be.
#[derive(Clone, Debug)]
pub struct Forbidden {
    /// It accepts them.
    pub automaton: Automaton,
    /// The model's predicates that are the automaton's atoms.
    pub atoms: Vec<PredicateId>,
    /// The state of the automaton that is a violation as soon as it is reached: the end of a never
    /// claim.
    pub fails_at: Option<u32>,
    /// Whether a run that ends goes on by repeating its last state.
    pub stutters: bool,
    /// What such a run is called.
    pub reason: Reason,
}

/// How to decide whether there is an accepted cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Emptiness {
    /// One depth-first search. Only for weak automata, and without fairness.
    Weak,
    /// Nested depth-first search. Not for strong fairness.
    NdfsBasic,
    /// Nested depth-first search with early detection. Not for strong fairness.
    Ndfs,
    /// Strongly connected components.
    Scc,
    /// Nested depth-first search by several threads. Without fairness, and nothing is left out.
    Cndfs,
}

/// How to look for cycles.
#[derive(Clone, Copy, Debug)]
pub struct Cycles {
    /// The algorithm.
    pub emptiness: Emptiness,
    /// Which runs count.
    pub fairness: Fairness,
    /// How a nested search deals with weak fairness.
    pub flags: Flags,
}

impl Cycles {
    /// The fastest sound choice for an automaton.
    pub fn fastest(automaton: &Automaton, fairness: Fairness) -> Cycles {
        let simple = fairness == Fairness::None && logic::weak_acceptance(automaton).is_some();
        let emptiness = if simple { Emptiness::Weak } else { Emptiness::Scc };
        Cycles { emptiness, fairness, flags: Flags::NPlusOne }
    }

    /// Whether the algorithm can be used for an automaton and the fairness asked for.
    pub fn suits(&self, automaton: &Automaton) -> bool {
        match self.emptiness {
            Emptiness::Scc => true,
            Emptiness::Weak => self.fairness == Fairness::None && logic::weak_acceptance(automaton).is_some(),
            Emptiness::NdfsBasic | Emptiness::Ndfs => {
                self.fairness != Fairness::Strong && automaton.n_sets == 1 && automaton.is_state_based()
            }
            Emptiness::Cndfs => {
                self.fairness == Fairness::None && automaton.n_sets == 1 && automaton.is_state_based()
            }
        }
    }
}

/// Looks for an infinite run that is forbidden.
///
/// # Panics
/// If the algorithm does not suit ([`Cycles::suits`]), or the reduction does not: it has to keep the
/// runs that count and to watch the atoms, and there is none for strong fairness, nor with several
/// threads.
pub fn find_cycle(model: &dyn Model, forbidden: &Forbidden, cycles: &Cycles, options: &Options) -> Findings {
    assert!(cycles.suits(&forbidden.automaton), "{cycles:?} does not suit the automaton");
    if let Some(plan) = &options.reduction {
        let is_alone = cycles.emptiness != Emptiness::Cndfs;
        assert!(is_alone && is_kept(plan, forbidden, cycles.fairness), "{plan:?} does not suit");
    }
    let set = visited::numbered(model, options);
    match start(model, forbidden, options, &*set) {
        Ok(kernel) => find_cycle_from(kernel, forbidden, cycles, options),
        Err(findings) => *findings,
    }
}

/// Begins a search.
pub(crate) fn start<'a>(
    model: &'a dyn Model,
    forbidden: &Forbidden,
    options: &'a Options,
    set: &'a dyn Shared,
) -> Result<Kernel<'a>, Box<Findings>> {
    kernel::start(model, options, set, &[u64::from(forbidden.automaton.initial)])
}

/// Goes on from the initial state.
pub(crate) fn find_cycle_from<'a>(
    kernel: Kernel<'a>,
    forbidden: &'a Forbidden,
    cycles: &Cycles,
    options: &'a Options,
) -> Findings {
    let fair = cycles.fairness != Fairness::None;
    let n_threads = if cycles.emptiness == Emptiness::Cndfs { options.threads.max(1) } else { 1 };
    let mut kernels: Vec<Kernel<'_>> = (1..n_threads).map(|_| kernel.another(options)).collect();
    kernels.push(kernel);
    let accepting = accepting(&forbidden.automaton, cycles.emptiness);
    let product = |kernel| Product::new(kernel, forbidden, accepting.clone(), fair, options);
    let mut products: Vec<Product<'_>> = kernels.into_iter().map(product).collect();
    let flags = if fair { cycles.flags } else { Flags::None };
    let product = &mut products[0];
    let (thread, answer) = match cycles.emptiness {
        Emptiness::Weak => (0, weak::search(product)),
        Emptiness::NdfsBasic => (0, ndfs_basic::search(product, flags)),
        Emptiness::Ndfs => (0, ndfs::search(product, flags)),
        Emptiness::Scc => (0, scc::search(product, cycles.fairness)),
        Emptiness::Cndfs => cndfs::search(&mut products),
    };
    let is_cut = products.iter().any(|product| product.is_cut);
    let n_counted_twice: u64 = products.iter().map(|product| product.n_counted_twice).sum();
    let mut product = products.swap_remove(thread);
    product.is_cut = is_cut;
    let verdict = verdict(&mut product, &answer, cycles.fairness, forbidden.reason);
    let complete = matches!(answer, Answer::Empty) && !is_cut;
    product.kernel.meter.statistics.errors = u64::from(matches!(verdict, Verdict::Violated(_)));
    let mut findings = product.kernel.findings(verdict, complete);
    for other in products {
        findings.add(&other.kernel.findings(Verdict::Holds, complete));
    }
    findings.statistics.matched -= n_counted_twice;
    findings
}

/// Whether a reduced search shows what is forbidden if there is such a run.
fn is_kept(plan: &Reduction, forbidden: &Forbidden, fairness: Fairness) -> bool {
    let preserves = match fairness {
        Fairness::None => Preserves::InfiniteRuns,
        Fairness::Weak => Preserves::FairRuns,
        Fairness::Strong => return false,
    };
    let edges = forbidden.automaton.states.iter().flat_map(|state| &state.edges);
    let atoms = edges.fold(0, |atoms, edge| atoms | edge.guard.atoms());
    let is_watched = |(k, atom): (usize, &PredicateId)| atoms >> k & 1 == 0 || plan.watched.contains(atom);
    plan.preserves == preserves && forbidden.atoms.iter().enumerate().all(is_watched)
}

/// The states of an automaton that are accepting in the sense of an algorithm.
fn accepting(automaton: &Automaton, emptiness: Emptiness) -> Vec<bool> {
    match emptiness {
        Emptiness::Weak => logic::weak_acceptance(automaton).unwrap_or_default(),
        _ => automaton.states.iter().map(|state| state.edges.iter().any(|edge| edge.accepts == 1)).collect(),
    }
}

fn verdict(product: &mut Product<'_>, answer: &Answer, fairness: Fairness, reason: Reason) -> Verdict {
    let violation = match answer {
        Answer::Empty if product.is_cut => return Verdict::Unknown(StopReason::Depth),
        Answer::Empty => return Verdict::Holds,
        Answer::Halted { halt: Halt::Stop(stop), .. } => return Verdict::Unknown(*stop),
        Answer::Halted { node, halt: Halt::Wrong } => wrong(product, *node),
        Answer::Accepted(part) => lasso::find(product, part, fairness).map(|found| {
            let trace = trace(&mut product.kernel, &found.prefix, &found.cycle);
            Violation { reason, trace, evidence: Evidence::Cycle }
        }),
    };
    match violation {
        Ok(violation) => Verdict::Violated(violation),
        Err(Halt::Stop(stop)) => Verdict::Unknown(stop),
        Err(Halt::Wrong) => unreachable!("what was explored once has nothing wrong in it"),
    }
}

/// The violation in a node in which something is wrong.
fn wrong(product: &mut Product<'_>, node: u32) -> Result<Violation, Halt> {
    let wrong = product.wrong.take().expect("a graph that halts a search knows why");
    let mut ways = lasso::ways_into(product, |other| other == node, 1)?;
    let (mut hops, _) = ways.pop().expect("the node was reached");
    let (reason, evidence) = match wrong {
        Wrong::Claim => (Reason::NeverClaim, Evidence::Claim),
        Wrong::Predicate(failure) => (Reason::RuntimeError, Evidence::Failure(failure)),
        Wrong::Action(event, failure) => {
            hops.push(Hop { from: node, event });
            (Reason::RuntimeError, Evidence::Failure(failure))
        }
    };
    let trace = trace(&mut product.kernel, &hops, &[]);
    Ok(Violation { reason, trace, evidence })
}

/// The run along hops, the last of which may be a cycle. The store keeps no steps: every state is
/// fired again, with recording.
fn trace(kernel: &mut Kernel<'_>, prefix: &[Hop], cycle: &[Hop]) -> Trace {
    let mut recorder = Generator::recording(kernel.generator.model);
    recorder.successors.divergence = true;
    let mut steps = Vec::new();
    let mut start = None;
    for (k, hop) in prefix.iter().chain(cycle).enumerate() {
        if k == prefix.len() {
            start = Some(steps.len());
        }
        if hop.event == Event::STUTTER {
            steps.push(Step::STUTTER);
            continue;
        }
        kernel.open(hop.from);
        let index = recorder.fire_event(kernel.state(), hop.event);
        let circle = match recorder.outcomes()[index].kind {
            OutcomeKind::Diverges(circle) => Some(circle as usize),
            _ => None,
        };
        start = start.or(circle.map(|circle| steps.len() + circle));
        steps.extend_from_slice(recorder.steps(index));
        if circle.is_some() {
            // Nothing else happens ever after.
            break;
        }
    }
    Trace { steps, lasso: start.map(|start| Lasso { start }) }
}
