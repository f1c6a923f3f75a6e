//! Beyond the paper: how well one number alone stands for time.

use tally_presentation::figure::Style;
use tally_presentation::table::{Kind, Table, Value};

use super::error_of;
use crate::analysis::ALL;
use crate::results::{ProxyRow, Study};

/// The rows beside each other.
pub(crate) fn proxies(study: &Study) -> Table {
    let mut table = Table::new(
        "proxies",
        "One number for time",
        "Each program's time is predicted by its number and one factor, the geometric mean of time to number over the other programs of the row. Errors are in per cent of what was measured. Spread: standard deviation of log(time/number). Intervals: 95 %, over programs that are drawn again.",
    )
    .name("programs")
    .words("number")
    .number("of them", "", Style::Whole)
    .number("r", "", Style::Fixed(4))
    .number("median error", "%", Style::Fixed(1))
    .column("interval", "%", Kind::Range(Style::Fixed(1)))
    .number("worst error", "%", Style::Signed)
    .words("of")
    .number("spread", "", Style::Fixed(3))
    .column("interval of the spread", "", Kind::Range(Style::Fixed(2)));
    for row in &study.proxies {
        let out = &row.leave_one_out;
        let worst = out.worst.as_ref();
        table.row([
            Value::from(row.group.as_str()),
            Value::from(row.number.as_str()),
            Value::from(row.programs),
            Value::from(row.correlation),
            Value::from(out.median),
            Value::from(row.median_interval),
            Value::from(worst.map(|worst| worst.error)),
            Value::from(worst.map(|worst| worst.name.as_str())),
            Value::from(row.spread),
            Value::from(row.spread_interval),
        ]);
    }
    table
}

/// The error of each program within its group, by each number.
pub(crate) fn proxy_errors(study: &Study) -> Table {
    let groups: Vec<&ProxyRow> = study
        .proxies
        .iter()
        .filter(|row| row.group != ALL)
        .collect();
    let mut numbers: Vec<&str> = Vec::new();
    for row in &groups {
        if !numbers.contains(&row.number.as_str()) {
            numbers.push(&row.number);
        }
    }
    let mut table = Table::new(
        "proxy-errors",
        "Error of each program by one number",
        "Predicted to measured time, less 1, in per cent: above 0 the number takes the program to be slower than it is.",
    )
    .name("program")
    .words("of");
    for number in &numbers {
        table = table.column(&format!("by {number}"), "%", Kind::Number(Style::Signed));
    }
    for first in groups
        .iter()
        .filter(|row| Some(&row.number.as_str()) == numbers.first())
    {
        for error in &first.leave_one_out.errors {
            let by = |number: &&str| {
                let row = groups
                    .iter()
                    .find(|row| row.group == first.group && row.number == *number);
                Value::from(row.and_then(|row| error_of(&row.leave_one_out, &error.name)))
            };
            let names = [
                Value::from(error.name.as_str()),
                Value::from(first.group.as_str()),
            ];
            table.row(names.into_iter().chain(numbers.iter().map(by)));
        }
    }
    table
}
