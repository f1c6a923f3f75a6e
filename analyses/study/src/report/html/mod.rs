//! The report as one HTML file that opens without server or network: findings, targets, figures, tables. Its one script
//! is that of the theme. Text from a program is escaped everywhere.

use std::fmt::Write as _;

use tally_presentation::escape::written;
use tally_presentation::html::{BASE_STYLE, THEME, content_digest, filled};
use tally_presentation::plot::{self, Figure};
use tally_profiler::PROXY;

use super::answers::answers;
use super::findings::findings;
use super::sections::{Section, sections};
use super::{targets, trust};
use crate::results::Study;

const STYLE: &str = include_str!("page.css");
const HEAD: &str = include_str!("head.html");

/// A study as one HTML file.
pub fn html(study: &Study) -> String {
    let sections = sections(study);
    let style = format!("\n{BASE_STYLE}{STYLE}{}", plot::PAGE_STYLE);
    let script = format!("\n\"use strict\";\n{{\n{THEME}startTheme();\n}}\n");
    let head = [
        ("style-digest", content_digest(&style)),
        ("script-digest", content_digest(&script)),
        ("style", style),
    ];
    let mut page = filled(HEAD, &head);
    push_contents(&sections, &mut page);
    page.push_str("<main id=\"main\">\n<h1>Message counts as a stand-in for time</h1>\n");
    page.push_str("<p class=\"under\">A study after Alexandre Bergel, “Counting Messages as a Proxy for Average Execution Time in Pharo” (ECOOP 2011).</p>\n");
    push_findings(study, &mut page);
    if let Some(targets) = targets::targets(study).filled() {
        page.push_str("<section class=\"card\" id=\"targets\">\n");
        targets.push_html("h2", verdict, &mut page);
        page.push_str("</section>\n");
    }
    for section in &sections {
        push_section(section, &mut page);
    }
    push_trust(study, &mut page);
    let _ = write!(
        page,
        "</main>\n<footer class=\"foot\"><p>{}</p></footer>\n<script>{script}</script>\n</body>\n</html>\n",
        written(PROXY.trim_end())
    );
    page
}

fn push_contents(sections: &[Section], page: &mut String) {
    page.push_str("<nav class=\"contents\" aria-label=\"Contents\"><a href=\"#main\">Findings</a>");
    for section in sections {
        let _ = write!(
            page,
            "<a href=\"#{}\">{}</a>",
            section.anchor(),
            written(section.short)
        );
    }
    page.push_str("<a href=\"#trust\">Trust</a></nav>\n<button id=\"theme\" type=\"button\" class=\"quiet\"></button>\n</header>\n");
}

fn push_list(sentences: &[String], page: &mut String) {
    page.push_str("<ul class=\"sentences\">\n");
    for sentence in sentences {
        let _ = writeln!(page, "<li>{}</li>", written(sentence));
    }
    page.push_str("</ul>\n");
}

fn push_findings(study: &Study, page: &mut String) {
    page.push_str("<section class=\"card\">\n<h2>What was found</h2>\n");
    let found = findings(study);
    match found.is_empty() {
        true => page.push_str(
            "<p class=\"hint\">No application was measured often enough to tell anything.</p>\n",
        ),
        false => push_list(&found, page),
    }
    let answers = answers(study);
    if !answers.is_empty() {
        page.push_str("<h2 class=\"next\">The paper's questions</h2>\n");
        push_list(&answers, page);
    }
    page.push_str("</section>\n");
}

fn push_trust(study: &Study, page: &mut String) {
    page.push_str("<section class=\"card\" id=\"trust\">\n<h2>When not to trust a count</h2>\n");
    push_list(&trust::advice(study), page);
    page.push_str("</section>\n");
}

fn push_section(section: &Section, page: &mut String) {
    let _ = write!(
        page,
        "<section class=\"card\" id=\"{}\">\n<h2>{}</h2>\n",
        section.anchor(),
        written(section.title)
    );
    for sentence in &section.sentences {
        let _ = writeln!(page, "<p class=\"said\">{}</p>", written(sentence));
    }
    if !section.figures.is_empty() {
        page.push_str("<div class=\"figures\">\n");
        for figure in &section.figures {
            push_figure(figure, page);
        }
        page.push_str("</div>\n");
    }
    for table in &section.tables {
        table.push_html("h3", verdict, page);
    }
    page.push_str("</section>\n");
}

fn push_figure(figure: &Figure, page: &mut String) {
    let _ = write!(
        page,
        "<figure><div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{}\">\n{}</div><figcaption>{}</figcaption></figure>\n",
        written(&figure.title),
        figure.inline(),
        written(&figure.caption)
    );
}

/// How a verdict looks; the word stands in it.
fn verdict(word: &str) -> Option<&'static str> {
    match word {
        "met" => Some("good"),
        "missed" => Some("bad"),
        "not measured" => Some("none"),
        _ => None,
    }
}
