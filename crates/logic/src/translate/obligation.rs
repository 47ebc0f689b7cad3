//! Minimal deterministic automata for obligations: the languages of deterministic weak automata.
//!
//! If a language is an obligation, the subset construction for any automaton that accepts it
//! becomes a deterministic weak automaton once every component is known to accept or to reject
//! (Dax, Eisinger and Klaedtke), and such an automaton has a unique smallest one, found as for
//! finite words (Löding). Whether the language was an obligation is seen when the result is
//! compared with the original.

use model::Over;
use rustc_hash::FxHashMap;

use crate::bdd::{Bdd, Bdds};
use crate::graph::{Arc, Graph};
use crate::reduce::{accepting, bisimulation};
use crate::scc::Components;

/// How many edges a graph may have.
const MAX_ARCS: usize = 4000;
/// How many subsets are tried.
const MAX_SUBSETS: usize = 500;
/// How many edges may leave a subset.
const MAX_CLASSES: usize = 500;
/// How many pairs of edges are compared to see whether the result is right.
const MAX_PAIRS: usize = 4_000_000;

/// The smallest deterministic, complete and weak graph for the graph's language, if the language is
/// an obligation and this graph is not too hard to find. It is state-based.
pub(super) fn minimal_weak(graph: &Graph, bdds: &mut Bdds) -> Result<Option<Graph>, Over> {
    if graph.size().1 > MAX_ARCS {
        return Ok(None);
    }
    let Some((mut weak, subsets)) = subset_construction(graph, bdds)? else { return Ok(None) };
    mark(&mut weak, graph, &subsets, bdds)?;
    bisimulation(&weak, bdds).map(Some)
}

/// Whether the weak graph certainly accepts the same as the graph, whose complement is given.
pub(super) fn is_equivalent(
    weak: &Graph,
    graph: &Graph,
    complement: &Graph,
    bdds: &mut Bdds,
) -> Result<bool, Over> {
    Ok(are_disjoint(weak, complement, bdds)? && are_disjoint(&flipped(weak), graph, bdds)?)
}

/// Sets of states.
type Subsets = Vec<Vec<usize>>;

/// Disjoint conditions, and where the states of a subset lead under each.
type Classes = Vec<(Bdd, Vec<usize>)>;

/// The deterministic and complete graph of the sets of states in which the graph can be, and these
/// sets.
fn subset_construction(graph: &Graph, bdds: &mut Bdds) -> Result<Option<(Graph, Subsets)>, Over> {
    let mut subsets = vec![vec![graph.initial]];
    let mut numbers = FxHashMap::from_iter([(subsets[0].clone(), 0)]);
    let mut states: Vec<Vec<Arc>> = Vec::new();
    while let Some(subset) = subsets.get(states.len()) {
        let mut arcs = Vec::new();
        let Some(classes) = classes(graph, subset, bdds)? else { return Ok(None) };
        for (label, targets) in classes {
            let target = *numbers.entry(targets.clone()).or_insert_with(|| {
                subsets.push(targets);
                subsets.len() - 1
            });
            arcs.push(Arc { target, accepts: 0, label });
        }
        states.push(arcs);
        if subsets.len() > MAX_SUBSETS {
            return Ok(None);
        }
    }
    let mut result = Graph { n_sets: 1, initial: 0, states };
    result.merge_arcs(bdds)?;
    Ok(Some((result, subsets)))
}

/// Disjoint labels, which together are always true, and where the states of a subset lead under
/// each, unless these are too many.
fn classes(graph: &Graph, subset: &[usize], bdds: &mut Bdds) -> Result<Option<Classes>, Over> {
    let mut classes = vec![(Bdd::TRUE, Vec::new())];
    for arc in subset.iter().flat_map(|&state| &graph.states[state]) {
        bdds.steps(classes.len())?;
        for i in 0..classes.len() {
            let (label, targets) = &mut classes[i];
            let inside = bdds.and(*label, arc.label);
            let outside = bdds.minus(*label, arc.label);
            if inside == Bdd::FALSE {
                continue;
            }
            let before = targets.clone();
            *label = inside;
            targets.push(arc.target);
            if outside != Bdd::FALSE {
                classes.push((outside, before));
            }
        }
        if classes.len() > MAX_CLASSES {
            return Ok(None);
        }
    }
    for (_, targets) in &mut classes {
        targets.sort_unstable();
        targets.dedup();
    }
    Ok(Some(classes))
}

/// Makes the subset graph weak: it accepts in the components in which the original graph can.
fn mark(weak: &mut Graph, graph: &Graph, subsets: &[Vec<usize>], bdds: &mut Bdds) -> Result<(), Over> {
    let components = weak.components();
    let accepts = accepting_components(weak, &components, graph, subsets, bdds)?;
    let colours = colours(weak, &components, &accepts);
    for (arcs, component) in weak.states.iter_mut().zip(&components.of) {
        arcs.iter_mut().for_each(|arc| arc.accepts = colours[*component].is_multiple_of(2) as u64);
    }
    Ok(())
}

/// The components of the subset graph in which the original graph accepts some run. If its language
/// is an obligation, it accepts all runs that stay there.
fn accepting_components(
    weak: &Graph,
    components: &Components,
    graph: &Graph,
    subsets: &[Vec<usize>],
    bdds: &mut Bdds,
) -> Result<Vec<bool>, Over> {
    let members = subsets.iter().enumerate();
    let pairs: Vec<(usize, usize)> =
        members.flat_map(|(subset, states)| states.iter().map(move |&state| (subset, state))).collect();
    let numbers: FxHashMap<(usize, usize), usize> = pairs.iter().copied().zip(0..).collect();
    let mut runs = Graph { n_sets: graph.n_sets, initial: 0, states: Vec::new() };
    for &(subset, state) in &pairs {
        let mut arcs = Vec::new();
        for step in
            weak.states[subset].iter().filter(|step| components.of[step.target] == components.of[subset])
        {
            bdds.steps(graph.states[state].len())?;
            for arc in &graph.states[state] {
                let label = bdds.and(step.label, arc.label);
                if label != Bdd::FALSE {
                    arcs.push(Arc {
                        target: numbers[&(step.target, arc.target)],
                        accepts: arc.accepts,
                        label,
                    });
                }
            }
        }
        runs.states.push(arcs);
    }
    let run_components = runs.components();
    let accepting = accepting(&runs, &run_components);
    let mut result = vec![false; components.n];
    for (&(subset, _), &component) in pairs.iter().zip(&run_components.of) {
        result[components.of[subset]] |= accepting[component];
    }
    Ok(result)
}

/// A colour for every component, even if it accepts and odd if it does not, which never grows along
/// a run. A component without a cycle may be either, and gets the colour of what comes next, so
/// that as many states as possible are equal.
fn colours(graph: &Graph, components: &Components, accepts: &[bool]) -> Vec<usize> {
    let mut colours: Vec<usize> = Vec::new();
    for (component, members) in components.members().into_iter().enumerate() {
        let targets =
            members.iter().flat_map(|&state| &graph.states[state]).map(|arc| components.of[arc.target]);
        let (inner, outer): (Vec<usize>, Vec<usize>) = targets.partition(|&target| target == component);
        let colour = outer.into_iter().map(|target| colours[target]).max().unwrap_or(0);
        let wrong = !inner.is_empty() && colour.is_multiple_of(2) != accepts[component];
        colours.push(colour + wrong as usize);
    }
    colours
}

/// The complement of a deterministic, complete and weak graph.
fn flipped(graph: &Graph) -> Graph {
    let mut graph = graph.clone();
    graph.states.iter_mut().flatten().for_each(|arc| arc.accepts ^= 1);
    graph
}

/// Whether certainly no run is accepted by both graphs.
pub(super) fn are_disjoint(a: &Graph, b: &Graph, bdds: &mut Bdds) -> Result<bool, Over> {
    if a.n_sets + b.n_sets > u64::BITS || a.size().1.saturating_mul(b.size().1) > MAX_PAIRS {
        return Ok(false);
    }
    let both = product(a, b, bdds)?;
    Ok(!accepting(&both, &both.components()).contains(&true))
}

/// The graph of the runs that both graphs accept.
fn product(a: &Graph, b: &Graph, bdds: &mut Bdds) -> Result<Graph, Over> {
    let mut pairs = vec![(a.initial, b.initial)];
    let mut numbers = FxHashMap::from_iter([(pairs[0], 0)]);
    let mut states: Vec<Vec<Arc>> = Vec::new();
    while let Some(&(p, q)) = pairs.get(states.len()) {
        let mut arcs = Vec::new();
        bdds.steps(a.states[p].len() * b.states[q].len())?;
        for (x, y) in a.states[p].iter().flat_map(|x| b.states[q].iter().map(move |y| (x, y))) {
            let label = bdds.and(x.label, y.label);
            if label != Bdd::FALSE {
                let pair = (x.target, y.target);
                let target = *numbers.entry(pair).or_insert_with(|| {
                    pairs.push(pair);
                    pairs.len() - 1
                });
                arcs.push(Arc { target, accepts: x.accepts | y.accepts << a.n_sets, label });
            }
        }
        states.push(arcs);
    }
    Ok(Graph { n_sets: a.n_sets + b.n_sets, initial: 0, states })
}
