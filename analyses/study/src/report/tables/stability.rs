//! §4.4: how stable rankings of methods are.

use tally_presentation::figure::Style;
use tally_presentation::table::{Table, Value};

use crate::report::beside;
use crate::results::Study;

/// ψ¹⁰ of each way of ranking.
pub(crate) fn stability(study: &Study) -> Table {
    let mut table = Table::new(
        "stability",
        "Stability of rankings, ψ¹⁰",
        "ψⁿ = Σ s(i)/ln(i+1) over the first ten methods, s the standard deviation of a method's place over the profiles. 0: every profile ranks alike. Random: as many random rankings of as many methods.",
    )
    .name("application")
    .number("profiles", "", Style::Whole)
    .number("methods", "", Style::Whole)
    .number("counted total", "", Style::Variation)
    .number("counted own", "", Style::Variation)
    .number("sampled total", "", Style::Variation)
    .number("sampled own", "", Style::Variation)
    .number("random", "", Style::Fixed(1));
    for row in &study.stability {
        table.row([
            Value::from(row.application.as_str()),
            Value::from(row.profiles),
            Value::from(row.methods),
            Value::from(row.counted_total),
            Value::from(row.counted_own),
            Value::from(row.sampled_total),
            Value::from(row.sampled_own),
            Value::from(row.random),
        ]);
    }
    table.note(beside::stability())
}
