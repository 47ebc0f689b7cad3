//! Rendezvous: the sender hands its message over in the context, asks every possible receiver which of
//! its transitions take it (`meet`), and lets it do its part in a copy of the state (`take`).

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I8, I32, I64};
use cranelift_codegen::ir::{Block, InstBuilder, MemFlagsData, Value};
use cranelift_frontend::Variable;
use ir::{Channel, Comm, Command, Guarded, Pattern, ProcessId, Receive, Send};

use super::successors::{Product, Site};
use super::{BYTES, Emitter, Field, Role, View, offset_of_context, table_flags};
use crate::abi::{self, LiveChannel, record};

/// A process that was asked whether it takes a message.
#[derive(Clone, Copy)]
pub struct Receiver {
    pub instance: Value,
    pub template: Value,
    /// What `meet` has answered.
    pub mask: Value,
    /// The number of the transition that the lowest bit stands for.
    pub first: Value,
}

impl Emitter<'_> {
    /// Puts the message of a rendezvous send into the context, cut to the width of the fields. Returns the
    /// channel's number.
    pub fn pass_message(&mut self, view: &View, send: &Send) -> Value {
        let number = self.value(view, &send.channel);
        let chan = self.channel(view, &send.channel);
        let kinds = self.plan.types(view.template, &send.channel, send.fields.len());
        let values: Vec<Value> = send.fields.iter().map(|field| self.value(view, field)).collect();
        self.with_types(chan, &kinds, &mut |emitter, kind| {
            let plan = emitter.plan;
            emitter.store_passing(&plan.program.channels[kind as usize], &values);
        });
        number
    }

    fn store_passing(&mut self, channel: &Channel, values: &[Value]) {
        for (k, (&value, field)) in values.iter().zip(&channel.fields).enumerate() {
            let unused = i64::from(32 - u32::from(field.width));
            let cut = match (unused, field.signed) {
                (0, _) => value,
                (_, true) => {
                    let raised = self.b.ins().ishl_imm_u(value, unused);
                    self.b.ins().sshr_imm_u(raised, unused)
                }
                (_, false) => {
                    let raised = self.b.ins().ishl_imm_u(value, unused);
                    self.b.ins().ushr_imm_u(raised, unused)
                }
            };
            self.b.ins().store(MemFlagsData::trusted(), cut, self.context, message_offset(k));
        }
    }

    /// A loop over the processes that may take the message of a send, youngest first.
    pub fn receiver_loop(
        &mut self,
        view: &View,
        send: &Send,
        channel: Value,
        body: &mut dyn FnMut(&mut Self, Receiver),
    ) {
        let me = view.instance.expect("a process sends");
        let candidates = self.plan.receivers(view.template.expect("a process sends"), send);
        let (first, end) = match candidates.as_slice() {
            // Only one template: no need to look at the processes of others.
            [(t, _)] => {
                let lists = self.shape_field(I64, std::mem::offset_of!(abi::ShapeTable, by_template));
                let offset = (t * size_of::<[*const *const abi::Instance; 2]>()) as i32;
                let first = self.b.ins().load(I64, table_flags(), lists, offset);
                (first, self.b.ins().load(I64, table_flags(), lists, offset + 8))
            }
            _ => (
                self.shape_field(I64, std::mem::offset_of!(abi::ShapeTable, receivers)),
                self.shape_field(I64, std::mem::offset_of!(abi::ShapeTable, receivers_end)),
            ),
        };
        let [head, ask, next, done] = [(); 4].map(|()| self.b.create_block());
        let at = self.b.append_block_param(head, I64);
        self.b.ins().jump(head, &[first.into()]);
        self.b.switch_to_block(head);
        let is_end = self.b.ins().icmp(IntCC::Equal, at, end);
        self.leave_if(is_end, done);
        let instance = self.b.ins().load(I64, MemFlagsData::trusted().with_readonly(), at, 0);
        let is_me = self.b.ins().icmp(IntCC::Equal, instance, me);
        self.leave_if(is_me, next);
        let template = self.instance_field(instance, std::mem::offset_of!(abi::Instance, template));
        self.sift_receiver(view, &candidates, instance, template, ask, next);
        self.b.switch_to_block(ask);
        let arguments = [self.context, view.now.words, instance, channel];
        let mask = self.call(Role::Meet, Field::Meet, template, &arguments);
        let is_bad = self.b.ins().icmp_imm_s(IntCC::Equal, mask, abi::MEET_BAIL as i64);
        let bail = self.bail();
        self.leave_if(is_bad, bail);
        let flags = MemFlagsData::trusted();
        let first = self.b.ins().load(I32, flags, self.context, offset_of_context(Field::FirstMet));
        body(self, Receiver { instance, template, mask, first });
        self.jump(next);
        self.b.switch_to_block(next);
        let behind = self.b.ins().iadd_imm_u(at, 8);
        self.b.ins().jump(head, &[behind.into()]);
        self.b.switch_to_block(done);
    }

    /// Goes to `ask` for a process that stands where it may take a message of a send, else to `next`: a
    /// call costs more than a look at where it stands.
    fn sift_receiver(
        &mut self,
        view: &View,
        candidates: &[(usize, Vec<bool>)],
        instance: Value,
        template: Value,
        ask: Block,
        next: Block,
    ) {
        for (t, locations) in candidates {
            let other = self.b.create_block();
            if candidates.len() > 1 {
                let is_it = self.b.ins().icmp_imm_u(IntCC::Equal, template, *t as i64);
                self.go_on_if(is_it, other);
            }
            if locations.len() <= 64 {
                let frame = self.frame_of(view.now.words, instance);
                let bits = self.pc_bits(*t, frame, MemFlagsData::trusted());
                let pc = self.read(bits);
                let mask = (0..locations.len()).filter(|&l| locations[l]).fold(0u64, |mask, l| mask | 1 << l);
                let mask = self.int(mask as i64);
                let lowered = self.b.ins().ushr(mask, pc);
                let stands_there = self.b.ins().band_imm_u(lowered, 1);
                self.b.ins().brif(stands_there, ask, &[], next, &[]);
            } else {
                self.jump(ask);
            }
            self.b.switch_to_block(other);
        }
        self.jump(next);
    }

    /// The records or actions of a rendezvous send, one for each transition that takes the message.
    pub fn partners(&mut self, site: &Site, found: Option<Variable>, product: Product) {
        let Command::Guarded(Guarded { comm: Comm::Send(send), .. }) = &site.transition.command else {
            unreachable!("a rendezvous send is guarded")
        };
        let channel = self.pass_message(site.view, send);
        self.receiver_loop(site.view, send, channel, &mut |emitter, receiver| {
            emitter.partner(site, receiver, channel, found, product);
        });
    }

    /// For each transition of a receiver that takes the message:
    fn partner(
        &mut self,
        site: &Site,
        receiver: Receiver,
        channel: Value,
        found: Option<Variable>,
        product: Product,
    ) {
        let Command::Guarded(Guarded { effect, comm: Comm::Send(send), .. }) = &site.transition.command
        else {
            unreachable!("a rendezvous send is guarded")
        };
        let Receiver { instance: receiver, template, mask, first } = receiver;
        let [look, pick, next] = [(); 3].map(|()| self.b.create_block());
        let left = self.b.append_block_param(look, I64);
        self.b.ins().jump(look, &[mask.into()]);
        self.b.switch_to_block(look);
        self.b.ins().brif(left, pick, &[], next, &[]);
        self.b.switch_to_block(pick);
        let number = self.first_of_mask(left, first);
        let less = self.b.ins().iadd_imm_s(left, -1);
        let rest = self.b.ins().band(left, less);
        self.set_found(found);
        match product {
            Product::Action => {
                let pid = self.instance_field(receiver, std::mem::offset_of!(abi::Instance, pid));
                self.push_action(site, Some((pid, number)));
            }
            Product::Record => {
                let bytes = self.shape_bytes(BYTES);
                if site.can_execute {
                    self.note_executed(site.number);
                    let mut copy = self.copy_of_state(site, bytes);
                    self.effect(&mut copy, effect);
                    self.move_to(&copy, site.transition.target);
                    let words = copy.now.words;
                    let arguments = [self.context, words, receiver, channel, number];
                    let header = self.call(Role::Take, Field::Take, template, &arguments);
                    self.bail_unless(header);
                    self.end_rendezvous(site, receiver, number, words, header);
                    if self.plan.has_passing_chains {
                        // Another rendezvous in the chain may have left its message.
                        self.pass_message(site.view, send);
                    }
                } else {
                    let pid = self.instance_field(receiver, std::mem::offset_of!(abi::Instance, pid));
                    self.leave_action_to_host(site, Some((pid, number)));
                }
            }
        }
        self.b.ins().jump(look, &[rest.into()]);
        self.b.switch_to_block(next);
    }

    /// The number of the first transition that a mask of `meet` stands for.
    pub fn first_of_mask(&mut self, mask: Value, first: Value) -> Value {
        let position = self.b.ins().ctz(mask);
        let position = self.b.ins().ireduce(I32, position);
        self.b.ins().iadd(first, position)
    }

    /// What becomes of the record when the receiver has done its part.
    fn end_rendezvous(&mut self, site: &Site, receiver: Value, number: Value, words: Value, header: Value) {
        let [is_state, is_chain, is_left, is_other, done] = [(); 5].map(|()| self.b.create_block());
        let kind = self.b.ins().ireduce(I8, header);
        let state = self.b.ins().icmp_imm_u(IntCC::Equal, kind, record::STATE as i64);
        self.b.ins().brif(state, is_state, &[], is_other, &[]);
        self.b.switch_to_block(is_state);
        self.end_record_of(site.out, header);
        self.jump(done);
        self.b.switch_to_block(is_other);
        let chain = self.b.ins().icmp_imm_u(IntCC::Equal, kind, record::CHAIN as i64);
        self.b.ins().brif(chain, is_chain, &[], is_left, &[]);
        self.b.switch_to_block(is_chain);
        self.follow_chain(site, receiver, words);
        self.jump(done);
        self.b.switch_to_block(is_left);
        let pid = self.instance_field(receiver, std::mem::offset_of!(abi::Instance, pid));
        self.leave_action_to_host(site, Some((pid, number)));
        self.jump(done);
        self.b.switch_to_block(done);
    }

    /// `meet`: which transitions of a process take the message that is handed over.
    pub fn meet(&mut self, template: usize, arguments: &[Value]) {
        let [_, state, instance, channel] = *arguments else { unreachable!("as the signature says") };
        self.bail_value = abi::MEET_BAIL as i64;
        let plan = self.plan;
        let frame = self.frame_of(state, instance);
        let view = View::fixed(Some(template), Some(instance), state, Some(frame));
        let bits = self.pc_bits(template, frame, super::place::flags_in(view.now));
        let pc = self.read(bits);
        let nothing = self.b.create_block();
        let locations = &plan.templates[template].locations;
        let is_met = |l: usize| locations[l].transitions.iter().any(|transition| transition.may_be_met);
        let blocks: Vec<Option<Block>> =
            (0..locations.len()).map(|l| is_met(l).then(|| self.b.create_block())).collect();
        self.switch(pc, &blocks, nothing);
        for (l, block) in blocks.iter().enumerate() {
            let Some(block) = *block else { continue };
            self.b.switch_to_block(block);
            if locations[l].native {
                self.meet_at(template, l, &view, channel, nothing);
            } else {
                let bail = self.bail();
                self.jump(bail);
            }
        }
        self.b.switch_to_block(nothing);
        let zero = self.int(0);
        self.b.ins().return_(&[zero]);
    }

    fn meet_at(&mut self, template: usize, l: usize, view: &View, channel: Value, nothing: Block) {
        let plan = self.plan;
        let transitions = &plan.program.processes[template].locations[l].transitions;
        let found = self.found_flags(transitions);
        let mask = self.b.declare_var(I64);
        let zero = self.int(0);
        self.b.def_var(mask, zero);
        for (k, transition) in transitions.iter().enumerate() {
            if !plan.templates[template].locations[l].transitions[k].may_be_met {
                continue;
            }
            let next = self.b.create_block();
            self.heed_escapes(transitions, &found, k, next);
            let takes = match &transition.command {
                Command::Guarded(guarded) => self.test_take(view, guarded, channel, next),
                Command::Block(block) => self.test_block_take(view, block, channel, next),
                Command::Else { .. } | Command::Terminate => unreachable!("they take no message"),
            };
            if takes {
                self.set_found(found[k]);
                let old = self.b.use_var(mask);
                let new = self.b.ins().bor_imm_u(old, 1i64 << k);
                self.b.def_var(mask, new);
                self.jump(next);
            }
            self.b.switch_to_block(next);
        }
        let result = self.b.use_var(mask);
        self.go_on_if(result, nothing);
        self.test_provided(view, nothing);
        let first = plan.interpreter.first_transition(ProcessId(template as u32), l as u32);
        let first = self.int32(first as i32);
        self.b.ins().store(MemFlagsData::trusted(), first, self.context, offset_of_context(Field::FirstMet));
        self.b.ins().return_(&[result]);
    }

    fn test_block_take(&mut self, view: &View, block: &ir::Block, channel: Value, not_ready: Block) -> bool {
        let takes = self.b.create_block();
        let mut is_possible = false;
        for transition in &block.locations[0] {
            let Command::Guarded(guarded) = &transition.command else { continue };
            let next = self.b.create_block();
            if self.test_take(view, guarded, channel, next) {
                is_possible = true;
                self.jump(takes);
            }
            self.b.switch_to_block(next);
        }
        self.jump(not_ready);
        self.b.switch_to_block(takes);
        if !is_possible {
            self.jump(not_ready);
        }
        is_possible
    }

    /// Goes on if a guarded command takes the message. Says whether that is possible at all; if not, the
    /// code has gone to `not_ready`.
    pub fn test_take(&mut self, view: &View, guarded: &Guarded, channel: Value, not_ready: Block) -> bool {
        let Comm::Receive(receive) = &guarded.comm else {
            self.jump(not_ready);
            return false;
        };
        if receive.peek {
            self.jump(not_ready);
            return false;
        }
        let wanted = self.value(view, &receive.channel);
        let is_same = self.equal(wanted, channel);
        self.go_on_if(is_same, not_ready);
        self.check_arity(receive, channel);
        let mut fits = None;
        for (k, pattern) in receive.fields.iter().enumerate() {
            let Pattern::Match(expr) = pattern else { continue };
            let field = self.message_field(k);
            let value = self.value(view, expr);
            let equal = self.equal(field, value);
            fits = Some(fits.map_or(equal, |fits| self.b.ins().band(fits, equal)));
        }
        if let Some(fits) = fits {
            self.go_on_if(fits, not_ready);
        }
        self.test_guard(view, &guarded.guard, not_ready);
        true
    }

    /// Bails out unless the channel's messages have as many fields as the receive.
    fn check_arity(&mut self, receive: &Receive, channel: Value) {
        let arity = receive.fields.len();
        let rendezvous = |channel: &&Channel| channel.capacity == 0;
        if self.plan.program.channels.iter().filter(rendezvous).all(|channel| channel.fields.len() == arity) {
            return;
        }
        let channels = self.shape_field(I64, std::mem::offset_of!(abi::ShapeTable, channels));
        let index = self.b.ins().iadd_imm_s(channel, -1);
        let index = self.b.ins().uextend(I64, index);
        let offset = self.b.ins().imul_imm_u(index, size_of::<LiveChannel>() as i64);
        let entry = self.b.ins().iadd(channels, offset);
        let found = self.instance_field(entry, std::mem::offset_of!(LiveChannel, arity));
        let fits = self.b.ins().icmp_imm_u(IntCC::Equal, found, arity as i64);
        self.bail_unless(fits);
    }

    fn message_field(&mut self, k: usize) -> Value {
        self.b.ins().load(I32, MemFlagsData::trusted(), self.context, message_offset(k))
    }

    /// `take`: the receiver's part of a rendezvous, in place. The transition is known to take the message.
    pub fn take(&mut self, template: usize, arguments: &[Value]) {
        let [_, state, instance, channel, number] = *arguments else { unreachable!("as the signature says") };
        let plan = self.plan;
        let process = &plan.program.processes[template];
        let frame = self.frame_of(state, instance);
        let first = plan.interpreter.first_transition(ProcessId(template as u32), 0);
        let decided: Vec<_> =
            plan.templates[template].locations.iter().flat_map(|l| &l.transitions).collect();
        let blocks: Vec<Option<Block>> =
            decided.iter().map(|d| (d.may_be_met && d.can_execute).then(|| self.b.create_block())).collect();
        let left_to_host = self.b.create_block();
        let local = self.b.ins().iadd_imm_s(number, -i64::from(first));
        self.switch(local, &blocks, left_to_host);
        for ((k, transition), block) in ir::transitions(process).enumerate().zip(&blocks) {
            let Some(block) = *block else { continue };
            self.b.switch_to_block(block);
            let mut view = View::changing(template, instance, state, frame);
            self.note_executed(first + k as u32);
            if let Some(condition) = &process.provided {
                self.check(&view, condition);
            }
            match &transition.command {
                Command::Guarded(guarded) => {
                    // The sender's effect may have made something fail that did not before.
                    self.check_guarded(&view, guarded);
                    if let Comm::Receive(receive) = &guarded.comm {
                        self.check_arity(receive, channel);
                    }
                    self.take_message(&mut view, guarded);
                    self.effect(&mut view, &guarded.effect);
                }
                Command::Block(block) => {
                    self.block_with_message(&mut view, block, channel, &mut |emitter, view, guarded| {
                        emitter.take_message(view, guarded);
                    });
                }
                Command::Else { .. } | Command::Terminate => unreachable!("they take no message"),
            }
            self.move_to(&view, transition.target);
            self.set_last(&view);
            let header = self.step_header(&view, transition);
            self.b.ins().return_(&[header]);
        }
        self.b.switch_to_block(left_to_host);
        let header = self.int(record::ACTION as i64);
        self.b.ins().return_(&[header]);
    }

    fn take_message(&mut self, view: &mut View, guarded: &Guarded) {
        let Comm::Receive(receive) = &guarded.comm else { unreachable!("it takes a message") };
        let message: Vec<Option<Value>> = receive
            .fields
            .iter()
            .enumerate()
            .map(|(k, pattern)| matches!(pattern, Pattern::Store(_)).then(|| self.message_field(k)))
            .collect();
        self.store_message(view, receive, &message);
    }
}

fn message_offset(k: usize) -> i32 {
    offset_of_context(Field::Message) + 4 * k as i32
}
