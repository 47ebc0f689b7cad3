//! The messages of a channel.
//!
//! They lie one after the other, the oldest first, and what is behind the last one is zero. To take the
//! oldest is therefore to shift the whole by one message; to add one is to set bits that are zero.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I8, I64};
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Value};
use ir::Channel;

use super::Emitter;
use super::channel::Base;

/// Up to this many words, a channel is shifted without a loop.
const UNROLLED_WORDS: u32 = 16;

impl Emitter<'_> {
    /// Puts a message behind the last one, if there is room.
    pub fn append(&mut self, base: Base, kind: u32, values: &[Value]) {
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

    /// Removes the oldest message.
    pub fn shift(&mut self, base: Base, kind: u32) {
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
