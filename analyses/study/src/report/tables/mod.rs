//! The tables of the report, each made from its part of a study. A table without measurements has no rows and is left
//! out.

mod applications;
mod contexts;
mod costs;
mod inlining;
mod models;
mod prediction;
mod proxies;
mod stability;

pub(super) use applications::{basket, summary, time_and_sends};
pub(super) use contexts::{invariance, missing, rates, settings};
pub(super) use costs::{cost, costs_together};
pub(super) use inlining::{executed, memoisation, written};
pub(super) use models::{coefficients, counterexamples, error_of, errors, method_models, models};
pub(super) use prediction::{held_out, methods, regression};
pub(super) use proxies::{proxies, proxy_errors};
pub(super) use stability::stability;

use tally_presentation::table::Table;

use crate::data::Form;
use crate::results::Study;

/// All tables that there is something in, in the order of the report.
pub(super) fn all(study: &Study) -> Vec<Table> {
    let mut tables = vec![
        time_and_sends(study),
        summary(study),
        regression(study),
        held_out(study),
        methods(study),
        cost(&study.counting),
        costs_together(study),
    ];
    tables.extend(study.profiling.iter().map(cost));
    tables.extend([
        stability(study),
        rates(study),
        invariance(study),
        written(study),
        executed(study),
        memoisation(study),
        models(study),
        coefficients(study),
        errors(study),
        method_models(study),
        proxies(study),
        proxy_errors(study),
        counterexamples(study),
        basket(study),
        settings(study),
        missing(study),
    ]);
    tables.into_iter().filter_map(Table::filled).collect()
}

/// A way of running a program, in words.
pub(super) fn form(form: Form) -> &'static str {
    match form {
        Form::Counted => "counted",
        Form::Uncounted => "not counted",
        Form::Recorded => "recorder",
        Form::Wrapped => "wrappers in the language",
        Form::WrappedPackage => "wrappers on one package",
        Form::Sampled => "sampling profiler",
        Form::Vector => "whole cost vector",
        Form::Inlined => "inlined messages counted",
    }
}
