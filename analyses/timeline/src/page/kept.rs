//! The greatest of many rows, in bounded memory.

use std::cmp::Reverse;

/// Rows of which the greatest are kept; of equal ones the first.
#[derive(Clone, Debug)]
pub(super) struct Kept<T> {
    most: usize,
    /// Weights and ordinals with the rows, in any order.
    rows: Vec<(Reverse<u64>, u64, T)>,
    added: u64,
}

impl<T> Kept<T> {
    /// Keeps this number of rows, which must not be 0.
    pub(super) fn new(most: usize) -> Kept<T> {
        Kept {
            most,
            rows: Vec::new(),
            added: 0,
        }
    }

    pub(super) fn add(&mut self, weight: u64, row: T) {
        self.rows.push((Reverse(weight), self.added, row));
        self.added += 1;
        // The greatest are chosen once for many new rows, so a row costs the same however many there are.
        if self.rows.len() > self.most + self.most / 2 {
            self.cut(self.most);
        }
    }

    /// Adds a row that weighs more than all others if it lasts to the end. Weights are ticks, so they are below 2^63.
    pub(super) fn add_lasting(&mut self, ticks: u64, lasts: bool, row: T) {
        self.add(ticks | u64::from(lasts) << 63, row);
    }

    /// Leaves only this number of rows.
    pub(super) fn cut(&mut self, most: usize) {
        if self.rows.len() > most {
            let key = |row: &(Reverse<u64>, u64, T)| (row.0, row.1);
            self.rows.select_nth_unstable_by_key(most, key);
            self.rows.truncate(most);
        }
    }

    /// The greatest rows, the greatest first.
    pub(super) fn finish(mut self) -> Vec<T> {
        self.cut(self.most);
        self.rows.sort_unstable_by_key(|row| (row.0, row.1));
        self.rows.into_iter().map(|(.., row)| row).collect()
    }

    /// The number of rows that were added.
    pub(super) fn added(&self) -> u64 {
        self.added
    }
}

#[cfg(test)]
mod tests {
    use super::Kept;

    #[test]
    fn the_greatest_rows_are_kept() {
        let mut kept = Kept::new(3);
        // 0 7 4 1 8 5 2 9 6 3
        for number in 0..10_u64 {
            kept.add(number * 7 % 10, number * 7 % 10);
        }
        assert_eq!(kept.added(), 10);
        assert_eq!(kept.finish(), [9, 8, 7]);
    }

    #[test]
    fn of_equal_rows_the_first_are_kept() {
        let mut kept = Kept::new(2);
        (0..9).for_each(|number| kept.add(1, number));
        assert_eq!(kept.finish(), [0, 1]);
    }
}
