//! The report that continuous integration reads everywhere: JUnit's XML, as the schema of Jenkins has it (`junit-10.xsd`).
//! One `testsuite` for each class. The sends and allocations of its tests are its properties; all costs of a test are the
//! properties of its case.

use std::io;
use std::time::Duration;

use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesText, Event};
use quick_xml::writer::ElementWriter;

use super::reported::Reported;
use tally_workbench::testing::outcome::{TestReport, Verdict};

type Out = Writer<Vec<u8>>;

/// How a test ended, in the words of the format.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Status {
    Passed,
    Skipped,
    Failure,
    Error,
}

impl Status {
    fn of(verdict: Verdict) -> Status {
        match verdict {
            Verdict::Pass | Verdict::ExpectedFailure => Status::Passed,
            Verdict::Skip | Verdict::Vacuous => Status::Skipped,
            Verdict::Fail | Verdict::Counted | Verdict::Lazy => Status::Failure,
            Verdict::Error | Verdict::Limit => Status::Error,
        }
    }
}

/// The kind of a failure or an error.
fn kind(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Counted => "counted",
        Verdict::Lazy => "lazy",
        Verdict::Limit => "limit",
        Verdict::Error => "error",
        _ => "failure",
    }
}

/// The report of tests, those of a class together, and of what snapshot and budgets find fault with, a suite each.
pub(super) fn junit(tests: &[Reported<'_>], findings: &[(&str, String)]) -> io::Result<Vec<u8>> {
    let mut out = Writer::new_with_indent(Vec::new(), b' ', 2);
    out.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    let all = out.create_element("testsuites");
    let all = with_counts(all, tests, &["failures", "errors"], findings.len());
    let all = with_time(all, tests);
    let suites = tests.chunk_by(|a, b| a.report.class == b.report.class);
    all.write_inner_content(|out| {
        suites
            .into_iter()
            .try_for_each(|suite| write_suite(out, suite))?;
        findings
            .iter()
            .try_for_each(|finding| write_finding(out, finding))
    })?;
    let mut bytes = out.into_inner();
    bytes.push(b'\n');
    Ok(bytes)
}

/// The element with the attributes that say how many tests there are, and how many of what.
fn with_counts<'w>(
    element: ElementWriter<'w, Vec<u8>>,
    tests: &[Reported<'_>],
    names: &[&str],
    findings: usize,
) -> ElementWriter<'w, Vec<u8>> {
    let count = |status| {
        let statuses = tests.iter().map(|test| Status::of(test.report.verdict));
        let count = statuses.filter(|&other| other == status).count();
        let found = if status == Status::Failure {
            findings
        } else {
            0
        };
        (count + found).to_string()
    };
    let all = (tests.len() + findings).to_string();
    let element = element.with_attribute(("tests", all.as_str()));
    names.iter().fold(element, |element, &name| {
        let status = match name {
            "failures" => Status::Failure,
            "errors" => Status::Error,
            _ => Status::Skipped,
        };
        element.with_attribute((name, count(status).as_str()))
    })
}

/// The element with the time of all tests, if that is shown.
fn with_time<'w>(
    element: ElementWriter<'w, Vec<u8>>,
    tests: &[Reported<'_>],
) -> ElementWriter<'w, Vec<u8>> {
    let times: Option<Duration> = tests.iter().map(|test| test.time).sum();
    match times.filter(|_| !tests.is_empty()) {
        Some(time) => element.with_attribute(("time", seconds(time).as_str())),
        None => element,
    }
}

fn seconds(time: Duration) -> String {
    format!("{:.3}", time.as_secs_f64())
}

fn write_suite(out: &mut Out, tests: &[Reported<'_>]) -> io::Result<()> {
    let Some(first) = tests.first() else {
        return Ok(());
    };
    let class = legal(&first.report.class);
    let element = out
        .create_element("testsuite")
        .with_attribute(("name", class.as_str()));
    let element = with_counts(element, tests, &["failures", "errors", "skipped"], 0);
    let element = with_time(element, tests);
    element.write_inner_content(|out| {
        write_costs(out, tests)?;
        tests.iter().try_for_each(|test| write_case(out, test))
    })?;
    Ok(())
}

/// A suite with one test, which failed.
fn write_finding(out: &mut Out, (what, text): &(&str, String)) -> io::Result<()> {
    let suite = out
        .create_element("testsuite")
        .with_attribute(("name", *what));
    let suite = with_counts(suite, &[], &["failures", "errors", "skipped"], 1);
    suite.write_inner_content(|out| {
        let case = out
            .create_element("testcase")
            .with_attribute(("name", *what));
        let case = case.with_attribute(("classname", *what));
        case.write_inner_content(|out| {
            let first = legal(text.lines().next().unwrap_or_default());
            out.create_element("failure")
                .with_attribute(("message", first.as_str()))
                .with_attribute(("type", "counted"))
                .write_text_content(BytesText::new(&legal(text)))?;
            Ok(())
        })?;
        Ok(())
    })?;
    Ok(())
}

fn write_costs(out: &mut Out, tests: &[Reported<'_>]) -> io::Result<()> {
    let costs: Vec<(String, u64)> = tests
        .iter()
        .filter_map(|test| Some((label(test.report), test.report.cost?)))
        .flat_map(|(label, cost)| {
            let costs = [
                ("sends", cost.counts.sends),
                ("allocations", cost.counts.allocations),
            ];
            costs.map(|(name, count)| (format!("{label} {name}"), count))
        })
        .collect();
    write_properties(out, &costs)
}

fn write_properties(out: &mut Out, costs: &[(impl AsRef<str>, u64)]) -> io::Result<()> {
    if costs.is_empty() {
        return Ok(());
    }
    out.create_element("properties")
        .write_inner_content(|out| {
            costs.iter().try_for_each(|(name, count)| {
                out.create_element("property")
                    .with_attribute(("name", name.as_ref()))
                    .with_attribute(("value", count.to_string().as_str()))
                    .write_empty()
                    .map(|_| ())
            })
        })?;
    Ok(())
}

/// What distinguishes a test from others of its class.
fn label(report: &TestReport) -> String {
    let label = report.name.strip_prefix(&format!("{}>>", report.class));
    legal(label.unwrap_or(&report.name))
}

fn write_case(out: &mut Out, test: &Reported<'_>) -> io::Result<()> {
    let report = test.report;
    let (label, class) = (label(report), legal(&report.class));
    let mut element = out
        .create_element("testcase")
        .with_attribute(("name", label.as_str()))
        .with_attribute(("classname", class.as_str()));
    if let Some(time) = test.time {
        element = element.with_attribute(("time", seconds(time).as_str()));
    }
    let status = Status::of(report.verdict);
    let mut costs: Vec<(String, u64)> = report.cost.map_or_else(Vec::new, |cost| {
        let all = cost.counts.iter();
        all.map(|(name, count)| (name.to_string(), count)).collect()
    });
    for section in &report.sections {
        let name = legal(&section.name);
        costs.push((format!("sends [{name}]"), section.cost.counts.sends));
    }
    if status == Status::Passed && test.output.is_empty() && costs.is_empty() {
        element.write_empty()?;
        return Ok(());
    }
    element.write_inner_content(|out| {
        write_properties(out, &costs)?;
        write_status(out, status, report)?;
        if !test.output.is_empty() {
            let output = legal(test.output);
            out.create_element("system-out")
                .write_text_content(BytesText::new(&output))?;
        }
        Ok(())
    })?;
    Ok(())
}

fn write_status(out: &mut Out, status: Status, report: &TestReport) -> io::Result<()> {
    let message = match report.verdict {
        Verdict::Vacuous => "it asserts nothing",
        _ => report.message.as_deref().unwrap_or_default(),
    };
    let first = legal(message.lines().next().unwrap_or_default());
    let name = match status {
        Status::Passed => return Ok(()),
        Status::Skipped => {
            out.create_element("skipped")
                .with_attribute(("message", first.as_str()))
                .write_empty()?;
            return Ok(());
        }
        Status::Failure => "failure",
        Status::Error => "error",
    };
    let reason = legal(&super::human::reason(report));
    out.create_element(name)
        .with_attribute(("message", first.as_str()))
        .with_attribute(("type", kind(report.verdict)))
        .write_text_content(BytesText::new(&reason))?;
    Ok(())
}

/// A text without the characters that XML cannot hold.
fn legal(text: &str) -> String {
    let is_legal = |c: char| {
        matches!(c, '\t' | '\n' | '\r') || (c >= ' ' && c != '\u{FFFE}' && c != '\u{FFFF}')
    };
    text.chars()
        .map(|c| if is_legal(c) { c } else { '\u{FFFD}' })
        .collect()
}
