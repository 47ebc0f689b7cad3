//! A model's temporal properties, decided by all searches.

use ir::{Expr, Interpreter, Mark, Player};
use logic::{Automaton, Goal, Ltl, UnaryOp};
use model::{Location, Patience, PredicateId};
use promela::{Lowered, Property, PropertyKind};
use replay::{Evidence, Language};
use search::{Cycles, Emptiness, Fairness, Flags, Forbidden, Limits, Reason, Verdict};

/// Properties that need more states are left out.
const STATES: u64 = 20_000;

/// A model and what is said about it.
pub struct Watched {
    interpreter: Interpreter,
    properties: Vec<Property>,
}

impl Watched {
    /// Adds what every model has: its accept and progress labels.
    pub fn new(lowered: Lowered) -> Watched {
        let Lowered { mut program, mut properties, .. } = lowered;
        let mut add = |name: &str, mark: Mark, violated_by: Ltl<u32>| {
            let source = Location::default();
            program.predicates.push(ir::Predicate {
                expr: Expr::SomeAt(mark),
                text: name.to_string(),
                source,
            });
            let atoms = vec![PredicateId(program.predicates.len() as u32 - 1)];
            let kind = PropertyKind::Ltl { formula: violated_by.negated(), text: String::new() };
            properties.push(Property { name: name.to_string(), kind, atoms, source });
        };
        let marked = || Ltl::Atom(0);
        let again_and_again = |what| Ltl::unary(UnaryOp::Always, Ltl::unary(UnaryOp::Eventually, what));
        add("accept", Mark::Accept, again_and_again(marked()));
        add("non-progress", Mark::Progress, again_and_again(marked()).negated());
        Watched { interpreter: Interpreter::new(program), properties }
    }

    /// The verdict on which all searches agree, in the words of the corpus table; none if it takes too
    /// long.
    pub fn decide(&self, name: &str) -> Option<&'static str> {
        let plain = name.trim_end_matches("+fair");
        let fairness = if plain == name { Fairness::None } else { Fairness::Weak };
        let plain = if plain == "ltl" { "ltl_0" } else { plain };
        let Some(property) = self.properties.iter().find(|property| property.name == plain) else {
            return Some("missing");
        };
        let verdict = self.search(property, None, fairness)?;
        let others = [Emptiness::Scc, Emptiness::Ndfs, Emptiness::NdfsBasic];
        let found = others.map(|emptiness| self.search(property, Some(emptiness), fairness));
        let agree = found.into_iter().flatten().all(|other| other == verdict);
        Some(if agree { verdict } else { "searches disagree" })
    }

    /// The verdict of one search; without a choice, of the fastest one.
    fn search(
        &self,
        property: &Property,
        emptiness: Option<Emptiness>,
        fairness: Fairness,
    ) -> Option<&'static str> {
        let nested = matches!(emptiness, Some(Emptiness::Ndfs | Emptiness::NdfsBasic));
        let automaton = automaton(property, if nested { Goal::StateBased } else { Goal::Generalised });
        let fastest = Cycles::fastest(&automaton, fairness);
        let cycles =
            Cycles { emptiness: emptiness.unwrap_or(fastest.emptiness), flags: Flags::NPlusTwo, ..fastest };
        let forbidden = Forbidden {
            automaton,
            atoms: property.atoms.clone(),
            fails_at: fails_at(property),
            stutters: property.name != "non-progress",
            reason: Reason::AcceptanceCycle,
        };
        let limits = Limits { states: STATES, ..Limits::default() };
        let options = search::Options { limits, ..search::Options::default() };
        match search::find_cycle(&self.interpreter, &forbidden, &cycles, &options).verdict {
            Verdict::Unknown(_) => None,
            Verdict::Holds => Some("holds"),
            Verdict::Violated(violation) => {
                let evidence = evidence(property, &forbidden, &violation.evidence, fairness);
                let play = Player::start(&self.interpreter);
                replay::replay(play, &violation.trace, &evidence, &Patience::default())
                    .expect("a violation replays");
                Some("violated")
            }
        }
    }
}

/// It accepts the runs that a property forbids.
fn automaton(property: &Property, goal: Goal) -> Automaton {
    match &property.kind {
        PropertyKind::Never(claim) => claim.automaton.clone(),
        PropertyKind::Ltl { formula, .. } => {
            logic::translate(&formula.clone().negated(), goal, &Patience::default())
                .expect("formulas in the corpus are small")
        }
    }
}

fn fails_at(property: &Property) -> Option<u32> {
    match &property.kind {
        PropertyKind::Never(claim) => claim.fails_at,
        PropertyKind::Ltl { .. } => None,
    }
}

/// What a violating run is said to show.
fn evidence(
    property: &Property,
    forbidden: &Forbidden,
    found: &search::Evidence,
    fairness: Fairness,
) -> Evidence {
    let atoms = property.atoms.clone();
    match (found, &property.kind, forbidden.fails_at) {
        (search::Evidence::Failure(failure), ..) => Evidence::Failure(failure.clone()),
        (search::Evidence::Claim, PropertyKind::Never(claim), Some(at)) => {
            Evidence::Fails { automaton: claim.automaton.clone(), atoms, at }
        }
        (_, kind, _) => {
            let language = match kind {
                PropertyKind::Never(claim) => Language::Accepted(claim.automaton.clone()),
                PropertyKind::Ltl { formula, .. } => Language::Violating(formula.clone()),
            };
            Evidence::Infinite { language, atoms, stutters: forbidden.stutters, fairness }
        }
    }
}
