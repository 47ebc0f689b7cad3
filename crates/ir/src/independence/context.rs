//! What expressions mean as long as the same processes live: which objects, and which constants.
//!
//! The number of a process, variables that are never written and what is computed from them have one
//! value for each process. So `flag[_pid]` is an object of its own.

use super::objects::{Object, WHOLE, Who};
use super::statics::Statics;
use crate::analysis::Known;
use crate::expr::{Base, BinaryOp, Expr, Place, Receive};
use crate::interpreter::shape::Shape;
use crate::interpreter::{Interpreter, bits, eval};
use crate::layout::Slot;
use crate::program::{ProcessId, Program};

/// An array with more elements is one object.
const MANY_ELEMENTS: u32 = 256;

/// A state that stands for all with the same processes and the same constants.
#[derive(Clone, Copy)]
pub struct Context<'m, 'a> {
    pub interpreter: &'m Interpreter,
    pub statics: &'a Statics,
    pub shape: &'a Shape,
    pub words: &'a [u64],
}

/// What is known of the expressions of somebody.
pub struct KnownTo<'m, 'a> {
    pub who: Who,
    pub context: Context<'m, 'a>,
}

impl Known for KnownTo<'_, '_> {
    fn constant(&self, expr: &Expr) -> Option<i32> {
        self.context.constant(self.who, expr)
    }

    fn is_channel(&self, expr: &Expr) -> bool {
        self.context.lasts(self.who, expr)
    }

    // That the message has enough fields is not looked at.
    fn can_be_polled(&self, _: &Receive) -> bool {
        false
    }
}

/// What a place is.
pub enum Resolved {
    /// Nothing that ever changes.
    Constant(Option<i32>),
    /// A variable that only its own process can reach.
    Own,
    /// One object.
    Exact(Object),
    /// One or several of these.
    Some(Vec<Object>),
}

/// The channels that an expression can mean.
pub enum Channels {
    /// This one.
    Exact(u32),
    /// One of these numbers, or one of these types that may be made later.
    Some { numbers: Vec<u32>, types: Vec<u32> },
}

impl<'m> Context<'m, '_> {
    pub fn program(&self) -> &'m Program {
        self.interpreter.program()
    }

    pub fn template(&self, who: Who) -> Option<u32> {
        match who {
            Who::Nobody => None,
            Who::Live(pid) => Some(self.shape.processes[pid as usize].process.0),
            Who::Future(template) => Some(template),
        }
    }

    /// The value that an expression always has.
    pub fn constant(&self, who: Who, expr: &Expr) -> Option<i32> {
        self.value(who, expr, None)
    }

    /// The value that an expression has if an object has a value, whatever the rest of the state is.
    pub fn value(&self, who: Who, expr: &Expr, known: Option<(Object, i32)>) -> Option<i32> {
        let of = |expr: &Expr| self.value(who, expr, known);
        match expr {
            Expr::Const(value) => Some(*value),
            Expr::Load(place) => match (self.resolve(who, place), known) {
                (Resolved::Constant(value), _) => value,
                (Resolved::Exact(object), Some((one, value))) if object == one => Some(value),
                _ => None,
            },
            Expr::Pid => match who {
                Who::Live(pid) => Some(i32::from(pid)),
                Who::Nobody | Who::Future(_) => None,
            },
            Expr::OwnChannel(k) => match who {
                Who::Live(pid) => Some((self.shape.processes[pid as usize].first_channel + k + 1) as i32),
                Who::Nobody | Who::Future(_) => None,
            },
            // States in which nothing else is enabled are not reduced.
            Expr::Timeout => Some(0),
            Expr::Unary(op, operand) => Some(eval::unary(*op, of(operand)?)),
            Expr::Binary(op @ (BinaryOp::And | BinaryOp::Or), left, right) => {
                let decisive = *op == BinaryOp::Or;
                let decides = |value: i32| (value != 0) == decisive;
                match of(left).map(decides) {
                    Some(true) => Some(i32::from(decisive)),
                    Some(false) => of(right).map(|value| i32::from(value != 0)),
                    // The left side may be anything, but not without a value.
                    None if !left.may_fail() && of(right).is_some_and(decides) => Some(i32::from(decisive)),
                    None => None,
                }
            }
            Expr::Binary(op, left, right) => eval::binary(*op, of(left)?, of(right)?).ok(),
            Expr::Cond(condition, then, otherwise) => match of(condition) {
                Some(0) => of(otherwise),
                Some(_) => of(then),
                None => None,
            },
            _ => None,
        }
    }

    /// What a place is to a process.
    pub fn resolve(&self, who: Who, place: &Place) -> Resolved {
        let program = self.program();
        match &place.base {
            Base::Global => {
                let slot = &program.globals.slots[place.slot as usize];
                if !self.statics.written_globals[place.slot as usize] {
                    return self.constant_place(who, place, Some(0));
                }
                let object = |element| Object::Global { slot: place.slot, element };
                self.elements(who, place, slot, &object)
            }
            Base::Frame => {
                let template = self.template(who).expect("nobody has no variables") as usize;
                if !self.statics.written_frames[template][place.slot as usize] {
                    let frame = match who {
                        Who::Live(pid) => Some(self.shape.processes[pid as usize].frame),
                        Who::Nobody | Who::Future(_) => None,
                    };
                    return self.constant_place(who, place, frame);
                }
                if !self.statics.exposed[template][place.slot as usize] {
                    return Resolved::Own;
                }
                let slot = &program.processes[template].frame.slots[place.slot as usize];
                let object = |element| Object::Frame { owner: who, slot: place.slot, element };
                self.elements(who, place, slot, &object)
            }
            Base::Remote { process, pid } => {
                let template = &program.processes[process.0 as usize];
                let slot = &template.frame.slots[place.slot as usize];
                let mut objects = Vec::new();
                for owner in self.instances(who, *process, pid.as_deref()) {
                    let object = |element| Object::Frame { owner, slot: place.slot, element };
                    match self.elements(who, place, slot, &object) {
                        Resolved::Exact(object) => objects.push(object),
                        Resolved::Some(more) => objects.extend(more),
                        Resolved::Constant(_) | Resolved::Own => {}
                    }
                }
                Resolved::Some(objects)
            }
        }
    }

    /// The processes that a remote reference can mean. Who lives now may not live then.
    pub fn instances(&self, who: Who, process: ProcessId, pid: Option<&Expr>) -> Vec<Who> {
        let known = pid.and_then(|pid| self.constant(who, pid));
        let all = self.shape.processes.iter().enumerate();
        let fits = all.filter(|(pid, instance)| {
            instance.process == process && known.is_none_or(|known| known == *pid as i32)
        });
        fits.map(|(pid, _)| Who::Live(pid as u16)).chain([Who::Future(process.0)]).collect()
    }

    /// The channels that an expression can mean.
    pub fn channels(&self, who: Who, expr: &Expr) -> Channels {
        if let Some(number) = self.constant(who, expr)
            && number > 0
            && (number as usize) <= self.shape.channels.len()
        {
            return Channels::Exact(number as u32);
        }
        let process = self.template(who).map(|template| template as usize);
        let denoted = self.statics.channels.of(self.program(), process, expr);
        let types = denoted.types(self.program().channels.len());
        let live = self.shape.channels.iter().enumerate();
        let numbers = live.filter(|(_, live)| types.contains(&live.channel.0));
        let numbers = numbers.map(|(index, _)| index as u32 + 1).collect();
        Channels::Some { numbers, types }
    }

    /// Whether an expression always means one channel that is there as long as the process is.
    pub fn lasts(&self, who: Who, expr: &Expr) -> bool {
        let Channels::Exact(number) = self.channels(who, expr) else { return false };
        let shared = self.shape.processes.first().map_or(0, |first| first.first_channel);
        number <= shared || matches!(expr, Expr::OwnChannel(_))
    }

    /// Whether a process at a location may be taken along by somebody else's chain: it stands at a
    /// receive, and there are chains with a rendezvous in them.
    pub fn may_be_taken_along(&self, template: u32, location: u32) -> bool {
        self.statics.has_inner_sends && self.statics.receives[template as usize][location as usize]
    }

    /// The capacity of a live channel.
    pub fn capacity(&self, number: u32) -> u32 {
        let live = &self.shape.channels[number as usize - 1];
        self.program().channels[live.channel.0 as usize].capacity
    }

    fn constant_place(&self, who: Who, place: &Place, base: Option<u32>) -> Resolved {
        let mut offset = place.offset;
        for (index, &(len, stride)) in place.indices.iter().zip(&place.dims) {
            match self.constant(who, index) {
                Some(index) if index >= 0 && (index as u32) < len => offset += index as u32 * stride,
                _ => return Resolved::Constant(None),
            }
        }
        let value = |base| bits::read(self.words, base, offset, place.width, place.signed);
        Resolved::Constant(base.map(value))
    }

    fn elements(&self, who: Who, place: &Place, slot: &Slot, object: &dyn Fn(u32) -> Object) -> Resolved {
        let n_elements: u64 = slot.dims.iter().map(|dim| u64::from(dim.len)).product();
        if n_elements > u64::from(MANY_ELEMENTS) {
            return Resolved::Some(vec![object(WHOLE)]);
        }
        let mut element = Some(0);
        for (index, dim) in place.indices.iter().zip(&slot.dims) {
            element = match (element, self.constant(who, index)) {
                (Some(element), Some(index)) if index >= 0 && (index as u32) < dim.len => {
                    Some(element * dim.len + index as u32)
                }
                // Out of range: a failure, whatever the elements are.
                (_, Some(index)) if index < 0 || index as u32 >= dim.len => return Resolved::Some(Vec::new()),
                _ => None,
            }
        }
        match element {
            Some(element) => Resolved::Exact(object(element)),
            None => Resolved::Some((0..n_elements as u32).map(object).collect()),
        }
    }
}

/// A value cut to the width of a place.
pub fn cut(place: &Place, value: i32) -> i32 {
    let mut cell = [0];
    bits::write(&mut cell, 0, 0, place.width, value);
    bits::read(&cell, 0, 0, place.width, place.signed)
}
