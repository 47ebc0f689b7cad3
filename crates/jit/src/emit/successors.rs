//! The functions that searches call: `successors`, `list` and `fire`.

use std::collections::HashMap;
use std::sync::Arc;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I8, I32, I64};
use cranelift_codegen::ir::{Block, InstBuilder, MemFlagsData, Value};
use cranelift_frontend::Variable;
use ir::{Comm, Command, Expr, Guarded, ProcessId, Transition};
use model::{Action, NO_PARTNER, Party};

use super::channel::Chan;
use super::command::{FUEL, Ready, Tested};
use super::place::flags_in;
use super::{BYTES, Emitter, Field, Fixed, Role, View, offset_of_context};
use crate::abi::{self, record};
use crate::table::Table;

/// What is made of an action that is found.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Product {
    /// A record.
    Record,
    /// An entry in a list of actions.
    Action,
}

/// A transition that is found, with all that is needed to go on.
pub struct Site<'s> {
    pub view: &'s View,
    pub transition: &'s Transition,
    /// Its number over the whole program.
    pub number: u32,
    pub can_execute: bool,
    /// Where the next record or action goes.
    pub out: Variable,
}

impl Emitter<'_> {
    /// A loop over processes of a template, from the younger to the older, that writes records or
    /// actions.
    pub fn process_loop(&mut self, template: usize, arguments: &[Value], product: Product) {
        let [_, state, start, first, last] = *arguments else { unreachable!("as the signature says") };
        let out = self.b.declare_var(I64);
        self.b.def_var(out, start);
        let (head, next, done) = (self.b.create_block(), self.b.create_block(), self.b.create_block());
        let instance = self.b.append_block_param(head, I64);
        self.b.ins().jump(head, &[first.into()]);
        self.b.switch_to_block(head);
        let frame = self.frame_of(state, instance);
        let view = View::fixed(Some(template), Some(instance), state, Some(frame));
        self.process(template, &view, product, out, next);
        self.b.switch_to_block(next);
        let is_last = self.b.ins().icmp(IntCC::Equal, instance, last);
        let older = self.b.ins().iadd_imm_s(instance, -(size_of::<abi::Instance>() as i64));
        self.b.ins().brif(is_last, done, &[], head, &[older.into()]);
        self.b.switch_to_block(done);
        let end = self.b.use_var(out);
        self.b.ins().return_(&[end]);
    }

    /// `whole`: the same for all processes of a shape, from the youngest to the oldest, without a loop.
    pub fn whole(&mut self, table: Arc<Table>, arguments: &[Value]) {
        let [_, state, start] = *arguments else { unreachable!("as the signature says") };
        let out = self.b.declare_var(I64);
        self.b.def_var(out, start);
        self.fixed = Some(Fixed { table: table.clone(), instances: HashMap::new() });
        for one in table.instances.iter().rev() {
            let instance = self.int(std::ptr::from_ref(one) as i64);
            if let Some(fixed) = &mut self.fixed {
                fixed.instances.insert(instance, *one);
            }
            let frame = self.frame_of(state, instance);
            let template = one.template as usize;
            let view = View::fixed(Some(template), Some(instance), state, Some(frame));
            let next = self.b.create_block();
            self.process(template, &view, Product::Record, out, next);
            self.b.switch_to_block(next);
        }
        let end = self.b.use_var(out);
        self.b.ins().return_(&[end]);
    }

    /// Everything that one process can do. Goes to `next` in the end.
    fn process(&mut self, template: usize, view: &View, product: Product, out: Variable, next: Block) {
        let plan = self.plan;
        let process = &plan.program.processes[template];
        let bits = self.pc_bits(template, view.now.frame.expect("a process"), flags_in(view.now));
        let pc = self.read(bits);
        let blocks: Vec<Option<Block>> = process
            .locations
            .iter()
            .map(|location| (!location.transitions.is_empty()).then(|| self.b.create_block()))
            .collect();
        self.switch(pc, &blocks, next);
        for (l, block) in blocks.iter().enumerate() {
            let Some(block) = *block else { continue };
            self.b.switch_to_block(block);
            if plan.templates[template].locations[l].native {
                self.test_provided(view, next);
                self.location(template, l, view, product, out);
            } else {
                self.leave_process_to_host(view, product, out);
            }
            self.jump(next);
        }
    }

    fn location(&mut self, template: usize, l: usize, view: &View, product: Product, out: Variable) {
        let plan = self.plan;
        let transitions = &plan.program.processes[template].locations[l].transitions;
        let first = plan.interpreter.first_transition(ProcessId(template as u32), l as u32);
        let found = self.found_flags(transitions);
        for (k, transition) in transitions.iter().enumerate() {
            let next = self.b.create_block();
            self.heed_escapes(transitions, &found, k, next);
            let can_execute = plan.templates[template].locations[l].transitions[k].can_execute;
            let site = Site { view, transition, number: first + k as u32, can_execute, out };
            match self.test(view, transition, &found[..k], next) {
                Ready::Never => {}
                Ready::Alone(chan) => {
                    self.set_found(found[k]);
                    match product {
                        Product::Record => self.alone(&site, chan),
                        Product::Action => self.push_action(&site, None),
                    }
                    self.jump(next);
                }
                Ready::WithPartner => {
                    self.partners(&site, found[k], product);
                    self.jump(next);
                }
            }
            self.b.switch_to_block(next);
        }
    }

    /// A record for a transition that is executed alone.
    fn alone(&mut self, site: &Site, chan: Option<Chan>) {
        if !site.can_execute {
            self.leave_action_to_host(site, None);
            return;
        }
        self.note_executed(site.number);
        let is_end = matches!(site.transition.command, Command::Terminate);
        let whole = std::mem::offset_of!(abi::ShapeTable, whole);
        let (bytes, header) = if is_end {
            let offsets = (
                std::mem::offset_of!(abi::ShapeTable, parent_bytes),
                std::mem::offset_of!(abi::ShapeTable, truncated),
            );
            (self.shape_bytes(offsets.0), self.shape_field(I64, offsets.1))
        } else {
            (self.shape_bytes(BYTES), self.shape_field(I64, whole))
        };
        let mut copy = self.copy_of_state(site, bytes);
        let words = copy.now.words;
        if is_end {
            self.cut_youngest(words);
        } else {
            self.execute(&mut copy, site.transition, Tested::Passed(chan));
            self.move_to(&copy, site.transition.target);
        }
        self.set_last(&copy);
        if site.transition.chain {
            self.follow_chain(site, copy.instance(), words);
        } else if is_end {
            self.end_record_of(site.out, header);
        } else {
            self.end_record(site.out, header, bytes);
        }
    }

    /// Copies the state behind the header of a new record.
    pub fn copy_of_state(&mut self, site: &Site, bytes: Value) -> View {
        let start = self.b.use_var(site.out);
        let words = self.b.ins().iadd_imm_u(start, 8);
        let before = site.view.now;
        self.copy(before.words, words, bytes);
        let frame = self.frame_of(words, site.view.instance());
        site.view.copied_to(words, frame)
    }

    /// Writes the header of a record with a state of so many bytes.
    fn end_record(&mut self, out: Variable, header: Value, bytes: Value) {
        let start = self.b.use_var(out);
        self.b.ins().store(MemFlagsData::trusted(), header, start, 0);
        let behind = match self.known(bytes) {
            Some(bytes) => self.b.ins().iadd_imm_u(start, 8 + bytes),
            None => {
                let behind = self.b.ins().iadd_imm_u(start, 8);
                self.b.ins().iadd(behind, bytes)
            }
        };
        self.b.def_var(out, behind);
    }

    /// Goes on with the chain behind a step and ends the record with what comes out.
    pub fn follow_chain(&mut self, site: &Site, holder: Value, words: Value) {
        let header = self.follow_holders(holder, words);
        self.end_record_of(site.out, header);
    }

    /// Lets the process that holds atomicity go on, and whoever gets it then. Returns the header.
    pub fn follow_holders(&mut self, holder: Value, words: Value) -> Value {
        let (ask, done) = (self.b.create_block(), self.b.create_block());
        let instance = self.b.append_block_param(ask, I64);
        let fuel = self.b.append_block_param(ask, I32);
        let full = self.b.ins().iconst(I32, FUEL);
        self.b.ins().jump(ask, &[holder.into(), full.into()]);
        self.b.switch_to_block(ask);
        let template = self.instance_field(instance, std::mem::offset_of!(abi::Instance, template));
        let header = self.call(Role::Follow, Field::Follow, template, &[self.context, words, instance]);
        self.bail_unless(header);
        if self.plan.has_passing_chains {
            let kind = self.b.ins().ireduce(I8, header);
            let is_passed = self.b.ins().icmp_imm_u(IntCC::Equal, kind, record::PASSED as i64);
            self.go_on_if(is_passed, done);
            let left = self.b.ins().iadd_imm_s(fuel, -1);
            self.bail_unless(left);
            let next = self.instance_in(header);
            self.b.ins().jump(ask, &[next.into(), left.into()]);
        } else {
            self.jump(done);
        }
        self.b.switch_to_block(done);
        header
    }

    /// The process in a header.
    fn instance_in(&mut self, header: Value) -> Value {
        let pid = self.b.ins().ushr_imm_u(header, 16);
        let pid = self.b.ins().band_imm_u(pid, 0xffff);
        let offset = self.b.ins().imul_imm_u(pid, size_of::<abi::Instance>() as i64);
        let instances = self.shape_field(I64, std::mem::offset_of!(abi::ShapeTable, instances));
        self.b.ins().iadd(instances, offset)
    }

    /// Ends a record with a header that says what and how long it is.
    pub fn end_record_of(&mut self, out: Variable, header: Value) {
        let whole = self.shape_field(I64, std::mem::offset_of!(abi::ShapeTable, whole));
        let difference = self.b.ins().bxor(header, whole);
        self.note_unusual(difference);
        let length = self.b.ins().ushr_imm_u(header, 32);
        let bytes = self.b.ins().ishl_imm_u(length, 3);
        self.end_record(out, header, bytes);
    }

    /// Notes that a record is not a state of the same shape, unless `bits` is zero.
    fn note_unusual(&mut self, bits: Value) {
        let (flags, offset) = (MemFlagsData::trusted(), offset_of_context(Field::Unusual));
        let noted = self.b.ins().load(I64, flags, self.context, offset);
        let noted = self.b.ins().bor(noted, bits);
        self.b.ins().store(flags, noted, self.context, offset);
    }

    /// A record that lets the host fire an action.
    pub fn leave_action_to_host(&mut self, site: &Site, partner: Option<(Value, Value)>) {
        let flags = MemFlagsData::trusted();
        let start = self.b.use_var(site.out);
        let header = self.int(record::header(record::ACTION, 2) as i64);
        self.note_unusual(header);
        self.b.ins().store(flags, header, start, 0);
        let pid = self.value(site.view, &Expr::Pid);
        let number = self.int32(site.number as i32);
        self.b.ins().store(flags, number, start, 8);
        self.b.ins().store(flags, pid, start, 12);
        let (pid, number) = partner.unwrap_or_else(|| {
            let nobody = self.int32(NO_PARTNER.who.0 as i32);
            (nobody, self.int32(NO_PARTNER.transition as i32))
        });
        self.b.ins().store(flags, number, start, 16);
        self.b.ins().store(flags, pid, start, 20);
        let behind = self.b.ins().iadd_imm_u(start, 24);
        self.b.def_var(site.out, behind);
    }

    /// Lets the host do everything that a process can do.
    fn leave_process_to_host(&mut self, view: &View, product: Product, out: Variable) {
        if product == Product::Action {
            let next = self.b.create_block();
            let bail = self.bail();
            self.jump(bail);
            self.b.switch_to_block(next);
            return;
        }
        let start = self.b.use_var(out);
        let pid = self.value(view, &Expr::Pid);
        let pid = self.b.ins().uextend(I64, pid);
        let pid = self.b.ins().ishl_imm_u(pid, 16);
        let header = self.b.ins().bor_imm_u(pid, record::header(record::PROCESS, 0) as i64);
        self.note_unusual(header);
        self.b.ins().store(MemFlagsData::trusted(), header, start, 0);
        let behind = self.b.ins().iadd_imm_u(start, 8);
        self.b.def_var(out, behind);
    }

    /// Adds an action to a list.
    pub fn push_action(&mut self, site: &Site, partner: Option<(Value, Value)>) {
        let start = self.b.use_var(site.out);
        let pid = self.value(site.view, &Expr::Pid);
        let number = self.int32(site.number as i32);
        self.store_party(start, std::mem::offset_of!(Action, actor), pid, number);
        let (pid, number) = partner.unwrap_or_else(|| {
            let nobody = self.int32(NO_PARTNER.who.0 as i32);
            (nobody, self.int32(NO_PARTNER.transition as i32))
        });
        self.store_party(start, std::mem::offset_of!(Action, partner), pid, number);
        let behind = self.b.ins().iadd_imm_u(start, size_of::<Action>() as i64);
        self.b.def_var(site.out, behind);
    }

    fn store_party(&mut self, start: Value, offset: usize, pid: Value, number: Value) {
        let flags = MemFlagsData::trusted();
        self.b.ins().store(flags, pid, start, (offset + std::mem::offset_of!(Party, who)) as i32);
        self.b.ins().store(flags, number, start, (offset + std::mem::offset_of!(Party, transition)) as i32);
    }

    /// `fire`: one step of a process. The step is known to be possible, or to fail.
    pub fn fire(&mut self, template: usize, arguments: &[Value]) {
        let [_, before, state, instance, partner, numbers] = *arguments else {
            unreachable!("as the signature says")
        };
        let plan = self.plan;
        let process = &plan.program.processes[template];
        let bytes = self.shape_bytes(BYTES);
        self.copy(before, state, bytes);
        let (old_frame, frame) = (self.frame_of(before, instance), self.frame_of(state, instance));
        let unchanged = View::fixed(Some(template), Some(instance), before, Some(old_frame));
        let number = self.b.ins().ireduce(I32, numbers);
        let first = plan.interpreter.first_transition(ProcessId(template as u32), 0);
        let bail = self.bail();
        let mut blocks = Vec::new();
        for location in &plan.templates[template].locations {
            for transition in &location.transitions {
                let can = location.native && transition.can_execute;
                blocks.push(can.then(|| self.b.create_block()));
            }
        }
        let local = self.b.ins().iadd_imm_s(number, -i64::from(first));
        self.switch(local, &blocks, bail);
        let transitions = ir::transitions(process)
            .zip(plan.templates[template].locations.iter().flat_map(|l| &l.transitions));
        for ((k, (transition, decided)), block) in transitions.enumerate().zip(&blocks) {
            let Some(block) = *block else { continue };
            self.b.switch_to_block(block);
            let mut view = unchanged.copied_to(state, frame);
            let site_number = first + k as u32;
            // An action is also listed if what decides about it fails.
            if let Some(condition) = &process.provided {
                self.check(&view, condition);
            }
            if let Command::Guarded(guarded) = &transition.command {
                self.check_guarded(&view, guarded);
            }
            if decided.meets {
                let Command::Guarded(Guarded { comm: Comm::Send(send), effect, .. }) = &transition.command
                else {
                    unreachable!("a rendezvous send is guarded")
                };
                self.bail_unless(partner);
                let channel = self.pass_message(&view, send);
                self.note_executed(site_number);
                self.effect(&mut view, effect);
                self.move_to(&view, transition.target);
                let receiver = self.instance_field(partner, std::mem::offset_of!(abi::Instance, template));
                let other = self.b.ins().ushr_imm_u(numbers, 32);
                let other = self.b.ins().ireduce(I32, other);
                let arguments = [self.context, state, partner, channel, other];
                let header = self.call(Role::Take, Field::Take, receiver, &arguments);
                let kind = self.b.ins().ireduce(I8, header);
                let is_left = self.b.ins().icmp_imm_u(IntCC::Equal, kind, record::ACTION as i64);
                self.leave_if(is_left, bail);
                self.b.ins().return_(&[header]);
                continue;
            }
            if plan.never_alone(template, transition) {
                self.jump(bail);
                continue;
            }
            self.note_executed(site_number);
            if let Command::Terminate = transition.command {
                self.set_last(&view);
                self.cut_youngest(state);
                let header = self.shape_field(I64, std::mem::offset_of!(abi::ShapeTable, truncated));
                self.b.ins().return_(&[header]);
                continue;
            }
            self.execute(&mut view, transition, Tested::NotYet);
            self.move_to(&view, transition.target);
            self.set_last(&view);
            let header = self.step_header(&view, transition);
            self.b.ins().return_(&[header]);
        }
    }

    /// The header behind a single step.
    pub fn step_header(&mut self, view: &View, transition: &Transition) -> Value {
        let header = self.shape_field(I64, std::mem::offset_of!(abi::ShapeTable, whole));
        if !transition.chain {
            return header;
        }
        self.chain_header(view, header)
    }

    /// The header of a state inside a chain that the process holds.
    pub fn chain_header(&mut self, view: &View, whole: Value) -> Value {
        let pid = self.value(view, &Expr::Pid);
        let pid = self.b.ins().uextend(I64, pid);
        let pid = self.b.ins().ishl_imm_u(pid, 16);
        let change = self.b.ins().bor_imm_u(pid, (record::STATE ^ record::CHAIN) as i64);
        self.b.ins().bxor(whole, change)
    }
}
