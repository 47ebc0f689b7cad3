//! Never claims become automata.
//!
//! A claim takes one step with every step of the system, and reads the state from which the system
//! goes on. It passes an `atomic` in one go, in the same state; if it is stuck inside, that way is no
//! way. To reach the closing brace or an `end` label is a violation, and so is an assertion that fails.
//!
//! The automaton is built from the same graph of elements as a process has (`flow`).

use logic::State;
use model::Over;
use rustc_hash::FxHashMap;

use super::automaton::{Automaton, Edge};
use super::condition::Condition;
use super::flow::{Elem, ElementKind};
use super::property::{Atoms, Property, PropertyKind, too_large};
use super::{Lowering, automaton_of};
use crate::tree::{self, StmtKind};

/// The most steps on all ways out of one place of a claim.
const MAX_STEPS: usize = 1000;

/// A never claim as an automaton: a run that it accepts is a violation.
#[derive(Clone, Debug, PartialEq)]
pub struct NeverClaim {
    /// The automaton, with one acceptance set: the edges out of places with an `accept` label.
    pub automaton: logic::Automaton,
    /// The state that means that the claim has ended or that an assertion in it has failed: to reach
    /// it is a violation, however the run goes on. It has an accepting loop.
    pub fails_at: Option<u32>,
}

/// Where a claim stands.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Place {
    At(Elem),
    Failed,
}

struct Builder<'a, 't, 'p> {
    lowering: &'a mut Lowering<'t, 'p>,
    control: Automaton<'t>,
    atoms: Atoms,
    /// The places that the states of the automaton stand for.
    places: Vec<Place>,
    /// The state of each place.
    states: FxHashMap<Place, u32>,
}

/// A way out of a place: the conditions on it, and where it leads.
struct Way {
    conditions: Vec<Condition>,
    /// The statement that it starts with.
    statement: Elem,
    target: Place,
}

/// The ways out of a place, as far as they have been found.
#[derive(Default)]
struct Walk {
    /// The conditions on the way to here.
    conditions: Vec<Condition>,
    /// The statements on the way to here: all inside atomic blocks.
    passed: Vec<Elem>,
    n_steps: usize,
    ways: Vec<Way>,
}

impl<'t> Lowering<'t, '_> {
    /// The property of a claim.
    pub fn claim(&mut self, claim: &'t tree::NeverClaim) -> Result<Property, Over> {
        let control = automaton_of(self.program, &claim.body, &mut self.pace)?;
        let mut builder = Builder {
            lowering: self,
            control,
            atoms: Atoms::default(),
            places: Vec::new(),
            states: FxHashMap::default(),
        };
        let automaton = builder.automaton()?;
        let fails_at = builder.states.get(&Place::Failed).copied();
        let atoms = builder.atoms;
        self.check_atoms(&atoms, claim.span);
        Ok(Property {
            name: claim.name.clone(),
            kind: PropertyKind::Never(NeverClaim { automaton, fails_at }),
            atoms: atoms.list,
            source: self.program.locate(claim.span),
        })
    }
}

impl Builder<'_, '_, '_> {
    fn automaton(&mut self) -> Result<logic::Automaton, Over> {
        let start = self.arrival(self.control.locations[0]);
        let mut automaton = logic::Automaton { n_sets: 1, initial: self.state(start), states: Vec::new() };
        while let Some(&place) = self.places.get(automaton.states.len()) {
            let edges = match place {
                Place::Failed => {
                    let target = automaton.states.len() as u32;
                    vec![logic::Edge { guard: logic::Guard::always(), accepts: 1, target }]
                }
                Place::At(elem) => self.edges(elem)?,
            };
            automaton.states.push(State { edges });
        }
        Ok(automaton)
    }

    /// The state of a place.
    fn state(&mut self, place: Place) -> u32 {
        *self.states.entry(place).or_insert_with(|| {
            self.places.push(place);
            self.places.len() as u32 - 1
        })
    }

    fn arrival(&self, elem: Elem) -> Place {
        if self.control.marks[elem].end { Place::Failed } else { Place::At(elem) }
    }

    fn edges(&mut self, elem: Elem) -> Result<Vec<logic::Edge>, Over> {
        let mut walk = Walk::default();
        self.walk(elem, &mut walk)?;
        if walk.n_steps > MAX_STEPS {
            let message = format!("more than {MAX_STEPS} steps lead on from this place of the claim");
            let help = "write the claim with fewer choices, above all inside `atomic`";
            self.lowering.errors.push(too_large(message, self.control.flow.elements[elem].span, help));
            return Ok(Vec::new());
        }
        let accepts = u64::from(self.control.marks[elem].accept);
        let mut edges = Vec::with_capacity(walk.ways.len());
        for way in walk.ways {
            let guard = self.guard(&way)?;
            // Without cubes it is false.
            if !guard.cubes.is_empty() {
                edges.push(logic::Edge { guard, accepts, target: self.state(way.target) });
            }
        }
        Ok(edges)
    }

    /// Follows the steps from a place to the ends of the atomic blocks that they lead into.
    fn walk(&mut self, elem: Elem, walk: &mut Walk) -> Result<(), Over> {
        let edges = self.control.edges[elem].clone();
        if edges.len() > MAX_STEPS {
            walk.n_steps = MAX_STEPS + 1;
            return Ok(());
        }
        let own = self.conditions(&edges)?;
        for (edge, condition) in edges.iter().zip(own) {
            walk.n_steps += 1;
            // Round in circles inside an atomic block is no way either.
            if walk.n_steps > MAX_STEPS || walk.passed.contains(&edge.statement) {
                continue;
            }
            let statement = *walk.passed.first().unwrap_or(&edge.statement);
            walk.conditions.push(condition);
            if let Some(failing) = self.failing(edge)? {
                let conditions = walk.conditions.iter().cloned().chain([failing]).collect();
                walk.ways.push(Way { conditions, statement, target: Place::Failed });
            }
            if let Some(target) = edge.target {
                match self.arrival(target) {
                    Place::At(target) if edge.chain => {
                        walk.passed.push(edge.statement);
                        self.walk(target, walk)?;
                        walk.passed.pop();
                    }
                    target => walk.ways.push(Way { conditions: walk.conditions.clone(), statement, target }),
                }
            }
            walk.conditions.pop();
        }
        Ok(())
    }

    /// When each of the steps of a place can be taken: an escape before what it escapes from, `else`
    /// if nothing else.
    fn conditions(&mut self, edges: &[Edge]) -> Result<Vec<Condition>, Over> {
        let mut own: Vec<Condition> = Vec::with_capacity(edges.len());
        for (k, edge) in edges.iter().enumerate() {
            // Each may be taken apart by what those before it say.
            self.lowering.pace.steps(1 + k)?;
            let condition = match &self.control.flow.elements[edge.statement].node {
                ElementKind::Else => Condition::Any(own[edge.since as usize..k].to_vec()).negated(),
                ElementKind::Stmt(tree::Stmt { kind: StmtKind::Condition(condition), .. }) => {
                    self.condition(condition)?
                }
                _ => Condition::TRUE,
            };
            own.push(condition);
        }
        let alone = |(k, edge): (usize, &Edge)| {
            let before = edges[..k].iter().zip(&own);
            let escapes = before.filter(|(other, _)| other.escape.is_some() && other.escape != edge.escape);
            let blocked = escapes.map(|(_, condition)| condition.clone().negated());
            Condition::All(blocked.chain([own[k].clone()]).collect())
        };
        Ok(edges.iter().enumerate().map(alone).collect())
    }

    fn condition(&mut self, condition: &tree::Expr) -> Result<Condition, Over> {
        Ok(Condition::of(&self.lowering.formula(&condition.clone().into_formula())?))
    }

    /// When the assertion of a step fails.
    fn failing(&mut self, edge: &Edge) -> Result<Option<Condition>, Over> {
        match &self.control.flow.elements[edge.statement].node {
            ElementKind::Stmt(tree::Stmt { kind: StmtKind::Assert(condition), .. }) => {
                Ok(Some(self.condition(condition)?.negated()))
            }
            _ => Ok(None),
        }
    }

    /// Whether an earlier condition may save a later one from a failure: then they are not taken apart.
    fn is_guarded(&self, way: &Way) -> bool {
        let may_fail = |predicate: u32| self.lowering.predicates[predicate as usize].expr.may_fail();
        way.conditions.iter().skip(1).any(|condition| condition.mentions(&may_fail))
    }

    fn guard(&mut self, way: &Way) -> Result<logic::Guard, Over> {
        let condition = Condition::All(way.conditions.clone());
        if !self.is_guarded(way)
            && let Some(guard) = condition.guard(&mut self.atoms)
        {
            return Ok(guard);
        }
        let span = self.control.flow.elements[way.statement].span;
        let whole = Condition::Literal(self.lowering.merged(&condition, span)?, true);
        Ok(whole.guard(&mut self.atoms).expect("one literal is one cube"))
    }
}
