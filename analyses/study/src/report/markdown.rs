//! The report as Markdown: the text of docs/STUDY.md. Names come from programs and can be any text, so they are escaped.

use std::fmt::Write as _;

use tally_presentation::escape::markdown as markdown_text;
use tally_profiler::PROXY;

use super::answers::answers;
use super::findings::findings;
use super::sections::{Section, sections};
use super::{targets, trust};
use crate::results::Study;

const INTRODUCTION: &str = include_str!("introduction.md");

/// A study as a Markdown document. `figure` answers where a reader finds the figure of that stem.
pub fn markdown(study: &Study, figure: impl Fn(&str) -> String) -> String {
    let mut text = INTRODUCTION.to_string();
    text.push_str("\n## What was found\n\n");
    let found = findings(study);
    if found.is_empty() {
        text.push_str("No application was measured often enough to tell anything.\n");
    }
    push_list(&found, &mut text);
    let answers = answers(study);
    if !answers.is_empty() {
        push_heading("## ", "The paper's questions", &mut text);
        push_list(&answers, &mut text);
    }
    if let Some(targets) = targets::targets(study).filled() {
        push_heading("## ", &targets.title, &mut text);
        targets.push_markdown(&mut text);
    }
    for section in sections(study) {
        push_section(&section, &figure, &mut text);
    }
    text.push_str("\n## When not to trust a count\n\n");
    push_list(&trust::advice(study), &mut text);
    let _ = write!(text, "\n{PROXY}");
    text
}

fn push_heading(level: &str, title: &str, text: &mut String) {
    let _ = write!(text, "\n{level}{}\n\n", markdown_text(title));
}

fn push_list(sentences: &[String], text: &mut String) {
    for sentence in sentences {
        let _ = writeln!(text, "- {}", markdown_text(sentence));
    }
}

fn push_section(section: &Section, figure: &impl Fn(&str) -> String, text: &mut String) {
    push_heading("## ", section.title, text);
    let sentences: Vec<String> = section.sentences.iter().map(|s| markdown_text(s)).collect();
    if !sentences.is_empty() {
        let _ = writeln!(text, "{}", sentences.join("\n"));
    }
    for table in &section.tables {
        push_heading("### ", &table.title, text);
        table.push_markdown(text);
    }
    for shown in &section.figures {
        let _ = write!(
            text,
            "\n![{}]({})\n\n{}\n",
            markdown_text(&shown.title),
            address(&figure(shown.stem)),
            markdown_text(&shown.caption)
        );
    }
}

/// An address that ends where it is meant to.
fn address(text: &str) -> String {
    let is_plain = |c: char| !c.is_whitespace() && !matches!(c, '(' | ')' | '<' | '>');
    match text.chars().all(is_plain) {
        true => text.to_string(),
        false => format!("<{}>", text.replace(['<', '>', '\n', '\r'], "")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_end_where_they_are_meant_to() {
        assert_eq!(address("study/figure-1.svg"), "study/figure-1.svg");
        assert_eq!(address("my study/a).svg"), "<my study/a).svg>");
    }
}
