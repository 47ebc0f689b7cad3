//! States as plain values.

use std::collections::{BTreeSet, HashMap};

use promela::tree::{ChanInit, Init, ProctypeId, Program, Type, TypedefId, VarId};

use super::places::PlaceId;

/// Everything that two states can differ in (rule S7).
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct State {
    /// The global variables, arrays and typedefs element by element.
    pub globals: Vec<i32>,
    /// The processes, by pid.
    pub processes: Vec<Process>,
    /// The channels; the first has the number 1.
    pub channels: Vec<Channel>,
    /// The pid of the latest step, if the program asks for it.
    pub last: i32,
    /// Where the `trace` or `notrace` declaration can stand.
    pub trace: BTreeSet<PlaceId>,
}

/// A process.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Process {
    /// Its type, as an index into [`Program::proctypes`].
    pub proctype: usize,
    /// Where it stands.
    pub place: PlaceId,
    /// Its parameters and locals.
    pub locals: Vec<i32>,
    /// Its priority.
    pub priority: i32,
    /// How many channels there were when it was made; it takes its own with it.
    pub n_channels_before: usize,
}

/// A channel.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Channel {
    /// How many messages it holds; 0 for a rendezvous channel.
    pub capacity: u32,
    /// The types of the fields.
    pub fields: Vec<Type>,
    /// The messages, the oldest first.
    pub messages: Vec<Vec<i32>>,
}

/// Where each variable lies in the vector of its owner.
pub struct Layout {
    offsets: HashMap<VarId, usize>,
    /// The size of the globals.
    pub n_globals: usize,
    /// The size of the locals, by process type.
    pub n_locals: Vec<usize>,
}

impl Layout {
    /// Gives every variable its place.
    pub fn new(program: &Program) -> Layout {
        let mut offsets = HashMap::new();
        let mut place = |vars: &mut dyn Iterator<Item = VarId>| {
            let mut size = 0;
            for var in vars {
                offsets.insert(var, size);
                size += size_of_var(program, var);
            }
            size
        };
        for typedef in &program.typedefs {
            place(&mut typedef.fields.iter().copied());
        }
        let n_globals = place(&mut program.globals.iter().copied());
        let n_locals = program
            .proctypes
            .iter()
            .map(|proctype| place(&mut proctype.params.iter().chain(&proctype.locals).copied()))
            .collect();
        Layout { offsets, n_globals, n_locals }
    }

    /// Where a variable starts in the vector of its owner, or a field in its typedef.
    pub fn offset(&self, var: VarId) -> Option<usize> {
        self.offsets.get(&var).copied()
    }
}

/// The number of values in a variable, all elements and fields counted.
pub fn size_of_var(program: &Program, var: VarId) -> usize {
    let var = &program.vars[var.0 as usize];
    size_of_type(program, var.ty) * var.array.unwrap_or(1) as usize
}

/// The number of values in one element.
pub fn size_of_type(program: &Program, ty: Type) -> usize {
    match ty {
        Type::Struct(id) => fields(program, id).iter().map(|&field| size_of_var(program, field)).sum(),
        _ => 1,
    }
}

/// The fields of a typedef.
pub fn fields(program: &Program, typedef: TypedefId) -> &[VarId] {
    &program.typedefs[typedef.0 as usize].fields
}

/// A new channel. A typedef among its fields stands for that typedef's fields.
pub fn new_channel(program: &Program, init: &ChanInit) -> Channel {
    let mut types = Vec::new();
    for &ty in &init.fields {
        flatten(program, ty, &mut types);
    }
    Channel { capacity: init.capacity, fields: types, messages: Vec::new() }
}

/// The types of the values that variables consist of, typedefs taken apart.
pub fn scalar_types(program: &Program, vars: &[VarId]) -> Vec<Type> {
    let mut types = Vec::new();
    for var in vars {
        flatten(program, program.vars[var.0 as usize].ty, &mut types);
    }
    types
}

fn flatten(program: &Program, ty: Type, out: &mut Vec<Type>) {
    let Type::Struct(id) = ty else {
        out.push(ty);
        return;
    };
    for &field in fields(program, id) {
        let field = &program.vars[field.0 as usize];
        for _ in 0..field.array.unwrap_or(1) {
            flatten(program, field.ty, out);
        }
    }
}

/// What a variable of this type makes of a value (rule V1).
pub fn truncate(ty: Type, value: i32) -> i32 {
    match ty {
        Type::Bit | Type::Bool => value & 1,
        Type::Byte | Type::Pid | Type::Mtype(_) | Type::Chan => value & 0xff,
        Type::Short => i32::from(value as i16),
        Type::Int | Type::Struct(_) => value,
        Type::Unsigned(bits) if bits < 32 => value & ((1 << bits) - 1),
        Type::Unsigned(_) => value,
    }
}

/// What an element of an array makes of a value: bits are kept in bytes there.
pub fn truncate_element(ty: Type, value: i32) -> i32 {
    match ty {
        Type::Bit | Type::Bool => value & 0xff,
        _ => truncate(ty, value),
    }
}

/// What a message makes of the values put into it (rule V2): a single bit takes a byte.
pub fn truncate_message(fields: &[Type], values: &[i32]) -> Vec<i32> {
    let truncate = if fields.len() == 1 { truncate_element } else { truncate };
    fields.iter().zip(values).map(|(&ty, &value)| truncate(ty, value)).collect()
}

/// The variables that a process type's instances get their initial values for when they are made.
pub fn starts_with_value(program: &Program, proctype: ProctypeId, var: VarId) -> bool {
    use promela::tree::StmtKind::Decl;
    let body = &program.proctypes[proctype.0 as usize].body;
    body.sequence.stmts.iter().any(|stmt| match &stmt.kind {
        Decl { vars, initial: true } => vars.contains(&var),
        _ => false,
    }) || matches!(program.vars[var.0 as usize].init, Init::Chan(_))
}
