//! Measurements whose numbers are all about the same processes (counting model, 2.1): about one process, or about one and
//! those that are forked meanwhile. A process knows the innermost of them under which it was forked or runs. Its costs are
//! charged to that measurement and to those around it when it leaves. So a switch of processes costs nothing unless one is open.

use super::CostCounts;

/// The number of a measurement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Family(u32);

impl Family {
    /// No measurement.
    pub(crate) const NONE: Family = Family(0);
}

/// The measurements: those that are open, and those that processes may still refer to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Families {
    rows: Vec<Row>,
    /// The number before that of the first row. Numbers of rows with processes are not given twice.
    before: u32,
    open: u32,
    /// The counters of the machine at the last charge.
    charged: CostCounts,
}

#[derive(Clone, Debug)]
struct Row {
    /// The measurement around it, in the process that began it.
    around: Family,
    /// The serial of its mark.
    serial: u64,
    sum: CostCounts,
    /// Whether processes that are forked meanwhile belong to it.
    has_forks: bool,
    /// Whether there are such processes.
    has_processes: bool,
}

impl Families {
    /// Whether costs are to be charged.
    #[inline]
    pub(crate) fn is_any_open(&self) -> bool {
        self.open > 0
    }

    fn row(&mut self, family: Family) -> Option<&mut Row> {
        let place = family.0.checked_sub(self.before)?.checked_sub(1)?;
        self.rows.get_mut(place as usize)
    }

    /// Begins the measurement with this mark inside another. `now` are the machine's counters, which are charged to the other one.
    pub(crate) fn begin(
        &mut self,
        (around, has_forks): (Family, bool),
        serial: u64,
        now: CostCounts,
    ) -> Family {
        match self.open {
            0 => self.charged = now,
            _ => self.charge(around, now),
        }
        self.open += 1;
        self.rows.push(Row {
            around,
            serial,
            sum: CostCounts::default(),
            has_forks,
            has_processes: false,
        });
        Family(self.before + self.rows.len() as u32)
    }

    /// Charges what was counted since the last charge.
    pub(crate) fn charge(&mut self, family: Family, now: CostCounts) {
        let before = std::mem::replace(&mut self.charged, now);
        let mut next = family;
        while let Some(row) = self.row(next) {
            for ((sum, now), before) in row.sum.iter_mut().zip(now).zip(before) {
                *sum = sum.wrapping_add(now.wrapping_sub(before));
            }
            next = row.around;
        }
    }

    /// A process is forked under a measurement. Answers the innermost one that it belongs to, and will refer to.
    pub(crate) fn of_fork(&mut self, family: Family) -> Family {
        let mut next = family;
        while let Some(row) = self.row(next) {
            if row.has_forks {
                row.has_processes = true;
                return next;
            }
            next = row.around;
        }
        Family::NONE
    }

    /// Ends the measurement with this mark. Answers its costs, and the measurement around it.
    pub(crate) fn end(&mut self, serial: u64) -> (CostCounts, Family) {
        let Some(place) = self.rows.iter().rposition(|row| row.serial == serial) else {
            return (CostCounts::default(), Family::NONE);
        };
        let row = &self.rows[place];
        let (sum, around) = (row.sum, row.around);
        self.open = self.open.saturating_sub(1);
        let is_last = place + 1 == self.rows.len();
        if is_last && !row.has_processes {
            self.rows.pop();
        }
        if self.open == 0 {
            self.before = self.before.wrapping_add(self.rows.len() as u32);
            self.rows.clear();
        }
        (sum, around)
    }

    /// Whether a measurement is another one or inside it.
    pub(crate) fn is_within(&mut self, family: Family, other: Family) -> bool {
        let mut next = family;
        while next != other {
            match self.row(next) {
                Some(row) => next = row.around,
                None => return false,
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sends(n: u64) -> CostCounts {
        let mut counts = CostCounts::default();
        counts[0] = n;
        counts
    }

    #[test]
    fn a_measurement_holds_what_its_processes_did_and_no_others() {
        let mut families = Families::default();
        let outer = families.begin((Family::NONE, true), 1, sends(10));
        families.of_fork(outer);
        let inner = families.begin((outer, true), 2, sends(13));
        // A process that was forked under the outer one runs, then one that was forked under none.
        families.charge(inner, sends(20));
        families.charge(outer, sends(25));
        families.charge(Family::NONE, sends(100));
        families.charge(inner, sends(101));
        assert_eq!(families.end(2), (sends(8), outer));
        families.charge(outer, sends(103));
        assert_eq!(families.end(1), (sends(18), Family::NONE));
        assert!(!families.is_any_open());
    }

    #[test]
    fn a_process_does_not_belong_to_a_later_measurement() {
        let mut families = Families::default();
        let first = families.begin((Family::NONE, true), 1, sends(0));
        families.of_fork(first);
        families.end(1);
        let second = families.begin((Family::NONE, true), 2, sends(5));
        assert_ne!(first, second);
        families.charge(first, sends(9));
        assert!(!families.is_within(first, second));
        assert_eq!(families.end(2).0, sends(0));
    }

    #[test]
    fn measurements_without_processes_leave_nothing_behind() {
        let mut families = Families::default();
        let outer = families.begin((Family::NONE, true), 1, sends(0));
        for n in 0..1000 {
            let inner = families.begin((outer, true), n + 2, sends(n));
            assert!(families.is_within(inner, outer));
            families.end(n + 2);
        }
        assert_eq!(families.rows.len(), 1);
    }
}
