//! What two records of one program differ in.

use std::fmt::Write as _;

use super::record::{Happening, Record, RequestKey, What};

/// The differences, in words; nothing if there are none.
pub fn differences(simulated: &Record, observed: &Record) -> Option<String> {
    if simulated == observed {
        return None;
    }
    let mut out = String::new();
    let only = |mine: &Record, other: &Record| -> Vec<Happening> {
        let is_missing =
            |happening: &&Happening| other.happenings.binary_search(happening).is_err();
        mine.happenings.iter().filter(is_missing).cloned().collect()
    };
    for (name, mine, other) in [
        ("simulator", simulated, observed),
        ("machine", observed, simulated),
    ] {
        let _ = writeln!(
            out,
            "{name}: {:?} at {}, {} ticks, output {}; only there:",
            mine.ending, mine.end, mine.ticks, mine.output
        );
        for happening in only(mine, other).iter().take(12) {
            let _ = writeln!(out, "  {}", line(happening));
        }
    }
    Some(out)
}

/// A happening on a line.
pub fn line(happening: &Happening) -> String {
    let Happening {
        time,
        processor,
        request,
        what,
    } = happening;
    let request = request.as_ref().map(key).unwrap_or_default();
    let what = match what {
        What::Called(supplier, waits) => {
            let waits = if *waits { ", waits" } else { "" };
            format!("calls {}{waits}", path(supplier))
        }
        other => format!("{other:?}").to_lowercase(),
    };
    format!("{time:>5} {:<8} {request:<10} {what}", path(processor))
}

fn path(path: &[u32]) -> String {
    match path {
        [] => "script".to_string(),
        _ => {
            let numbers: Vec<String> = path.iter().map(u32::to_string).collect();
            format!("#{}", numbers.join("."))
        }
    }
}

fn key((client, number): &RequestKey) -> String {
    format!("{}/{number}", path(client))
}
