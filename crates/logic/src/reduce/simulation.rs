//! Reduction by direct simulation, forwards and backwards.
//!
//! A state simulates another if whatever the other can do, step by step, it can do as well, with
//! edges in at least the same acceptance sets and to states that simulate again. States that
//! simulate each other are one; where an edge leads to a state that another edge's target
//! simulates, the edge is not needed (Bustan and Grumberg's little brothers). Backwards, the same
//! holds of the ways in which a state is reached.

use model::Over;

use crate::Goal;
use crate::bdd::{Bdd, Bdds};
use crate::graph::{Arc, Graph};

/// Comparing all states with each other is not worth its time beyond this many comparisons of
/// edges.
const MAX_WORK: usize = 10_000_000;

/// Which states simulate which.
struct Preorder {
    n: usize,
    above: Vec<bool>,
}

impl Preorder {
    /// Whether `q` simulates `p`.
    fn simulated(&self, p: usize, q: usize) -> bool {
        self.above[p * self.n + q]
    }

    /// For every state, the first one that it simulates and that simulates it.
    fn representatives(&self) -> Vec<usize> {
        let same = |p, q| self.simulated(p, q) && self.simulated(q, p);
        (0..self.n).map(|p| (0..p).find(|&q| same(p, q)).unwrap_or(p)).collect()
    }
}

/// Merges states with the same future.
pub(crate) fn forward(graph: &Graph, bdds: &mut Bdds) -> Result<Graph, Over> {
    let Some(preorder) = preorder(&graph.states, |_, _| true, bdds)? else { return Ok(graph.clone()) };
    let representatives = preorder.representatives();
    let states = quotient(&graph.states, &preorder, &representatives, bdds)?;
    Ok(Graph { n_sets: graph.n_sets, initial: representatives[graph.initial], states })
}

/// Merges states with the same past.
pub(crate) fn backward(graph: &Graph, goal: Goal, bdds: &mut Bdds) -> Result<Graph, Over> {
    let accepts = |state: usize| graph.states[state].first().map_or(0, |arc| arc.accepts);
    let comparable = |p: usize, q: usize| {
        (p != graph.initial || q == graph.initial)
            && (goal == Goal::Generalised || accepts(p) & !accepts(q) == 0)
    };
    let reversed = reverse(&graph.states);
    let Some(preorder) = preorder(&reversed, comparable, bdds)? else { return Ok(graph.clone()) };
    let representatives = preorder.representatives();
    let states = reverse(&quotient(&reversed, &preorder, &representatives, bdds)?);
    let mut result = Graph { n_sets: graph.n_sets, initial: representatives[graph.initial], states };
    result.merge_arcs(bdds)?;
    Ok(result)
}

fn reverse(states: &[Vec<Arc>]) -> Vec<Vec<Arc>> {
    let mut reversed = vec![Vec::new(); states.len()];
    for (source, arcs) in states.iter().enumerate() {
        for arc in arcs {
            reversed[arc.target].push(Arc { target: source, ..*arc });
        }
    }
    reversed
}

/// The greatest simulation among the pairs that are `comparable`, unless it costs too much.
fn preorder(
    states: &[Vec<Arc>],
    comparable: impl Fn(usize, usize) -> bool,
    bdds: &mut Bdds,
) -> Result<Option<Preorder>, Over> {
    let n_arcs: usize = states.iter().map(Vec::len).sum();
    if n_arcs.saturating_mul(n_arcs) > MAX_WORK {
        return Ok(None);
    }
    let n = states.len();
    bdds.steps(n * n)?;
    let above = (0..n * n).map(|pair| comparable(pair / n, pair % n)).collect();
    let mut preorder = Preorder { n, above };
    // What is found out travels against the edges. Both orders take turns, because one of them is
    // quick.
    let mut order: Vec<usize> = (0..n * n).collect();
    let mut changed = true;
    while changed {
        changed = false;
        order.reverse();
        for &pair in &order {
            let (p, q) = (pair / n, pair % n);
            bdds.steps(1)?;
            if p != q && preorder.above[pair] && !covered(&states[p], &states[q], &preorder, bdds) {
                preorder.above[pair] = false;
                changed = true;
            }
        }
    }
    Ok(Some(preorder))
}

/// Whether every edge of `weak` has edges of `strong` that can do the same.
fn covered(weak: &[Arc], strong: &[Arc], preorder: &Preorder, bdds: &mut Bdds) -> bool {
    weak.iter().all(|arc| {
        let mut rest = arc.label;
        for other in strong.iter().filter(|other| below(arc, other, preorder)) {
            rest = bdds.minus(rest, other.label);
            if rest == Bdd::FALSE {
                return true;
            }
        }
        false
    })
}

/// Whether a run that takes `arc` could take `other`, if only its label allowed that.
fn below(arc: &Arc, other: &Arc, preorder: &Preorder) -> bool {
    arc.accepts & !other.accepts == 0 && preorder.simulated(arc.target, other.target)
}

/// One state for all that simulate each other, without edges that another edge makes superfluous.
fn quotient(
    states: &[Vec<Arc>],
    preorder: &Preorder,
    representatives: &[usize],
    bdds: &mut Bdds,
) -> Result<Vec<Vec<Arc>>, Over> {
    let mut merged = Graph { n_sets: 0, initial: 0, states: vec![Vec::new(); states.len()] };
    for state in (0..states.len()).filter(|&state| representatives[state] == state) {
        let arcs = states[state].iter().map(|arc| Arc { target: representatives[arc.target], ..*arc });
        merged.states[state] = arcs.collect();
    }
    merged.merge_arcs(bdds)?;
    for arcs in &mut merged.states {
        *arcs = maximal(arcs, preorder, bdds)?;
    }
    Ok(merged.states)
}

/// The edges, each only where no edge above it can be taken.
fn maximal(arcs: &[Arc], preorder: &Preorder, bdds: &mut Bdds) -> Result<Vec<Arc>, Over> {
    let mut kept = Vec::new();
    for (i, arc) in arcs.iter().enumerate() {
        bdds.steps(arcs.len())?;
        let mut label = arc.label;
        for (_, other) in arcs.iter().enumerate().filter(|&(j, other)| j != i && below(arc, other, preorder))
        {
            label = bdds.minus(label, other.label);
        }
        if label != Bdd::FALSE {
            kept.push(Arc { label, ..*arc });
        }
    }
    Ok(kept)
}
