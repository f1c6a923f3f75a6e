//! What the command adds to the report: the place of an error, Depth by a cost, times on processors, and a page of everything.

use tally_explore::Piece;
use tally_presentation::columns::Layout;
use tally_presentation::escape::markup;
use tally_presentation::page::{Page, push_title};
use tally_presentation::{Align, grouped};

use super::Explored;
use super::options::ExploreArguments;
use super::outputs::{diagram, report, tree};
use crate::failure::Failure;

/// Where the first failure happened.
pub(super) fn push_place(explored: &Explored, page: Page, text: &mut String) {
    let Some(first) = explored.findings.failures.first() else {
        return;
    };
    let Some(failure) = explored.program.failure(&first.text) else {
        return;
    };
    if failure.trace.frames.is_empty() {
        return;
    }
    push_title("Where it fails", page, text);
    text.push_str(&failure.text(false, false));
}

/// Depth for the values of a cost.
pub(super) fn push_variation(
    arguments: &ExploreArguments,
    explored: &Explored,
    page: Page,
    text: &mut String,
) {
    let Some(varied) = &arguments.vary else {
        return;
    };
    push_title(&format!("Depth by {}", varied.name), page, text);
    let Some(pieces) = explored.prices.vary(varied.parameter, varied.range) else {
        text.push_str(&page.wrapped(
            "Depth is not known as a sum of costs here: computations were not counted, or the machine has a gap or exact departures.\n",
        ));
        return;
    };
    let mut layout = Layout::new(&[Align::Left, Align::Left]);
    layout.row(["from", "Depth"]);
    for piece in &pieces {
        layout.row([fraction(piece), line(piece, &varied.name)]);
    }
    text.push_str(&layout.render_on(page));
}

fn fraction(piece: &Piece) -> String {
    match piece.from {
        (whole, 1) => grouped(whole),
        (up, down) => format!("{up}/{down}"),
    }
}

fn line(piece: &Piece, name: &str) -> String {
    match piece.slope {
        0 => grouped(piece.base),
        1 => format!("{} + {name}", grouped(piece.base)),
        slope => format!("{} + {slope} · {name}", grouped(piece.base)),
    }
}

/// Times on processors.
pub(super) fn push_processors(
    arguments: &ExploreArguments,
    explored: &Explored,
    page: Page,
    text: &mut String,
) {
    let Some(most) = arguments.processors else {
        return;
    };
    push_title("Time on processors", page, text);
    let Ok(diagram) = diagram(arguments, explored) else {
        text.push_str(&page.wrapped("Computations were not counted, so no time is known.\n"));
        return;
    };
    let mut layout = Layout::new(&[Align::Right, Align::Right]);
    layout.row(["processors", "time"]);
    let mut number = 1;
    while number < most {
        layout.row([
            number.to_string(),
            grouped(diagram.time_on(number as usize)),
        ]);
        number *= 2;
    }
    layout.row([most.to_string(), grouped(diagram.time_on(most as usize))]);
    text.push_str(&layout.render_on(page));
}

/// A page with the report, the tree and the diagram. It needs no script.
pub(super) fn page(arguments: &ExploreArguments, explored: &Explored) -> Result<String, Failure> {
    let title = arguments.files.first().map_or("", String::as_str);
    let report = report(arguments, explored, Page::default());
    let lines: Vec<String> = report.lines().map(markup).collect();
    let mut body = format!("<pre>{}</pre>\n", lines.join("\n"));
    body.push_str("<h2>States</h2>\n");
    body.push_str(&tree(explored)?.svg(title));
    if let Ok(diagram) = diagram(arguments, explored) {
        body.push_str("<h2>Times of one computation</h2>\n");
        body.push_str(&diagram.svg(title));
    }
    Ok(format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width\">\n\
<title>{} · Tally explore</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<h1>{}</h1>\n{body}</body>\n</html>\n",
        markup(title),
        markup(title)
    ))
}

const STYLE: &str = ":root{color-scheme:light dark}body{font:15px/1.5 system-ui,sans-serif;margin:1.5rem auto;max-width:75rem;padding:0 1rem}\
pre{overflow-x:auto;font-size:13px}svg{max-width:100%;height:auto}";
