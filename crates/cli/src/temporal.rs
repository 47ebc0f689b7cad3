//! Properties of infinite runs: what the search is to find, and what the replay is to check.

use logic::{Goal, Ltl, UnaryOp};
use model::PredicateId;
use replay::{Claim, Infinite, Shown};
use search::{Cycles, Emptiness, Evidence, Fairness, Forbidden, Reason};

use crate::Outcome;
use crate::exit::Stop;
use crate::how::Wanted;

/// A property of infinite runs.
#[derive(Clone, Debug)]
pub struct Temporal {
    /// What a run does that violates it.
    pub shown: Shown,
    /// The predicates that are the atoms.
    pub atoms: Vec<PredicateId>,
    /// The state of the automaton that is a violation by itself.
    pub fails_at: Option<u32>,
    /// Whether a run that has ended goes on by repeating its last state.
    pub stutters: bool,
    /// What a run that violates it is called.
    pub reason: Reason,
    /// The formula, fully bracketed.
    pub text: Option<String>,
}

impl Temporal {
    /// A formula that every run must satisfy.
    pub fn formula(formula: Ltl<u32>, atoms: Vec<PredicateId>, text: String) -> Temporal {
        let shown = Shown::Violates(formula);
        let reason = Reason::AcceptanceCycle;
        Temporal { shown, atoms, fails_at: None, stutters: true, reason, text: Some(text) }
    }

    /// Runs that no run may be like.
    pub fn automaton(
        automaton: logic::Automaton,
        atoms: Vec<PredicateId>,
        fails_at: Option<u32>,
    ) -> Temporal {
        let shown = Shown::AcceptedBy(automaton);
        Temporal { shown, atoms, fails_at, stutters: true, reason: Reason::AcceptanceCycle, text: None }
    }

    /// No run comes by an accept label infinitely often; one that is stuck there does.
    pub fn acceptance(accept: PredicateId) -> Temporal {
        let never_again = Ltl::unary(UnaryOp::Always, Ltl::Atom(0).negated());
        let shown = Shown::Violates(Ltl::unary(UnaryOp::Eventually, never_again));
        let reason = Reason::AcceptanceCycle;
        Temporal { shown, atoms: vec![accept], fails_at: None, stutters: true, reason, text: None }
    }

    /// Every run that does not end makes progress infinitely often.
    pub fn progress(non_progress: PredicateId) -> Temporal {
        let progress = Ltl::unary(UnaryOp::Eventually, Ltl::Atom(0).negated());
        let shown = Shown::Violates(Ltl::unary(UnaryOp::Always, progress));
        let reason = Reason::NonProgressCycle;
        Temporal { shown, atoms: vec![non_progress], fails_at: None, stutters: false, reason, text: None }
    }

    /// The runs to look for, and how. `name` is what the property is called in messages.
    pub fn plan(&self, name: &str, wanted: &Wanted) -> Outcome<(Forbidden, Cycles)> {
        let nested =
            matches!(wanted.emptiness, Some(Emptiness::NdfsBasic | Emptiness::Ndfs | Emptiness::Cndfs));
        let automaton =
            self.automaton_for(name, if nested { Goal::StateBased } else { Goal::Generalised })?;
        let fastest = Cycles::fastest(&automaton, wanted.fairness);
        let fastest = Cycles { flags: wanted.flags.unwrap_or(fastest.flags), ..fastest };
        let asked = Cycles { emptiness: wanted.emptiness.unwrap_or(fastest.emptiness), ..fastest };
        let cycles = if asked.suits(&automaton) { asked } else { fastest };
        let (atoms, fails_at) = (self.atoms.clone(), self.fails_at);
        let forbidden =
            Forbidden { automaton, atoms, fails_at, stutters: self.stutters, reason: self.reason };
        Ok((forbidden, cycles))
    }

    fn automaton_for(&self, name: &str, goal: Goal) -> Outcome<logic::Automaton> {
        match &self.shown {
            Shown::Violates(formula) => logic::translate(&formula.clone().negated(), goal)
                .map_err(|too_large| Stop::refuse("E0010", format!("{name}: {too_large}"))),
            Shown::AcceptedBy(automaton) => {
                let suits = automaton.n_sets == 1 && automaton.is_state_based();
                Ok(if goal == Goal::Generalised || suits {
                    automaton.clone()
                } else {
                    logic::degeneralise(automaton)
                })
            }
        }
    }

    /// What a violating run shows.
    pub fn claim(&self, evidence: &Evidence, fairness: Fairness) -> Claim {
        match (evidence, &self.shown, self.fails_at) {
            (Evidence::Claim, Shown::AcceptedBy(automaton), Some(at)) => {
                Claim::Fails { automaton: automaton.clone(), atoms: self.atoms.clone(), at }
            }
            (Evidence::Failure(failure), ..) => Claim::Failure(failure.clone()),
            _ => Claim::Infinite(Infinite {
                shown: self.shown.clone(),
                atoms: self.atoms.clone(),
                stutters: self.stutters,
                fairness,
            }),
        }
    }
}
