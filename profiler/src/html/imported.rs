//! The page of an imported profile: its functions and its calls. Counts that the profile lacks have no column.

use tally_presentation::html::{ColumnKind, PageTable, TablesPage, clipped};
use tally_presentation::{counted, grouped};

use crate::profile::{MethodProfile, Profile};
use crate::rank::{Order, ranked};

/// The page.
pub(super) fn page(profile: &Profile) -> String {
    let unit = &profile.unit;
    let file = profile.files.first().map_or("", String::as_str);
    let mut sums = format!("{} {}", grouped(profile.cost.sends), unit.name);
    if unit.calls {
        sums.push_str(&format!(
            ", {}",
            counted(profile.cost.activations, "call", "calls")
        ));
    }
    let functions = counted(profile.methods.len() as u64, "function", "functions");
    let page = TablesPage {
        title: clipped(file),
        kind: "Tally profile",
        paragraphs: vec![format!("{sums}; {functions}.")],
        tables: vec![methods(profile), calls(profile)],
        foot: unit.proxy().trim_end().to_string(),
    };
    page.html()
}

fn columns(texts: &[&str], counts: &[String]) -> Vec<(String, ColumnKind)> {
    let kinds = std::iter::once(ColumnKind::Name).chain(std::iter::repeat(ColumnKind::Detail));
    let texts = texts.iter().map(|name| (*name).to_string()).zip(kinds);
    let counts = counts.iter().map(|name| (name.clone(), ColumnKind::Count));
    texts.chain(counts).collect()
}

/// The heads of counts: calls, if they are known, then those given.
fn heads<const N: usize>(profile: &Profile, others: [String; N]) -> Vec<String> {
    let calls = profile.unit.calls.then(|| "calls".to_string());
    calls.into_iter().chain(others).collect()
}

fn methods(profile: &Profile) -> PageTable {
    let unit = &profile.unit.name;
    let row = |method: &&MethodProfile| {
        let place = match (method.file.as_str(), method.line) {
            ("", _) => String::new(),
            (file, 0) => file.to_string(),
            (file, line) => format!("{file}:{line}"),
        };
        let mut row = vec![method.name.clone(), place, method.package.clone()];
        row.extend(profile.unit.calls.then(|| method.calls.to_string()));
        row.extend([method.total.to_string(), method.own.to_string()]);
        row
    };
    let counts = heads(profile, [format!("total {unit}"), format!("own {unit}")]);
    PageTable {
        title: "Functions".to_string(),
        columns: columns(&["function", "place", "program or library"], &counts),
        rows: ranked(profile, Order::Total).iter().map(row).collect(),
        is_sorted: true,
    }
}

fn calls(profile: &Profile) -> PageTable {
    let name = |method: Option<u32>| match method {
        Some(method) => crate::tree::method_name(profile, method).to_string(),
        None => "(the run)".to_string(),
    };
    let row = |call: &&crate::Call| {
        let caller = format!("called by {}", name(call.caller));
        let mut row = vec![name(Some(call.callee)), caller];
        row.extend(profile.unit.calls.then(|| call.calls.to_string()));
        row.push(call.total.to_string());
        row
    };
    let mut calls: Vec<&crate::Call> = profile.calls.iter().collect();
    calls.sort_by_key(|call| std::cmp::Reverse(call.total));
    let counts = heads(profile, [format!("{} below the calls", profile.unit.name)]);
    PageTable {
        title: "Calls".to_string(),
        columns: columns(&["function", "called by"], &counts),
        rows: calls.iter().map(row).collect(),
        is_sorted: true,
    }
}
