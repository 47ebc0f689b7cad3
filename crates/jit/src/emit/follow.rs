//! `follow`: the steps of an atomic chain, in place, as long as there is no choice.
//!
//! The code of a step goes straight to the location to which the step leads. It stops with an observable
//! state when the chain ends or the process cannot go on, and in front of a choice, a rendezvous or
//! anything else that is left to the host, which then goes on from there.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I32, I64};
use cranelift_codegen::ir::{Block, InstBuilder, MemFlagsData, Value};
use cranelift_frontend::Variable;
use ir::{Command, ProcessId};

use super::channel::Chan;
use super::command::{FUEL, Ready};
use super::{Emitter, View};
use crate::abi;

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
        if !decided.native || decided.transitions.iter().any(|transition| transition.meets) {
            self.jump(chain.hand_over);
            return;
        }
        self.test_provided(&chain.view, chain.give_up);
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
            Ready::WithPartner => unreachable!("it has been handed over"),
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
        for (k, transition) in transitions.iter().enumerate() {
            let next = self.b.create_block();
            self.heed_escapes(transitions, &found, k, next);
            match self.test(&chain.view, transition, &found[..k], next) {
                Ready::Alone(_) => {
                    self.set_found(found[k]);
                    let earlier = self.b.use_var(chosen);
                    let is_first = self.b.ins().icmp_imm_u(IntCC::Equal, earlier, transitions.len() as i64);
                    self.go_on_if(is_first, chain.hand_over);
                    let this = self.int32(k as i32);
                    self.b.def_var(chosen, this);
                    self.jump(next);
                }
                Ready::Never => {}
                Ready::WithPartner => unreachable!("it has been handed over"),
            }
            self.b.switch_to_block(next);
        }
        let blocks: Vec<Option<Block>> = transitions.iter().map(|_| Some(self.b.create_block())).collect();
        let chosen = self.b.use_var(chosen);
        self.switch(chosen, &blocks, chain.give_up);
        for (k, block) in blocks.iter().enumerate() {
            self.b.switch_to_block(block.expect("just made"));
            self.follow_step(chain, l, k, None);
        }
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
        self.execute(&mut view, transition, chan);
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
