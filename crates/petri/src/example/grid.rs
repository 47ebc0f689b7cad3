//! The points of a grid.

use std::ops::Range;

/// Points with so many coordinates, each below `width`. Point `v` has the coordinates that are its digits
/// to the base `width`.
pub(super) struct Grid {
    dimensions: u32,
    width: usize,
}

impl Grid {
    pub fn new(dimensions: usize, width: usize) -> Grid {
        Grid { dimensions: dimensions as u32, width }
    }

    pub fn points(&self) -> Range<usize> {
        0..self.width.pow(self.dimensions)
    }

    pub fn centre(&self) -> usize {
        self.points().end / 2
    }

    /// The points at distance 1.
    pub fn neighbours(&self, point: usize) -> impl Iterator<Item = usize> {
        (0..self.dimensions).flat_map(move |i| {
            let (step, coordinate) = (self.width.pow(i), self.coordinate(point, i));
            let below = (coordinate > 0).then(|| point - step);
            let above = (coordinate + 1 < self.width).then_some(point + step);
            below.into_iter().chain(above)
        })
    }

    /// The coordinates with points between them.
    pub fn name(&self, point: usize) -> String {
        let coordinates = (0..self.dimensions).rev().map(|i| self.coordinate(point, i).to_string());
        coordinates.collect::<Vec<_>>().join(".")
    }

    fn coordinate(&self, point: usize, i: u32) -> usize {
        point / self.width.pow(i) % self.width
    }
}
