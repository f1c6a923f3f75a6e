//! A difference of sends, as the sum of what each method has of it; and of that, what comes of the method being called more
//! or less often and what of its sending more or fewer messages each time. All of it exact: the parts add up.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt;
use std::fmt::Write as _;

use serde::Serialize;

use super::MethodCount;
use tally_presentation::{Align, Cell, Layout, Page, Tint, grouped, signed};

/// Methods that changed and have no part of the difference, as far as a report names them.
const IDLE: usize = 3;

/// What became of a method's body.
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

/// A part of a difference: a fraction, for what a method sends in one call need not be a whole number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    is_negative: bool,
    numerator: u128,
    denominator: u64,
}

impl Part {
    const NOTHING: Part = Part {
        is_negative: false,
        numerator: 0,
        denominator: 1,
    };

    /// Less `less`, more `more`, of so many parts.
    fn difference(less: u128, more: u128, denominator: u64) -> Part {
        Part {
            is_negative: more < less,
            numerator: more.abs_diff(less),
            denominator,
        }
    }

    /// Whether it is zero.
    pub fn is_nothing(self) -> bool {
        self.numerator == 0
    }

    /// Numerator and denominator, the sign apart.
    pub fn fraction(self) -> (bool, u128, u64) {
        (self.is_negative, self.numerator, self.denominator)
    }
}

impl fmt::Display for Part {
    /// `+3`, `-7/2`, in lowest terms.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_nothing() {
            return f.write_str("0");
        }
        let divisor = common_divisor(self.numerator, u128::from(self.denominator));
        let sign = if self.is_negative { '-' } else { '+' };
        write!(f, "{sign}{}", shown(self.numerator / divisor))?;
        match u128::from(self.denominator) / divisor {
            1 => Ok(()),
            denominator => write!(f, "/{}", shown(denominator)),
        }
    }
}

fn shown(number: u128) -> String {
    u64::try_from(number).map_or_else(|_| number.to_string(), grouped)
}

fn common_divisor(mut a: u128, mut b: u128) -> u128 {
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a.max(1)
}

/// What a method has of a difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explained {
    /// `Class>>selector` or a file's name.
    pub name: String,
    /// The file that it stands in, or stood.
    pub file: String,
    /// Its first line there, from 1.
    pub line: usize,
    /// What became of its body.
    pub body: Body,
    /// Activations, before and after.
    pub calls: (u64, u64),
    /// Its own sends, before and after.
    pub own: (u64, u64),
    /// Of the difference, what comes of its being called more or less often.
    pub by_calls: Part,
    /// Of the difference, what comes of its sending more or fewer messages each time.
    pub by_each: Part,
}

impl Explained {
    /// Its own sends now less those before.
    pub fn difference(&self) -> i128 {
        i128::from(self.own.1) - i128::from(self.own.0)
    }
}

/// What each method has of the difference between two lists of counts. First come methods whose bodies changed, those with
/// the largest part before the others; then all others that have a part of it, in the same order.
pub fn explain(old: &[MethodCount], new: &[MethodCount]) -> Vec<Explained> {
    let (before, after) = (by_name(old), by_name(new));
    let nothing = Sum::default();
    let names = before
        .keys()
        .chain(after.keys().filter(|name| !before.contains_key(*name)));
    let explained = names.map(|name| {
        let old = before.get(name).unwrap_or(&nothing);
        let new = after.get(name).unwrap_or(&nothing);
        explained(name, old, new)
    });
    let is_told = |row: &Explained| row.body == Body::Changed || row.difference() != 0;
    let mut rows: Vec<Explained> = explained.filter(is_told).collect();
    let rank = |row: &Explained| (row.body != Body::Changed, Reverse(row.difference().abs()));
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

fn explained(name: &str, old: &Sum<'_>, new: &Sum<'_>) -> Explained {
    let body = match (old.digests.is_empty(), new.digests.is_empty()) {
        (true, _) => Body::New,
        (_, true) => Body::Gone,
        _ if old.digests == new.digests => Body::Same,
        _ => Body::Changed,
    };
    let (file, line) = new.place.or(old.place).unwrap_or_default();
    let (by_calls, by_each) = split(old, new);
    Explained {
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

/// The two parts of a method's difference: by calls (c₂ − c₁)·o₁/c₁, by what each call does c₂·(o₂/c₂ − o₁/c₁). What was
/// not called before did nothing in a call before: then all of it is one or the other.
fn split(old: &Sum<'_>, new: &Sum<'_>) -> (Part, Part) {
    let [c1, c2, o1, o2] = [old.calls, new.calls, old.own, new.own].map(u128::from);
    if c1 > 0 {
        let by_calls = Part::difference(c1 * o1, c2 * o1, old.calls);
        return (by_calls, Part::difference(c2 * o1, o2 * c1, old.calls));
    }
    let all = Part::difference(o1, o2, 1);
    match c2 > 0 && o1 == 0 {
        true => (all, Part::NOTHING),
        false => (Part::NOTHING, all),
    }
}

/// The methods of a difference, one a line: its part, its name, where it stands, and why. At most `limit` of them if there
/// is a limit, and a line for the rest.
pub fn explanation_report(rows: &[Explained], limit: Option<usize>, page: Page) -> String {
    let mut idle = 0;
    let mut count = 0;
    let (shown, hidden): (Vec<&Explained>, Vec<&Explained>) = rows.iter().partition(|row| {
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

fn why(row: &Explained) -> String {
    let (calls_before, calls) = row.calls;
    let often = || {
        format!(
            "called {} instead of {} times",
            grouped(calls),
            grouped(calls_before)
        )
    };
    let each = || match row.own.0.cmp(&row.own.1) {
        _ if calls != calls_before => each_time(row.by_each).to_string(),
        _ => format!(
            "{} {} instead of {}",
            grouped(row.own.1),
            if row.own.1 == 1 { "send" } else { "sends" },
            grouped(row.own.0)
        ),
    };
    let counts = match (row.by_calls.is_nothing(), row.by_each.is_nothing()) {
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

fn each_time(part: Part) -> &'static str {
    match part.is_negative {
        true => "fewer sends each time",
        false => "more sends each time",
    }
}
