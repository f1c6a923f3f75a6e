//! Growth of cost with the size of the input: programs of `growth` at one, ten and a hundred times a size, in time and in
//! sends, compared with the expected order. The plot is drawn in `plot`.

use std::path::Path;
use std::time::Duration;

use crate::measure::{Command, median};
use crate::report::{Row, Verdict};
use crate::root;
use crate::statistics::exponent;

/// How much more the exponent of time may be than expected. Caches and the collector make a hundred
/// times the data cost somewhat more than a hundred times as much.
const TIME_TOLERANCE: f64 = 0.25;
/// The same for hashed collections of all kinds of keys, whose promise is more exact.
const KEY_TOLERANCE: f64 = 0.1;
/// The same for sends, which are exact; tables that double make steps.
const SEND_TOLERANCE: f64 = 0.06;

/// Headings of the rows.
pub const COLUMNS: &[&str] = &[
    "size", "ms", "ms x10", "ms x100", "exponent", "expected", "sends", "expected",
];

/// An order of growth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Order {
    /// No growth.
    Constant,
    /// As log n: a power is found by squaring.
    Log,
    /// As n.
    Linear,
    /// As n log n.
    LinearLog,
    /// As n to this power.
    Power(f64),
}

impl Order {
    /// The cost of a size, up to a factor.
    pub fn cost(self, size: f64) -> f64 {
        match self {
            Order::Constant => 1.0,
            Order::Log => size.ln(),
            Order::Linear => size,
            Order::LinearLog => size * size.ln(),
            Order::Power(power) => size.powf(power),
        }
    }

    /// The slope that this order has between a size and a hundred times it.
    fn exponent(self, sizes: &[f64; 3]) -> f64 {
        exponent(&sizes.map(|size| (size, self.cost(size))))
    }
}

/// A kind of work, and what to expect of it.
#[derive(Debug)]
pub struct Work {
    /// The file in `growth`, without `.st`.
    pub subject: &'static str,
    /// The panel of the plot.
    pub panel: &'static str,
    /// The kind, an argument of the file.
    pub kind: &'static str,
    /// The smallest size.
    pub size: u64,
    /// The order of the time.
    pub time: Order,
    /// The order of the sends.
    pub sends: Order,
    /// How much more the exponent of time may be than that of the order.
    pub tolerance: f64,
}

const fn linear(subject: &'static str, kind: &'static str, size: u64) -> Work {
    work(subject, kind, size, Order::Linear, Order::Linear)
}

const fn work(
    subject: &'static str,
    kind: &'static str,
    size: u64,
    time: Order,
    sends: Order,
) -> Work {
    Work {
        subject,
        panel: subject,
        kind,
        size,
        time,
        sends,
        tolerance: TIME_TOLERANCE,
    }
}

/// Work on a set with one kind of elements, from ten thousand to a million.
const fn keys(panel: &'static str, kind: &'static str) -> Work {
    Work {
        panel,
        tolerance: KEY_TOLERANCE,
        ..linear("keys", kind, 10_000)
    }
}

/// Looks up keys that are in the set.
const fn present(kind: &'static str) -> Work {
    keys("keys", kind)
}

/// Looks up keys that are not in the set.
const fn absent(kind: &'static str) -> Work {
    keys("absent keys", kind)
}

/// Multiplication by Karatsuba's method is of this power; better methods are of a smaller one.
const KARATSUBA: f64 = 1.585;

/// All kinds of work, subject by subject.
pub const WORKS: &[Work] = &[
    linear("dictionary", "integers", 2000),
    linear("dictionary", "strings", 1000),
    linear("dictionary", "removal", 2000),
    linear("dictionary", "set", 2000),
    Work {
        tolerance: KEY_TOLERANCE,
        ..linear("dictionary", "absent", 10_000)
    },
    present("points"),
    present("pairs"),
    present("associations"),
    present("fractions"),
    present("halves"),
    present("prefixes"),
    present("cells"),
    present("strides"),
    present("numbers"),
    absent("absentPoints"),
    absent("absentPairs"),
    absent("absentAssociations"),
    absent("absentFractions"),
    absent("absentHalves"),
    absent("absentPrefixes"),
    absent("absentCells"),
    absent("absentStrides"),
    absent("absentNumbers"),
    linear("sequence", "last", 5000),
    linear("sequence", "first", 5000),
    linear("sequence", "queue", 5000),
    linear("sequence", "iteration", 5000),
    work("sort", "random", 2000, Order::LinearLog, Order::LinearLog),
    work("sort", "sorted", 2000, Order::LinearLog, Order::LinearLog),
    work("sort", "reversed", 2000, Order::LinearLog, Order::LinearLog),
    work("sort", "equal", 2000, Order::LinearLog, Order::LinearLog),
    work("sort", "block", 2000, Order::LinearLog, Order::LinearLog),
    linear("text", "stream", 5000),
    linear("text", "halves", 5000),
    work("text", "comma", 2000, Order::Power(2.0), Order::Linear),
    linear("text", "words", 5000),
    linear("text", "replace", 5000),
    work(
        "integers",
        "factorial",
        300,
        Order::Power(2.0),
        Order::Linear,
    ),
    work(
        "integers",
        "multiplication",
        3000,
        Order::Power(KARATSUBA),
        Order::Log,
    ),
    work("integers", "division", 1000, Order::Power(2.0), Order::Log),
    work("integers", "sum", 20_000, Order::Linear, Order::Constant),
    work("integers", "printing", 1000, Order::Power(2.0), Order::Log),
];

/// What was measured of one kind of work.
#[derive(Debug)]
pub struct Growth {
    /// The work.
    pub work: &'static Work,
    /// Sizes.
    pub sizes: [f64; 3],
    /// Seconds of doing it once, at each size.
    pub seconds: [f64; 3],
    /// Sends of doing it once, at each size.
    pub sends: [f64; 3],
}

impl Growth {
    /// The fitted exponent of the time.
    pub fn time_exponent(&self) -> f64 {
        exponent(&[0, 1, 2].map(|n| (self.sizes[n], self.seconds[n])))
    }

    /// The fitted exponent of the sends.
    pub fn send_exponent(&self) -> f64 {
        exponent(&[0, 1, 2].map(|n| (self.sizes[n], self.sends[n])))
    }

    fn row(&self) -> Row {
        let time = (self.time_exponent(), self.work.time.exponent(&self.sizes));
        let sends = (self.send_exponent(), self.work.sends.exponent(&self.sizes));
        let is_met = time.0 <= time.1 + self.work.tolerance && sends.0 <= sends.1 + SEND_TOLERANCE;
        let mut figures = vec![self.work.size.to_string()];
        figures.extend(
            self.seconds
                .map(|seconds| format!("{:.3}", seconds * 1000.0)),
        );
        figures.extend([time.0, time.1, sends.0, sends.1].map(|exponent| format!("{exponent:.2}")));
        Row {
            name: format!("{}, {}", self.work.subject, self.work.kind),
            figures,
            verdict: if is_met { Verdict::Pass } else { Verdict::Fail },
        }
    }
}

/// How often the work is done in a run of each size, so that none is too short for the clock.
const REPEATS: [u32; 3] = [40, 8, 1];

/// Measures all kinds of work with this `counted` command: rows for a table, and what to plot.
/// A run that lasts longer than `patience` is given up: work that grows with the square of its size may never end.
pub fn measure(
    counted: &Path,
    works: &[&'static Work],
    rounds: u32,
    patience: Duration,
) -> (Vec<Row>, Vec<Growth>) {
    let mut rows = Vec::new();
    let mut growths = Vec::new();
    for work in works {
        match measure_work(counted, work, rounds, patience) {
            Ok(growth) => {
                rows.push(growth.row());
                growths.push(growth);
            }
            Err(why) => {
                let name = format!("{}, {}", work.subject, work.kind);
                rows.push(Row::without_figures(&name, Verdict::Broken(why)));
            }
        }
    }
    (rows, growths)
}

fn measure_work(
    counted: &Path,
    work: &'static Work,
    rounds: u32,
    patience: Duration,
) -> Result<Growth, String> {
    let sizes = [1, 10, 100].map(|factor| work.size * factor);
    let mut samples = [Vec::new(), Vec::new(), Vec::new()];
    let mut sends = [0.0; 3];
    for _ in 0..rounds {
        for (number, size) in sizes.iter().enumerate() {
            let repeats = REPEATS[number];
            let command = command(counted, work, *size, repeats).within(patience);
            let (all_sends, seconds) = counted_figures(&command.output()?)?;
            samples[number].push(seconds / f64::from(repeats));
            sends[number] = all_sends as f64 / f64::from(repeats);
        }
    }
    Ok(Growth {
        work,
        sizes: sizes.map(|size| size as f64),
        seconds: samples.map(|samples| median(&samples)),
        sends,
    })
}

fn command(counted: &Path, work: &Work, size: u64, repeats: u32) -> Command {
    let file = format!("benches/growth/{}.st", work.subject);
    Command::new(counted, &root())
        .with(["counted", &file, work.kind])
        .with([size.to_string(), repeats.to_string()])
}

/// Sends and processor seconds, as the `counted` command prints them.
///
/// # Errors
/// A sentence, if there are none.
pub fn counted_figures(output: &str) -> Result<(u64, f64), String> {
    // The program's own output stays in memory, so that the figures are alone.
    let mut words = output.split_whitespace();
    let sends = words.next().and_then(|word| word.parse().ok());
    let seconds = words.next().and_then(|word| word.parse().ok());
    sends
        .zip(seconds)
        .ok_or_else(|| "no figures came back".to_string())
}

#[cfg(test)]
mod tests {
    use super::{Growth, Order, WORKS};
    use crate::report::Verdict;

    #[test]
    fn a_square_where_a_line_is_expected_fails() {
        let growth = |seconds| Growth {
            work: &WORKS[0],
            sizes: [1.0, 10.0, 100.0],
            seconds,
            sends: [1.0, 10.0, 100.0],
        };
        assert_eq!(growth([1.0, 11.0, 120.0]).row().verdict, Verdict::Pass);
        assert_eq!(growth([1.0, 100.0, 10_000.0]).row().verdict, Verdict::Fail);
    }

    #[test]
    fn a_kind_of_keys_has_less_room_than_other_work() {
        let verdict = |kind: &str| {
            let work = WORKS.iter().find(|work| work.kind == kind);
            let growth = work.map(|work| Growth {
                work,
                sizes: [1.0, 10.0, 100.0],
                // The exponent is 1.2.
                seconds: [1.0, 15.85, 251.2],
                sends: [1.0, 10.0, 100.0],
            });
            growth.map(|growth| growth.row().verdict)
        };
        assert_eq!(verdict("integers"), Some(Verdict::Pass));
        assert_eq!(verdict("absentPoints"), Some(Verdict::Fail));
    }

    #[test]
    fn sorting_costs_somewhat_more_than_a_line() {
        let exponent = Order::LinearLog.exponent(&[1e3, 1e4, 1e5]);
        assert!(exponent > 1.05 && exponent < 1.2);
    }
}
