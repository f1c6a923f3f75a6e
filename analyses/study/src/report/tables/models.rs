//! Beyond the paper: how well different counts predict time, and where sends alone fail.

use tally_presentation::figure::Style;
use tally_presentation::table::{Kind, Table, Value};

use crate::results::{LeaveOneOut, Regressor, Study};

/// The models beside each other.
pub(crate) fn models(study: &Study) -> Table {
    let mut table = Table::new(
        "models",
        "What predicts time how well, over applications",
        "Each application is predicted from all others; errors are in per cent of what was measured. r is of measured times and those predicted from the others; times are medians over the rounds. Spread: standard deviation of log(measured/predicted).",
    )
    .name("model")
    .number("programs", "", Style::Whole)
    .number("r", "", Style::Fixed(4))
    .number("median error", "%", Style::Fixed(1))
    .number("worst error", "%", Style::Signed)
    .words("of")
    .number("spread", "", Style::Fixed(3));
    for row in &study.models {
        let out = &row.leave_one_out;
        let worst = out.worst.as_ref();
        table.row([
            Value::from(row.name.as_str()),
            Value::from(row.model.programs),
            Value::from(row.correlation),
            Value::from(out.median),
            Value::from(worst.map(|worst| worst.error)),
            Value::from(worst.map(|worst| worst.name.as_str())),
            Value::from(row.model.spread),
        ]);
    }
    table
}

/// The cost of one of each regressor in the models.
pub(crate) fn coefficients(study: &Study) -> Table {
    let mut table = Table::new(
        "coefficients",
        "Nanoseconds that the models give to one of each",
        "By least squares of relative errors without negative coefficients. Parts of the vector go together, so that one may stand for another: a coefficient is no price list.",
    )
    .name("one of");
    for row in &study.models {
        table = table.column(&row.name, "", Kind::Number(Style::Measure));
    }
    for regressor in Regressor::ALL {
        let coefficient = |row: &crate::results::ModelRow| {
            let is_offered = row.regressors.contains(&regressor);
            let found = row.model.nanoseconds.iter().find(|(r, _)| *r == regressor);
            match (found, is_offered) {
                (Some((_, nanoseconds)), _) => Value::from(*nanoseconds),
                (None, true) => Value::from(0.0),
                (None, false) => Value::Blank,
            }
        };
        let cells: Vec<Value> = study.models.iter().map(coefficient).collect();
        if cells.iter().any(|cell| *cell != Value::Blank) {
            let name = std::iter::once(Value::from(regressor_name(regressor)));
            table.row(name.chain(cells));
        }
    }
    table
}

/// A part of the cost vector, in words.
pub(crate) fn regressor_name(regressor: Regressor) -> &'static str {
    match regressor {
        Regressor::Sends => "send",
        Regressor::Loops => "loop repetition",
        Regressor::Activations => "activation of a method",
        Regressor::Blocks => "activation of a block",
        Regressor::Objects => "object",
        Regressor::Bytes => "byte",
        Regressor::Steps => "step",
        Regressor::Primitives => "primitive",
    }
}

/// Each application's error by each model.
pub(crate) fn errors(study: &Study) -> Table {
    let mut table = Table::new(
        "errors",
        "Error of each application when it is left out",
        "Predicted to measured time, less 1, in per cent: above 0 the model takes the application to be slower than it is.",
    )
    .name("application");
    for row in &study.models {
        table = table.column(&row.name, "%", Kind::Number(Style::Signed));
    }
    let is_known = |name: &str| {
        let mut outs = study.models.iter().map(|row| &row.leave_one_out);
        outs.any(|out| error_of(out, name).is_some())
    };
    for application in study.applications.iter().filter(|row| is_known(&row.name)) {
        let name = application.name.as_str();
        let errors = study
            .models
            .iter()
            .map(|row| Value::from(error_of(&row.leave_one_out, name)));
        table.row(std::iter::once(Value::from(name)).chain(errors));
    }
    table
}

/// The error of the model with this name.
pub(crate) fn error_of(out: &LeaveOneOut, name: &str) -> Option<f64> {
    let found = out.errors.iter().find(|error| error.name == name);
    found.map(|error| error.error)
}

/// The same over the methods of each application.
pub(crate) fn method_models(study: &Study) -> Table {
    let mut table = Table::new(
        "method-models",
        "What predicts time how well, over the methods of an application",
        "A method's own time, from samples, against its own counts: sends, activations, blocks, objects and bytes (steps and primitives are not known by method). Each method is predicted from the others, for r and for the median errors.",
    )
    .name("application")
    .number("methods", "", Style::Whole)
    .number("r by sends", "", Style::Fixed(4))
    .number("r by the vector", "", Style::Fixed(4))
    .number("error by sends", "%", Style::Fixed(1))
    .number("error by the vector", "%", Style::Fixed(1));
    for row in &study.method_models {
        table.row([
            Value::from(row.application.as_str()),
            Value::from(row.methods),
            Value::from(row.by_sends),
            Value::from(row.by_vector),
            Value::from(row.error_by_sends),
            Value::from(row.error_by_vector),
        ]);
    }
    table
}

/// Programs that were built so that their sends mislead.
pub(crate) fn counterexamples(study: &Study) -> Table {
    let mut table = Table::new(
        "counterexamples",
        "Where the count is a bad stand-in for time",
        "Programs built to break it. Factors are measured to predicted time: 10 means that it takes ten times as long as the basket's model says.",
    )
    .words("program")
    .name("what it does")
    .number("sends", "", Style::Whole)
    .number("time", "ms", Style::Measure)
    .number("rate", "sends/ms", Style::Measure)
    .number("by sends", "ms", Style::Measure)
    .number("factor", "", Style::Measure)
    .number("by the vector", "ms", Style::Measure)
    .number("its factor", "", Style::Measure);
    for row in &study.counterexamples {
        table.row([
            Value::from(row.name.as_str()),
            Value::from(row.about.as_str()),
            Value::from(row.sends),
            Value::from(row.milliseconds),
            Value::from(row.rate),
            Value::from(row.by_sends),
            Value::from(row.factor_by_sends),
            Value::from(row.by_vector),
            Value::from(row.factor_by_vector),
        ]);
    }
    table
}
