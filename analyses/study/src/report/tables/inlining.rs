//! §7: inlined messages, in source text and in runs; §3.4: the savings of memoisation.

use tally_presentation::figure::Style;
use tally_presentation::table::{Table, Value};

use crate::report::beside;
use crate::results::{InliningRow, Study};

/// Messages in source text.
pub(crate) fn written(study: &Study) -> Table {
    let mut table = shares(
        "inlined-written",
        "Inlined messages, as they are written",
        "Messages in source text, and those of them that the compiler turns into jumps. They are no sends.",
    );
    for row in &study.inlining.written {
        table.row(cells(row));
    }
    table.note(beside::inlined())
}

/// Messages of runs.
pub(crate) fn executed(study: &Study) -> Table {
    let mut table = shares(
        "inlined-executed",
        "Inlined messages, as they are executed",
        "Sends, and evaluations of inlined control messages beside them: one for each time that it is reached.",
    );
    for row in &study.inlining.executed {
        table.row(cells(row));
    }
    if !study.inlining.executed.is_empty() {
        let all = InliningRow {
            name: "all".to_string(),
            ..study.inlining.all_executed.clone()
        };
        table.sum(cells(&all));
    }
    table
}

fn shares(stem: &'static str, title: &str, reading: &str) -> Table {
    Table::new(stem, title, reading)
        .name("of")
        .number("messages", "", Style::Whole)
        .number("inlined", "", Style::Whole)
        .number("share", "%", Style::Fixed(1))
}

fn cells(row: &InliningRow) -> [Value; 4] {
    [
        Value::from(row.name.as_str()),
        Value::from(row.messages),
        Value::from(row.inlined),
        Value::from(row.share),
    ]
}

/// What remembering saves.
pub(crate) fn memoisation(study: &Study) -> Table {
    let mut table = Table::new(
        "memoisation",
        "Memoisation: saving in sends beside saving in time",
        "An application with a method that remembers what it answered, beside a variant of it that does not. Where both savings are alike, the count shows the same effect of the optimisation as a clock.",
    )
    .words("application")
    .words("variant")
    .name("what does not remember there")
    .number("sends without", "", Style::Whole)
    .number("sends with", "", Style::Whole)
    .number("sends saved", "%", Style::Fixed(1))
    .number("time without", "ms", Style::Measure)
    .number("time with", "ms", Style::Measure)
    .number("time saved", "%", Style::Fixed(1));
    for row in &study.memoisation {
        table.row([
            Value::from(row.application.as_str()),
            Value::from(row.variant.as_str()),
            Value::from(row.about.as_str()),
            Value::from(row.sends_without),
            Value::from(row.sends_with),
            Value::from(row.sends_saved),
            Value::from(row.milliseconds_without),
            Value::from(row.milliseconds_with),
            Value::from(row.time_saved),
        ]);
    }
    table.note(beside::memoisation())
}
