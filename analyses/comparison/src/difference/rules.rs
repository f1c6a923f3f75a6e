//! Rules that limit the growth of a count: `sends>+0`, `total(Json*)>+1%`, `test(*)>+100`, `any`. A bound is on the
//! difference, after minus before, as a number or in per cent of the count before. All arithmetic is exact.

use std::fmt;
use std::str::FromStr;

use serde::Serialize;
use tally_presentation::{grouped, signed};
use tally_profiler::{CostName, Unit, is_match};

use super::{Difference, MethodSide};

/// Decimals that a percentage may have.
const MOST_DECIMALS: usize = 6;

/// A rule for differences.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    text: String,
    kind: RuleKind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum RuleKind {
    /// Anything differs.
    Any,
    Bound {
        what: What,
        relation: Relation,
        bound: Bound,
    },
}

/// The measure that the rule compares.
#[derive(Clone, Debug, PartialEq, Eq)]
enum What {
    /// What the run counts, in its own unit.
    Count,
    /// A cost of the whole run, under its name in reports. Only Tally counts them.
    Whole(&'static str),
    /// A count of a timeline.
    Timeline(TimelineCount),
    /// The sends of each test whose name matches a pattern.
    Tests(String),
    /// A count of each method whose name matches a pattern.
    Methods(Counted, String),
}

/// Counts of timelines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimelineCount {
    /// Ticks from the begin to the end.
    Makespan,
    /// The makespan on as many CPUs as there are processors. Runs of revisions have it, and traces have none.
    Span,
    /// Ticks that all processors executed.
    Ticks,
    /// Requests that began.
    Requests,
    /// Ticks in which requests waited.
    Waiting,
}

impl TimelineCount {
    fn noun(self) -> &'static str {
        match self {
            TimelineCount::Makespan => "ticks of the makespan",
            TimelineCount::Span => "ticks of the span",
            TimelineCount::Ticks => "ticks",
            TimelineCount::Requests => "requests",
            TimelineCount::Waiting => "ticks of waiting",
        }
    }

    /// The cost of runs of revisions that it is.
    fn cost(self) -> Option<CostName> {
        match self {
            TimelineCount::Makespan | TimelineCount::Requests => None,
            TimelineCount::Span => Some(CostName::Span),
            TimelineCount::Ticks => Some(CostName::Ticks),
            TimelineCount::Waiting => Some(CostName::Waiting),
        }
    }
}

/// Counts of methods.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Counted {
    Calls,
    Own,
    Total,
    Allocations,
    Bytes,
}

impl Counted {
    fn of(self, side: &MethodSide) -> u64 {
        match self {
            Counted::Calls => side.calls,
            Counted::Own => side.own,
            Counted::Total => side.total,
            Counted::Allocations => side.objects,
            Counted::Bytes => side.bytes,
        }
    }

    fn noun(self, unit: &Unit) -> String {
        match self {
            Counted::Calls => "calls".to_string(),
            Counted::Own => format!("own {}", unit.name),
            Counted::Total => format!("{} below it", unit.name),
            Counted::Allocations => "objects allocated".to_string(),
            Counted::Bytes => "bytes allocated".to_string(),
        }
    }

    /// Whether profiles of a unit have this count.
    fn is_known(self, unit: &Unit) -> bool {
        match self {
            Counted::Own | Counted::Total => true,
            Counted::Calls => unit.calls,
            Counted::Allocations | Counted::Bytes => unit.is_tally(),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Relation {
    Greater,
    AtLeast,
    Less,
    AtMost,
    Same,
    Other,
}

/// Relations as they are written, longer ones first.
const RELATIONS: [(&str, Relation); 7] = [
    (">=", Relation::AtLeast),
    ("<=", Relation::AtMost),
    ("!=", Relation::Other),
    ("==", Relation::Same),
    (">", Relation::Greater),
    ("<", Relation::Less),
    ("=", Relation::Same),
];

/// A bound of a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bound {
    Number(i128),
    /// The fraction parts / of, in per cent of the count before.
    Hundredths {
        parts: i128,
        of: i128,
    },
}

/// Why a text is no rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleError {
    /// How many characters stand before the place.
    pub at: usize,
    /// The expected text there.
    pub expected: String,
}

impl fmt::Display for RuleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "at character {}: expected {}",
            self.at + 1,
            self.expected
        )
    }
}

impl std::error::Error for RuleError {}

/// A difference that a rule does not accept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Violation {
    /// The rule.
    pub rule: String,
    /// The test or method, or empty for the whole.
    pub name: String,
    /// The name of the count, in words.
    pub what: String,
    /// Before.
    pub before: u64,
    /// After.
    pub after: u64,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Violation {
            rule,
            name,
            what,
            before,
            after,
        } = self;
        if what.is_empty() {
            return write!(f, "{rule}: something differs");
        }
        let of = if name.is_empty() { "" } else { " of " };
        let (before, difference) = (grouped(*before), i128::from(*after) - i128::from(*before));
        let after = grouped(*after);
        write!(
            f,
            "{rule}: {what}{of}{name} are {after}, {before} before ({})",
            signed(difference)
        )
    }
}

/// The outcome of a rule.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RuleOutcome {
    /// The rows that violate it.
    pub violations: Vec<Violation>,
    /// Whether there was nothing that it is about: then it accepts anything.
    pub is_idle: bool,
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl FromStr for Rule {
    type Err = RuleError;

    fn from_str(text: &str) -> Result<Rule, RuleError> {
        Rule::parse(text)
    }
}

impl Rule {
    /// Parses a rule.
    ///
    /// # Errors
    /// The text is no rule; the error holds the location and the expected text.
    pub fn parse(text: &str) -> Result<Rule, RuleError> {
        let kind = match text.trim() {
            "any" => RuleKind::Any,
            "increase" => RuleKind::Bound {
                what: What::Whole("sends"),
                relation: Relation::Greater,
                bound: Bound::Number(0),
            },
            _ => Reader { text, at: 0 }.rule()?,
        };
        Ok(Rule {
            text: text.trim().to_string(),
            kind,
        })
    }

    /// Holds a difference against the rule.
    pub fn check(&self, difference: &Difference) -> RuleOutcome {
        let RuleKind::Bound {
            what,
            relation,
            bound,
        } = &self.kind
        else {
            return self.outcome_of_any(difference.is_same());
        };
        let (noun, counts) = what.counts(difference);
        let is_broken = |before: u64, after: u64| bound.holds(*relation, before, after);
        RuleOutcome {
            is_idle: counts.is_empty(),
            violations: counts
                .into_iter()
                .filter(|(_, before, after)| is_broken(*before, *after))
                .map(|(name, before, after)| self.violation(name, noun.clone(), before, after))
                .collect(),
        }
    }

    /// Of the rule that nothing may differ.
    fn outcome_of_any(&self, is_same: bool) -> RuleOutcome {
        let violation = || self.violation("", String::new(), 0, 0);
        RuleOutcome {
            violations: Vec::from_iter((!is_same).then(violation)),
            is_idle: false,
        }
    }

    /// Holds counts of timelines, before and after, against the rule.
    pub fn check_timelines(
        &self,
        is_same: bool,
        counts: &[(TimelineCount, u64, u64)],
    ) -> RuleOutcome {
        let RuleKind::Bound {
            what,
            relation,
            bound,
        } = &self.kind
        else {
            return self.outcome_of_any(is_same);
        };
        let meant = counts.iter().find(|row| *what == What::Timeline(row.0));
        let broken = meant.filter(|(_, before, after)| bound.holds(*relation, *before, *after));
        let violation = broken.map(|(count, before, after)| {
            self.violation("", count.noun().to_string(), *before, *after)
        });
        RuleOutcome {
            is_idle: meant.is_none(),
            violations: Vec::from_iter(violation),
        }
    }

    fn violation(&self, name: &str, what: String, before: u64, after: u64) -> Violation {
        Violation {
            rule: self.text.clone(),
            name: name.to_string(),
            what,
            before,
            after,
        }
    }
}

impl What {
    /// The name of the count, and a row for each subject: its name, its count before, its count after.
    fn counts<'d>(&self, difference: &'d Difference) -> (String, Vec<(&'d str, u64, u64)>) {
        let unit = &difference.unit;
        match self {
            What::Count => {
                let counts = ("", difference.before.sends, difference.after.sends);
                let has_runs = !difference.runs.is_empty();
                (
                    unit.name.clone(),
                    Vec::from_iter(has_runs.then_some(counts)),
                )
            }
            What::Whole(name) => ((*name).to_string(), whole(difference, name)),
            What::Timeline(count) => {
                let counts = count.cost().map(|cost| whole(difference, cost.name()));
                (count.noun().to_string(), counts.unwrap_or_default())
            }
            What::Tests(pattern) => {
                let runs = difference.runs.iter();
                let meant = runs.filter(|run| !run.name.is_empty() && is_match(pattern, &run.name));
                let counts =
                    meant.map(|run| (run.name.as_str(), run.before.sends, run.after.sends));
                (unit.name.clone(), counts.collect())
            }
            What::Methods(counted, pattern) => {
                let methods = difference.methods.iter();
                let is_known = counted.is_known(unit);
                let meant = methods.filter(|method| is_known && is_match(pattern, &method.name));
                let counts = meant.map(|method| {
                    let (before, after) = (counted.of(&method.before), counted.of(&method.after));
                    (method.name.as_str(), before, after)
                });
                (counted.noun(unit), counts.collect())
            }
        }
    }
}

/// A cost of the whole run before and after, by its name in reports.
fn whole<'d>(difference: &Difference, name: &str) -> Vec<(&'d str, u64, u64)> {
    let rows = difference.before.beside(&difference.after).into_iter();
    let is_known = !difference.runs.is_empty() && difference.unit.is_tally();
    let counts = rows.filter(|row| is_known && row.0 == name);
    counts
        .map(|(_, before, after)| ("", before, after))
        .collect()
}

impl Bound {
    /// Whether the difference stands in the relation to the bound.
    fn holds(self, relation: Relation, before: u64, after: u64) -> bool {
        let difference = i128::from(after) - i128::from(before);
        // Counts have 64 bits, percentages 32 and their denominators 20, so that products stay below 2^127.
        let (difference, bound) = match self {
            Bound::Number(number) => (difference, number),
            Bound::Hundredths { parts, of } => (
                difference.saturating_mul(100).saturating_mul(of),
                parts.saturating_mul(i128::from(before)),
            ),
        };
        match relation {
            Relation::Greater => difference > bound,
            Relation::AtLeast => difference >= bound,
            Relation::Less => difference < bound,
            Relation::AtMost => difference <= bound,
            Relation::Same => difference == bound,
            Relation::Other => difference != bound,
        }
    }
}

/// A text and how far it was read.
struct Reader<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Reader<'t> {
    fn rule(mut self) -> Result<RuleKind, RuleError> {
        let what = self.what()?;
        let relation = self.relation()?;
        let bound = self.bound()?;
        self.skip_space();
        match self.rest() {
            "" => Ok(RuleKind::Bound {
                what,
                relation,
                bound,
            }),
            _ => Err(self.expected("the end")),
        }
    }

    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn skip_space(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    fn expected(&self, what: impl Into<String>) -> RuleError {
        RuleError {
            at: self.text[..self.at].chars().count(),
            expected: what.into(),
        }
    }

    /// Goes on behind as many characters as are like this, and answers them.
    fn take_while(&mut self, is_like: impl Fn(char) -> bool) -> &'t str {
        let rest = self.rest();
        let end = rest.find(|c| !is_like(c)).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    fn what(&mut self) -> Result<What, RuleError> {
        self.skip_space();
        let start = self.at;
        let name = self.take_while(|c| c.is_ascii_alphabetic());
        let pattern = self.pattern()?;
        let whole = |name| match &pattern {
            None => Some(What::Whole(name)),
            Some(_) => None,
        };
        let methods = |counted| {
            let pattern = pattern.clone();
            Some(What::Methods(counted, pattern.unwrap_or("*".to_string())))
        };
        let what = match (name, &pattern) {
            ("count", None) => Some(What::Count),
            ("sends", _) => whole("sends"),
            ("loops", _) => whole("loop repetitions"),
            ("activations", _) => whole("activations"),
            ("blocks", _) => whole("blocks"),
            ("primitives", _) => whole("primitives"),
            ("called", _) => whole("called primitives"),
            ("steps", _) => whole("steps"),
            ("work", _) => whole("work"),
            ("makespan", None) => Some(What::Timeline(TimelineCount::Makespan)),
            ("span", None) => Some(What::Timeline(TimelineCount::Span)),
            ("ticks", None) => Some(What::Timeline(TimelineCount::Ticks)),
            ("requests", None) => Some(What::Timeline(TimelineCount::Requests)),
            ("waiting", None) => Some(What::Timeline(TimelineCount::Waiting)),
            ("states", _) => whole("states"),
            ("computations", _) => whole("computations"),
            ("cost", _) => whole("cost"),
            ("depth", _) => whole("depth"),
            ("allocations", None) => whole("objects allocated"),
            ("bytes", None) => whole("bytes allocated"),
            ("allocations", Some(_)) => methods(Counted::Allocations),
            ("bytes", Some(_)) => methods(Counted::Bytes),
            ("own", _) => methods(Counted::Own),
            ("total", _) => methods(Counted::Total),
            ("calls", _) => methods(Counted::Calls),
            ("test", _) => Some(What::Tests(pattern.unwrap_or("*".to_string()))),
            _ => None,
        };
        what.ok_or_else(|| {
            self.at = start;
            match self.rest().contains('(') && name == "sends" {
                true => self.expected("own(…), total(…) or test(…): sends are those of everything"),
                false => self.expected(
                    "any, sends, count, loops, activations, blocks, primitives, called, allocations, bytes, steps, work, span, ticks, waiting, states, computations, cost, depth, test(…), own(…), total(…), calls(…), or for traces makespan, ticks, requests, waiting",
                ),
            }
        })
    }

    /// A pattern in brackets, if there is one.
    fn pattern(&mut self) -> Result<Option<String>, RuleError> {
        if !self.rest().starts_with('(') {
            return Ok(None);
        }
        // Selectors have no brackets.
        let Some(end) = self.rest().find(')') else {
            self.at = self.text.len();
            return Err(self.expected("a closing bracket"));
        };
        let pattern = self.rest()[1..end].trim();
        if pattern.is_empty() {
            self.at += 1;
            return Err(self.expected("a name, or a pattern with *"));
        }
        self.at += end + 1;
        Ok(Some(pattern.to_string()))
    }

    fn relation(&mut self) -> Result<Relation, RuleError> {
        self.skip_space();
        let found = RELATIONS
            .iter()
            .find(|(text, _)| self.rest().starts_with(text));
        let (text, relation) = found.ok_or_else(|| self.expected("one of > >= < <= = !="))?;
        self.at += text.len();
        Ok(*relation)
    }

    fn bound(&mut self) -> Result<Bound, RuleError> {
        self.skip_space();
        let start = self.at;
        let sign = self.take_while(|c| matches!(c, '+' | '-'));
        let whole = self.take_while(|c| c.is_ascii_digit() || c == '_');
        let decimals = match self.rest().starts_with('.') {
            true => {
                self.at += 1;
                self.take_while(|c| c.is_ascii_digit())
            }
            false => "",
        };
        let digits = whole.replace('_', "") + decimals;
        self.skip_space();
        let is_percentage = self.rest().starts_with('%');
        self.at += usize::from(is_percentage);
        let number = digits.parse::<u64>().ok().map(i128::from);
        let sign = match sign {
            "+" => Some(1),
            "-" => Some(-1),
            "" if number == Some(0) => Some(1),
            _ => None,
        };
        let bound = match (sign, number) {
            (Some(sign), Some(number))
                if is_percentage
                    && decimals.len() <= MOST_DECIMALS
                    && number <= i128::from(u32::MAX) =>
            {
                let of = 10_i128.pow(decimals.len() as u32);
                Some(Bound::Hundredths {
                    parts: sign * number,
                    of,
                })
            }
            (Some(sign), Some(number)) if !is_percentage && decimals.is_empty() => {
                Some(Bound::Number(sign * number))
            }
            _ => None,
        };
        bound.ok_or_else(|| {
            self.at = start;
            self.expected("a difference with its sign, such as +0, -100 or +1.5%")
        })
    }
}

#[cfg(test)]
mod tests;
