//! Slots: reading and writing them.
//!
//! A slot never straddles the next power of two above its width, so it is read with a load of 8, 16 or
//! 32 bits that contains it, and shifted and masked if it does not fill that. This counts on a
//! little-endian machine.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I8, I16, I32, I64};
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Type, Value};
use ir::{Base, Expr, Place, ProcessId};

use super::{Emitter, Space, View, table_flags};
use crate::abi;

/// Where some bits lie.
#[derive(Clone, Copy)]
pub struct Bits {
    /// What the offsets are relative to.
    pub base: Value,
    /// Bits from there.
    pub offset: u32,
    /// What is added to that, if an index is not known.
    pub index: Option<Index>,
    /// Bits.
    pub width: u8,
    /// Whether the number can be negative.
    pub signed: bool,
    /// How it may be read.
    pub flags: MemFlagsData,
}

/// An offset that is not known.
#[derive(Clone, Copy)]
pub enum Index {
    /// In bytes.
    Bytes(Value),
    /// In bits; only for slots that are smaller than a byte.
    Bits(Value),
}

/// The flags of a load at a known offset.
pub fn flags_in(space: Space) -> MemFlagsData {
    if space.fixed { table_flags() } else { MemFlagsData::trusted() }
}

/// The type of the load that contains a slot.
fn container(width: u8) -> Type {
    match width {
        0..=8 => I8,
        9..=16 => I16,
        _ => I32,
    }
}

impl Emitter<'_> {
    /// The value of a place.
    pub fn load_place(&mut self, view: &View, place: &Place) -> Value {
        let Base::Remote { process, pid } = &place.base else {
            let bits = self.locate(view, place, false);
            return self.read(bits);
        };
        let space = view.space(!view.written.frame.is_empty());
        self.of_remote(view, *process, pid.as_deref(), &mut |emitter, instance| {
            let frame = emitter.frame_of(space.words, instance);
            let bits = emitter.locate_in(view, place, frame, MemFlagsData::trusted());
            emitter.read(bits)
        })
    }

    /// Stores a value, cut to the width of the place.
    pub fn store_place(&mut self, view: &mut View, place: &Place, value: Value) {
        let bits = self.locate(view, place, true);
        self.write(bits, value);
        match place.base {
            Base::Global => view.written.globals.push(place.slot),
            Base::Frame => view.written.frame.push(place.slot),
            Base::Remote { .. } => unreachable!("the plan leaves it to the interpreter"),
        }
    }

    /// Where a shared variable or one of the process itself lies.
    fn locate(&mut self, view: &View, place: &Place, to_write: bool) -> Bits {
        let is_written = match place.base {
            Base::Global => view.written.globals.contains(&place.slot),
            _ => view.written.frame.contains(&place.slot),
        };
        let space = if to_write { view.now } else { view.space(is_written) };
        let base = match place.base {
            Base::Global => space.words,
            _ => space.frame.expect("a process asks"),
        };
        self.locate_in(view, place, base, flags_in(space))
    }

    /// Where a place lies from the start of its region.
    fn locate_in(&mut self, view: &View, place: &Place, base: Value, flags: MemFlagsData) -> Bits {
        let mut bits =
            Bits { base, offset: place.offset, index: None, width: place.width, signed: place.signed, flags };
        let in_bytes =
            place.dims.iter().all(|(_, stride)| stride.is_multiple_of(8)) && place.offset.is_multiple_of(8);
        let mut sum = None;
        for (index, &(len, stride)) in place.indices.iter().zip(&place.dims) {
            if let Expr::Const(k) = index
                && u32::try_from(*k).is_ok_and(|k| k < len)
            {
                bits.offset += *k as u32 * stride;
                continue;
            }
            let index = self.value(view, index);
            let in_range = self.b.ins().icmp_imm_u(IntCC::UnsignedLessThan, index, i64::from(len));
            self.bail_unless(in_range);
            let index = self.b.ins().uextend(I64, index);
            let unit = if in_bytes { stride / 8 } else { stride };
            let scaled = if unit == 1 { index } else { self.b.ins().imul_imm_u(index, i64::from(unit)) };
            sum = Some(sum.map_or(scaled, |sum| self.b.ins().iadd(sum, scaled)));
        }
        if let Some(sum) = sum {
            // Not to be moved: an index that is out of range may lead anywhere.
            bits.flags = MemFlagsData::trusted();
            bits.index = Some(if in_bytes { Index::Bytes(sum) } else { Index::Bits(sum) });
        }
        bits
    }

    /// The address of the load that contains some bits, its offset, and how many bits lie below them.
    fn address(&mut self, bits: Bits) -> (Value, i32, Shift) {
        let size = container(bits.width).bits();
        let known = (bits.offset / size * (size / 8)) as i32;
        let shift = Shift::Known(bits.offset % size);
        match bits.index {
            None => (bits.base, known, shift),
            Some(Index::Bytes(bytes)) => {
                let address = self.b.ins().iadd(bits.base, bytes);
                (address, known, shift)
            }
            Some(Index::Bits(index)) => {
                let index = self.b.ins().iadd_imm_u(index, i64::from(bits.offset));
                let bytes = self.b.ins().ushr_imm_u(index, 3);
                let address = self.b.ins().iadd(bits.base, bytes);
                let shift = self.b.ins().band_imm_u(index, 7);
                let shift = self.b.ins().ireduce(I32, shift);
                (address, 0, Shift::Unknown(shift))
            }
        }
    }

    /// The number in some bits.
    pub fn read(&mut self, bits: Bits) -> Value {
        let (address, offset, shift) = self.address(bits);
        let kind = container(bits.width);
        let fills = u32::from(bits.width) == kind.bits();
        let raw = self.b.ins().load(kind, bits.flags, address, offset);
        let value = match (kind, bits.signed && fills) {
            (I32, _) => raw,
            (_, true) => self.b.ins().sextend(I32, raw),
            (_, false) => self.b.ins().uextend(I32, raw),
        };
        if fills {
            return value;
        }
        let width = u32::from(bits.width);
        if bits.signed {
            let raised = match shift {
                Shift::Known(shift) => self.b.ins().ishl_imm_u(value, i64::from(32 - width - shift)),
                Shift::Unknown(shift) => {
                    let lowered = self.b.ins().ushr(value, shift);
                    self.b.ins().ishl_imm_u(lowered, i64::from(32 - width))
                }
            };
            return self.b.ins().sshr_imm_u(raised, i64::from(32 - width));
        }
        let lowered = match shift {
            Shift::Known(0) => value,
            Shift::Known(shift) => self.b.ins().ushr_imm_u(value, i64::from(shift)),
            Shift::Unknown(shift) => self.b.ins().ushr(value, shift),
        };
        self.b.ins().band_imm_u(lowered, mask(bits.width))
    }

    /// Stores a number, cut to the width of the bits.
    pub fn write(&mut self, bits: Bits, value: Value) {
        let (address, offset, shift) = self.address(bits);
        let kind = container(bits.width);
        let flags = MemFlagsData::trusted();
        let cut = |emitter: &mut Self, value: Value| match kind {
            I32 => value,
            kind => emitter.b.ins().ireduce(kind, value),
        };
        if u32::from(bits.width) == kind.bits() {
            let value = cut(self, value);
            self.b.ins().store(flags, value, address, offset);
            return;
        }
        let old = self.b.ins().load(kind, flags, address, offset);
        let old = if kind == I32 { old } else { self.b.ins().uextend(I32, old) };
        let value = match self.known(value) {
            Some(value) => self.int32((value & mask(bits.width)) as i32),
            None => self.b.ins().band_imm_u(value, mask(bits.width)),
        };
        let (value, kept) = match shift {
            Shift::Known(shift) => {
                let value = match self.known(value) {
                    Some(value) => self.int32((value << shift) as i32),
                    None => self.b.ins().ishl_imm_u(value, i64::from(shift)),
                };
                let kept = !((mask(bits.width) as u32) << shift);
                (value, self.b.ins().band_imm_u(old, i64::from(kept)))
            }
            Shift::Unknown(shift) => {
                let mask = self.int32(mask(bits.width) as i32);
                let mask = self.b.ins().ishl(mask, shift);
                let mask = self.b.ins().bnot(mask);
                (self.b.ins().ishl(value, shift), self.b.ins().band(old, mask))
            }
        };
        let new = self.b.ins().bor(kept, value);
        let new = cut(self, new);
        self.b.ins().store(flags, new, address, offset);
    }

    /// What a function says of the process that a remote reference means; 0 if there is none.
    pub fn of_remote(
        &mut self,
        view: &View,
        process: ProcessId,
        pid: Option<&Expr>,
        ask: &mut dyn FnMut(&mut Self, Value) -> Value,
    ) -> Value {
        let done = self.b.create_block();
        let result = self.b.append_block_param(done, I32);
        let none = self.b.create_block();
        let instance = match pid {
            Some(pid) => {
                let pid = self.value(view, pid);
                let n_instances = self.shape_field(I32, std::mem::offset_of!(abi::ShapeTable, n_instances));
                let lives = self.b.ins().icmp(IntCC::UnsignedLessThan, pid, n_instances);
                self.go_on_if(lives, none);
                let instances = self.shape_field(I64, std::mem::offset_of!(abi::ShapeTable, instances));
                let pid = self.b.ins().uextend(I64, pid);
                let offset = self.b.ins().imul_imm_u(pid, size_of::<abi::Instance>() as i64);
                let instance = self.b.ins().iadd(instances, offset);
                let template = self.instance_field(instance, std::mem::offset_of!(abi::Instance, template));
                let fits = self.b.ins().icmp_imm_u(IntCC::Equal, template, i64::from(process.0));
                self.go_on_if(fits, none);
                instance
            }
            None => {
                let first_of = self.shape_field(I64, std::mem::offset_of!(abi::ShapeTable, first_of));
                let instance = self.b.ins().load(I64, table_flags(), first_of, (process.0 * 8) as i32);
                self.go_on_if(instance, none);
                instance
            }
        };
        let value = ask(self, instance);
        self.b.ins().jump(done, &[value.into()]);
        self.b.switch_to_block(none);
        let zero = self.int32(0);
        self.b.ins().jump(done, &[zero.into()]);
        self.b.switch_to_block(done);
        result
    }

    /// Where the location of a process lies in its frame.
    pub fn pc_bits(&self, template: usize, frame: Value, flags: MemFlagsData) -> Bits {
        let process = &self.plan.program.processes[template];
        let slot = &process.frame.slots[process.pc as usize];
        Bits { base: frame, offset: slot.offset, index: None, width: slot.width, signed: false, flags }
    }
}

/// Bits below a slot.
enum Shift {
    Known(u32),
    Unknown(Value),
}

fn mask(width: u8) -> i64 {
    (u64::from(u32::MAX) >> (32 - u32::from(width))) as i64
}
