//! Sequences of different lengths, one behind the other.

use model::{Over, Pace};

/// A sequence for each number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Rows<T> {
    items: Vec<T>,
    ends: Vec<u32>,
}

impl<T> Default for Rows<T> {
    fn default() -> Rows<T> {
        Rows { items: Vec::new(), ends: Vec::new() }
    }
}

impl<T> Rows<T> {
    /// Sorts items by the row that they belong to, in which they stay in order.
    pub fn sorted(n_rows: usize, items: Vec<(u32, T)>, pace: &mut Pace<'_>) -> Result<Rows<T>, Over>
    where
        T: Copy,
    {
        // Counting makes one pass after the other, each of which can be left; a comparison sort could not.
        let mut ends = vec![0_u32; n_rows];
        for (row, _) in &items {
            pace.step()?;
            ends[*row as usize] += 1;
        }
        let mut next = 0;
        for end in &mut ends {
            pace.step()?;
            next += std::mem::replace(end, next);
        }
        let Some(&(_, first)) = items.first() else { return Ok(Rows { items: Vec::new(), ends }) };
        let mut sorted = vec![first; items.len()];
        for (row, item) in items {
            pace.step()?;
            let end = &mut ends[row as usize];
            sorted[*end as usize] = item;
            *end += 1;
        }
        Ok(Rows { items: sorted, ends })
    }

    /// Adds a row.
    pub fn push(&mut self, row: impl IntoIterator<Item = T>) {
        self.items.extend(row);
        self.ends.push(self.items.len() as u32);
    }

    /// A row.
    pub fn get(&self, row: u32) -> &[T] {
        let end = |row: u32| self.ends[row as usize] as usize;
        let first = if row == 0 { 0 } else { end(row - 1) };
        &self.items[first..end(row)]
    }

    /// The items of all rows.
    pub fn items(&self) -> &[T] {
        &self.items
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_may_be_empty() {
        let patience = model::Patience::default();
        let rows = Rows::sorted(5, vec![(3, 'a'), (1, 'b'), (3, 'c')], &mut patience.pace()).unwrap();
        let mut same = Rows::default();
        for row in ["", "b", "", "ac", ""] {
            same.push(row.chars());
        }
        assert_eq!(rows, same);
        assert_eq!(rows.get(3), ['a', 'c']);
        assert_eq!(rows.get(4), []);
    }
}
