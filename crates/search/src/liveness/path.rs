//! The path of a depth-first search, without recursion.

/// The arcs on which a search has come to where it is, and those that it has not yet followed.
pub struct Path<A> {
    frames: Vec<Frame<A>>,
    /// The arcs still to be followed, those of the last frame behind the others, the next one last.
    pending: Vec<A>,
}

struct Frame<A> {
    /// The arc on which the place was entered.
    entry: A,
    /// The length that `pending` had before the arcs of this frame came.
    start: usize,
}

impl<A: Copy> Path<A> {
    pub fn new() -> Path<A> {
        Path { frames: Vec::new(), pending: Vec::new() }
    }

    /// Goes along an arc to a place with the arcs `next`.
    pub fn enter(&mut self, entry: A, next: impl DoubleEndedIterator<Item = A>) {
        self.frames.push(Frame { entry, start: self.pending.len() });
        self.pending.extend(next.rev());
    }

    /// Takes the next arc of the last place.
    pub fn next(&mut self) -> Option<A> {
        let frame = self.frames.last()?;
        if self.pending.len() > frame.start { self.pending.pop() } else { None }
    }

    /// Leaves the last place, which has no arc left.
    pub fn leave(&mut self) {
        self.frames.pop();
    }

    /// The arc on which the last place was entered.
    pub fn last(&self) -> Option<A> {
        self.frames.last().map(|frame| frame.entry)
    }

    /// The number of places.
    pub fn len(&self) -> usize {
        self.frames.len()
    }

    /// The arcs on which the places were entered, first to last.
    pub fn entries(&self) -> impl DoubleEndedIterator<Item = A> {
        self.frames.iter().map(|frame| frame.entry)
    }

    pub fn bytes(&self) -> u64 {
        let frames = self.frames.capacity() * size_of::<Frame<A>>();
        (frames + self.pending.capacity() * size_of::<A>()) as u64
    }
}
