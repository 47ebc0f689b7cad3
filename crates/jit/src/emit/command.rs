//! Commands: whether they can be executed, and what they do.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I8X16, I32, I64};
use cranelift_codegen::ir::{Block, InstBuilder, MemFlagsData, Value};
use cranelift_frontend::Variable;
use ir::{Comm, Command, Expr, Guarded, LocationId, Op, Pattern, Piece, Transition};

use super::channel::Chan;
use super::place::Bits;
use super::{Emitter, View};
use crate::abi;

/// How many steps a `d_step` or a chain may take before the interpreter looks whether it ends at all.
pub const FUEL: i64 = 100_000;

/// The largest state that is copied without a loop, in bytes.
const MAX_UNROLLED_COPY: u32 = 384;

/// What a test has found out on the way.
pub enum Ready {
    /// The transition is never executable: there is no code behind the test.
    Never,
    /// It can be executed alone.
    Alone(Option<Chan>),
    /// It is a rendezvous send.
    WithPartner,
}

/// Whether a transition was tested before it is executed.
#[derive(Clone, Copy)]
pub enum Tested {
    /// It was, in the same state. The channel is what the test has found, if that is still known.
    Passed(Option<Chan>),
    /// It was not, or elsewhere: an action that is fired is also listed if its test fails.
    NotYet,
}

/// The code of a block that is being made.
struct Inside {
    locations: Vec<Block>,
    exit: Block,
    fuel: Variable,
}

/// For each transition in front of one that is tested, whether it was found to be executable.
pub type Found<'f> = &'f [Option<Variable>];

impl Emitter<'_> {
    /// Goes on if a transition can be executed; a rendezvous send still needs a partner.
    pub fn test(&mut self, view: &View, transition: &Transition, found: Found, not_ready: Block) -> Ready {
        match &transition.command {
            Command::Guarded(guarded) => self.test_guarded(view, guarded, not_ready),
            Command::Else { since } => {
                if let Some(blocked) = self.any_found(found, *since as usize) {
                    self.leave_if(blocked, not_ready);
                }
                Ready::Alone(None)
            }
            Command::Terminate => {
                let pid = self.value(view, &Expr::Pid);
                let next = self.b.ins().iadd_imm_u(pid, 1);
                let count = self.value(view, &Expr::NrProcesses);
                let is_youngest = self.equal(next, count);
                self.go_on_if(is_youngest, not_ready);
                Ready::Alone(None)
            }
            Command::Block(block) => {
                let ready = self.b.create_block();
                let (mut is_possible, mut found_chan) = (false, None);
                for transition in &block.locations[0] {
                    let next = self.b.create_block();
                    match self.test(view, transition, found, next) {
                        Ready::Never => {}
                        Ready::Alone(chan) => {
                            (is_possible, found_chan) = (true, chan);
                            self.jump(ready);
                        }
                        Ready::WithPartner => {
                            let bail = self.bail();
                            self.jump(bail);
                        }
                    }
                    self.b.switch_to_block(next);
                }
                self.jump(not_ready);
                self.b.switch_to_block(ready);
                if !is_possible {
                    // No way leads here, but a block must end.
                    self.jump(not_ready);
                    return Ready::Never;
                }
                // Several ways may have found several channels.
                Ready::Alone(found_chan.filter(|_| block.locations[0].len() == 1))
            }
        }
    }

    /// Whether one of the transitions from the `since`-th on has been found; none if that cannot be.
    pub fn any_found(&mut self, found: Found, since: usize) -> Option<Value> {
        let flags: Vec<Variable> = found.iter().skip(since).copied().flatten().collect();
        flags.into_iter().fold(None, |any, flag| {
            let flag = self.b.use_var(flag);
            Some(any.map_or(flag, |any| self.b.ins().bor(any, flag)))
        })
    }

    fn test_guarded(&mut self, view: &View, guarded: &Guarded, not_ready: Block) -> Ready {
        self.test_guard(view, &guarded.guard, not_ready);
        match &guarded.comm {
            Comm::None => Ready::Alone(None),
            Comm::Send(send) => {
                let kinds = self.plan.types(view.template, &send.channel, send.fields.len());
                if kinds.iter().any(|&kind| self.plan.capacity(kind) == 0) {
                    return Ready::WithPartner;
                }
                Ready::Alone(Some(self.test_send(view, send, not_ready)))
            }
            Comm::Receive(receive) => match self.test_receive(view, receive, not_ready) {
                Some(chan) => Ready::Alone(Some(chan)),
                None => Ready::Never,
            },
        }
    }

    /// Goes on if all conjuncts are true. Those that cannot fail share one branch.
    pub fn test_guard(&mut self, view: &View, guard: &[Expr], not_ready: Block) {
        let mut all = None;
        for conjunct in guard {
            if matches!(conjunct, Expr::Const(value) if *value != 0) {
                continue;
            }
            if conjunct.may_fail()
                && let Some(all) = all.take()
            {
                self.go_on_if(all, not_ready);
            }
            let condition = self.condition(view, conjunct);
            all = Some(all.map_or(condition, |all| self.b.ins().band(all, condition)));
        }
        if let Some(all) = all {
            self.go_on_if(all, not_ready);
        }
    }

    /// Executes a transition alone, without the move to its target. Of what is not tested yet, only a block is tested
    /// here.
    pub fn execute(&mut self, view: &mut View, transition: &Transition, tested: Tested) {
        match &transition.command {
            Command::Guarded(guarded) => {
                let chan = match tested {
                    Tested::Passed(chan) => chan,
                    Tested::NotYet => None,
                };
                self.execute_guarded(view, guarded, chan);
            }
            Command::Else { .. } => {}
            Command::Terminate => unreachable!("the state is cut where it is copied"),
            Command::Block(block) => match straight_line(block) {
                Some(line) => self.line(view, &line, tested),
                None => {
                    view.forget_before();
                    self.block(view, block);
                }
            },
        }
    }

    /// Executes transitions one after the other.
    fn line(&mut self, view: &mut View, line: &[&Transition], mut tested: Tested) {
        for transition in line {
            if let Tested::NotYet = tested {
                let bail = self.bail();
                match self.test(view, transition, &[], bail) {
                    Ready::Alone(chan) => tested = Tested::Passed(chan),
                    never => {
                        if let Ready::WithPartner = never {
                            self.jump(bail);
                        }
                        // Nobody comes here, but whoever goes on needs a block.
                        let next = self.b.create_block();
                        self.b.switch_to_block(next);
                        return;
                    }
                }
            }
            self.execute(view, transition, tested);
            tested = Tested::NotYet;
        }
    }

    fn execute_guarded(&mut self, view: &mut View, guarded: &Guarded, chan: Option<Chan>) {
        match &guarded.comm {
            Comm::None => {}
            Comm::Send(send) => self.send(view, send, chan),
            Comm::Receive(receive) => self.receive(view, receive, chan),
        }
        self.effect(view, &guarded.effect);
    }

    /// Does the operations of an effect.
    pub fn effect(&mut self, view: &mut View, ops: &[Op]) {
        for op in ops {
            match op {
                Op::Assign(place, value) => {
                    let value = self.value(view, value);
                    self.store_place(view, place, value);
                }
                Op::Assert { condition, .. } => {
                    let holds = self.condition(view, condition);
                    self.bail_unless(holds);
                }
                Op::Print(print) => {
                    // Nobody listens, but a value may fail to evaluate.
                    print.pieces.iter().filter_map(Piece::value).for_each(|value| self.check(view, value));
                }
                Op::Run { .. } | Op::SetPriority(..) => unreachable!("the plan leaves it to the interpreter"),
            }
        }
    }

    /// Evaluates an expression only to see whether it fails.
    pub fn check(&mut self, view: &View, expr: &Expr) {
        if expr.may_fail() {
            self.value(view, expr);
        }
    }

    /// Evaluates what decides about a guarded command, only to see whether it fails.
    pub fn check_guarded(&mut self, view: &View, guarded: &Guarded) {
        guarded.guard.iter().for_each(|conjunct| self.check(view, conjunct));
        if let Comm::Receive(receive) = &guarded.comm {
            self.check(view, &receive.channel);
            for pattern in &receive.fields {
                if let Pattern::Match(expr) = pattern {
                    self.check(view, expr);
                }
            }
        }
    }

    /// Moves a process to a location and notes whose step it was.
    pub fn move_to(&mut self, view: &View, target: LocationId) {
        let template = view.template.expect("a process moves");
        let frame = view.now.frame.expect("a process moves");
        let bits = self.pc_bits(template, frame, MemFlagsData::trusted());
        let target = self.int32(target.0 as i32);
        self.write(bits, target);
    }

    /// Notes whose step it was, if the program asks for it.
    pub fn set_last(&mut self, view: &View) {
        let program = self.plan.program;
        let Some(slot) = program.last else { return };
        let slot = &program.globals.slots[slot as usize];
        let bits = Bits {
            base: view.now.words,
            offset: slot.offset,
            index: None,
            width: slot.width,
            signed: false,
            flags: MemFlagsData::trusted(),
        };
        let pid = self.value(view, &Expr::Pid);
        self.write(bits, pid);
    }

    /// Executes a block in place: of each location the first transition that can be executed.
    fn block(&mut self, view: &View, block: &ir::Block) {
        let inside = self.enter_block(block);
        self.jump(inside.locations[0]);
        self.inner_locations(view, block, &inside);
        self.b.switch_to_block(inside.exit);
    }

    fn enter_block(&mut self, block: &ir::Block) -> Inside {
        let fuel = self.b.declare_var(I32);
        let full = self.b.ins().iconst(I32, FUEL);
        self.b.def_var(fuel, full);
        let locations = block.locations.iter().map(|_| self.b.create_block()).collect();
        Inside { locations, exit: self.b.create_block(), fuel }
    }

    /// The code of all locations of a block.
    fn inner_locations(&mut self, view: &View, block: &ir::Block, inside: &Inside) {
        for (transitions, &start) in block.locations.iter().zip(&inside.locations) {
            self.b.switch_to_block(start);
            for transition in transitions {
                let next = self.b.create_block();
                match self.test(view, transition, &[], next) {
                    Ready::Never => {}
                    Ready::WithPartner => {
                        let bail = self.bail();
                        self.jump(bail);
                    }
                    Ready::Alone(chan) => {
                        let mut view = view.clone();
                        self.execute(&mut view, transition, Tested::Passed(chan));
                        self.leave_inner(transition.target, inside);
                    }
                }
                self.b.switch_to_block(next);
            }
            let bail = self.bail();
            self.jump(bail);
        }
    }

    /// Goes from a transition inside a block to its target.
    fn leave_inner(&mut self, target: LocationId, inside: &Inside) {
        if target == ir::Block::EXIT {
            self.jump(inside.exit);
            return;
        }
        self.burn(inside.fuel);
        self.jump(inside.locations[target.0 as usize]);
    }

    /// Counts a step; bails out after too many.
    pub fn burn(&mut self, fuel: Variable) {
        let left = self.b.use_var(fuel);
        let left = self.b.ins().iadd_imm_s(left, -1);
        self.b.def_var(fuel, left);
        self.bail_unless(left);
    }

    /// Executes a block of which the first step takes a message that is handed over. The current block
    /// becomes the exit.
    pub fn block_with_message(
        &mut self,
        view: &mut View,
        block: &ir::Block,
        channel: Value,
        message: &mut dyn FnMut(&mut Self, &mut View, &Guarded),
    ) {
        view.forget_before();
        let inside = self.enter_block(block);
        for transition in &block.locations[0] {
            let Command::Guarded(guarded) = &transition.command else { continue };
            let next = self.b.create_block();
            if self.test_take(view, guarded, channel, next) {
                let mut view = view.clone();
                message(self, &mut view, guarded);
                self.effect(&mut view, &guarded.effect);
                self.leave_inner(transition.target, &inside);
            }
            self.b.switch_to_block(next);
        }
        let bail = self.bail();
        self.jump(bail);
        self.inner_locations(view, block, &inside);
        self.b.switch_to_block(inside.exit);
    }

    /// Cuts the youngest process off a copy of a state.
    pub fn cut_youngest(&mut self, words: Value) {
        let parent = self.shape_field(I32, std::mem::offset_of!(abi::ShapeTable, parent));
        self.b.ins().store(MemFlagsData::trusted(), parent, words, 0);
    }

    /// Copies a state of so many bytes, a multiple of 8 that is not 0. States of the usual size are copied
    /// without a loop.
    pub fn copy(&mut self, from: Value, to: Value, bytes: Value) {
        let can_unroll = |bytes: u32| (1..=MAX_UNROLLED_COPY).contains(&bytes);
        if let Some(bytes) = self.known(bytes).map(|bytes| bytes as u32).filter(|&bytes| can_unroll(bytes)) {
            self.copy_unrolled(from, to, bytes);
            return;
        }
        let usual = self.plan.usual_bytes;
        let done = self.b.create_block();
        if can_unroll(usual) {
            let (other, same) = (self.b.create_block(), self.b.create_block());
            self.b.set_cold_block(other);
            let is_usual = self.b.ins().icmp_imm_u(IntCC::Equal, bytes, i64::from(usual));
            self.b.ins().brif(is_usual, same, &[], other, &[]);
            self.b.switch_to_block(same);
            self.copy_unrolled(from, to, usual);
            self.jump(done);
            self.b.switch_to_block(other);
        }
        self.copy_in_loop(from, to, bytes, done);
        self.b.switch_to_block(done);
    }

    fn copy_unrolled(&mut self, from: Value, to: Value, bytes: u32) {
        let flags = MemFlagsData::new().with_notrap();
        let mut at = 0;
        while at + 16 <= bytes as i32 {
            let pair = self.b.ins().load(I8X16, flags, from, at);
            self.b.ins().store(flags, pair, to, at);
            at += 16;
        }
        if at < bytes as i32 {
            let last = self.b.ins().load(I64, flags, from, at);
            self.b.ins().store(flags, last, to, at);
        }
    }

    fn copy_in_loop(&mut self, from: Value, to: Value, bytes: Value, done: Block) {
        let flags = MemFlagsData::new().with_notrap();
        let first = self.b.ins().load(I64, flags, from, 0);
        self.b.ins().store(flags, first, to, 0);
        let (head, body) = (self.b.create_block(), self.b.create_block());
        let at = self.b.append_block_param(head, I64);
        // The first word alone if their number is odd, then pairs.
        let start = self.b.ins().band_imm_u(bytes, 8);
        self.b.ins().jump(head, &[start.into()]);
        self.b.switch_to_block(head);
        let more = self.b.ins().icmp(IntCC::UnsignedLessThan, at, bytes);
        self.b.ins().brif(more, body, &[], done, &[]);
        self.b.switch_to_block(body);
        let source = self.b.ins().iadd(from, at);
        let pair = self.b.ins().load(I8X16, flags, source, 0);
        let target = self.b.ins().iadd(to, at);
        self.b.ins().store(flags, pair, target, 0);
        let next = self.b.ins().iadd_imm_u(at, 16);
        self.b.ins().jump(head, &[next.into()]);
    }
}

/// The transitions of a block, if there is no choice and no way back.
fn straight_line(block: &ir::Block) -> Option<Vec<&Transition>> {
    let mut line = Vec::new();
    let mut at = 0;
    while line.len() < block.locations.len() {
        let [only] = block.locations[at].as_slice() else { return None };
        line.push(only);
        if only.target == ir::Block::EXIT {
            return Some(line);
        }
        at = only.target.0 as usize;
    }
    None
}
