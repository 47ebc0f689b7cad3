//! Channels.
//!
//! The messages of a channel lie one after the other, the oldest first, and what is behind the last one
//! is zero. To take the oldest is therefore to shift the whole by one message; to add one is to set bits
//! that are zero.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I8, I32, I64};
use cranelift_codegen::ir::{Block, InstBuilder, MemFlagsData, Value};
use ir::{Channel, ChannelOp, Expr, Pattern, Receive, Send};

use super::place::{Bits, flags_in};
use super::{Emitter, Space, View};
use crate::abi::{self, LiveChannel};

/// Up to this many words, a channel is shifted without a loop.
const UNROLLED_WORDS: u32 = 16;

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
struct Base {
    address: Value,
    offset: i32,
    flags: MemFlagsData,
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
    fn len(&mut self, base: Base) -> Value {
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

    fn append(&mut self, base: Base, kind: u32, values: &[Value]) {
        let channel = &self.plan.program.channels[kind as usize];
        let flags = MemFlagsData::trusted();
        let len = self.len(Base { flags, ..base });
        let done = self.plan.program.lossy.then(|| self.b.create_block());
        if let Some(done) = done {
            let has_room = self.b.ins().icmp_imm_u(IntCC::UnsignedLessThan, len, i64::from(channel.capacity));
            self.go_on_if(has_room, done);
        }
        let message = self.compose(channel, values);
        let layout = &channel.layout;
        let len = self.b.ins().uextend(I64, len);
        let position = self.b.ins().imul_imm_u(len, i64::from(layout.stride));
        let position = self.b.ins().iadd_imm_u(position, i64::from(layout.first));
        let byte = self.b.ins().ushr_imm_u(position, 6);
        let byte = self.b.ins().ishl_imm_u(byte, 3);
        let is_small = layout.words == 1;
        let address = if is_small { base.address } else { self.b.ins().iadd(base.address, byte) };
        for (k, &word) in message.iter().enumerate() {
            let offset = base.offset + k as i32 * 8;
            if layout.stride >= 64 {
                self.b.ins().store(flags, word, address, offset);
                continue;
            }
            let old = self.b.ins().load(I64, flags, address, offset);
            let word = self.b.ins().ishl(word, position);
            let new = self.b.ins().bor(old, word);
            self.b.ins().store(flags, new, address, offset);
        }
        let first = self.b.ins().load(I8, flags, base.address, base.offset);
        let longer = self.b.ins().iadd_imm_u(first, 1);
        self.b.ins().store(flags, longer, base.address, base.offset);
        if let Some(done) = done {
            self.jump(done);
            self.b.switch_to_block(done);
        }
    }

    /// The words of a message. Fields are cut to their width.
    fn compose(&mut self, channel: &Channel, values: &[Value]) -> Vec<Value> {
        let layout = &channel.layout;
        let n_words = layout.stride.div_ceil(64).max(1) as usize;
        let mut words: Vec<Option<Value>> = vec![None; n_words];
        for ((field, &offset), &value) in channel.fields.iter().zip(&layout.fields).zip(values) {
            let wide = self.b.ins().uextend(I64, value);
            let mask = (u64::MAX >> (64 - u32::from(field.width))) as i64;
            let cut = if field.width == 32 { wide } else { self.b.ins().band_imm_u(wide, mask) };
            let shift = i64::from(offset % 64);
            let moved = if shift == 0 { cut } else { self.b.ins().ishl_imm_u(cut, shift) };
            let word = &mut words[(offset / 64) as usize];
            *word = Some(word.map_or(moved, |word| self.b.ins().bor(word, moved)));
        }
        words.into_iter().map(|word| word.unwrap_or_else(|| self.int(0))).collect()
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

    /// Removes the oldest message.
    fn shift(&mut self, base: Base, kind: u32) {
        let layout = &self.plan.program.channels[kind as usize].layout;
        let flags = MemFlagsData::trusted();
        let words = layout.words;
        if layout.stride >= 64 {
            // The messages begin in the second word, which is where the first one goes.
            self.shift_words(base, layout.first / 64, words, layout.stride / 64);
            let len = self.b.ins().load(I8, flags, base.address, base.offset);
            let len = self.b.ins().iadd_imm_s(len, -1);
            self.b.ins().store(flags, len, base.address, base.offset);
            return;
        }
        let down = i64::from(layout.stride);
        let kept = (1u64 << layout.first) - 1;
        if words > UNROLLED_WORDS {
            self.shift_bits_in_loop(base, words, layout.stride, layout.first);
            return;
        }
        let old: Vec<Value> = (0..words)
            .map(|w| self.b.ins().load(I64, flags, base.address, base.offset + w as i32 * 8))
            .collect();
        for (w, &word) in old.iter().enumerate() {
            let mut new = self.b.ins().ushr_imm_u(word, down);
            if let Some(&next) = old.get(w + 1) {
                let carried = self.b.ins().ishl_imm_u(next, 64 - down);
                new = self.b.ins().bor(new, carried);
            }
            if w == 0 {
                let front = self.b.ins().band_imm_u(word, kept as i64);
                let front = self.b.ins().iadd_imm_s(front, -1);
                let moved = self.b.ins().band_imm_u(new, !kept as i64);
                new = self.b.ins().bor(front, moved);
            }
            self.b.ins().store(flags, new, base.address, base.offset + w as i32 * 8);
        }
    }

    /// Moves the words behind `from` down by `by` words and puts zeros behind them.
    fn shift_words(&mut self, base: Base, from: u32, words: u32, by: u32) {
        let flags = MemFlagsData::trusted();
        let zero = self.int(0);
        if words <= UNROLLED_WORDS {
            for w in from..words {
                let value = if w + by < words {
                    self.b.ins().load(I64, flags, base.address, base.offset + (w + by) as i32 * 8)
                } else {
                    zero
                };
                self.b.ins().store(flags, value, base.address, base.offset + w as i32 * 8);
            }
            return;
        }
        let last = words - by;
        self.word_loop(base, from, last, |emitter, address| {
            let value = emitter.b.ins().load(I64, flags, address, by as i32 * 8);
            emitter.b.ins().store(flags, value, address, 0);
        });
        for w in last..words {
            self.b.ins().store(flags, zero, base.address, base.offset + w as i32 * 8);
        }
    }

    fn shift_bits_in_loop(&mut self, base: Base, words: u32, stride: u32, first: u32) {
        let flags = MemFlagsData::trusted();
        let kept = (1u64 << first) - 1;
        let down = i64::from(stride);
        let front = self.b.ins().load(I64, flags, base.address, base.offset);
        let front = self.b.ins().band_imm_u(front, kept as i64);
        let front = self.b.ins().iadd_imm_s(front, -1);
        self.word_loop(base, 0, words - 1, |emitter, address| {
            let word = emitter.b.ins().load(I64, flags, address, 0);
            let next = emitter.b.ins().load(I64, flags, address, 8);
            let word = emitter.b.ins().ushr_imm_u(word, down);
            let carried = emitter.b.ins().ishl_imm_u(next, 64 - down);
            let new = emitter.b.ins().bor(word, carried);
            emitter.b.ins().store(flags, new, address, 0);
        });
        let end = base.offset + (words as i32 - 1) * 8;
        let last = self.b.ins().load(I64, flags, base.address, end);
        let last = self.b.ins().ushr_imm_u(last, down);
        self.b.ins().store(flags, last, base.address, end);
        let moved = self.b.ins().load(I64, flags, base.address, base.offset);
        let moved = self.b.ins().band_imm_u(moved, !kept as i64);
        let new = self.b.ins().bor(front, moved);
        self.b.ins().store(flags, new, base.address, base.offset);
    }

    /// Does something with the address of each word of a channel, from `from` to in front of `end`.
    fn word_loop(&mut self, base: Base, from: u32, end: u32, body: impl FnOnce(&mut Self, Value)) {
        let (head, done) = (self.b.create_block(), self.b.create_block());
        let address = self.b.append_block_param(head, I64);
        let start = self.b.ins().iadd_imm_u(base.address, i64::from(base.offset) + i64::from(from) * 8);
        let stop = self.b.ins().iadd_imm_u(base.address, i64::from(base.offset) + i64::from(end) * 8);
        self.b.ins().jump(head, &[start.into()]);
        self.b.switch_to_block(head);
        body(self, address);
        let next = self.b.ins().iadd_imm_u(address, 8);
        let more = self.b.ins().icmp(IntCC::UnsignedLessThan, next, stop);
        self.b.ins().brif(more, head, &[next.into()], done, &[]);
        self.b.switch_to_block(done);
    }
}

/// Whether code goes on behind what was made.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    GoesOn,
    Ends,
}
