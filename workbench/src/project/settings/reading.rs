//! From the text of `tally.toml` to settings. Every unknown key or value is an error with its location: a key that is passed over
//! would be a limit without effect.

mod dependencies;
mod machines;

use std::ops::Range;
use std::path::{Path, PathBuf};

use tally_comparison::{Budget, BudgetCost, BudgetLimit, BudgetScope, FunctionScope, Rule};
use tally_profiler::{CostName, LimitKind};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::complaint::Complaint;
use super::{BudgetPlace, Settings};

/// Complaints that are shown of a file.
const SHOWN: usize = 20;
/// The tables of a file.
const TABLES: [&str; 7] = [
    "project",
    "dependencies",
    "test",
    "compare",
    "machine",
    "budgets",
    "budget",
];
/// The key of a budget for the number of CPUs.
const CPUS: &str = "cpus";
/// The kinds of things that a budget is for.
const SUBJECTS: [&str; 3] = ["test", "method", "function"];
/// No machine runs more tests at once.
const MAX_JOBS: u64 = 1024;

type Value<'t> = Spanned<DeValue<'t>>;

/// The settings of a text, or its errors in the order of the text.
pub(super) fn read(text: &str) -> Result<Settings, Vec<Complaint>> {
    let document = DeTable::parse(text).map_err(|error| {
        let place = error.span().unwrap_or(0..0);
        let complaint = Complaint::new("this is not TOML", place, error.message());
        vec![complaint]
    })?;
    let mut reading = Reading::default();
    reading.document(document.get_ref());
    let Reading {
        settings,
        mut complaints,
    } = reading;
    if complaints.is_empty() {
        return Ok(settings);
    }
    complaints.sort_by_key(|complaint| complaint.place.start);
    complaints.truncate(SHOWN);
    Err(complaints)
}

#[derive(Default)]
struct Reading {
    settings: Settings,
    complaints: Vec<Complaint>,
}

impl Reading {
    fn document(&mut self, table: &DeTable<'_>) {
        for (key, value) in table {
            match key.get_ref().as_ref() {
                "project" => self.project(value),
                "dependencies" => self.dependencies(value),
                "test" => self.test(value),
                "compare" => self.compare(value),
                "machine" => self.machines(value),
                "budgets" => self.named_budgets(value),
                "budget" => self.budgets(value),
                _ => self.unknown(key, &TABLES),
            }
        }
    }

    fn project(&mut self, value: &Value<'_>) {
        let Some(table) = self.table(value, "a table, [project]") else {
            return;
        };
        for (key, value) in table {
            match key.get_ref().as_ref() {
                "paths" => self.paths(value),
                _ => self.unknown(key, &["paths"]),
            }
        }
    }

    fn paths(&mut self, value: &Value<'_>) {
        let DeValue::Array(array) = value.get_ref() else {
            return self.mistyped(value, "a list of paths, [\"src\", \"tests\"]");
        };
        for value in array.iter() {
            let Some(text) = self.text(value, "a path") else {
                continue;
            };
            if Path::new(&text).has_root() {
                self.complain(
                    "a path that holds on one machine only",
                    value.span(),
                    "expected a path from this file's folder",
                );
            } else {
                self.settings.paths.push(PathBuf::from(text));
            }
        }
    }

    fn test(&mut self, value: &Value<'_>) {
        let Some(table) = self.table(value, "a table, [test]") else {
            return;
        };
        for (key, value) in table {
            match key.get_ref().as_ref() {
                "max-sends" => {
                    let expected = "a number of sends and loop repetitions";
                    self.settings.max_sends = self.positive(value, expected, u64::MAX);
                }
                "jobs" => {
                    let jobs = self.positive(value, "how many tests run at once", MAX_JOBS);
                    self.settings.jobs = jobs.and_then(|jobs| usize::try_from(jobs).ok());
                }
                "allow-left-out" => match value.get_ref() {
                    DeValue::Boolean(allows) => self.settings.allows_left_out = *allows,
                    _ => self.mistyped(value, "true or false"),
                },
                _ => self.unknown(key, &["max-sends", "jobs", "allow-left-out"]),
            }
        }
    }

    fn compare(&mut self, value: &Value<'_>) {
        let Some(table) = self.table(value, "a table, [compare]") else {
            return;
        };
        for (key, value) in table {
            match key.get_ref().as_ref() {
                "fail-on" => self.rules(value),
                _ => self.unknown(key, &["fail-on"]),
            }
        }
    }

    fn rules(&mut self, value: &Value<'_>) {
        let DeValue::Array(array) = value.get_ref() else {
            return self.mistyped(value, "a list of rules, [\"sends>+0\"]");
        };
        for value in array.iter() {
            let Some(text) = self.text(value, "a rule, \"sends>+0\"") else {
                continue;
            };
            match Rule::parse(&text) {
                Ok(rule) => self.settings.fail_on.push(rule),
                Err(error) => self.complain("this is no rule", value.span(), error.to_string()),
            }
        }
    }

    fn named_budgets(&mut self, value: &Value<'_>) {
        let Some(table) = self.table(value, "tables of limits, [budgets.NAME]") else {
            return;
        };
        for (key, value) in table {
            let name = key.get_ref().as_ref();
            if name.is_empty() {
                self.complain("a budget without a name", key.span(), "expected a name");
                continue;
            }
            let Some(limits) = self.table(value, "a table of limits, [budgets.NAME]") else {
                continue;
            };
            let scope = BudgetScope::Named(name.to_string());
            self.budget(scope, key.span(), value.span(), limits, &[]);
        }
    }

    fn budgets(&mut self, value: &Value<'_>) {
        let DeValue::Array(array) = value.get_ref() else {
            return self.mistyped(value, "tables, [[budget]]");
        };
        for value in array.iter() {
            if let Some(table) = self.table(value, "a table, [[budget]]") {
                self.pattern_budget(table, value.span());
            }
        }
    }

    fn pattern_budget(&mut self, table: &DeTable<'_>, place: Range<usize>) {
        let subjects = SUBJECTS
            .iter()
            .filter_map(|name| Some((*name, table.get(*name)?)));
        let subjects: Vec<(&str, &Value<'_>)> = subjects.collect();
        match subjects[..] {
            [("function", value)] => self.function_budget(table, value, place),
            [(subject, value)] => {
                if let Some(pattern) = self.text(value, "a name, or a pattern with *") {
                    let scope = match subject {
                        "test" => BudgetScope::Test(pattern),
                        _ => BudgetScope::Method(pattern),
                    };
                    self.budget(scope, value.span(), place, table, &[subject]);
                }
            }
            [] => self.complain(
                "a budget for nothing",
                place,
                "expected `test = \"…\"`, `method = \"…\"` or `function = \"…\"` in it",
            ),
            [.., (_, value)] => self.complain(
                "a budget for several kinds of things at once",
                value.span(),
                "make it two budgets",
            ),
        }
    }

    /// A budget of functions in a profile of another tool.
    fn function_budget(&mut self, table: &DeTable<'_>, value: &Value<'_>, place: Range<usize>) {
        let Some(profile) = table.get("profile") else {
            return self.complain(
                "a budget of functions without a profile",
                place,
                "expected `profile = \"…\"`, the file that holds their counts",
            );
        };
        let pattern = self.text(value, "a name, or a pattern with *");
        let path = self.text(profile, "a file");
        let event = match table.get("event") {
            Some(event) => match self.text(event, "the name of an event") {
                Some(event) => Some(event),
                None => return,
            },
            None => None,
        };
        let (Some(pattern), Some(path)) = (pattern, path) else {
            return;
        };
        if Path::new(&path).has_root() {
            return self.complain(
                "a path that holds on one machine only",
                profile.span(),
                "expected a path from this file's folder",
            );
        }
        let scope = BudgetScope::Function(FunctionScope {
            pattern,
            profile: path,
            event,
        });
        let others = ["function", "profile", "event"];
        self.budget(scope, value.span(), place, table, &others);
    }

    /// Takes the limits of a table that has other entries too.
    fn budget(
        &mut self,
        scope: BudgetScope,
        name: Range<usize>,
        place: Range<usize>,
        table: &DeTable<'_>,
        others: &[&str],
    ) {
        let costs = costs_of(&scope);
        let mut limits = Vec::new();
        let mut values = Vec::new();
        let mut cpus = None;
        let complaints = self.complaints.len();
        for (key, value) in table {
            let key_name = key.get_ref().as_ref();
            if others.contains(&key_name) {
                continue;
            }
            if key_name == CPUS && costs.contains(&BudgetCost::Of(CostName::Span)) {
                cpus = self.cpus(value);
                continue;
            }
            match costs.iter().find(|cost| cost.name() == key_name) {
                Some(cost) => {
                    if let Some((kind, number, place)) = self.limit(value) {
                        limits.push(BudgetLimit {
                            cost: *cost,
                            kind,
                            value: number,
                        });
                        values.push(place);
                    }
                }
                None => {
                    let has_cpus = costs.contains(&BudgetCost::Of(CostName::Span));
                    let names = costs.iter().map(|cost| cost.name());
                    let names = names.chain(has_cpus.then_some(CPUS));
                    self.unknown(key, &names.collect::<Vec<_>>());
                }
            }
        }
        if limits.is_empty() && self.complaints.len() == complaints {
            let names: Vec<&str> = costs.iter().map(|cost| cost.name()).collect();
            let expected = format!("expected one of {}", names.join(", "));
            self.complain("a budget without limits", place, expected);
        }
        self.settings.budgets.push(Budget {
            scope,
            limits,
            cpus,
        });
        self.settings.places.push(BudgetPlace {
            scope: name,
            values,
        });
    }

    /// A number of CPUs.
    fn cpus(&mut self, value: &Value<'_>) -> Option<u64> {
        let number = self.number(value, "a number of CPUs from 1 on")?;
        if number == 0 {
            self.complain("no CPUs", value.span(), "expected a number from 1 on");
            return None;
        }
        Some(number)
    }

    /// A limit: a number, which is a maximum, or a table that says of what kind it is.
    fn limit(&mut self, value: &Value<'_>) -> Option<(LimitKind, u64, Range<usize>)> {
        const KINDS: &[(&str, LimitKind)] = &[
            ("max", LimitKind::Max),
            ("exact", LimitKind::Exact),
            ("ratchet", LimitKind::Ratchet),
        ];
        const EXPECTED: &str = "a number, or one of { max = … }, { exact = … }, { ratchet = … }";
        let DeValue::Table(table) = value.get_ref() else {
            return Some((LimitKind::Max, self.number(value, EXPECTED)?, value.span()));
        };
        let mut entries = table.iter();
        let (Some((key, number)), None) = (entries.next(), entries.next()) else {
            let message = match table.is_empty() {
                true => "a limit without a number",
                false => "a limit of two kinds at once",
            };
            self.complain(message, value.span(), format!("expected {EXPECTED}"));
            return None;
        };
        let Some((_, kind)) = KINDS.iter().find(|(name, _)| name == key.get_ref()) else {
            let names: Vec<&str> = KINDS.iter().map(|(name, _)| *name).collect();
            self.unknown(key, &names);
            return None;
        };
        Some((*kind, self.number(number, "a number")?, number.span()))
    }

    fn table<'v, 't>(&mut self, value: &'v Value<'t>, expected: &str) -> Option<&'v DeTable<'t>> {
        match value.get_ref() {
            DeValue::Table(table) => Some(table),
            _ => {
                self.mistyped(value, expected);
                None
            }
        }
    }

    /// A text that is not empty.
    fn text(&mut self, value: &Value<'_>, expected: &str) -> Option<String> {
        match value.get_ref() {
            DeValue::String(text) if text.is_empty() => {
                self.complain(
                    "an empty text",
                    value.span(),
                    format!("expected {expected}"),
                );
                None
            }
            DeValue::String(text) if text.chars().any(char::is_control) => {
                self.complain(
                    "a control character in a text",
                    value.span(),
                    format!("expected {expected}"),
                );
                None
            }
            DeValue::String(text) => Some(text.to_string()),
            _ => {
                self.mistyped(value, expected);
                None
            }
        }
    }

    fn number(&mut self, value: &Value<'_>, expected: &str) -> Option<u64> {
        let DeValue::Integer(number) = value.get_ref() else {
            self.mistyped(value, expected);
            return None;
        };
        let digits = number.as_str();
        match u64::from_str_radix(digits, number.radix()) {
            Ok(number) => Some(number),
            Err(_) if digits.starts_with('-') => {
                self.complain(
                    "a negative number",
                    value.span(),
                    format!("expected {expected}"),
                );
                None
            }
            Err(_) => {
                self.complain(
                    "more than can be counted",
                    value.span(),
                    format!("at most {}", u64::MAX),
                );
                None
            }
        }
    }

    fn positive(&mut self, value: &Value<'_>, expected: &str, most: u64) -> Option<u64> {
        let number = self.number(value, expected)?;
        if (1..=most).contains(&number) {
            return Some(number);
        }
        let (message, bound) = match number {
            0 => ("a limit of zero", "at least 1".to_string()),
            _ => ("the number is too large", format!("at most {most}")),
        };
        self.complain(
            message,
            value.span(),
            format!("expected {expected}, {bound}"),
        );
        None
    }

    fn unknown(&mut self, key: &Spanned<toml::de::DeString<'_>>, known: &[&str]) {
        let name = key.get_ref().as_ref();
        let near = tally_compiler::nearest(name, known.iter().copied());
        let expected = match known {
            [only] => format!("expected {only}"),
            _ => format!("expected one of {}", known.join(", ")),
        };
        let complaint = Complaint::new(format!("unknown key '{name}'"), key.span(), expected);
        let help = near.map(|near| format!("did you mean '{near}'?"));
        self.complaints.push(complaint.helped(help));
    }

    fn mistyped(&mut self, value: &Value<'_>, expected: &str) {
        let found = match value.get_ref() {
            DeValue::String(_) => "a text",
            DeValue::Integer(_) => "a number",
            DeValue::Float(_) => "a number with a fraction",
            DeValue::Boolean(_) => "true or false",
            DeValue::Datetime(_) => "a date or a time",
            DeValue::Array(_) => "a list",
            DeValue::Table(_) => "a table",
        };
        let message = format!("{found} where something else is expected");
        self.complain(message, value.span(), format!("expected {expected}"));
    }

    fn complain(
        &mut self,
        message: impl Into<String>,
        place: Range<usize>,
        label: impl Into<String>,
    ) {
        self.complain_helping(message, place, label, None);
    }

    fn complain_helping(
        &mut self,
        message: impl Into<String>,
        place: Range<usize>,
        label: impl Into<String>,
        help: Option<String>,
    ) {
        let complaint = Complaint::new(message, place, label);
        self.complaints.push(complaint.helped(help));
    }
}

/// What a budget of that kind may limit.
fn costs_of(scope: &BudgetScope) -> Vec<BudgetCost> {
    match scope {
        BudgetScope::Method(_) | BudgetScope::Function(_) => BudgetCost::OF_METHODS.to_vec(),
        BudgetScope::Named(_) | BudgetScope::Test(_) => {
            CostName::every().map(BudgetCost::Of).collect()
        }
    }
}
