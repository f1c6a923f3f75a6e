//! Makespans of a program by the number of CPUs.

use serde::Serialize;
use tally_presentation::Page;
use tally_presentation::figure::Style;
use tally_presentation::table::{Table, Value};

/// A run on a number of CPUs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CurvePoint {
    /// CPUs; absent for as many as there are processors.
    pub cpus: Option<u64>,
    /// Its processors.
    pub processors: u64,
    /// From the first moment to the last.
    pub makespan: u64,
    /// Ticks that all processors executed.
    pub ticks: u64,
    /// How the run ended, in a word.
    pub ending: &'static str,
    /// Whether it printed what the first run printed, and ended as that.
    pub is_same: bool,
}

/// The runs of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Curve {
    /// The runs that are shown.
    pub points: Vec<CurvePoint>,
    /// The makespan on one CPU.
    pub alone: u64,
    /// The makespan on any number of CPUs.
    pub span: u64,
}

/// A point for programs.
#[derive(Debug, Serialize)]
pub(crate) struct CurveRow {
    cpus: Option<u64>,
    makespan: u64,
    ticks: u64,
    #[serde(rename = "speedUp")]
    speed_up: Option<f64>,
    utilisation: Option<f64>,
    parallelism: Option<f64>,
    #[serde(rename = "slowerThan")]
    slower_than: Option<u64>,
    ending: &'static str,
    #[serde(rename = "sameOutput")]
    same_output: bool,
}

/// Columns of the longest bar, as many as there is room for.
const BARS: [usize; 3] = [40, 20, 10];

fn ratio(one: u64, other: u128) -> Option<f64> {
    (other > 0).then(|| one as f64 / other as f64)
}

impl CurvePoint {
    /// The number of its CPUs; for any number, that of its processors.
    fn count(&self) -> u64 {
        self.cpus.unwrap_or(self.processors)
    }

    /// The part of the time of all CPUs in which ticks were executed.
    fn utilisation(&self) -> Option<f64> {
        let all = u128::from(self.count()) * u128::from(self.makespan);
        ratio(self.ticks, all)
    }

    fn name(&self) -> String {
        let cpus = self.cpus.map(|cpus| cpus.to_string());
        cpus.unwrap_or_else(|| "max".to_string())
    }
}

impl Curve {
    /// How many times as fast as on one CPU.
    fn speed_up(&self, point: &CurvePoint) -> Option<f64> {
        ratio(self.alone, point.makespan.into())
    }

    /// The fewest CPUs with which the program takes less time, though they are fewer.
    fn slower_than(&self, point: &CurvePoint) -> Option<u64> {
        let fewer = |one: &&CurvePoint| {
            let is_fewer = match (one.cpus, point.cpus) {
                (Some(one), Some(other)) => one < other,
                (one, other) => one.is_some() && other.is_none(),
            };
            is_fewer && one.makespan < point.makespan
        };
        let faster = self.points.iter().filter(fewer);
        faster.filter_map(|one| one.cpus).min()
    }

    /// The runs for programs.
    pub(crate) fn rows(&self) -> Vec<CurveRow> {
        let row = |point: &CurvePoint| CurveRow {
            cpus: point.cpus,
            makespan: point.makespan,
            ticks: point.ticks,
            speed_up: self.speed_up(point),
            utilisation: point.utilisation(),
            parallelism: ratio(point.ticks, self.span.into()),
            slower_than: self.slower_than(point),
            ending: point.ending,
            same_output: point.is_same,
        };
        self.points.iter().map(row).collect()
    }

    /// The runs as a table.
    pub fn table(&self) -> Table {
        let reading = "Speed-up: against one CPU. Utilisation: the part of all CPUs' time in which ticks were executed. Parallelism: ticks by the makespan on any number of CPUs.";
        let mut table = Table::new("curve", "Makespans by CPUs", reading)
            .words("cpus")
            .number("makespan", "", Style::Whole)
            .number("ticks", "", Style::Whole)
            .number("speed-up", "", Style::Fixed(2))
            .number("utilisation", "%", Style::Fixed(1))
            .number("parallelism", "", Style::Fixed(2))
            .words("notes");
        for point in &self.points {
            table.row([
                Value::from(point.name()),
                point.makespan.into(),
                point.ticks.into(),
                self.speed_up(point).into(),
                point.utilisation().map(|part| 100.0 * part).into(),
                ratio(point.ticks, self.span.into()).into(),
                self.notes(point).into(),
            ]);
        }
        table
    }

    fn notes(&self, point: &CurvePoint) -> String {
        let mut notes = Vec::new();
        if let Some(fewer) = self.slower_than(point) {
            notes.push(format!("slower than on {fewer}"));
        }
        if point.ending != "finished" {
            notes.push(point.ending.to_string());
        }
        if !point.is_same {
            notes.push("another output".to_string());
        }
        notes.join(", ")
    }

    /// The runs as text, with a bar for each speed-up if there is room.
    pub fn text(&self, page: Page) -> String {
        let bars = BARS.map(|columns| self.with_bars(columns));
        let fitting = bars.iter().find(|table| table.is_within(page));
        let mut text = String::new();
        let plain = self.with_bars(0);
        fitting.unwrap_or(&plain).push_text(page, &mut text);
        text
    }

    /// The table with bars of at most this number of columns, without notes if there are none.
    fn with_bars(&self, columns: usize) -> Table {
        let mut table = self.table();
        let ups = self.points.iter().filter_map(|point| self.speed_up(point));
        let most = ups.fold(0.0, f64::max);
        let has_notes = self
            .points
            .iter()
            .any(|point| !self.notes(point).is_empty());
        let notes = table.columns.pop().filter(|_| has_notes);
        if columns > 0 {
            table = table.words("");
        }
        table.columns.extend(notes);
        for (row, point) in table.rows.iter_mut().zip(&self.points) {
            let notes = row.cells.pop().filter(|_| has_notes);
            let part = self.speed_up(point).map_or(0.0, |up| up / most);
            let bar = "█".repeat((columns as f64 * part).round() as usize);
            row.cells.extend((columns > 0).then(|| bar.into()));
            row.cells.extend(notes);
        }
        table
    }
}

#[cfg(test)]
mod tests {
    use super::{Curve, CurvePoint};

    fn curve(makespans: &[(Option<u64>, u64)]) -> Curve {
        let points = makespans.iter().map(|&(cpus, makespan)| CurvePoint {
            cpus,
            processors: 5,
            makespan,
            ticks: 100,
            ending: "finished",
            is_same: true,
        });
        Curve {
            points: points.collect(),
            alone: 100,
            span: 40,
        }
    }

    #[test]
    fn more_cpus_that_are_slower_are_marked() {
        let all = curve(&[(Some(1), 100), (Some(2), 50), (Some(4), 60), (None, 40)]);
        let csv = all.table().csv();
        let expected = "cpus,makespan,ticks,speed-up,utilisation (%),parallelism,notes\n\
            1,100,100,1,100,2.5,\n\
            2,50,100,2,100,2.5,\n\
            4,60,100,1.6666666666666667,41.66666666666667,2.5,slower than on 2\n\
            max,40,100,2.5,50,2.5,\n";
        assert_eq!(csv.replace('\r', ""), expected);
    }

    #[test]
    fn an_empty_run_has_no_ratios() {
        let row = &curve(&[(Some(1), 0)]).rows()[0];
        assert_eq!((row.speed_up, row.utilisation), (None, None));
        assert_eq!(row.parallelism, Some(2.5));
    }
}
