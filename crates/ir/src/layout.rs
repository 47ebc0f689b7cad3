//! Where variables lie in the words of a state.
//!
//! A state is a sequence of words: word 0 holds the number of the *shape* (which processes live)
//! in its lower half, the shared variables follow, then the shared channels, then for each process
//! its frame and the channels made with it. Frames and channels start at word boundaries, so that a
//! place in a frame has a fixed offset from the frame's first word, whatever else lives. A slot
//! never straddles two words: it is aligned to its width rounded up to a power of two.
//!
//! Generated code uses the fixed offsets as constants. The price is a few unused bits behind each frame.

use crate::program::{Field, Meaning};

/// The first bit of the shared variables.
pub const GLOBALS_START: u32 = 32;

/// The most bits that one region or channel may take: a bound on absurd declarations.
pub const MAX_REGION_BITS: u64 = 8 << 20;

/// A group of variables with a common start: the shared ones, or those of a process.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Region {
    /// The variables.
    pub slots: Vec<Slot>,
    /// Behind the last bit.
    pub bits: u32,
}

/// A variable or an array.
#[derive(Clone, Debug, PartialEq)]
pub struct Slot {
    /// Its name, with `[]` for each dimension: `x`, `a[]`, `t.f`, `a[].f[]`.
    pub name: String,
    /// Offset of the (first) element in bits, from the region's start.
    pub offset: u32,
    /// Bits of an element.
    pub width: u8,
    /// Whether an element can be negative.
    pub signed: bool,
    /// The dimensions, outermost first.
    pub dims: Vec<Dim>,
    /// What its values stand for.
    pub meaning: Meaning,
    /// Not a variable of the program's text, so not shown.
    pub internal: bool,
}

/// A dimension of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dim {
    /// The number of elements.
    pub len: u32,
    /// The distance between two of them, in bits.
    pub stride: u32,
}

/// Size and alignment in bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Bits, a multiple of the alignment.
    pub bits: u64,
    /// A power of two, at most 64.
    pub align: u32,
}

impl Size {
    /// Of a number of `width` bits.
    pub fn scalar(width: u8) -> Size {
        let align = u32::from(width.max(1)).next_power_of_two();
        Size { bits: u64::from(align), align }
    }

    /// Of things laid out one after the other by an [`Allocator`], used as an element of an array.
    pub fn of_record(bits: u64) -> Size {
        if bits <= 64 {
            let align = (bits.max(1) as u32).next_power_of_two();
            Size { bits: u64::from(align), align }
        } else {
            Size { bits: bits.next_multiple_of(64), align: 64 }
        }
    }

    /// Of an array.
    pub fn array(self, len: u32) -> Size {
        Size { bits: self.bits.saturating_mul(u64::from(len)), align: self.align }
    }
}

/// Hands out places one after the other.
#[derive(Clone, Copy, Debug, Default)]
pub struct Allocator {
    /// Behind the last bit handed out.
    pub bits: u64,
}

impl Allocator {
    /// The offset of a new place.
    pub fn place(&mut self, size: Size) -> u64 {
        let offset = self.bits.next_multiple_of(u64::from(size.align));
        self.bits = offset.saturating_add(size.bits);
        offset
    }
}

/// Where the messages of a channel lie, from the channel's first word on. The first eight bits hold
/// their number. A rendezvous channel takes no room.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChannelLayout {
    /// Offset of the first message.
    pub first: u32,
    /// Distance between two messages.
    pub stride: u32,
    /// Offset of each field in its message.
    pub fields: Vec<u32>,
    /// Words of the channel.
    pub words: u32,
}

impl ChannelLayout {
    /// Lays out a channel; none if it takes more than [`MAX_REGION_BITS`].
    pub fn new(capacity: u32, fields: &[Field]) -> Option<ChannelLayout> {
        let mut message = Allocator::default();
        let offsets: Vec<u64> = fields.iter().map(|field| message.place(Size::scalar(field.width))).collect();
        let size = Size::of_record(message.bits);
        let mut channel = Allocator { bits: 8 };
        let first = channel.place(size.array(capacity));
        if channel.bits > MAX_REGION_BITS || message.bits > MAX_REGION_BITS {
            return None;
        }
        Some(ChannelLayout {
            first: first as u32,
            stride: size.bits as u32,
            fields: offsets.into_iter().map(|offset| offset as u32).collect(),
            words: if capacity == 0 { 0 } else { channel.bits.div_ceil(64) as u32 },
        })
    }
}

impl Region {
    /// Words from the region's start to its end.
    pub fn words(&self) -> u32 {
        self.bits.div_ceil(64)
    }
}
