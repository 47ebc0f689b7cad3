//! The single steps of atomic chains that the host goes on with.

use std::cell::RefCell;

use ir::interpreter::chain::{Stepper, Stop};
use model::{Action, Failure, Location, Patience, Phase};

use crate::abi::record;
use crate::call::{context, sides};
use crate::code::Code;
use crate::native::Native;

/// Does single steps with generated code, and with the interpreter where that gives up.
pub struct NativeStepper<'a> {
    native: &'a Native,
    code: &'a Code,
    /// For notes that nobody reads, and a copy of the state.
    memory: RefCell<[Vec<u64>; 2]>,
}

impl<'a> NativeStepper<'a> {
    /// With the code of a model.
    pub fn new(native: &'a Native, code: &'a Code) -> NativeStepper<'a> {
        NativeStepper { native, code, memory: RefCell::default() }
    }
}

impl Stepper for NativeStepper<'_> {
    fn moves(&self, state: &[u64], process: u16, out: &mut Vec<Action>) {
        let table = self.native.table(self.code, state);
        let instance = &table.instances[process as usize];
        let Some(list) = self.code.list[instance.template as usize] else {
            return self.native.interpreter().moves(state, process, out);
        };
        let mut context = context(self.code, table, Phase::Normal, std::ptr::null_mut());
        out.reserve(table.n_actions);
        let old = out.len();
        // SAFETY: the state has the shape of the table, and there is room for all actions, which have been
        // written when the function returns.
        unsafe {
            let start = out.as_mut_ptr().add(old).cast::<u8>();
            let end = list(&mut context, state.as_ptr(), start, instance, instance);
            if !end.is_null() {
                out.set_len(old + end.offset_from(start) as usize / size_of::<Action>());
                return;
            }
        }
        self.native.interpreter().moves(state, process, out);
    }

    fn step(
        &self,
        state: &mut Vec<u64>,
        action: &Action,
        phase: Phase,
        patience: Option<&Patience>,
        failures: &mut Vec<Failure>,
    ) -> Result<Option<u16>, Stop> {
        let table = self.native.table(self.code, state);
        let template = table.instances[action.actor.who.0 as usize].template as usize;
        if let Some(fire) = self.code.fire[template] {
            let [notes, copy] = &mut *self.memory.borrow_mut();
            notes.resize(self.native.interpreter().n_transitions().div_ceil(64), 0);
            copy.clear();
            copy.reserve(state.len());
            let mut context = context(self.code, table, phase, notes.as_mut_ptr());
            let (actor, partner, numbers) = sides(table, action);
            // SAFETY: the state has the table's shape, the action is enabled in it, and there is room for
            // one more state.
            let header =
                unsafe { fire(&mut context, state.as_ptr(), copy.as_mut_ptr(), actor, partner, numbers) };
            let kind = record::kind(header);
            if kind == record::STATE || kind == record::CHAIN {
                // SAFETY: that many words have been written, and they lie in the memory that was reserved.
                unsafe { copy.set_len(record::words(header)) };
                std::mem::swap(state, copy);
                return Ok((kind == record::CHAIN).then(|| record::pid(header)));
            }
        }
        self.native.interpreter().step(state, action, phase, patience, failures)
    }

    fn source(&self, transition: u32) -> Location {
        self.native.interpreter().source(transition)
    }
}
