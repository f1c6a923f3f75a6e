//! What a comparison found, to standard output and to files.

use std::path::{Path, PathBuf};

use serde::Serialize;
use tally_comparison::explanation::{Explained, Explanation, explain_work, explanation_report};
use tally_comparison::{
    Difference, RuleViolation, Show, difference_html, difference_markdown, difference_report,
    work_report,
};
use tally_presentation::Page;

use super::arguments::{CompareArguments, ReportFormat};
use super::side::Sides;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::{console, output};

/// What there is to tell.
pub(super) struct Report<'r> {
    pub(super) arguments: &'r CompareArguments,
    pub(super) sides: &'r Sides,
    pub(super) difference: &'r Difference,
    pub(super) explanation: &'r Explanation,
    pub(super) violations: &'r [RuleViolation],
}

/// The endings of names of files that a comparison is written to.
const ENDINGS: [&str; 5] = ["md", "html", "json", "txt", "htm"];

/// A comparison as a document of its own; docs/COMPARISON.md describes it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Document<'d> {
    schema: &'static str,
    old: &'d str,
    new: &'d str,
    #[serde(flatten)]
    difference: &'d Difference,
    opposed: Vec<String>,
    explanation: &'d Explanation,
    #[serde(skip_serializing_if = "Option::is_none")]
    work_explanation: Option<Explained>,
    violations: &'d [RuleViolation],
}

impl Report<'_> {
    /// Writes it wherever it is wanted.
    pub(super) fn write(&self) -> Result<(), Failure> {
        let text = match self.arguments.format {
            ReportFormat::Human => self.text(console::results_page())?,
            ReportFormat::Json => self.json()?,
            // Refused before.
            ReportFormat::Md | ReportFormat::Csv => self.markdown()?,
        };
        output::write(&text, None)?;
        let mut files = self.arguments.outputs.iter();
        files.try_for_each(|path| self.write_file(path))
    }

    fn write_file(&self, path: &Path) -> Result<(), Failure> {
        let text = match output::ending(path, &ENDINGS)? {
            // It is there already.
            None => return Ok(()),
            Some("json") => self.json()?,
            Some("md") => self.markdown()?,
            Some("html" | "htm") => self.html(),
            Some(_) => self.text(Page::default())?,
        };
        output::write(&text, Some(path))
    }

    fn limit(&self) -> Option<usize> {
        (self.arguments.limit > 0).then_some(self.arguments.limit)
    }

    fn show(&self) -> Show {
        self.arguments.show.into()
    }

    /// The explanations to show: all, or those of a run or a method by name.
    fn explained(&self) -> Result<Option<Vec<&Explained>>, Failure> {
        let Some(name) = &self.arguments.explain else {
            return Ok(None);
        };
        let explained = named(self.explanation, name);
        if !explained.is_empty() {
            return Ok(Some(explained));
        }
        let runs = self.difference.runs.iter().map(|run| &run.name);
        let methods = self.difference.methods.iter().map(|method| &method.name);
        let names: Vec<&str> = runs.chain(methods).map(String::as_str).collect();
        if names.contains(&name.as_str()) {
            return Ok(Some(Vec::new()));
        }
        let near = tally_compiler::nearest(name, names);
        let hint = near.map(|near| format!("; did you mean {near}?"));
        let why = format!(
            "nothing that ran is called {name} (--explain){}",
            hint.unwrap_or_default()
        );
        Err(Failure::new(Exit::Nothing, why))
    }

    /// The explanation of the difference of work, if there is one.
    fn work_explanation(&self) -> Option<Explanation> {
        let Sides { old, new, .. } = self.sides;
        match self.difference.work_parts.is_empty() {
            true => None,
            false => explain_work(&old.measurement, &new.measurement),
        }
    }

    /// The explanations of work by that name: by counts, and by causes.
    fn work_text(&self, name: &str, page: Page) -> String {
        let parts = &self.difference.work_parts;
        let mut text = match name.is_empty() && !self.difference.is_work_against_sends() {
            true => work_report(parts, page),
            false => String::new(),
        };
        let Some(work) = self.work_explanation() else {
            return text;
        };
        for explained in named(&work, name) {
            if explained.difference != 0 {
                let report = explanation_report(explained, &work.unit, self.limit(), page);
                text.push('\n');
                text.push_str(&report);
            }
        }
        text
    }

    fn text(&self, page: Page) -> Result<String, Failure> {
        let mut text = difference_report(self.difference, self.show(), self.limit(), page);
        match self.explained()? {
            None => {}
            Some(explained) if explained.is_empty() => {
                let name = &self.difference.unit.name;
                text.push_str(&format!("\nIts {name} are the same on both sides.\n"));
            }
            Some(explained) => {
                for explained in explained {
                    text.push('\n');
                    text.push_str(&explanation_report(
                        explained,
                        &self.difference.unit,
                        self.limit(),
                        page,
                    ));
                }
            }
        }
        if let Some(name) = &self.arguments.explain {
            text.push_str(&self.work_text(name, page));
        }
        Ok(text)
    }

    fn markdown(&self) -> Result<String, Failure> {
        let explained = self.explained()?.unwrap_or_default();
        Ok(difference_markdown(
            self.difference,
            Some(
                explained
                    .first()
                    .copied()
                    .unwrap_or(&self.explanation.whole),
            ),
            self.violations,
            self.show(),
            self.limit(),
        ))
    }

    fn html(&self) -> String {
        let Sides { old, new, .. } = self.sides;
        difference_html(
            self.difference,
            self.explanation,
            &old.measurement,
            &new.measurement,
            [&old.name, &new.name],
        )
    }

    fn json(&self) -> Result<String, Failure> {
        let document = Document {
            schema: "tally.comparison/2",
            old: &self.sides.old.name,
            new: &self.sides.new.name,
            difference: self.difference,
            opposed: self.difference.opposed(),
            explanation: self.explanation,
            work_explanation: self.work_explanation().map(|work| work.whole),
            violations: self.violations,
        };
        let unit = &self.difference.unit;
        if unit.is_tally() {
            return output::json(&document);
        }
        let text = tally_profiler::known_json(unit, document.schema, &document);
        text.map_err(|error| Failure::new(Exit::Internal, error.to_string()))
    }
}

/// The explanations of all, of a run or of a method by name; none if it has none.
fn named<'e>(explanation: &'e Explanation, name: &str) -> Vec<&'e Explained> {
    if name.is_empty() {
        return vec![&explanation.whole];
    }
    if let Some(run) = explanation.of_run(name) {
        return vec![run];
    }
    let method = explanation.of_method(name);
    method.map_or(Vec::new(), |method| vec![&method.own, &method.total])
}

/// Refuses names of files that do not decide the format, and a format that only comparisons of traces have.
pub(super) fn check_files(format: ReportFormat, paths: &[PathBuf]) -> Result<(), Failure> {
    if format == ReportFormat::Csv {
        let why = "--format csv is for two traces (*.timeline)";
        return Err(Failure::new(Exit::Usage, why));
    }
    paths
        .iter()
        .try_for_each(|path| output::ending(path, &ENDINGS).map(drop))
}
