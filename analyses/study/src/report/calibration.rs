//! Prices and the measurements behind them as tables, and an estimate as a sentence.

use std::cmp::Reverse;

use tally_presentation::figure::{Style, measure, signed};
use tally_presentation::table::{Kind, Table, Value};
use tally_profiler::{MethodProfile, Profile};

use crate::prices::{Calibration, Counts, OperationCost, Price};
use crate::results::Interval;
use crate::statistics::finite;

/// The prices of the counters.
pub fn prices_table(calibration: &Calibration) -> Table {
    let context = &calibration.context;
    let reading = format!("On {}, {}.", context.processor, context.build);
    let has_instructions = !calibration.instructions.is_empty();
    let table = Table::new("prices", "What a unit of each counter costs", &reading)
        .column("counter", "", Kind::Name)
        .column("price", "ns", Kind::Number(Style::Measure))
        .column("95 % interval", "ns", Kind::Range(Style::Measure));
    let mut table = match has_instructions {
        true => table.column("price", "instructions", Kind::Number(Style::Measure)),
        false => table,
    };
    table = table.column("operations", "", Kind::Number(Style::Whole));
    for price in &calibration.prices {
        let counted = calibration.instructions.iter();
        let mut counted = counted.filter(|p| p.counter == price.counter);
        let counted = has_instructions.then(|| Value::from(counted.next().map(|p| p.each)));
        let first = [
            Value::from(price.counter.as_str()),
            Value::from(price.each),
            Value::from(price.interval),
        ];
        let cells = first.into_iter().chain(counted);
        table.row(cells.chain([Value::from(price.operations)]));
    }
    table
}

/// What the operations cost, in a unit.
pub fn operations_table(costs: &[OperationCost], unit: &'static str) -> Table {
    let reading = "What a unit of the counter costs in an operation, over all sizes and from each size to the next, and the error \
of the cost that the prices give the operation at each size.";
    let mut table = Table::new("operations", "Costs of operations", reading)
        .column("counter", "", Kind::Words)
        .column("operation", "", Kind::Name)
        .column("sizes", "", Kind::Words)
        .column("a unit", unit, Kind::Number(Style::Measure))
        .column("from size to size", unit, Kind::Words)
        .column("errors", "%", Kind::Words);
    for cost in costs {
        table.row([
            Value::from(cost.counter.as_str()),
            Value::from(cost.operation.as_str()),
            Value::from(listed(&cost.sizes, u64::to_string)),
            Value::from(cost.unit),
            Value::from(listed(&cost.by_size, |unit| Style::Measure.show(*unit))),
            Value::from(listed(&cost.errors, |error| Style::Signed.show(*error))),
        ]);
    }
    table
}

fn listed<T>(things: &[T], shown: impl Fn(&T) -> String) -> String {
    things.iter().map(shown).collect::<Vec<String>>().join(" ")
}

/// Methods whose times are shown.
const METHODS: usize = 10;

/// How long the methods with the most work of their own would take here: the time of the run, shared out by work. A profile
/// without work has no rows.
pub fn estimated_methods(profile: &Profile, calibration: &Calibration, counts: &Counts) -> Table {
    let reading = "The estimated time of the run, shared out by work. The methods with the most work of their own.";
    let mut table = Table::new("estimated-methods", "Where the time goes", reading)
        .name("method")
        .number("own ms", "", Style::Measure)
        .number("total ms", "", Style::Measure);
    if !profile.has_work() {
        return table;
    }
    let each = calibration.estimate(counts).each / 1e6 / profile.work().max(1) as f64;
    let mut methods: Vec<&MethodProfile> = profile.methods.iter().collect();
    methods.sort_by_key(|method| Reverse(method.own_work));
    for method in methods.into_iter().take(METHODS) {
        table.row([
            Value::from(method.name.as_str()),
            Value::from(method.own_work as f64 * each),
            Value::from(method.total_work as f64 * each),
        ]);
    }
    table
}

/// How long the runs of two versions would take here, as a sentence.
pub fn estimated_change(before: &Counts, after: &Counts, calibration: &Calibration) -> String {
    let [before, after] = [before, after].map(|counts| calibration.estimate(counts).each / 1e6);
    let change = finite(100.0 * (after / before - 1.0));
    let change = change.map_or(String::new(), |change| format!(" ({} %)", signed(change)));
    format!(
        "estimated time: {} → {} ms{change}; {UNSEEN}\n",
        measure(before),
        measure(after)
    )
}

/// What no estimate sees.
const UNSEEN: &str = "the collector, caches and the operating system are not seen";

/// How long a run would take here, as a sentence.
pub fn estimate_text(counts: &Counts, calibration: &Calibration) -> String {
    let Price { each, interval, .. } = calibration.estimate(counts);
    let Interval { low, high } = interval;
    let milliseconds = |nanoseconds: f64| measure(nanoseconds / 1e6);
    format!(
        "estimated time: {} ms, {} to {} ms by the intervals of the prices; {UNSEEN}\n",
        milliseconds(each),
        milliseconds(low),
        milliseconds(high),
    )
}
