//! Linear equations over rational numbers.

use num_traits::{One, Zero};

use crate::pmf::Rational;

/// The numbers by which the columns are multiplied so that each row sums to its value. None if no numbers do that, or several do. `rows` are the columns of each
/// equation, and its value.
pub(super) fn solved<'r>(
    rows: impl IntoIterator<Item = &'r (Vec<Rational>, Rational)>,
    columns: usize,
) -> Option<Vec<Rational>> {
    // Each with a one in its own column and zeros in the columns of the others.
    let mut reduced: Vec<Option<Vec<Rational>>> = vec![None; columns];
    for (row, value) in rows {
        let mut row: Vec<Rational> = row.iter().chain([value]).cloned().collect();
        for (column, other) in reduced.iter().enumerate() {
            if let Some(other) = other
                && !row[column].is_zero()
            {
                let factor = row[column].clone();
                subtract(&mut row, other, &factor);
            }
        }
        let Some(own) = row[..columns].iter().position(|one| !one.is_zero()) else {
            // It says nothing new, or contradicts the others.
            if !row[columns].is_zero() {
                return None;
            }
            continue;
        };
        let factor = Rational::one() / &row[own];
        row.iter_mut().for_each(|one| *one *= &factor);
        for other in reduced.iter_mut().flatten() {
            if !other[own].is_zero() {
                let factor = other[own].clone();
                subtract(other, &row, &factor);
            }
        }
        reduced[own] = Some(row);
    }
    let found = reduced
        .into_iter()
        .map(|row| row.and_then(|mut row| row.pop()));
    found.collect()
}

fn subtract(row: &mut [Rational], other: &[Rational], factor: &Rational) {
    for (one, part) in row.iter_mut().zip(other) {
        if !part.is_zero() {
            *one -= factor * part;
        }
    }
}
