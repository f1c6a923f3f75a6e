//! Tables of contexts: the machines, their message rates, whether counts are the same there, and the missing
//! measurements.

use tally_presentation::figure::Style;
use tally_presentation::table::{Table, Value};

use super::form;
use crate::report::beside;
use crate::results::Study;

/// Where was measured.
pub(crate) fn settings(study: &Study) -> Table {
    let mut table = Table::new(
        "contexts",
        "Where was measured",
        "The builds and options under which the applications ran. The first is the one that everything is measured in unless another is named.",
    )
    .words("context")
    .name("what it is")
    .words("command")
    .words("build")
    .words("system")
    .words("processor")
    .number("processors", "", Style::Whole)
    .number("model", "", Style::Whole)
    .words("library");
    for context in &study.contexts {
        table.row([
            Value::from(context.name.as_str()),
            Value::from(context.about.as_str()),
            Value::from(context.tally.as_str()),
            Value::from(context.build.as_str()),
            Value::from(context.system.as_str()),
            Value::from(context.processor.as_str()),
            Value::from(u64::from(context.processors)),
            Value::from(u64::from(context.model)),
            Value::from(context.library.as_str()),
        ]);
    }
    table
}

/// §3.3: the message rate in each context.
pub(crate) fn rates(study: &Study) -> Table {
    let mut table = Table::new(
        "rates",
        "The message rate in each context",
        "Rate: slope of the line through the origin, with its 95 % interval. c: mean coefficient of variation over the applications. Stability: c of time to c of sends; none where sends do not vary.",
    )
    .words("context")
    .name("what it is")
    .number("applications", "", Style::Whole)
    .number("rate", "sends/ms", Style::Whole)
    .range("its 95 % interval", "", Style::Whole)
    .number("c time", "%", Style::Variation)
    .number("c sends", "%", Style::Variation)
    .number("stability", "", Style::Fixed(2))
    .number("r", "", Style::Fixed(4));
    for row in &study.rates {
        let varying = row.sends_variation.filter(|variation| *variation > 0.0);
        let ratio = row
            .time_variation
            .zip(varying)
            .map(|(time, sends)| time / sends);
        table.row([
            Value::from(row.context.as_str()),
            Value::from(row.about.as_str()),
            Value::from(row.applications),
            Value::from(row.rate),
            Value::from(row.interval),
            Value::from(row.time_variation),
            Value::from(row.sends_variation),
            Value::from(ratio),
            Value::from(row.correlation),
        ]);
    }
    table.note(beside::contexts())
}

/// In which contexts counts differ.
pub(crate) fn invariance(study: &Study) -> Table {
    let mut table = Table::new(
        "invariance",
        "Whether counts are the same everywhere",
        "Sends, loop repetitions, objects and bytes of every run, however it was run, held against the first run in the normal context. Any difference counts.",
    )
    .words("context")
    .name("what it is")
    .number("applications", "", Style::Whole)
    .number("runs", "", Style::Whole)
    .number("differing", "", Style::Whole)
    .words("which");
    for row in &study.invariance {
        table.row([
            Value::from(row.context.as_str()),
            Value::from(row.about.as_str()),
            Value::from(row.applications),
            Value::from(row.runs),
            Value::from(row.differing.len() as u64),
            match row.differing.as_slice() {
                [] => Value::from("none"),
                names => Value::from(names.join(", ")),
            },
        ]);
    }
    table
}

/// The requested measurements that failed.
pub(crate) fn missing(study: &Study) -> Table {
    let mut table = Table::new(
        "not-measured",
        "Not measured",
        "What was requested and could not be measured, and why.",
    )
    .words("application")
    .words("context")
    .words("form")
    .name("why");
    for missing in &study.missing {
        let application = match missing.application.as_str() {
            "" => "all",
            name => name,
        };
        table.row([
            Value::from(application),
            Value::from(missing.context.as_str()),
            Value::from(form(missing.form)),
            Value::from(missing.why.as_str()),
        ]);
    }
    table
}
