//! Sequences of different lengths, one behind the other.

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
    pub fn sorted(n_rows: usize, mut items: Vec<(u32, T)>) -> Rows<T> {
        items.sort_by_key(|(row, _)| *row);
        let mut rows = Rows { items: Vec::with_capacity(items.len()), ends: vec![0; n_rows] };
        for (row, item) in items {
            rows.items.push(item);
            rows.ends[row as usize] = rows.items.len() as u32;
        }
        let mut end = 0;
        for next in &mut rows.ends {
            end = end.max(*next);
            *next = end;
        }
        rows
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
        let rows = Rows::sorted(5, vec![(3, 'a'), (1, 'b'), (3, 'c')]);
        let mut same = Rows::default();
        for row in ["", "b", "", "ac", ""] {
            same.push(row.chars());
        }
        assert_eq!(rows, same);
        assert_eq!(rows.get(3), ['a', 'c']);
        assert_eq!(rows.get(4), []);
    }
}
