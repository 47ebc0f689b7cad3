//! From many acceptance sets on edges to one on states.
//!
//! A state is copied for every level: the number of sets, in some order, that were visited since
//! the last round. Where a run enters a component it may start at any level, and inside it only the
//! levels count to which it comes back. So every component is copied on its own, in the way that
//! needs the fewest copies.

mod thin;

use model::{Over, Pace, Patience};
use rustc_hash::FxHashMap;
use thin::thinned;

use crate::graph::{Arc, Graph};
use crate::reduce::{Passing, accepting, normalise, trim};
use crate::scc::{Components, components};
use crate::{Automaton, Goal, Guard};

/// All orders are tried for up to so many sets.
const MAX_PERMUTED: usize = 4;
/// Sets with fewer edges are tried for graphs with up to so many edges.
const MAX_THINNED: usize = 1000;

/// An automaton for the same language with one acceptance set, in which the edges that leave a
/// state all are or all are not.
///
/// # Errors
/// If it takes longer than there is patience.
pub fn degeneralise(automaton: &Automaton, patience: &Patience) -> Result<Automaton, Over> {
    let mut graph = Graph::with_labels(automaton, |guard| guard);
    graph.states.iter_mut().for_each(|arcs| arcs.retain(|arc| !arc.label.cubes.is_empty()));
    Ok(state_based(&graph, &mut patience.pace())?.with_guards(Guard::clone))
}

/// As [`degeneralise`].
pub(crate) fn state_based<L: Copy>(graph: &Graph<L>, pace: &mut Pace<'_>) -> Result<Graph<L>, Over> {
    let mut graph = trim(graph);
    normalise(&mut graph, Goal::Generalised, Passing::NoSet, pace)?;
    let components = graph.components();
    let alive = accepting(&graph, &components);
    let variants = variants(graph, &components, pace)?;
    let plan = |(members, alive): (Vec<usize>, bool)| match alive {
        true => best_plan(&variants, members, pace),
        false => Ok(Plan::rejecting(&variants[0], members)),
    };
    let plans = components.members().into_iter().zip(alive).map(plan).collect::<Result<Vec<Plan<L>>, _>>()?;
    Ok(assemble(variants[0].graph.initial, &components, &plans))
}

/// The same graph with different acceptance sets.
fn variants<'c, L: Copy>(
    graph: Graph<L>,
    components: &'c Components,
    pace: &mut Pace<'_>,
) -> Result<Vec<Variant<'c, L>>, Over> {
    let mut graphs = Vec::new();
    if graph.size().1 <= MAX_THINNED {
        graphs.push(thinned(&graph, components, |source, _| source, pace)?);
        graphs.push(thinned(&graph, components, |_, arc| arc.target, pace)?);
    }
    graphs.push(graph);
    Ok(graphs.into_iter().map(|graph| Variant::new(graph, components)).collect())
}

/// A graph with one choice of acceptance sets.
struct Variant<'c, L> {
    graph: Graph<L>,
    components: &'c Components,
    /// For every state, the sets in which all its edges inside the component are.
    common: Vec<u64>,
}

impl<'c, L: Copy> Variant<'c, L> {
    fn new(graph: Graph<L>, components: &'c Components) -> Variant<'c, L> {
        let mut variant = Variant { graph, components, common: Vec::new() };
        let all = variant.graph.all_sets();
        let common = |state| variant.inner(state).fold(all, |common, arc| common & arc.accepts);
        variant.common = (0..variant.graph.states.len()).map(common).collect();
        variant
    }

    fn is_inner(&self, state: usize, arc: &Arc<L>) -> bool {
        self.components.of[arc.target] == self.components.of[state]
    }

    /// The edges that stay in the state's component.
    fn inner(&self, state: usize) -> impl Iterator<Item = &Arc<L>> {
        self.graph.states[state].iter().filter(move |arc| self.is_inner(state, arc))
    }
}

/// A state at a level.
type StateCopy = (usize, usize);

/// When a run counts the sets in which all edges of a state are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Counting {
    /// When it takes the edge.
    Late,
    /// When it comes to the state. A new round that starts there does not count them again.
    Early,
    /// When it comes to the state, and again if a new round starts there. That is no harm: a set
    /// whose edges are taken finitely often is counted finitely often.
    Twice,
}

/// How a component is copied.
struct Plan<'v, L> {
    variant: &'v Variant<'v, L>,
    /// The sets in the order of their levels; the level after the last is the accepting one. None
    /// if the component accepts nothing.
    order: Option<Vec<u32>>,
    counting: Counting,
    copies: Vec<StateCopy>,
}

impl<'v, L: Copy> Plan<'v, L> {
    fn rejecting(variant: &'v Variant<'v, L>, members: Vec<usize>) -> Plan<'v, L> {
        let copies = members.into_iter().map(|state| (state, 0)).collect();
        Plan { variant, order: None, counting: Counting::Late, copies }
    }

    fn accepts_at(&self, level: usize) -> bool {
        self.order.as_ref().is_some_and(|order| level == order.len())
    }

    /// Where an edge inside the component leads.
    fn step(&self, (state, level): StateCopy, arc: &Arc<L>) -> StateCopy {
        let Some(order) = &self.order else { return (arc.target, 0) };
        let climb = |level: usize, accepts: u64| {
            level + order[level..].iter().take_while(|&&set| accepts >> set & 1 == 1).count()
        };
        let starts = level == order.len();
        let counted = if starts && self.counting == Counting::Early { self.variant.common[state] } else { 0 };
        let level = climb(if starts { 0 } else { level }, arc.accepts & !counted);
        match self.counting {
            Counting::Late => (arc.target, level),
            Counting::Early | Counting::Twice => (arc.target, climb(level, self.variant.common[arc.target])),
        }
    }

    /// Keeps the copies to which a run comes back again and again.
    fn find_copies(&mut self, start: usize, pace: &mut Pace<'_>) -> Result<(), Over> {
        let mut copies = vec![(start, 0)];
        let mut numbers = FxHashMap::from_iter([(copies[0], 0)]);
        let mut successors: Vec<Vec<usize>> = Vec::new();
        while let Some(&copy) = copies.get(successors.len()) {
            pace.steps(self.variant.graph.states[copy.0].len())?;
            let targets = self.variant.inner(copy.0).map(|arc| {
                let target = self.step(copy, arc);
                *numbers.entry(target).or_insert_with(|| {
                    copies.push(target);
                    copies.len() - 1
                })
            });
            successors.push(targets.collect());
        }
        let components = components(copies.len(), |copy, i| successors[copy].get(i).copied());
        // The component with the smallest number leads to no other.
        self.copies =
            (0..copies.len()).filter(|&copy| components.of[copy] == 0).map(|copy| copies[copy]).collect();
        Ok(())
    }
}

/// The plan with the fewest copies.
fn best_plan<'v, L: Copy>(
    variants: &'v [Variant<'v, L>],
    members: Vec<usize>,
    pace: &mut Pace<'_>,
) -> Result<Plan<'v, L>, Over> {
    let common =
        |variant: &Variant<L>| members.iter().fold(u64::MAX, |common, &state| common & variant.common[state]);
    let needed = |variant: &Variant<L>| {
        (0..variant.graph.n_sets).filter(|set| common(variant) >> set & 1 == 0).collect()
    };
    let mut plans = Vec::new();
    for variant in variants {
        for order in orders(needed(variant)) {
            for counting in [Counting::Early, Counting::Twice, Counting::Late] {
                let mut plan = Plan { variant, order: Some(order.clone()), counting, copies: Vec::new() };
                plan.find_copies(members[0], pace)?;
                plans.push(plan);
            }
        }
    }
    Ok(plans.into_iter().min_by_key(|plan| plan.copies.len()).expect("there is a variant with an order"))
}

/// All orders of a few sets; one order of many.
fn orders(sets: Vec<u32>) -> Vec<Vec<u32>> {
    if sets.is_empty() || sets.len() > MAX_PERMUTED {
        return vec![sets];
    }
    let mut all = Vec::new();
    for (i, &first) in sets.iter().enumerate() {
        let mut others = sets.clone();
        others.remove(i);
        all.extend(orders(others).into_iter().map(|order| [vec![first], order].concat()));
    }
    all
}

/// The graph of all copies.
fn assemble<L: Copy>(initial: usize, components: &Components, plans: &[Plan<L>]) -> Graph<L> {
    let mut numbers = FxHashMap::default();
    // Where a component is entered: the copy of the state that has the highest level.
    let mut entries = vec![(0, 0); components.of.len()];
    let copies = || plans.iter().flat_map(|plan| plan.copies.iter().map(move |&copy| (plan, copy)));
    for (number, (_, copy)) in copies().enumerate() {
        numbers.insert(copy, number);
        entries[copy.0] = entries[copy.0].max((copy.1, number));
    }
    let arcs = |(plan, copy): (&Plan<L>, StateCopy)| {
        let accepts = plan.accepts_at(copy.1) as u64;
        let target = |arc: &Arc<L>| match plan.variant.is_inner(copy.0, arc) {
            true => numbers[&plan.step(copy, arc)],
            false => entries[arc.target].1,
        };
        let arcs = plan.variant.graph.states[copy.0].iter();
        arcs.map(|arc| Arc { target: target(arc), accepts, label: arc.label }).collect()
    };
    Graph { n_sets: 1, initial: entries[initial].1, states: copies().map(arcs).collect() }
}
