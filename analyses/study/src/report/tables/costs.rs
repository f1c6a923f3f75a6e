//! Tables 3 and 4: the cost of counting, and the cost of counting by methods.

use tally_presentation::figure::Style;
use tally_presentation::table::{Table, Value};

use super::form;
use crate::data::Form;
use crate::report::beside;
use crate::results::{CostTable, Study};

/// Time with something beside time without it, by application.
pub(crate) fn cost(costs: &CostTable) -> Table {
    let title = title(costs.form);
    let reading = format!(
        "Medians of time, {} against {}, both in the same rounds; overhead in per cent of the time without, with its 95 % interval from drawing the rounds again.{}",
        form(costs.form),
        form(costs.against),
        scope(costs.form)
    );
    let has_methods = costs.rows.iter().any(|row| row.methods.is_some());
    let mut table = Table::new(stem(costs.form), &title, &reading).name("application");
    if has_methods {
        table = table.number("methods wrapped", "", Style::Whole);
    }
    table = table
        .number("without", "ms", Style::Measure)
        .number("with", "ms", Style::Measure)
        .number("overhead", "%", Style::Signed)
        .range("its 95 % interval", "%", Style::Signed);
    for row in &costs.rows {
        let mut cells = vec![Value::from(row.name.as_str())];
        if has_methods {
            cells.push(Value::from(row.methods));
        }
        cells.extend([
            Value::from(row.without),
            Value::from(row.with),
            Value::from(row.overhead),
            Value::from(row.interval),
        ]);
        table.row(cells);
    }
    sums(&mut table, costs, has_methods);
    match costs.form {
        Form::Counted => table.note(beside::counting()),
        Form::Recorded | Form::Wrapped => table.note(beside::wrapping()),
        _ => table,
    }
}

fn sums(table: &mut Table, costs: &CostTable, has_methods: bool) {
    if costs.rows.is_empty() {
        return;
    }
    let blank = if has_methods { 3 } else { 2 };
    for (name, number) in [("median", costs.median), ("geometric mean", costs.mean)] {
        let mut cells = vec![Value::from(name)];
        cells.extend(std::iter::repeat_n(Value::Blank, blank));
        cells.push(Value::from(number));
        table.sum(cells);
    }
}

/// What the tables of costs come to, one beside the other.
pub(crate) fn costs_together(study: &Study) -> Table {
    let mut table = Table::new(
        "costs",
        "What counting costs, in short",
        "Overheads in per cent of the time without, over the applications.",
    )
    .name("with")
    .words("against")
    .number("applications", "", Style::Whole)
    .number("median", "%", Style::Signed)
    .number("geometric mean", "%", Style::Signed)
    .number("lowest", "%", Style::Signed)
    .number("highest", "%", Style::Signed);
    let tables = std::iter::once(&study.counting).chain(&study.profiling);
    for costs in tables.filter(|costs| !costs.rows.is_empty()) {
        table.row([
            Value::from(form(costs.form)),
            Value::from(form(costs.against)),
            Value::from(costs.rows.len() as u64),
            Value::from(costs.median),
            Value::from(costs.mean),
            Value::from(costs.lowest),
            Value::from(costs.highest),
        ]);
    }
    table
}

fn title(with: Form) -> String {
    match with {
        Form::Counted => "Table 3: what counting sends costs".to_string(),
        with => format!("Table 4: what counting by methods costs, {}", form(with)),
    }
}

fn scope(with: Form) -> &'static str {
    match with {
        Form::Wrapped | Form::WrappedPackage => {
            " Installing and uninstalling the wrappers is included."
        }
        Form::Recorded => " Starting and finishing the recorder is included.",
        Form::Counted => {
            " What does not count is a copy of the machine's loop that was compiled without the counters, in the same command."
        }
        _ => "",
    }
}

fn stem(with: Form) -> &'static str {
    match with {
        Form::Counted => "cost-of-counting",
        Form::Uncounted => "cost-of-not-counting",
        Form::Recorded => "cost-of-recorder",
        Form::Wrapped => "cost-of-wrappers",
        Form::WrappedPackage => "cost-of-wrappers-on-one-package",
        Form::Sampled => "cost-of-sampling",
        Form::Vector => "cost-of-vector",
        Form::Inlined => "cost-of-counting-inlined",
    }
}
