//! `follow`: the steps of an atomic chain, in place, as long as there is no choice.
//!
//! The code of a step goes straight to the location to which the step leads. It stops with an observable state when the
//! chain ends or the process cannot go on. It also stops in front of a choice or anything else that is left to the host,
//! which then goes on from there. A rendezvous with only one possible partner is executed; if the chain continues in the
//! receiver, the caller asks the receiver's `follow` to go on.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I8, I32, I64};
use cranelift_codegen::ir::{Block, InstBuilder, MemFlagsData, Value};
use cranelift_frontend::Variable;
use ir::{Comm, Command, Guarded, ProcessId, Send, Transition};

use super::channel::Chan;
use super::command::{FUEL, Ready, Tested};
use super::{Emitter, Field, Role, View};
use crate::abi::{self, record};

/// The code of `follow` that is being made.
struct Chain {
    template: usize,
    view: View,
    fuel: Variable,
    /// By location; none if no chain leads there.
    locations: Vec<Option<Block>>,
    /// The process cannot go on: the state is observable.
    give_up: Block,
    /// The host goes on.
    hand_over: Block,
}

/// Who takes part in a rendezvous, with which transition.
#[derive(Clone, Copy)]
struct Partner {
    instance: Variable,
    number: Variable,
}

fn rendezvous_send(transition: &Transition) -> &Send {
    match &transition.command {
        Command::Guarded(Guarded { comm: Comm::Send(send), .. }) => send,
        _ => unreachable!("a rendezvous send is guarded"),
    }
}

impl Emitter<'_> {
    /// Makes the function.
    pub fn follow(&mut self, template: usize, arguments: &[Value]) {
        let [_, state, instance] = *arguments else { unreachable!("as the signature says") };
        let plan = self.plan;
        let process = &plan.program.processes[template];
        let frame = self.frame_of(state, instance);
        let mut view = View::changing(template, instance, state, frame);
        view.timeout = false;
        let fuel = self.b.declare_var(I32);
        let full = self.b.ins().iconst(I32, FUEL);
        self.b.def_var(fuel, full);
        let mut is_inside = vec![false; process.locations.len()];
        ir::transitions(process).filter(|t| t.chain).for_each(|t| is_inside[t.target.0 as usize] = true);
        let locations: Vec<Option<Block>> =
            is_inside.iter().map(|&is_inside| is_inside.then(|| self.b.create_block())).collect();
        let (give_up, hand_over) = (self.b.create_block(), self.b.create_block());
        let bits = self.pc_bits(template, frame, MemFlagsData::trusted());
        let pc = self.read(bits);
        self.switch(pc, &locations, hand_over);
        let chain = Chain { template, view, fuel, locations, give_up, hand_over };
        for (l, block) in chain.locations.iter().enumerate() {
            let Some(block) = *block else { continue };
            self.b.switch_to_block(block);
            self.follow_at(&chain, l);
        }
        let whole = std::mem::offset_of!(abi::ShapeTable, whole);
        self.b.switch_to_block(hand_over);
        let header = self.shape_field(I64, whole);
        let header = self.chain_header(&chain.view, header);
        self.b.ins().return_(&[header]);
        self.b.switch_to_block(give_up);
        let header = self.shape_field(I64, whole);
        self.b.ins().return_(&[header]);
    }

    fn follow_at(&mut self, chain: &Chain, l: usize) {
        let plan = self.plan;
        let transitions = &plan.program.processes[chain.template].locations[l].transitions;
        let decided = &plan.templates[chain.template].locations[l];
        if !decided.native {
            self.jump(chain.hand_over);
            return;
        }
        self.test_provided(&chain.view, chain.give_up);
        if decided.transitions.iter().any(|transition| transition.meets) {
            if plan.interpreter.uses_timeout() {
                // Inside a chain it is false, but partners would see what is in the context.
                let timeout = self.context_field(I32, Field::Timeout);
                self.leave_if(timeout, chain.hand_over);
            }
            self.follow_only(chain, l);
            return;
        }
        match transitions.as_slice() {
            [] => self.jump(chain.give_up),
            [_] => self.follow_first(chain, l, chain.give_up),
            [_, other] if matches!(other.command, Command::Else { since: 0 }) => {
                let otherwise = self.b.create_block();
                self.follow_first(chain, l, otherwise);
                self.b.switch_to_block(otherwise);
                self.follow_step(chain, l, 1, None);
            }
            _ => self.follow_only(chain, l),
        }
    }

    /// Takes the first transition of a location if it can be executed.
    fn follow_first(&mut self, chain: &Chain, l: usize, otherwise: Block) {
        let plan = self.plan;
        let transition = &plan.program.processes[chain.template].locations[l].transitions[0];
        match self.test(&chain.view, transition, &[], otherwise) {
            Ready::Alone(chan) => self.follow_step(chain, l, 0, chan),
            Ready::Never => {}
            Ready::WithPartner => unreachable!("rendezvous sends are counted"),
        }
    }

    /// Takes the only transition of a location that can be executed, if there is but one.
    fn follow_only(&mut self, chain: &Chain, l: usize) {
        let plan = self.plan;
        let transitions = &plan.program.processes[chain.template].locations[l].transitions;
        let found = self.found_flags(transitions);
        let chosen = self.b.declare_var(I32);
        let none = self.int32(transitions.len() as i32);
        self.b.def_var(chosen, none);
        let partner = Partner { instance: self.b.declare_var(I64), number: self.b.declare_var(I32) };
        let nobody = self.int(0);
        self.b.def_var(partner.instance, nobody);
        self.b.def_var(partner.number, none);
        for (k, transition) in transitions.iter().enumerate() {
            let next = self.b.create_block();
            self.heed_escapes(transitions, &found, k, next);
            match self.test(&chain.view, transition, &found[..k], next) {
                Ready::Alone(_) => {
                    self.set_found(found[k]);
                    self.choose(chain, chosen, none, k);
                    self.jump(next);
                }
                Ready::Never => {}
                Ready::WithPartner => {
                    let send = rendezvous_send(transition);
                    let channel = self.pass_message(&chain.view, send);
                    self.receiver_loop(&chain.view, send, channel, &mut |emitter, receiver| {
                        let unwilling = emitter.b.create_block();
                        emitter.go_on_if(receiver.mask, unwilling);
                        emitter.set_found(found[k]);
                        emitter.choose(chain, chosen, none, k);
                        let less = emitter.b.ins().iadd_imm_s(receiver.mask, -1);
                        let others = emitter.b.ins().band(receiver.mask, less);
                        emitter.leave_if(others, chain.hand_over);
                        let number = emitter.first_of_mask(receiver.mask, receiver.first);
                        emitter.b.def_var(partner.number, number);
                        emitter.b.def_var(partner.instance, receiver.instance);
                        emitter.jump(unwilling);
                        emitter.b.switch_to_block(unwilling);
                    });
                    self.jump(next);
                }
            }
            self.b.switch_to_block(next);
        }
        let blocks: Vec<Option<Block>> = transitions.iter().map(|_| Some(self.b.create_block())).collect();
        let chosen = self.b.use_var(chosen);
        self.switch(chosen, &blocks, chain.give_up);
        for (k, block) in blocks.iter().enumerate() {
            self.b.switch_to_block(block.expect("just made"));
            if plan.templates[chain.template].locations[l].transitions[k].meets {
                self.pass_on(chain, l, k, partner);
            } else {
                self.follow_step(chain, l, k, None);
            }
        }
    }

    /// Notes that a transition can be taken; hands over if it is not the first that can.
    fn choose(&mut self, chain: &Chain, chosen: Variable, none: Value, k: usize) {
        let earlier = self.b.use_var(chosen);
        let is_first = self.equal(earlier, none);
        self.go_on_if(is_first, chain.hand_over);
        let this = self.int32(k as i32);
        self.b.def_var(chosen, this);
    }

    /// Executes a rendezvous with the only partner. The chain may go on there.
    fn pass_on(&mut self, chain: &Chain, l: usize, k: usize, partner: Partner) {
        let plan = self.plan;
        let transition = &plan.program.processes[chain.template].locations[l].transitions[k];
        if !plan.templates[chain.template].locations[l].transitions[k].can_execute {
            self.jump(chain.hand_over);
            return;
        }
        let first = plan.interpreter.first_transition(ProcessId(chain.template as u32), l as u32);
        let mut view = chain.view.clone();
        // The message may have been another one's in the meantime.
        let channel = self.pass_message(&view, rendezvous_send(transition));
        self.note_executed(first + k as u32);
        let Command::Guarded(Guarded { effect, .. }) = &transition.command else {
            unreachable!("a rendezvous send is guarded")
        };
        self.effect(&mut view, effect);
        self.move_to(&view, transition.target);
        let (instance, number) = (self.b.use_var(partner.instance), self.b.use_var(partner.number));
        let template = self.instance_field(instance, std::mem::offset_of!(abi::Instance, template));
        let arguments = [self.context, view.now.words, instance, channel, number];
        let header = self.call(Role::Take, Field::Take, template, &arguments);
        let kind = self.b.ins().ireduce(I8, header);
        let is_left = self.b.ins().icmp_imm_u(IntCC::Equal, kind, record::ACTION as i64);
        let bail = self.bail();
        self.leave_if(is_left, bail);
        let is_chain = self.b.ins().icmp_imm_u(IntCC::Equal, kind, record::CHAIN as i64);
        let passed = self.b.ins().bxor_imm_u(header, (record::CHAIN ^ record::PASSED) as i64);
        let header = self.b.ins().select(is_chain, passed, header);
        self.b.ins().return_(&[header]);
    }

    /// Executes a transition and goes on.
    fn follow_step(&mut self, chain: &Chain, l: usize, k: usize, chan: Option<Chan>) {
        let plan = self.plan;
        let transition = &plan.program.processes[chain.template].locations[l].transitions[k];
        let decided = plan.templates[chain.template].locations[l].transitions[k];
        let is_end = matches!(transition.command, Command::Terminate);
        if !decided.can_execute || self.plan.never_alone(chain.template, transition) {
            self.jump(chain.hand_over);
            return;
        }
        let first = plan.interpreter.first_transition(ProcessId(chain.template as u32), l as u32);
        self.note_executed(first + k as u32);
        let mut view = chain.view.clone();
        if is_end {
            self.set_last(&view);
            self.cut_youngest(view.now.words);
            let header = self.shape_field(I64, std::mem::offset_of!(abi::ShapeTable, truncated));
            self.b.ins().return_(&[header]);
            return;
        }
        self.execute(&mut view, transition, Tested::Passed(chan));
        self.move_to(&view, transition.target);
        self.set_last(&view);
        if transition.chain {
            self.burn(chain.fuel);
            let target = chain.locations[transition.target.0 as usize].expect("a chain leads there");
            self.jump(target);
        } else {
            self.jump(chain.give_up);
        }
    }
}
