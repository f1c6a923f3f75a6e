//! The methods of a program, ranked by cost.

use crate::data::{MethodRow, Methods};
use tally_profiler::{Profile, SampleProfile};

/// The first `most` methods of the program by counts, by total and by own; the library's are left out.
pub fn by_counts(profile: &Profile, most: u32) -> Methods {
    let own = profile.methods.iter().filter(|m| !m.is_library);
    let rows = own
        .filter(|method| !method.class.is_empty())
        .map(|method| MethodRow {
            name: method.name.clone(),
            own: method.own,
            total: method.total,
            calls: method.calls,
            block_calls: method.block_calls,
            objects: method.allocations.objects,
            bytes: method.allocations.bytes,
            ..MethodRow::default()
        })
        .collect();
    ranked(0, rows, most)
}

/// The same by samples.
pub fn by_samples(profile: &SampleProfile, most: u32) -> Methods {
    let own = profile.methods.iter().filter(|m| !m.is_library);
    let rows = own
        .filter(|method| method.name.contains(">>"))
        .map(|method| MethodRow {
            name: method.name.clone(),
            own: method.own,
            total: method.total,
            ..MethodRow::default()
        })
        .collect();
    ranked(profile.samples, rows, most)
}

/// Methods with their places, those alone that have one of the first places.
fn ranked(samples: u64, mut rows: Vec<MethodRow>, most: u32) -> Methods {
    let known = rows.len() as u64;
    place(
        &mut rows,
        |row| (row.own, row.total),
        |row, place| row.by_own = place,
    );
    place(
        &mut rows,
        |row| (row.total, row.own),
        |row, place| row.by_total = place,
    );
    rows.retain(|row| row.by_own <= most || row.by_total <= most);
    Methods {
        known,
        samples,
        listed: rows,
    }
}

/// Sorts by what costs most, then by name, and notes the places.
fn place(
    rows: &mut [MethodRow],
    key: impl Fn(&MethodRow) -> (u64, u64),
    note: impl Fn(&mut MethodRow, u32),
) {
    rows.sort_by(|a, b| key(b).cmp(&key(a)).then_with(|| a.name.cmp(&b.name)));
    for (row, number) in rows.iter_mut().zip(1..) {
        note(row, number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_by_cost_and_then_by_name() {
        let row = |name: &str, own, total| MethodRow {
            name: name.to_string(),
            own,
            total,
            ..MethodRow::default()
        };
        let rows = vec![
            row("A>>a", 1, 9),
            row("A>>c", 5, 9),
            row("A>>b", 5, 9),
            row("A>>d", 7, 7),
        ];
        let methods = ranked(0, rows, 2);
        let places: Vec<(&str, u32, u32)> = methods
            .listed
            .iter()
            .map(|row| (row.name.as_str(), row.by_total, row.by_own))
            .collect();
        assert_eq!(methods.known, 4);
        assert_eq!(places, [("A>>b", 1, 2), ("A>>c", 2, 3), ("A>>d", 4, 1)]);
    }
}
