//! What the ids of a document stand for. Ids may be used before they are defined, so each gets a number where
//! it is first seen.

use std::collections::HashMap;

use model::Pace;

use crate::net::{PlaceId, TransitionId};
use crate::reading::{Reading, refusal};

/// The number of an id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Symbol(u32);

/// What an id stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Node {
    Missing,
    Place(PlaceId),
    Transition(TransitionId),
    /// The reference of this number.
    Reference(u32),
}

/// What a reference must refer to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Referent {
    Place,
    Transition,
}

/// A reference place or reference transition.
struct Reference {
    to: Symbol,
    referent: Referent,
    at: usize,
}

/// All ids of a document.
#[derive(Default)]
pub(super) struct Symbols {
    numbers: HashMap<Box<str>, Symbol>,
    nodes: Vec<Node>,
    references: Vec<Reference>,
}

impl Symbols {
    /// The number of an id, a new one if it was not seen yet.
    pub(super) fn number(&mut self, id: &str) -> Symbol {
        if let Some(symbol) = self.numbers.get(id) {
            return *symbol;
        }
        let symbol = Symbol(self.nodes.len() as u32);
        self.numbers.insert(id.into(), symbol);
        self.nodes.push(Node::Missing);
        symbol
    }

    /// The id of a number. Slow, for messages.
    pub(super) fn id(&self, symbol: Symbol) -> &str {
        self.numbers.iter().find(|(_, number)| **number == symbol).map_or("", |(id, _)| id)
    }

    /// Says what an id stands for. Returns what it stood for before, and still does if there was something.
    pub(super) fn define(&mut self, symbol: Symbol, node: Node) -> Node {
        let old = self.node(symbol);
        if old == Node::Missing {
            self.nodes[symbol.0 as usize] = node;
        }
        old
    }

    /// A new reference.
    pub(super) fn reference(&mut self, to: Symbol, referent: Referent, at: usize) -> Node {
        self.references.push(Reference { to, referent, at });
        Node::Reference(self.references.len() as u32 - 1)
    }

    /// What an id stands for.
    pub(super) fn node(&self, symbol: Symbol) -> Node {
        self.nodes[symbol.0 as usize]
    }

    /// Puts in the place of every reference what it refers to.
    pub(super) fn resolve(&mut self, pace: &mut Pace<'_>) -> Reading<()> {
        let mut path = Vec::new();
        for start in 0..self.nodes.len() as u32 {
            pace.step()?;
            let mut last = Symbol(start);
            while let Node::Reference(reference) = self.node(last) {
                pace.step()?;
                let Reference { to, at, .. } = self.references[reference as usize];
                if path.len() == self.references.len() {
                    let message = format!("the reference `{}` refers to itself", self.id(last));
                    return Err(refusal(at, "E0317", message));
                }
                path.push((last, reference));
                last = to;
            }
            for (symbol, reference) in path.drain(..) {
                let Reference { to, referent, at } = self.references[reference as usize];
                let node = self.node(last);
                let (code, what) = match (node, referent) {
                    (Node::Place(_), Referent::Place) | (Node::Transition(_), Referent::Transition) => {
                        self.nodes[symbol.0 as usize] = node;
                        continue;
                    }
                    (Node::Missing, _) => ("E0316", "which is not there"),
                    (_, Referent::Place) => ("E0317", "which is no place"),
                    (_, Referent::Transition) => ("E0317", "which is no transition"),
                };
                let (id, to) = (self.id(symbol), self.id(to));
                return Err(refusal(at, code, format!("`{id}` refers to `{to}`, {what}")));
            }
        }
        Ok(())
    }
}
