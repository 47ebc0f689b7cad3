//! What names mean.

use std::rc::Rc;

use rustc_hash::FxHashMap;
use source::Span;

use super::inline::Inline;
use crate::names::NameId;
use crate::tree::{LabelId, MtypeId, Owner, ProctypeId, TypedefId, VarId, VarRef};

/// What a global name means.
#[derive(Clone)]
pub(super) enum Symbol {
    Var(VarId),
    Mtype(MtypeId, i32),
    Typedef(TypedefId),
    Proctype,
    Inline(Rc<Inline>),
}

/// The global names.
#[derive(Default)]
pub(super) struct Globals {
    pub(super) symbols: FxHashMap<NameId, (Symbol, Span)>,
    pub(super) mtypes: FxHashMap<Option<NameId>, MtypeId>,
    /// Every process type of the text, also the ones not reached yet.
    pub(super) proctypes: FxHashMap<NameId, ProctypeId>,
    pub(super) claims: FxHashMap<String, Span>,
    /// For every typedef.
    pub(super) shapes: Vec<Shape>,
    /// The fields of every typedef.
    pub(super) fields: FxHashMap<(TypedefId, NameId), VarId>,
    /// The labels of every process type; of several with one name, the first.
    pub(super) remote_labels: FxHashMap<(ProctypeId, NameId), LabelId>,
    /// The parameters and locals of every process type; of several with one name, the first.
    pub(super) remote_vars: FxHashMap<(ProctypeId, NameId), VarId>,
}

/// What is to be known of a typedef.
pub(super) struct Shape {
    /// How many simple values it holds.
    pub(super) values: usize,
    /// How deep typedefs are nested in it.
    pub(super) depth: usize,
    pub(super) has_array: bool,
    /// It can be part of a message.
    pub(super) in_messages: bool,
}

/// A pair of braces.
pub(super) struct Block {
    pub(super) id: u32,
    pub(super) vars: FxHashMap<NameId, VarId>,
    /// The hidden counter of the `for (x in channel)` loops that stand directly in it.
    pub(super) counter: Option<VarId>,
}

/// What kind of body is being read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum BodyKind {
    Process(ProctypeId),
    NeverClaim,
    Trace,
}

/// A label that has been set.
pub(super) struct SetLabel {
    pub(super) name: NameId,
    pub(super) span: Span,
    /// The blocks around it, the outermost first.
    pub(super) blocks: Vec<u32>,
    pub(super) d_step: u32,
    /// The inline expansion it stands in; 0 for none.
    pub(super) expansion: u32,
}

/// A `goto`, to be resolved at the end of the body.
pub(super) struct Jump {
    pub(super) name: NameId,
    pub(super) span: Span,
    pub(super) blocks: Vec<u32>,
    pub(super) d_step: u32,
}

/// An inline call that is being expanded.
pub(super) struct Expansion {
    pub(super) inline: Rc<Inline>,
    pub(super) id: u32,
    /// Where `return` puts its value.
    pub(super) target: Option<VarRef>,
}

/// The body that is being read.
pub(super) struct BodyState {
    pub(super) kind: BodyKind,
    pub(super) blocks: Vec<Block>,
    pub(super) locals: Vec<VarId>,
    pub(super) labels: Vec<SetLabel>,
    label_in_block: FxHashMap<(NameId, u32), LabelId>,
    /// The first and the last label of each name.
    label_named: FxHashMap<NameId, (LabelId, LabelId)>,
    pub(super) jumps: Vec<Jump>,
    /// References of the process type to its own labels.
    pub(super) own_references: Vec<(NameId, Span)>,
    pub(super) expansions: Vec<Expansion>,
    /// For every loop around this place, the `d_step` it stands in.
    pub(super) loops: Vec<u32>,
    /// The outermost `d_step` around this place; 0 for none.
    pub(super) d_step: u32,
    /// Whether this place lies in an `atomic` or `d_step`.
    pub(super) in_chain: bool,
    /// No statement has come yet.
    pub(super) at_start: bool,
    ids: u32,
}

impl BodyState {
    pub(super) fn new(kind: BodyKind) -> BodyState {
        BodyState {
            kind,
            blocks: Vec::new(),
            locals: Vec::new(),
            labels: Vec::new(),
            label_in_block: FxHashMap::default(),
            label_named: FxHashMap::default(),
            jumps: Vec::new(),
            own_references: Vec::new(),
            expansions: Vec::new(),
            loops: Vec::new(),
            d_step: 0,
            in_chain: false,
            at_start: true,
            ids: 0,
        }
    }

    /// A number not used before in this body; never 0.
    pub(super) fn fresh(&mut self) -> u32 {
        self.ids += 1;
        self.ids
    }

    pub(super) fn owner(&self) -> Owner {
        match self.kind {
            BodyKind::Process(id) => Owner::Process(id),
            BodyKind::NeverClaim | BodyKind::Trace => Owner::NeverClaim,
        }
    }

    pub(super) fn open_block(&mut self) {
        let id = self.fresh();
        self.blocks.push(Block { id, vars: FxHashMap::default(), counter: None });
    }

    pub(super) fn close_block(&mut self) {
        self.blocks.pop();
    }

    pub(super) fn block_path(&self) -> Vec<u32> {
        self.blocks.iter().map(|block| block.id).collect()
    }

    pub(super) fn find(&self, name: NameId) -> Option<VarId> {
        self.blocks.iter().rev().find_map(|block| block.vars.get(&name).copied())
    }

    pub(super) fn expansion(&self) -> u32 {
        self.expansions.last().map_or(0, |expansion| expansion.id)
    }

    /// The label a jump goes to: in its block, else in the nearest block around it, else any.
    pub(super) fn destination(&self, jump: &Jump) -> Option<LabelId> {
        let around = |block: &u32| self.label_in_block.get(&(jump.name, *block)).copied();
        let anywhere = || self.label_named.get(&jump.name).map(|&(_, last)| last);
        jump.blocks.iter().rev().find_map(around).or_else(anywhere)
    }

    /// The first label of that name.
    pub(super) fn first_label(&self, name: NameId) -> Option<LabelId> {
        self.label_named.get(&name).map(|&(first, _)| first)
    }

    /// Adds a label; gives the one that it repeats.
    pub(super) fn add_label(&mut self, label: SetLabel) -> (LabelId, Option<LabelId>) {
        let id = LabelId(self.labels.len() as u32);
        let named = |block: &u32| self.label_in_block.get(&(label.name, *block)).copied();
        let same_expansion = |other: &LabelId| self.labels[other.0 as usize].expansion == label.expansion;
        let repeated = label.blocks.iter().rev().filter_map(named).find(same_expansion);
        if let Some(&innermost) = label.blocks.last() {
            self.label_in_block.entry((label.name, innermost)).or_insert(id);
        }
        self.label_named.entry(label.name).or_insert((id, id)).1 = id;
        self.labels.push(label);
        (id, repeated)
    }
}
