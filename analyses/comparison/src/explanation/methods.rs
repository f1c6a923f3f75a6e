//! A difference of sends as the sum of the methods' shares. Each share has two parts: by calls that are more or fewer,
//! and by sends in each call. Both parts are exact and add up.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::{Deserialize, Serialize};
use tally_presentation::{Align, Cell, Layout, Page, Tint, grouped, signed};
use tally_profiler::{MethodProfile, Profile, fnv1a};

use super::ratio::{Ratio, beyond};

/// The most changed methods without a part of the difference that a report names.
const IDLE: usize = 3;

/// The counts of a method in a test.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MethodCount {
    /// `Class>>selector` or a file's name.
    pub name: String,
    /// Digest of its body.
    pub digest: u64,
    /// Activations.
    pub calls: u64,
    /// Sends in itself and its blocks.
    pub own: u64,
    /// The file that it stands in.
    pub file: String,
    /// Its first line there, from 1.
    pub line: usize,
}

impl MethodCount {
    /// The methods of a profile that did anything.
    pub fn of_profile(profile: &Profile) -> Vec<MethodCount> {
        let did = |method: &&MethodProfile| method.calls > 0 || method.own > 0;
        let counts = profile
            .methods
            .iter()
            .filter(did)
            .map(|method| MethodCount {
                name: method.name.clone(),
                digest: u64::from_str_radix(&method.digest, 16)
                    .unwrap_or_else(|_| fnv1a([method.digest.as_str()])),
                calls: method.calls,
                own: method.own,
                file: method.file.clone(),
                line: method.line,
            });
        counts.collect()
    }
}

/// The state of a method's body after the change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Body {
    /// It is the same.
    Same,
    /// It is another one.
    Changed,
    /// It did not run before.
    New,
    /// It does not run any more.
    Gone,
}

/// A method's share of a difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MethodPart {
    /// `Class>>selector` or a file's name.
    pub name: String,
    /// The file that it stands in, or stood.
    pub file: String,
    /// Its first line there, from 1.
    pub line: usize,
    /// The state of its body after the change.
    pub body: Body,
    /// Activations, before and after.
    pub calls: (u64, u64),
    /// Its own sends, before and after.
    pub own: (u64, u64),
    /// The part of the difference that more or fewer calls of the method cause.
    pub by_calls: Ratio,
    /// The part of the difference that more or fewer sends in each call cause.
    pub by_each: Ratio,
}

impl MethodPart {
    /// Its own sends now less those before.
    pub fn difference(&self) -> i128 {
        i128::from(self.own.1) - i128::from(self.own.0)
    }
}

/// Each method's share of the difference between two lists of counts. Methods with changed bodies come first, the largest
/// part first. Then come the other methods with a part of the difference, in the same order.
pub fn explain_methods(old: &[MethodCount], new: &[MethodCount]) -> Vec<MethodPart> {
    let (before, after) = (by_name(old), by_name(new));
    let nothing = Sum::default();
    let names = before
        .keys()
        .chain(after.keys().filter(|name| !before.contains_key(*name)));
    let explained = names.map(|name| {
        let old = before.get(name).unwrap_or(&nothing);
        let new = after.get(name).unwrap_or(&nothing);
        of_method(name, old, new)
    });
    let is_told = |row: &MethodPart| row.body == Body::Changed || row.difference() != 0;
    let mut rows: Vec<MethodPart> = explained.filter(is_told).collect();
    let rank = |row: &MethodPart| (row.body != Body::Changed, Reverse(row.difference().abs()));
    rows.sort_by(|a, b| rank(a).cmp(&rank(b)).then_with(|| a.name.cmp(&b.name)));
    rows
}

/// The counts of all methods of one name: one that is redefined while a test runs counts as one.
#[derive(Default)]
struct Sum<'m> {
    calls: u64,
    own: u64,
    digests: Vec<u64>,
    place: Option<(&'m str, usize)>,
}

fn by_name(methods: &[MethodCount]) -> BTreeMap<&str, Sum<'_>> {
    let mut sums: BTreeMap<&str, Sum<'_>> = BTreeMap::new();
    for method in methods {
        let sum = sums.entry(&method.name).or_default();
        sum.calls = sum.calls.saturating_add(method.calls);
        sum.own = sum.own.saturating_add(method.own);
        sum.digests.push(method.digest);
        sum.place = Some((&method.file, method.line));
    }
    sums.values_mut()
        .for_each(|sum| sum.digests.sort_unstable());
    sums
}

fn of_method(name: &str, old: &Sum<'_>, new: &Sum<'_>) -> MethodPart {
    let body = match (old.digests.is_empty(), new.digests.is_empty()) {
        (true, _) => Body::New,
        (_, true) => Body::Gone,
        _ if old.digests == new.digests => Body::Same,
        _ => Body::Changed,
    };
    let (file, line) = new.place.or(old.place).unwrap_or_default();
    let (by_calls, by_each) = split(old, new);
    MethodPart {
        name: name.to_string(),
        file: file.to_string(),
        line,
        body,
        calls: (old.calls, new.calls),
        own: (old.own, new.own),
        by_calls,
        by_each,
    }
}

/// The two parts of a method's difference: by calls (c₂ − c₁)·o₁/c₁, by the sends of each call c₂·(o₂/c₂ − o₁/c₁). A
/// method without calls before has no sends per call before; then one part is the whole difference.
fn split(old: &Sum<'_>, new: &Sum<'_>) -> (Ratio, Ratio) {
    let wide = |number: u64| i128::from(number);
    if old.calls > 0 {
        let by_calls = Ratio::from(wide(new.calls) - wide(old.calls)).times(old.own, old.calls);
        return (by_calls, beyond([new.own, new.calls], [old.own, old.calls]));
    }
    let all = Ratio::from(wide(new.own) - wide(old.own));
    match new.calls > 0 && old.own == 0 {
        true => (all, Ratio::default()),
        false => (Ratio::default(), all),
    }
}

/// The methods of a difference, one a line: its part, its name, where it stands, and why. At most `limit` of them if there
/// is a limit, and a line for the rest.
pub fn methods_report(rows: &[MethodPart], limit: Option<usize>, page: Page) -> String {
    let mut idle = 0;
    let mut count = 0;
    let (shown, hidden): (Vec<&MethodPart>, Vec<&MethodPart>) = rows.iter().partition(|row| {
        let is_idle = row.difference() == 0;
        idle += usize::from(is_idle);
        let is_shown = limit.is_none_or(|limit| count < limit) && (!is_idle || idle <= IDLE);
        count += usize::from(is_shown);
        is_shown
    });
    let mut layout = Layout::new(&[
        Align::Left,
        Align::Right,
        Align::Flexible,
        Align::Left,
        Align::Left,
    ]);
    for row in shown {
        let place = match row.file.is_empty() {
            true => String::new(),
            false => format!("{}:{}", row.file, row.line),
        };
        layout.row([
            Cell::from(""),
            Cell::from(signed(row.difference())).tinted(Tint::Strong),
            Cell::from(row.name.as_str()),
            Cell::from(place).tinted(Tint::Dim),
            Cell::from(format!("({})", why(row))),
        ]);
    }
    let mut text = layout.render_on(page);
    if !hidden.is_empty() {
        let rest: i128 = hidden.iter().map(|row| row.difference()).sum();
        let noun = if hidden.len() == 1 {
            "method"
        } else {
            "methods"
        };
        let count = grouped(hidden.len() as u64);
        let _ = writeln!(text, "  … {count} more {noun}: {}", signed(rest));
    }
    text
}

fn why(row: &MethodPart) -> String {
    let (calls_before, calls) = row.calls;
    let often = || {
        format!(
            "called {} instead of {} times",
            grouped(calls),
            grouped(calls_before)
        )
    };
    let each = || match row.own.0.cmp(&row.own.1) {
        _ if calls != calls_before => each_time(&row.by_each).to_string(),
        _ => format!(
            "{} {} instead of {}",
            grouped(row.own.1),
            if row.own.1 == 1 { "send" } else { "sends" },
            grouped(row.own.0)
        ),
    };
    let counts = match (row.by_calls.is_zero(), row.by_each.is_zero()) {
        _ if row.body == Body::New => "did not run before".to_string(),
        _ if row.body == Body::Gone => "does not run any more".to_string(),
        (true, true) => "same sends".to_string(),
        (false, true) => often(),
        (true, false) => each(),
        (false, false) => format!("{}: {}; {}: {}", often(), row.by_calls, each(), row.by_each),
    };
    match row.body {
        Body::Changed => format!("body changed; {counts}"),
        _ => counts,
    }
}

fn each_time(part: &Ratio) -> &'static str {
    match part.is_negative() {
        true => "fewer sends each time",
        false => "more sends each time",
    }
}
