//! Channels: which one an expression means, and what is asked of it.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I8, I32, I64};
use cranelift_codegen::ir::{Block, InstBuilder, MemFlagsData, Value};
use ir::{ChannelOp, Expr, Pattern, Receive, Send};

use super::place::{Bits, flags_in};
use super::{Emitter, Space, View};
use crate::abi::{self, LiveChannel};

/// A channel that an expression means.
#[derive(Clone, Copy)]
pub struct Chan {
    at: At,
    /// Its type, if that is known.
    kind: Option<u32>,
    /// Its entry in the shape's table, if it had to be looked up.
    entry: Option<Value>,
}

#[derive(Clone, Copy)]
enum At {
    /// At a fixed place in the state.
    State(u32),
    /// At a fixed place behind the frame.
    Frame(u32),
    /// So many bytes from the start of the state.
    Looked(Value),
}

/// Where a channel lies in a state.
#[derive(Clone, Copy)]
pub struct Base {
    pub address: Value,
    pub offset: i32,
    /// How it may be read.
    pub flags: MemFlagsData,
}

impl Emitter<'_> {
    /// The channel that an expression means; bails out if there is none.
    pub fn channel(&mut self, view: &View, expr: &Expr) -> Chan {
        let program = self.plan.program;
        if let Some(number) = self.plan.constant(expr)
            && (1..=program.global_channels.len() as i32).contains(&number)
        {
            let index = number as usize - 1;
            let words = |kind: &ir::ChannelId| program.channels[kind.0 as usize].layout.words;
            let before: u32 = program.global_channels[..index].iter().map(words).sum();
            let start = (program.globals.words().max(1) + before) * 8;
            return Chan { at: At::State(start), kind: Some(program.global_channels[index].0), entry: None };
        }
        match (expr, view.template) {
            (Expr::OwnChannel(k), Some(template)) => {
                let process = &program.processes[template];
                let words = |kind: &ir::ChannelId| program.channels[kind.0 as usize].layout.words;
                let before: u32 = process.channels[..*k as usize].iter().map(words).sum();
                let start = (process.frame.words() + before) * 8;
                Chan { at: At::Frame(start), kind: Some(process.channels[*k as usize].0), entry: None }
            }
            _ => {
                let number = self.value(view, expr);
                self.numbered_channel(number)
            }
        }
    }

    fn numbered_channel(&mut self, number: Value) -> Chan {
        let index = self.b.ins().iadd_imm_s(number, -1);
        let n_channels = self.shape_field(I32, std::mem::offset_of!(abi::ShapeTable, n_channels));
        let lives = self.b.ins().icmp(IntCC::UnsignedLessThan, index, n_channels);
        self.bail_unless(lives);
        let channels = self.shape_field(I64, std::mem::offset_of!(abi::ShapeTable, channels));
        let index = self.b.ins().uextend(I64, index);
        let offset = self.b.ins().imul_imm_u(index, size_of::<LiveChannel>() as i64);
        let entry = self.b.ins().iadd(channels, offset);
        let start = self.instance_field(entry, std::mem::offset_of!(LiveChannel, start));
        let start = self.b.ins().uextend(I64, start);
        Chan { at: At::Looked(start), kind: None, entry: Some(entry) }
    }

    /// Makes code for each type that a channel may have. Other types go to `otherwise`. What the code
    /// returns says whether it goes on behind.
    fn for_each_type(
        &mut self,
        chan: Chan,
        kinds: &[u32],
        otherwise: Block,
        code: &mut dyn FnMut(&mut Self, u32) -> Flow,
    ) -> Flow {
        if let Some(kind) = chan.kind {
            return if kinds.contains(&kind) {
                code(self, kind)
            } else {
                self.jump(otherwise);
                Flow::Ends
            };
        }
        let entry = chan.entry.expect("it was looked up");
        let kind = self.instance_field(entry, std::mem::offset_of!(LiveChannel, kind));
        if let [only] = kinds {
            let fits = self.b.ins().icmp_imm_u(IntCC::Equal, kind, i64::from(*only));
            self.go_on_if(fits, otherwise);
            return code(self, *only);
        }
        let done = self.b.create_block();
        let mut flow = Flow::Ends;
        for &wanted in kinds {
            let next = self.b.create_block();
            let fits = self.b.ins().icmp_imm_u(IntCC::Equal, kind, i64::from(wanted));
            self.go_on_if(fits, next);
            if code(self, wanted) == Flow::GoesOn {
                self.jump(done);
                flow = Flow::GoesOn;
            }
            self.b.switch_to_block(next);
        }
        self.jump(otherwise);
        if flow == Flow::GoesOn {
            self.b.switch_to_block(done);
        }
        flow
    }

    /// Makes code for each type that a channel may have; bails out if it has another one.
    pub fn with_types(&mut self, chan: Chan, kinds: &[u32], code: &mut dyn FnMut(&mut Self, u32)) {
        let bail = self.bail();
        self.for_each_type(chan, kinds, bail, &mut |emitter, kind| {
            code(emitter, kind);
            Flow::GoesOn
        });
    }

    fn base(&mut self, space: Space, chan: Chan) -> Base {
        match chan.at {
            At::State(start) => Base { address: space.words, offset: start as i32, flags: flags_in(space) },
            At::Frame(start) => {
                let address = space.frame.expect("a process asks");
                Base { address, offset: start as i32, flags: flags_in(space) }
            }
            At::Looked(start) => {
                let address = self.b.ins().iadd(space.words, start);
                Base { address, offset: 0, flags: MemFlagsData::trusted() }
            }
        }
    }

    /// The number of messages, as 32 bits.
    pub fn len(&mut self, base: Base) -> Value {
        let len = self.b.ins().load(I8, base.flags, base.address, base.offset);
        self.b.ins().uextend(I32, len)
    }

    fn channel_space(&self, view: &View) -> Space {
        view.space(view.written.channels)
    }

    /// The answer to a question about a channel.
    pub fn ask_channel(&mut self, view: &View, op: ChannelOp, expr: &Expr) -> Value {
        let chan = self.channel(view, expr);
        let base = self.channel_space(view);
        let base = self.base(base, chan);
        let (len, capacity) = match (chan.kind, chan.entry) {
            (Some(kind), _) => {
                let capacity = self.plan.capacity(kind);
                let len = if capacity == 0 { self.int32(0) } else { self.len(base) };
                (len, self.int32(capacity as i32))
            }
            (None, entry) => {
                let entry = entry.expect("it was looked up");
                let capacity = self.instance_field(entry, std::mem::offset_of!(LiveChannel, capacity));
                // A rendezvous channel takes no room: behind the last one there may be nothing to read.
                let (has_room, done) = (self.b.create_block(), self.b.create_block());
                let len = self.b.append_block_param(done, I32);
                self.b.ins().brif(capacity, has_room, &[], done, &[capacity.into()]);
                self.b.switch_to_block(has_room);
                let present = self.len(base);
                self.b.ins().jump(done, &[present.into()]);
                self.b.switch_to_block(done);
                (len, capacity)
            }
        };
        let zero = self.int32(0);
        let condition = match op {
            ChannelOp::Len => return len,
            ChannelOp::Empty => self.equal(len, zero),
            ChannelOp::Nempty => self.b.ins().icmp(IntCC::NotEqual, len, zero),
            ChannelOp::Full | ChannelOp::Nfull => {
                let has_room = self.b.ins().icmp(IntCC::NotEqual, capacity, zero);
                let reached = self.b.ins().icmp(IntCC::UnsignedGreaterThanOrEqual, len, capacity);
                let full = self.b.ins().band(has_room, reached);
                match op {
                    ChannelOp::Full => full,
                    _ => self.b.ins().bxor_imm_u(full, 1),
                }
            }
        };
        self.b.ins().uextend(I32, condition)
    }

    /// Goes on if a buffered send is executable.
    pub fn test_send(&mut self, view: &View, send: &Send, not_ready: Block) -> Chan {
        let chan = self.channel(view, &send.channel);
        let kinds = self.plan.types(view.template, &send.channel, send.fields.len());
        let bail = self.bail();
        let (plan, space) = (self.plan, self.channel_space(view));
        self.for_each_type(chan, &kinds, bail, &mut |emitter, kind| {
            if !plan.program.lossy {
                let base = emitter.base(space, chan);
                let len = emitter.len(base);
                let capacity = i64::from(plan.capacity(kind));
                let has_room = emitter.b.ins().icmp_imm_u(IntCC::UnsignedLessThan, len, capacity);
                emitter.go_on_if(has_room, not_ready);
            }
            Flow::GoesOn
        });
        chan
    }

    /// Goes on if a receive is executable without a partner. None if it never is.
    pub fn test_receive(&mut self, view: &View, receive: &Receive, not_ready: Block) -> Option<Chan> {
        let chan = self.channel(view, &receive.channel);
        let kinds = self.plan.types(view.template, &receive.channel, receive.fields.len());
        let bail = self.bail();
        let flow = self.for_each_type(chan, &kinds, bail, &mut |emitter, kind| {
            if emitter.plan.capacity(kind) == 0 {
                emitter.jump(not_ready);
                return Flow::Ends;
            }
            emitter.test_first_message(view, receive, chan, kind, not_ready);
            Flow::GoesOn
        });
        (flow == Flow::GoesOn).then_some(chan)
    }

    /// Goes on if there is a message and the oldest one matches.
    fn test_first_message(
        &mut self,
        view: &View,
        receive: &Receive,
        chan: Chan,
        kind: u32,
        otherwise: Block,
    ) {
        let space = self.channel_space(view);
        let base = self.base(space, chan);
        let len = self.len(base);
        self.go_on_if(len, otherwise);
        let mut fits = None;
        for (k, pattern) in receive.fields.iter().enumerate() {
            let Pattern::Match(expr) = pattern else { continue };
            let field = self.read_field(base, kind, k);
            let value = self.value(view, expr);
            let equal = self.equal(field, value);
            fits = Some(fits.map_or(equal, |fits| self.b.ins().band(fits, equal)));
        }
        if let Some(fits) = fits {
            self.go_on_if(fits, otherwise);
        }
    }

    /// Whether a receive of a buffered channel could be executed.
    pub fn poll(&mut self, view: &View, receive: &Receive) -> Value {
        let chan = self.channel(view, &receive.channel);
        let kinds = self.plan.polled_types(view.template, receive);
        let (no, done) = (self.b.create_block(), self.b.create_block());
        let result = self.b.append_block_param(done, I8);
        let bail = self.bail();
        let flow = self.for_each_type(chan, &kinds, bail, &mut |emitter, kind| {
            emitter.test_first_message(view, receive, chan, kind, no);
            Flow::GoesOn
        });
        if flow == Flow::GoesOn {
            let one = self.b.ins().iconst(I8, 1);
            self.b.ins().jump(done, &[one.into()]);
        }
        self.b.switch_to_block(no);
        let zero = self.b.ins().iconst(I8, 0);
        self.b.ins().jump(done, &[zero.into()]);
        self.b.switch_to_block(done);
        result
    }

    /// A field of the oldest message.
    fn read_field(&mut self, base: Base, kind: u32, k: usize) -> Value {
        let bits = self.field_bits(base, kind, k);
        self.read(bits)
    }

    fn field_bits(&self, base: Base, kind: u32, k: usize) -> Bits {
        let channel = &self.plan.program.channels[kind as usize];
        let (layout, field) = (&channel.layout, channel.fields[k]);
        Bits {
            base: base.address,
            offset: base.offset as u32 * 8 + layout.first + layout.fields[k],
            index: None,
            width: field.width,
            signed: field.signed,
            flags: base.flags,
        }
    }

    /// Puts a message into a buffered channel.
    pub fn send(&mut self, view: &mut View, send: &Send, known: Option<Chan>) {
        let chan = known.unwrap_or_else(|| self.channel(view, &send.channel));
        let kinds = self.plan.types(view.template, &send.channel, send.fields.len());
        let values: Vec<Value> = send.fields.iter().map(|field| self.value(view, field)).collect();
        let bail = self.bail();
        let now = view.now;
        self.for_each_type(chan, &kinds, bail, &mut |emitter, kind| {
            if emitter.plan.capacity(kind) == 0 {
                // The send became one of a rendezvous since it was tested.
                emitter.jump(bail);
                return Flow::Ends;
            }
            let base = emitter.base(now, chan);
            emitter.append(base, kind, &values);
            Flow::GoesOn
        });
        view.written.channels = true;
    }

    /// Takes the oldest message out of a buffered channel, or looks at it.
    pub fn receive(&mut self, view: &mut View, receive: &Receive, known: Option<Chan>) {
        let chan = known.unwrap_or_else(|| self.channel(view, &receive.channel));
        let kinds = self.plan.types(view.template, &receive.channel, receive.fields.len());
        let bail = self.bail();
        let before = view.clone();
        self.for_each_type(chan, &kinds, bail, &mut |emitter, kind| {
            if emitter.plan.capacity(kind) == 0 {
                emitter.jump(bail);
                return Flow::Ends;
            }
            let mut inner = before.clone();
            let space = emitter.channel_space(&inner);
            let base = emitter.base(space, chan);
            let mut message = Vec::new();
            for (k, pattern) in receive.fields.iter().enumerate() {
                let value = matches!(pattern, Pattern::Store(_)).then(|| emitter.read_field(base, kind, k));
                message.push(value);
            }
            if !receive.peek {
                let base = emitter.base(inner.now, chan);
                emitter.shift(base, kind);
                inner.written.channels = true;
            }
            emitter.store_message(&mut inner, receive, &message);
            *view = inner;
            Flow::GoesOn
        });
    }

    /// Stores the fields of a message where a receive wants them.
    pub fn store_message(&mut self, view: &mut View, receive: &Receive, message: &[Option<Value>]) {
        for (pattern, value) in receive.fields.iter().zip(message) {
            if let (Pattern::Store(place), Some(value)) = (pattern, value) {
                self.store_place(view, place, *value);
            }
        }
    }
}

/// Whether code goes on behind what was made.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    GoesOn,
    Ends,
}
