//! From ir to Cranelift's intermediate form. Nothing outside of this module and `code` knows Cranelift.
//!
//! Every function is made by an [`Emitter`]. What an expression reads is given by a [`View`]: the process
//! that asks and the state or states in which things lie. While a successor is made there are two, the
//! state it comes from and the copy that is being changed; what has not been written yet is read from
//! the former, which never changes, so that Cranelift may merge and move such loads.

mod channel;
mod command;
mod expr;
mod follow;
mod location;
mod place;
mod queue;
mod rendezvous;
mod successors;

pub use command::FUEL;
pub use successors::Product;

use std::collections::HashMap;
use std::sync::Arc;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I32, I64};
use cranelift_codegen::ir::{
    AbiParam, Block, InstBuilder, InstructionData, MemFlagsData, Opcode, Signature, Value,
};
use cranelift_codegen::isa::CallConv;
use cranelift_frontend::FunctionBuilder;

use crate::abi::{self, Context, ShapeTable};
use crate::plan::Plan;
use crate::table::Table;

/// The functions that are made for a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// All successors of a run of processes.
    Successors,
    /// All actions of a run of processes.
    List,
    /// One step.
    Fire,
    /// The steps of a chain as long as there is no choice.
    Follow,
    /// Which transitions take a message.
    Meet,
    /// The receiver's side of a rendezvous.
    Take,
}

impl Role {
    /// The types of the arguments; each function returns 64 bits.
    fn params(self) -> &'static [cranelift_codegen::ir::Type] {
        match self {
            Role::Successors | Role::List => &[I64, I64, I64, I64, I64],
            Role::Fire => &[I64, I64, I64, I64, I64, I64],
            Role::Follow => &[I64, I64, I64],
            Role::Meet => &[I64, I64, I64, I32],
            Role::Take => &[I64, I64, I64, I32, I32],
        }
    }

    /// The signature.
    pub fn signature(self, convention: CallConv) -> Signature {
        signature(self.params(), convention)
    }
}

/// The signature of a predicate.
pub fn predicate_signature(convention: CallConv) -> Signature {
    signature(&[I64, I64], convention)
}

/// The signature of `whole`.
pub fn whole_signature(convention: CallConv) -> Signature {
    signature(&[I64, I64, I64], convention)
}

fn signature(params: &[cranelift_codegen::ir::Type], convention: CallConv) -> Signature {
    let mut signature = Signature::new(convention);
    signature.params.extend(params.iter().map(|&kind| AbiParam::new(kind)));
    signature.returns.push(AbiParam::new(I64));
    signature
}

/// Where the words of a state lie.
#[derive(Clone, Copy)]
pub struct Space {
    /// The first word.
    pub words: Value,
    /// The first word of the process's frame.
    pub frame: Option<Value>,
    /// Nothing changes while the function runs.
    pub fixed: bool,
}

/// What has been written since a state was copied.
#[derive(Clone, Default)]
pub struct Written {
    everything: bool,
    channels: bool,
    globals: Vec<u32>,
    frame: Vec<u32>,
}

/// What an expression is evaluated against.
#[derive(Clone)]
pub struct View {
    /// The template of the process that asks; none for a predicate.
    pub template: Option<usize>,
    /// The process in the shape's table.
    pub instance: Option<Value>,
    /// The state.
    pub now: Space,
    /// The state of which it is a copy, if that is still there.
    pub before: Option<Space>,
    /// What differs between the two.
    pub written: Written,
    /// Whether `timeout` may be true.
    pub timeout: bool,
}

impl View {
    /// Of a state that does not change.
    pub fn fixed(
        template: Option<usize>,
        instance: Option<Value>,
        words: Value,
        frame: Option<Value>,
    ) -> View {
        let now = Space { words, frame, fixed: true };
        View { template, instance, now, before: None, written: Written::default(), timeout: true }
    }

    /// Of a state that is changed in place.
    pub fn changing(template: usize, instance: Value, words: Value, frame: Value) -> View {
        let now = Space { words, frame: Some(frame), fixed: false };
        let (template, instance) = (Some(template), Some(instance));
        View { template, instance, now, before: None, written: Written::default(), timeout: true }
    }

    /// Of a copy of this view's state.
    pub fn copied_to(&self, words: Value, frame: Value) -> View {
        let now = Space { words, frame: Some(frame), fixed: false };
        View { now, before: Some(self.now), written: Written::default(), ..self.clone() }
    }

    /// From now on everything is read where it is written: what follows is not straight-line code.
    pub fn forget_before(&mut self) {
        self.before = None;
    }

    fn instance(&self) -> Value {
        self.instance.expect("a process asks")
    }

    /// Where something can be read that is among `written` or not.
    fn space(&self, is_written: bool) -> Space {
        match self.before {
            Some(before) if !is_written && !self.written.everything => before,
            _ => self.now,
        }
    }
}

/// Makes one function.
pub struct Emitter<'a> {
    pub plan: &'a Plan<'a>,
    pub b: FunctionBuilder<'a>,
    /// The [`Context`].
    pub context: Value,
    /// The [`ShapeTable`].
    pub shape: Value,
    convention: CallConv,
    /// Where to give up, once something has asked for it.
    bail: Option<Block>,
    bail_value: i64,
    /// The shape, if the code is for one only.
    fixed: Option<Fixed>,
}

/// A shape that is known, and which of its processes values point to.
struct Fixed {
    table: Arc<Table>,
    instances: HashMap<Value, abi::Instance>,
}

/// Of tables that never change while the code runs. Their loads stay where they are: a pointer may be checked first.
pub fn table_flags() -> MemFlagsData {
    MemFlagsData::trusted().with_readonly()
}

impl<'a> Emitter<'a> {
    /// Begins a function. Returns its arguments, the context among them.
    pub fn new(
        plan: &'a Plan<'a>,
        mut b: FunctionBuilder<'a>,
        convention: CallConv,
    ) -> (Emitter<'a>, Vec<Value>) {
        let entry = b.create_block();
        b.append_block_params_for_function_params(entry);
        b.switch_to_block(entry);
        let arguments = b.block_params(entry).to_vec();
        let context = arguments[0];
        let shape = b.ins().load(I64, table_flags(), context, offset_of_context(Field::Shape));
        (Emitter { plan, b, context, shape, convention, bail: None, bail_value: 0, fixed: None }, arguments)
    }

    /// Ends the function.
    pub fn finish(mut self, config: cranelift_codegen::isa::TargetFrontendConfig) {
        if let Some(bail) = self.bail {
            self.b.switch_to_block(bail);
            let value = self.b.ins().iconst(I64, self.bail_value);
            self.b.ins().return_(&[value]);
        }
        self.b.seal_all_blocks();
        self.b.finalize(config);
    }

    /// Where to go when the interpreter has to do everything again.
    pub fn bail(&mut self) -> Block {
        match self.bail {
            Some(bail) => bail,
            None => {
                let bail = self.b.create_block();
                self.b.set_cold_block(bail);
                self.bail = Some(bail);
                bail
            }
        }
    }

    /// Goes on only if a condition is true.
    pub fn bail_unless(&mut self, condition: Value) {
        let bail = self.bail();
        self.go_on_if(condition, bail);
    }

    /// Goes on if a condition is true, else to a block.
    pub fn go_on_if(&mut self, condition: Value, otherwise: Block) {
        let next = self.b.create_block();
        self.b.ins().brif(condition, next, &[], otherwise, &[]);
        self.b.switch_to_block(next);
    }

    /// Goes to a block if a condition is true, else on.
    pub fn leave_if(&mut self, condition: Value, target: Block) {
        let next = self.b.create_block();
        self.b.ins().brif(condition, target, &[], next, &[]);
        self.b.switch_to_block(next);
    }

    pub fn jump(&mut self, target: Block) {
        self.b.ins().jump(target, &[]);
    }

    pub fn int(&mut self, value: i64) -> Value {
        self.b.ins().iconst(I64, value)
    }

    pub fn int32(&mut self, value: i32) -> Value {
        self.b.ins().iconst(I32, i64::from(value as u32))
    }

    /// A part of the context that does not change.
    pub fn context_field(&mut self, kind: cranelift_codegen::ir::Type, field: Field) -> Value {
        self.b.ins().load(kind, table_flags(), self.context, offset_of_context(field))
    }

    /// The number that a value is, if it was made as one.
    pub fn known(&self, value: Value) -> Option<i64> {
        let dfg = &self.b.func.dfg;
        match dfg.insts[dfg.value_def(value).inst()?] {
            InstructionData::UnaryImm { opcode: Opcode::Iconst, imm } => Some(imm.bits()),
            _ => None,
        }
    }

    /// A part of the shape's table that is a number of bytes, as 64 bits.
    pub fn shape_bytes(&mut self, offset: usize) -> Value {
        let bytes = self.shape_field(I32, offset);
        match self.known(bytes) {
            Some(bytes) => self.int(bytes),
            None => self.b.ins().uextend(I64, bytes),
        }
    }

    /// A part of the shape's table, of 32 or 64 bits.
    pub fn shape_field(&mut self, kind: cranelift_codegen::ir::Type, offset: usize) -> Value {
        if let Some(fixed) = &self.fixed {
            assert!(
                (kind == I32 || kind == I64) && offset + kind.bytes() as usize <= size_of::<ShapeTable>()
            );
            let field = std::ptr::from_ref(&fixed.table.shape).cast::<u8>().wrapping_add(offset);
            // SAFETY: the field lies in the table. Any bits are a number, and there are no gaps where a field is.
            let value = unsafe {
                match kind {
                    I32 => i64::from(field.cast::<u32>().read_unaligned()),
                    _ => field.cast::<i64>().read_unaligned(),
                }
            };
            return self.b.ins().iconst(kind, value);
        }
        self.b.ins().load(kind, table_flags(), self.shape, offset as i32)
    }

    /// A part of a process in the shape's table.
    pub fn instance_field(&mut self, instance: Value, offset: usize) -> Value {
        if let Some(one) = self.fixed_instance(instance) {
            return self.int32(one.field(offset) as i32);
        }
        self.b.ins().load(I32, table_flags(), instance, offset as i32)
    }

    /// The process that a value points to, if it is known.
    fn fixed_instance(&self, instance: Value) -> Option<abi::Instance> {
        self.fixed.as_ref()?.instances.get(&instance).copied()
    }

    /// Where a process's frame lies in a state.
    pub fn frame_of(&mut self, words: Value, instance: Value) -> Value {
        if let Some(one) = self.fixed_instance(instance) {
            return self.b.ins().iadd_imm_u(words, i64::from(one.frame));
        }
        let frame = self.instance_field(instance, std::mem::offset_of!(abi::Instance, frame));
        let frame = self.b.ins().uextend(I64, frame);
        self.b.ins().iadd(words, frame)
    }

    /// Notes that a transition is executed.
    pub fn note_executed(&mut self, transition: u32) {
        let executed = self.context_field(I64, Field::Executed);
        let offset = (transition / 32 * 4) as i32;
        let flags = MemFlagsData::trusted();
        let word = self.b.ins().load(I32, flags, executed, offset);
        let word = self.b.ins().bor_imm_u(word, i64::from(1u32 << (transition % 32)));
        self.b.ins().store(flags, word, executed, offset);
    }

    /// Calls a function of a template, through the context's table.
    pub fn call(&mut self, role: Role, table: Field, template: Value, arguments: &[Value]) -> Value {
        let table = self.context_field(I64, table);
        let template = self.b.ins().uextend(I64, template);
        let entry = self.b.ins().ishl_imm_u(template, 3);
        let entry = self.b.ins().iadd(table, entry);
        let flags = MemFlagsData::trusted().with_readonly();
        let function = self.b.ins().load(I64, flags, entry, 0);
        let signature = self.b.import_signature(role.signature(self.convention));
        let call = self.b.ins().call_indirect(signature, function, arguments);
        self.b.inst_results(call)[0]
    }

    /// Whether two 32-bit numbers are equal, as a condition.
    pub fn equal(&mut self, left: Value, right: Value) -> Value {
        self.b.ins().icmp(IntCC::Equal, left, right)
    }
}

/// The parts of the context that generated code reads.
#[derive(Clone, Copy)]
pub enum Field {
    Shape,
    Executed,
    Follow,
    Meet,
    Take,
    Unusual,
    Timeout,
    FirstMet,
    Message,
}

pub fn offset_of_context(field: Field) -> i32 {
    use std::mem::offset_of;
    (match field {
        Field::Shape => offset_of!(Context, shape),
        Field::Executed => offset_of!(Context, executed),
        Field::Follow => offset_of!(Context, follow),
        Field::Meet => offset_of!(Context, meet),
        Field::Take => offset_of!(Context, take),
        Field::Unusual => offset_of!(Context, unusual),
        Field::Timeout => offset_of!(Context, timeout),
        Field::FirstMet => offset_of!(Context, first_met),
        Field::Message => offset_of!(Context, message),
    }) as i32
}

/// The offset of the length of a state in the shape's table.
pub const BYTES: usize = std::mem::offset_of!(ShapeTable, bytes);
