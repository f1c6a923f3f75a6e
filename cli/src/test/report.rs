//! Reports of tests for other programs: JUnit's XML, JSON, annotations for GitHub, a table in Markdown.

use std::path::PathBuf;

use serde::Serialize;
use tally_comparison::SnapshotDifference;
use tally_presentation::{escape, printable};

use super::junit::junit;
use super::reported::Reported;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output;
use tally_workbench::testing::outcome::TestReport;
use tally_workbench::testing::summary::{Summary, summary_line};

/// A report beside that for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ReportTo {
    kind: Kind,
    /// Standard output, if none is named.
    file: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    JUnit,
    Json,
    GitHub,
    Markdown,
}

impl std::str::FromStr for ReportTo {
    type Err = String;

    fn from_str(text: &str) -> Result<ReportTo, String> {
        let (kind, file) = match text.split_once('=') {
            Some((kind, file)) => (kind, Some(PathBuf::from(file))),
            None => (text, None),
        };
        let kind = match kind {
            "junit" => Kind::JUnit,
            "json" => Kind::Json,
            "github" => Kind::GitHub,
            "md" => Kind::Markdown,
            _ => return Err("junit, json, github or md is expected, and =FILE".to_string()),
        };
        if file
            .as_ref()
            .is_some_and(|file| file.as_os_str().is_empty())
        {
            return Err("a file's name is expected behind =".to_string());
        }
        Ok(ReportTo { kind, file })
    }
}

#[derive(Serialize)]
pub(super) struct Head {
    pub(super) schema: &'static str,
    pub(super) tests: usize,
}

#[derive(Serialize)]
pub(super) struct Tail<'s> {
    pub(super) summary: &'s Summary,
    /// The time of the run, if it is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) seconds: Option<f64>,
}

#[derive(Serialize)]
pub(super) struct CountsLine<'d> {
    pub(super) counts: &'d SnapshotDifference,
}

impl ReportTo {
    /// Writes it; `findings` are what snapshot and budgets find fault with, `of_counts` is what Markdown says of snapshot and budgets.
    pub(super) fn write(
        &self,
        tests: &[Reported<'_>],
        summary: &Summary,
        findings: &[(&str, String)],
        of_counts: &str,
    ) -> Result<(), Failure> {
        let text = match self.kind {
            Kind::JUnit => {
                let bytes = junit(tests, findings);
                let bytes = bytes.map_err(|e| Failure::new(Exit::Internal, e.to_string()))?;
                return output::write_bytes(&bytes, self.file.as_deref());
            }
            Kind::Json => json(tests, summary)?,
            Kind::GitHub => {
                let tests = tests.iter().filter_map(|test| annotation(test.report));
                let findings = findings.iter().map(|(what, text)| {
                    format!("::error title={}::{}\n", property(what), escaped(text))
                });
                tests.chain(findings).collect()
            }
            Kind::Markdown => markdown(tests, summary) + of_counts,
        };
        output::write(&text, self.file.as_deref())
    }
}

fn json(tests: &[Reported<'_>], summary: &Summary) -> Result<String, Failure> {
    let head = Head {
        schema: "tally.test/1",
        tests: tests.len(),
    };
    let mut text = output::json_line(&head)?;
    for test in tests {
        text.push_str(&output::json_line(test.report)?);
    }
    text.push_str(&output::json_line(&Tail {
        summary,
        seconds: None,
    })?);
    Ok(text)
}

/// `::error file=…,line=…,title=…::message` for a test that did not pass.
fn annotation(report: &TestReport) -> Option<String> {
    if !report.verdict.is_bad() {
        return None;
    }
    let place = report.place.as_ref().or(report.origin.as_ref());
    let place = place.map_or(String::new(), |place| {
        let file = property(&place.file);
        format!("file={file},line={},col={},", place.line, place.column)
    });
    let title = property(&format!("{} {}", report.name, report.verdict.word()));
    let message = escaped(report.message.as_deref().unwrap_or("(no message)"));
    Some(format!("::error {place}title={title}::{message}\n"))
}

fn escaped(text: &str) -> String {
    let text = text.replace('%', "%25").replace('\r', "%0D");
    printable(&text.replace('\n', "%0A")).into_owned()
}

fn property(text: &str) -> String {
    escaped(text).replace(':', "%3A").replace(',', "%2C")
}

fn markdown(tests: &[Reported<'_>], summary: &Summary) -> String {
    let mut text = format!("### Tests\n\n{}\n", summary_line(summary));
    let bad: Vec<&TestReport> = tests
        .iter()
        .map(|test| test.report)
        .filter(|report| report.verdict.is_bad())
        .collect();
    if bad.is_empty() {
        return text;
    }
    text.push_str("\n| test | verdict | why |\n| --- | --- | --- |\n");
    for report in bad {
        let why = report.message.as_deref().unwrap_or_default();
        let first = why.lines().next().unwrap_or_default();
        let row = [&report.name, report.verdict.word(), first].map(escape::markdown);
        text.push_str(&format!("| {} |\n", row.join(" | ")));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_has_a_kind_and_perhaps_a_file() {
        let report: ReportTo = "junit=a=b.xml".parse().unwrap();
        assert_eq!(report.kind, Kind::JUnit);
        assert_eq!(report.file, Some(PathBuf::from("a=b.xml")));
        assert_eq!("github".parse::<ReportTo>().unwrap().file, None);
        for text in ["", "xml", "junit="] {
            assert!(text.parse::<ReportTo>().is_err(), "{text}");
        }
    }

    #[test]
    fn what_is_special_elsewhere_is_escaped() {
        assert_eq!(property("a:b,50%\n"), "a%3Ab%2C50%25%0A");
    }
}
