//! Two bits for each node, which threads share.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, Ordering};

/// A set of marks for each node; none until one is set. Marks are never taken away.
#[derive(Default)]
pub struct SharedMarks {
    /// Each twice as long as the one before; so none has to be moved when there are more nodes.
    segments: [OnceLock<Box<[AtomicU8]>>; SEGMENTS],
}

/// The number of bytes of the first segment.
const FIRST: usize = 1 << 12;
/// Enough for all numbers of nodes.
const SEGMENTS: usize = 20;

impl SharedMarks {
    /// Whether a node has a mark, which is 1 or 2.
    ///
    /// Acquire: who sees a mark sees what the thread that set it has done before.
    pub fn has(&self, node: u32, mark: u8) -> bool {
        let (segment, byte, shift) = place(node);
        let bytes = self.segments[segment].get();
        bytes.is_some_and(|bytes| bytes[byte].load(Ordering::Acquire) >> shift & mark != 0)
    }

    /// Sets a mark.
    pub fn set(&self, node: u32, mark: u8) {
        let (segment, byte, shift) = place(node);
        let bytes =
            self.segments[segment].get_or_init(|| (0..FIRST << segment).map(|_| AtomicU8::new(0)).collect());
        bytes[byte].fetch_or(mark << shift, Ordering::AcqRel);
    }

    /// The memory that the marks take, in bytes.
    pub fn bytes(&self) -> u64 {
        self.segments.iter().filter_map(OnceLock::get).map(|bytes| bytes.len() as u64).sum()
    }
}

/// The segment of a node, the byte in it, and the bits in that.
fn place(node: u32) -> (usize, usize, u32) {
    let byte = node as usize / 4 + FIRST;
    let segment = (byte / FIRST).ilog2() as usize;
    (segment, byte - (FIRST << segment), 2 * (node % 4))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_of_different_nodes_do_not_disturb_each_other() {
        let marks = SharedMarks::default();
        let nodes: Vec<u32> = (0..70_000).step_by(3).collect();
        nodes.iter().for_each(|&node| marks.set(node, 1 + (node % 2) as u8));
        for node in 0..70_010 {
            for mark in [1, 2] {
                let is_set = node % 3 == 0 && node < 70_000 && u32::from(mark) == 1 + node % 2;
                assert_eq!(marks.has(node, mark), is_set, "{node}, {mark}");
            }
        }
        assert!(marks.bytes() < 40_000);
        let (segment, byte, _) = place(u32::MAX);
        assert!(segment < SEGMENTS && byte < FIRST << segment);
    }
}
