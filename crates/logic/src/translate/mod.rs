//! From formulas to automata.
//!
//! The translation is Couvreur's. It is symbolic: conditions are decision diagrams over the atoms (`crate::bdd`). The
//! formula is simplified (`temporal`, `junction`), then a tableau yields an automaton with generalised acceptance on
//! edges (`tableau`), which is reduced (`crate::reduce`: trimming, fewer acceptance sets, simulation in both directions).
//! A formula that is an obligation gets its minimal deterministic weak automaton, if that is not larger (`obligation`).
//! Where a search needs acceptance on states, the automaton is degeneralised (`crate::degeneralise`). `cargo xtask ltl`
//! compares the sizes with Spot's.

mod implies;
mod junction;
mod obligation;
mod tableau;
mod temporal;
mod term;

#[cfg(test)]
mod tests;

use std::fmt;

use model::{Over, Patience};
use obligation::{is_equivalent, minimal_weak};
use tableau::tableau;
use term::{Term, Terms};

use crate::bdd::Bdds;
use crate::degeneralise::state_based;
use crate::graph::Graph;
use crate::reduce::{reduce, trim};
use crate::{Automaton, Ltl, MAX_ATOMS, MAX_HEIGHT};

/// What an automaton is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// Any number of acceptance sets, on edges: the smallest automaton.
    Generalised,
    /// One acceptance set; the edges that leave a state are all in it, or none is. For nested
    /// depth-first search.
    StateBased,
}

/// Why a formula has no automaton.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Untranslated {
    /// It is too large, or its automaton would be.
    TooLarge,
    /// It takes longer than there is patience.
    Over(Over),
}

impl From<Over> for Untranslated {
    fn from(over: Over) -> Untranslated {
        Untranslated::Over(over)
    }
}

impl fmt::Display for Untranslated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Untranslated::TooLarge => {
                f.write_str("the formula is too large to be translated into an automaton")
            }
            Untranslated::Over(over) => write!(f, "the formula was not translated into an automaton: {over}"),
        }
    }
}

impl std::error::Error for Untranslated {}

/// How many operators and atoms a formula may have.
const MAX_SIZE: usize = 2000;
/// How much work the tableau of a formula may be.
const MAX_WORK: usize = 2_000_000;
/// The same for the formula's negation, which is only a help.
const MAX_WORK_OF_NEGATION: usize = 100_000;

/// An automaton that accepts exactly the runs that satisfy a formula.
///
/// # Errors
/// If the formula, or what comes out of it on the way, is too large, or if it takes longer than there is patience.
///
/// # Panics
/// If an atom's number is not below [`MAX_ATOMS`].
pub fn translate(formula: &Ltl<u32>, goal: Goal, patience: &Patience) -> Result<Automaton, Untranslated> {
    patience.check()?;
    check_size(formula)?;
    let mut terms = Terms::new(patience);
    let mut bdds = Bdds::new(patience);
    let term = terms.term(formula)?;
    let generalised = tableau_reduced(term, &mut terms, &mut bdds, MAX_WORK)?;
    let degeneralised = state_based(&generalised, bdds.pace())?;
    let degeneralised = reduce(degeneralised, goal, &mut bdds)?;
    // Sometimes one set is better than many even where many are allowed.
    let graph = match goal {
        Goal::Generalised if generalised.states.len() <= degeneralised.states.len() => generalised,
        _ => degeneralised,
    };
    let graph = weak(term, &graph, &mut terms, &mut bdds)?.unwrap_or(graph);
    let automaton = graph.to_automaton(&mut bdds)?;
    if bdds.overflowed() { Err(Untranslated::TooLarge) } else { Ok(automaton) }
}

/// Refuses formulas that are too large or too deep for what follows, which is recursive.
fn check_size(formula: &Ltl<u32>) -> Result<(), Untranslated> {
    let mut open = vec![(formula, 0)];
    let mut size = 0;
    while let Some((formula, height)) = open.pop() {
        size += 1;
        if size > MAX_SIZE || height > MAX_HEIGHT {
            return Err(Untranslated::TooLarge);
        }
        match formula {
            Ltl::Constant(_) => {}
            Ltl::Atom(atom) => assert!((*atom as usize) < MAX_ATOMS, "atom {atom} is beyond the last"),
            Ltl::Unary(_, operand) => open.push((operand, height + 1)),
            Ltl::Binary(_, left, right) => open.extend([(&**left, height + 1), (&**right, height + 1)]),
        }
    }
    Ok(())
}

/// The reduced graph of a formula.
fn tableau_reduced<'p>(
    term: Term,
    terms: &mut Terms<'p>,
    bdds: &mut Bdds<'p>,
    work: usize,
) -> Result<Graph, Untranslated> {
    let delayed = terms.delayed(term);
    terms.unless_over()?;
    let graph = tableau(delayed, terms, bdds, work)?;
    Ok(reduce(graph, Goal::Generalised, bdds)?)
}

/// The smallest deterministic weak graph of a formula, if there is one, it is easy to find and not
/// larger than `graph`.
fn weak<'p>(
    term: Term,
    graph: &Graph,
    terms: &mut Terms<'p>,
    bdds: &mut Bdds<'p>,
) -> Result<Option<Graph>, Over> {
    // The conditions may become too many on the way. Nothing is lost then.
    let mut attempt = bdds.clone();
    let Some(weak) = minimal_weak(graph, &mut attempt)? else { return Ok(None) };
    let trimmed = trim(&weak);
    if trimmed.states.len() > graph.states.len() {
        return Ok(None);
    }
    let negation = terms.not(term);
    let complement = match tableau_reduced(negation, terms, &mut attempt, MAX_WORK_OF_NEGATION) {
        Ok(complement) => complement,
        Err(Untranslated::TooLarge) => return Ok(None),
        Err(Untranslated::Over(over)) => return Err(over),
    };
    if !is_equivalent(&weak, graph, &complement, &mut attempt)? || attempt.overflowed() {
        return Ok(None);
    }
    *bdds = attempt;
    Ok(Some(trimmed))
}
