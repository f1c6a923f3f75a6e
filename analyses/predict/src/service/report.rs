//! Services as text.

use std::cmp::Ordering;

use num_bigint::BigInt;
use tally_presentation::{Align, Layout, Page, counted, printable};

use super::{Bound, Crossing, Function, Service};
use crate::fitting::{Predicted, ranges};
use crate::report::{float_text, rational_text};

/// Inputs, and the value of each function there; none where there is none.
pub type Values = Vec<(Vec<BigInt>, Vec<Option<Predicted>>)>;

/// A bound, and the largest input that keeps it with its value; none if no input seems to break it.
pub type Within = (Bound, Option<(BigInt, Predicted)>);

/// The functions of a service, how far they can be relied on, and values at other inputs.
pub fn service_report(
    service: &Service,
    values: &Values,
    with_contexts: bool,
    page: Page,
) -> String {
    let names = service.parameters.join(", ");
    let mut text = format!("{}({names})\n\n", printable(&service.name));
    let mut layout = Layout::new(&[Align::Left, Align::Left, Align::Left]);
    layout.row(["counter", "class", "function"]);
    for function in &service.functions {
        layout.row(row(function));
        if with_contexts && function.parts.len() > 1 {
            for part in &function.parts {
                let alone = Function {
                    parts: vec![part.clone()],
                    ..function.clone()
                };
                let mut cells = row(&alone);
                cells[0] = String::new();
                cells[2] = format!("{}   {}", cells[2], contexts_of(&part.contexts));
                layout.row(cells);
            }
        }
    }
    text.push_str(&layout.render_on(page));
    text.push('\n');
    text.push_str(&page.wrapped(&standing(service)));
    if !values.is_empty() {
        text.push('\n');
        text.push_str(&value_table(service, values, page));
    }
    text
}

/// Where a part was counted: the last contexts of the paths.
fn contexts_of(contexts: &[String]) -> String {
    let last = |path: &String| path.rsplit(" > ").next().unwrap_or_default().to_string();
    match contexts {
        [] => String::new(),
        [one] => last(one),
        [one, others @ ..] => format!("{} and {} more", last(one), others.len()),
    }
}

fn row(function: &Function) -> [String; 3] {
    let mut formula = match function.text() {
        None => "only the sizes that were run are known".to_string(),
        Some(text) => text,
    };
    if let Some(from) = function.from() {
        formula.push_str(&format!(", from {from} on"));
    }
    if let Some(until) = &function.until {
        formula.push_str(&format!(", up to {until}"));
    }
    [
        function.table.of.clone(),
        function.class().to_string(),
        printable(&formula).into_owned(),
    ]
}

/// How far the functions can be relied on.
fn standing(service: &Service) -> String {
    let Some(first) = service.functions.first() else {
        return String::new();
    };
    let parts = service.parameters.iter().zip(ranges(&first.table));
    let parts = parts.map(|(name, (least, most))| format!("{name} from {least} to {most}"));
    let sizes = counted(first.table.points.len() as u64, "size was", "sizes were");
    let mut text = format!("{sizes} run: {}.", parts.collect::<Vec<_>>().join(", "));
    let is = |class: &str| service.functions.iter().any(|one| one.class() == class);
    if is("exact") {
        text.push_str(" An exact function has all of these counts, within its range.");
    }
    let exact = service.functions.iter().find(|one| one.is_exact());
    let checked = exact.map_or(0, |exact| exact.checked.len());
    if checked > 0 {
        text.push_str(&format!(
            " Of the largest, {checked} were not used to find it."
        ));
    }
    let thresholds = service.functions.iter().map(Function::thresholds).max();
    if thresholds.is_some_and(|count| count > 0) {
        text.push_str(" Thresholds without a rule were found: more may follow.");
    }
    let refuted = service
        .functions
        .iter()
        .find_map(|one| one.refuted.as_ref());
    if let Some(at) = refuted {
        text.push_str(&format!(
            " At {} a function that fits all smaller sizes was wrong.",
            inputs(at)
        ));
    }
    if is("approximate") {
        text.push_str(" Errors of approximate functions are estimates, and no bounds.");
    }
    if let Some(ended) = &service.ended {
        let at = service.parameters.iter().zip(ended);
        let at = at.map(|(name, n)| format!("{name} = {n}"));
        let at = at.collect::<Vec<_>>().join(", ");
        text.push_str(&format!(
            " At {at} the program failed or took too long, so less is known of that size and of those above."
        ));
    }
    text.push_str(" What begins above these sizes is not seen.\n");
    text
}

fn inputs(at: &[BigInt]) -> String {
    at.iter()
        .map(BigInt::to_string)
        .collect::<Vec<_>>()
        .join(", ")
}

/// A value as a cell.
pub(super) fn cell(value: &Option<Predicted>) -> String {
    match value {
        None => "?".to_string(),
        Some(Predicted::Exact(value)) => rational_text(value),
        Some(Predicted::Approximate(value, error)) => {
            format!("≈{} ± {:.1} %", float_text(*value), 100.0 * error)
        }
    }
}

fn value_table(service: &Service, values: &Values, page: Page) -> String {
    let columns = service.parameters.len() + service.functions.len();
    let mut layout = Layout::new(&vec![Align::Right; columns]);
    let functions = service.functions.iter().map(|one| one.table.of.as_str());
    let head = service
        .parameters
        .iter()
        .map(String::as_str)
        .chain(functions);
    layout.row(head.collect::<Vec<_>>());
    for (at, predicted) in values {
        let inputs = at.iter().map(BigInt::to_string);
        layout.row(inputs.chain(predicted.iter().map(cell)).collect::<Vec<_>>());
    }
    layout.render_on(page)
}

/// Where one service becomes cheaper than the other.
pub fn crossing_report(names: [&str; 2], of: &str, found: &[Crossing]) -> String {
    let said = |order: Ordering| match order {
        Ordering::Less => format!("{} needs fewer", names[0]),
        Ordering::Equal => "both need as many".to_string(),
        Ordering::Greater => format!("{} needs fewer", names[1]),
    };
    let lines = found.iter().map(|one| {
        let from = &one.from;
        format!("{of}: from {from} on, {}\n", printable(&said(one.order)))
    });
    lines.collect()
}

/// Up to which inputs bounds are kept.
pub fn within_report(service: &Service, bounds: &[Within]) -> String {
    let name = service.parameters.first().map_or("n", String::as_str);
    let lines = bounds.iter().map(|(bound, found)| {
        let (most, of) = (rational_text(&bound.most), &bound.of);
        match found {
            None => format!("\nAt most {most} {of}: no {name} was found that needs more\n"),
            Some((n, value)) => {
                let value = cell(&Some(value.clone()));
                format!("\nAt most {most} {of}: up to {name} = {n}, which needs {value}\n")
            }
        }
    });
    lines.collect()
}
