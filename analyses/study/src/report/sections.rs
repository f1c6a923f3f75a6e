//! The order of a document about a study: its headings, each with tables and figures.

use tally_presentation::plot::Figure;
use tally_presentation::table::Table;

use super::figures::figures;
use super::{analysis, tables};
use crate::results::Study;

/// A part of a document.
pub(super) struct Section {
    pub(super) title: &'static str,
    /// A word or two for a list of contents.
    pub(super) short: &'static str,
    /// The sentences before its tables.
    pub(super) sentences: Vec<String>,
    pub(super) tables: Vec<Table>,
    pub(super) figures: Vec<Figure>,
}

impl Section {
    fn is_empty(&self) -> bool {
        self.tables.is_empty() && self.figures.is_empty()
    }

    /// The target of a link to it.
    pub(super) fn anchor(&self) -> String {
        let kept = self.title.to_lowercase();
        let kept = kept.chars().filter_map(|c| match c {
            ' ' => Some('-'),
            c if c.is_alphanumeric() || c == '-' => Some(c),
            _ => None,
        });
        kept.collect()
    }
}

/// The sections that there is something in.
pub(super) fn sections(study: &Study) -> Vec<Section> {
    let mut figures = figures(study);
    let mut take = |stems: &[&str]| -> Vec<Figure> {
        let (taken, left) = std::mem::take(&mut figures)
            .into_iter()
            .partition(|figure| stems.contains(&figure.stem));
        figures = left;
        taken
    };
    let costs = std::iter::once(tables::costs_together(study))
        .chain(std::iter::once(tables::cost(&study.counting)))
        .chain(study.profiling.iter().map(tables::cost));
    let sections = [
        section(
            ["Time and sends of applications", "Applications"],
            analysis::over_applications(study),
            vec![
                tables::time_and_sends(study),
                tables::summary(study),
                tables::regression(study),
                tables::held_out(study),
            ],
            take(&["figure-1", "figure-1-logarithmic", "rates"]),
        ),
        section(
            ["Time and sends of methods", "Methods"],
            analysis::over_methods(study),
            vec![tables::methods(study)],
            take(&["figure-2", "figure-2-logarithmic"]),
        ),
        section(
            ["Other contexts", "Contexts"],
            Vec::new(),
            vec![tables::rates(study), tables::invariance(study)],
            Vec::new(),
        ),
        section(
            ["Stability of rankings", "Rankings"],
            Vec::new(),
            vec![tables::stability(study)],
            take(&["stability"]),
        ),
        section(
            ["What counting costs", "Cost"],
            Vec::new(),
            costs.collect(),
            take(&["figure-3", "figure-3-logarithmic"]),
        ),
        section(
            ["Inlined messages", "Inlining"],
            Vec::new(),
            vec![tables::written(study), tables::executed(study)],
            Vec::new(),
        ),
        section(
            ["Memoisation", "Memoisation"],
            Vec::new(),
            vec![tables::memoisation(study)],
            Vec::new(),
        ),
        section(
            ["Beyond sends: the cost vector", "Cost vector"],
            analysis::models(study),
            vec![
                tables::models(study),
                tables::errors(study),
                tables::coefficients(study),
                tables::method_models(study),
            ],
            take(&["predictions"]),
        ),
        section(
            ["Work: one number for time", "Work"],
            Vec::new(),
            vec![tables::proxies(study), tables::proxy_errors(study)],
            Vec::new(),
        ),
        section(
            ["Where the proxy fails", "Failures"],
            Vec::new(),
            vec![tables::counterexamples(study)],
            take(&["counterexamples"]),
        ),
        section(
            ["What was run, and where", "Setting"],
            Vec::new(),
            vec![
                tables::basket(study),
                tables::settings(study),
                tables::missing(study),
            ],
            Vec::new(),
        ),
    ];
    sections
        .into_iter()
        .filter(|section| !section.is_empty())
        .collect()
}

fn section(
    [title, short]: [&'static str; 2],
    sentences: Vec<String>,
    tables: Vec<Table>,
    figures: Vec<Figure>,
) -> Section {
    Section {
        title,
        short,
        sentences,
        tables: tables.into_iter().filter_map(Table::filled).collect(),
        figures,
    }
}
