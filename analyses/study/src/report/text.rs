//! The report as a text for people: the findings, then the tables.

use tally_presentation::Page;
use tally_presentation::page::{push_item, push_title};
use tally_profiler::PROXY;

use super::{answers, findings, tables, targets, trust};
use crate::results::Study;

/// A study as a text for people.
pub fn text(study: &Study, page: Page) -> String {
    let mut text = String::new();
    push_findings(study, page, &mut text);
    let answers = answers::answers(study);
    if !answers.is_empty() {
        push_title("The paper's questions", page, &mut text);
    }
    for answer in answers {
        push_item(&answer, page, &mut text);
    }
    let targets = targets::targets(study).filled();
    for table in targets.into_iter().chain(tables::all(study)) {
        table.push_text(page, &mut text);
    }
    push_title("When not to trust a count", page, &mut text);
    for advice in trust::advice(study) {
        push_item(&advice, page, &mut text);
    }
    text.push('\n');
    text.push_str(&page.wrapped(PROXY));
    text
}

fn push_findings(study: &Study, page: Page, text: &mut String) {
    push_title("What was found", page, text);
    let findings = findings::findings(study);
    if findings.is_empty() {
        text.push_str(
            &page.wrapped("No application was measured often enough to tell anything.\n"),
        );
    }
    for finding in findings {
        push_item(&finding, page, text);
    }
}
