//! Variables become slots.

use ir::{
    Allocator, Base, Dim, Expr, GLOBALS_START, MAX_REGION_BITS, Meaning, Op, Place, Region, Size, Slot,
};
use model::Over;
use rustc_hash::FxHashMap;

use super::Lowering;
use crate::tree::{ChanInit, Init, Program, Type, TypedefId, VarId};

/// A variable and the fields on the way to a number.
pub type Path = Vec<VarId>;

/// The slots of a region under construction.
#[derive(Default)]
pub struct RegionBuilder {
    pub region: Region,
    allocator: Allocator,
    /// The slot of each variable and field.
    pub slots: FxHashMap<Path, u32>,
}

impl RegionBuilder {
    pub fn globals() -> RegionBuilder {
        let allocator = Allocator { bits: u64::from(GLOBALS_START) };
        RegionBuilder { allocator, ..RegionBuilder::default() }
    }

    /// A slot that is no variable of the text, for values from 0 to `max`.
    pub fn internal(&mut self, name: &str, max: u32) -> u32 {
        let width = (32 - max.leading_zeros()).max(1) as u8;
        self.internal_slot(name, width, None)
    }

    /// A slot that is no variable of the text, for a set of numbers below `n`: a bit for each.
    pub fn internal_set(&mut self, name: &str, n: u32) -> u32 {
        self.internal_slot(&format!("{name}[]"), 1, Some(n))
    }

    fn internal_slot(&mut self, name: &str, width: u8, len: Option<u32>) -> u32 {
        let size = Size::scalar(width);
        let offset = self.allocator.place(len.map_or(size, |len| size.array(len))) as u32;
        let stride = size.bits as u32;
        self.region.slots.push(Slot {
            name: name.to_string(),
            offset,
            width,
            signed: false,
            dims: len.map(|len| Dim { len, stride }).into_iter().collect(),
            meaning: Meaning::Number,
            internal: true,
        });
        self.region.slots.len() as u32 - 1
    }

    /// The slots of a variable; none if it takes too much room.
    pub fn add(&mut self, program: &Program, var: VarId) -> Option<()> {
        let offset = self.allocator.place(size_of(program, var));
        if self.allocator.bits > MAX_REGION_BITS {
            return None;
        }
        self.leaves(program, vec![var], String::new(), Vec::new(), offset as u32);
        Some(())
    }

    pub fn finish(mut self) -> (Region, FxHashMap<Path, u32>) {
        self.region.bits = self.allocator.bits as u32;
        (self.region, self.slots)
    }

    fn leaves(&mut self, program: &Program, path: Path, prefix: String, mut dims: Vec<Dim>, offset: u32) {
        let var = &program.vars[path[path.len() - 1].0 as usize];
        let mut name = format!("{prefix}{}", var.name);
        if let Some(len) = var.array {
            dims.push(Dim { len, stride: element_size(program, var.ty, var.array).bits as u32 });
            name.push_str("[]");
        }
        if let Type::Struct(typedef) = var.ty {
            let mut allocator = Allocator::default();
            for &field in &program.typedefs[typedef.0 as usize].fields {
                let at = allocator.place(size_of(program, field)) as u32;
                let path = path.iter().copied().chain([field]).collect();
                self.leaves(program, path, format!("{name}."), dims.clone(), offset + at);
            }
            return;
        }
        let (width, signed) = element_width(var.ty, var.array);
        self.slots.insert(path, self.region.slots.len() as u32);
        self.region.slots.push(Slot {
            name,
            offset,
            width,
            signed,
            dims,
            meaning: meaning(var.ty),
            internal: false,
        });
    }
}

/// Width and sign of a variable.
pub fn width(ty: Type) -> (u8, bool) {
    match ty {
        Type::Bit | Type::Bool => (1, false),
        Type::Byte | Type::Pid | Type::Mtype(_) | Type::Chan => (8, false),
        Type::Short => (16, true),
        Type::Int => (32, true),
        Type::Unsigned(bits) => (bits, false),
        Type::Struct(_) => unreachable!("a typedef is taken apart"),
    }
}

/// What the values of a type stand for.
pub fn meaning(ty: Type) -> Meaning {
    match ty {
        Type::Mtype(set) => Meaning::Name(set.0),
        Type::Chan => Meaning::Channel,
        _ => Meaning::Number,
    }
}

fn size_of(program: &Program, var: VarId) -> Size {
    let var = &program.vars[var.0 as usize];
    let element = element_size(program, var.ty, var.array);
    var.array.map_or(element, |len| element.array(len))
}

fn element_size(program: &Program, ty: Type, array: Option<u32>) -> Size {
    match ty {
        Type::Struct(typedef) => record_size(program, typedef),
        _ => Size::scalar(element_width(ty, array).0),
    }
}

/// The elements of an array of bits are bytes, as in Spin: `bit b[2]; b[0] = 3` keeps the 3.
fn element_width(ty: Type, array: Option<u32>) -> (u8, bool) {
    let (width, signed) = width(ty);
    (if array.is_some() { width.max(8) } else { width }, signed)
}

fn record_size(program: &Program, typedef: TypedefId) -> Size {
    let mut allocator = Allocator::default();
    for &field in &program.typedefs[typedef.0 as usize].fields {
        allocator.place(size_of(program, field));
    }
    Size::of_record(allocator.bits)
}

/// One number of a variable: the path to it, and an index for each array on the way.
struct Leaf {
    path: Path,
    indices: Vec<u32>,
}

/// All numbers of a variable, in order.
fn leaves(program: &Program, var: VarId) -> Vec<Leaf> {
    let mut out = Vec::new();
    collect(program, Leaf { path: vec![var], indices: Vec::new() }, &mut out);
    out
}

fn collect(program: &Program, leaf: Leaf, out: &mut Vec<Leaf>) {
    let var = &program.vars[leaf.path[leaf.path.len() - 1].0 as usize];
    let lists = match var.array {
        Some(len) => (0..len).map(|k| leaf.indices.iter().copied().chain([k]).collect()).collect(),
        None => vec![leaf.indices],
    };
    for indices in lists {
        match var.ty {
            Type::Struct(typedef) => {
                for &field in &program.typedefs[typedef.0 as usize].fields {
                    let path = leaf.path.iter().copied().chain([field]).collect();
                    collect(program, Leaf { path, indices: Vec::clone(&indices) }, out);
                }
            }
            _ => out.push(Leaf { path: leaf.path.clone(), indices }),
        }
    }
}

/// What is to be done with the initialisers of a variable.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Initialise {
    /// The region is new and zero: set what is not zero, make the channels.
    New,
    /// As [`Initialise::New`], but the values come later, when control passes the declaration.
    ChannelsOnly,
    /// Set all values again, but leave channels alone.
    Again,
}

impl Lowering<'_, '_> {
    /// The places of a variable's numbers.
    pub fn places(&mut self, var: VarId) -> Vec<Place> {
        let leaves = leaves(self.program, var);
        leaves.iter().filter_map(|leaf| self.leaf_place(leaf)).collect()
    }

    /// The assignments that give a variable its initial values. `channel` makes a channel and
    /// returns the expression for its number.
    pub fn initialisers(
        &mut self,
        var: VarId,
        how: Initialise,
        channel: &mut dyn FnMut(&mut Self, &str, &ChanInit) -> Option<Expr>,
    ) -> Result<Vec<Op>, Over> {
        let program = self.program;
        let mut ops = Vec::new();
        for leaf in leaves(program, var) {
            self.pace.step()?;
            let decl = &program.vars[leaf.path[leaf.path.len() - 1].0 as usize];
            let value = match &decl.init {
                Init::Chan(_) if how == Initialise::Again => None,
                Init::Chan(init) => channel(self, &decl.name, init),
                _ if how == Initialise::ChannelsOnly => None,
                Init::None => (how == Initialise::Again).then_some(Expr::Const(0)),
                Init::Expr(expr) => Some(self.expr(expr)),
                Init::List(values) => {
                    let index = *leaf.indices.last().unwrap_or(&0) as usize;
                    values.get(index).or(values.last()).map(|&value| Expr::Const(value))
                }
            };
            if let (Some(value), Some(place)) = (value, self.leaf_place(&leaf)) {
                ops.push(Op::Assign(place, value));
            }
        }
        Ok(ops)
    }

    fn leaf_place(&mut self, leaf: &Leaf) -> Option<Place> {
        let indices = leaf.indices.iter().map(|&k| Expr::Const(k as i32)).collect();
        self.place_at(&leaf.path, indices)
    }
}

/// A place with the particulars of its slot.
pub fn place(base: Base, region: &Region, slot: u32, indices: Vec<Expr>) -> Place {
    let decl = &region.slots[slot as usize];
    Place {
        base,
        slot,
        indices,
        offset: decl.offset,
        width: decl.width,
        signed: decl.signed,
        dims: decl.dims.iter().map(|dim| (dim.len, dim.stride)).collect(),
    }
}
