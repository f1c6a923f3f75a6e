//! What the counts of a profile are. Tally counts sends, and knows all other counts too. A profile that was read from a
//! file of another tool has the unit of that file. It lacks the counts that the file does not hold. A missing count is
//! zero in memory. No report and no file shows it: every writer consults the unit.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The line of a callgrind file whose numbers of calls mean nothing. We write such files from stacks.
pub(crate) const NO_CALLS: &str = "desc: Calls: not known\n";

/// The name of the unit of work.
const WORK: &str = "units of work";

/// The longest name of a unit that is read, in bytes.
const LONGEST: usize = 100;

/// The unit of `own` and `total`, and the knowledge that comes with it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unit {
    /// The counted thing, in the plural: `sends`, `Ir`, `samples`.
    pub name: String,
    /// The format of the file that held the counts; absent for counts by Tally.
    pub format: Option<String>,
    /// Whether it is known how often each function was called.
    #[serde(rename = "hasCalls")]
    pub calls: bool,
}

impl Default for Unit {
    fn default() -> Unit {
        Unit {
            name: "sends".to_string(),
            format: None,
            calls: true,
        }
    }
}

impl Unit {
    /// The unit of explanations of work.
    pub fn work() -> Unit {
        Unit {
            name: WORK.to_string(),
            ..Unit::default()
        }
    }

    /// Whether it is the unit of work.
    pub fn is_work(&self) -> bool {
        self.is_tally() && self.name == WORK
    }

    /// The unit of a file of that format. A name on one line is made of the given text.
    pub(crate) fn imported(name: &str, format: &str, calls: bool) -> Unit {
        let printed = tally_presentation::printable(name.trim());
        let end = printed.floor_char_boundary(LONGEST.min(printed.len()));
        let name = match &printed[..end] {
            "" => "counts",
            name => name,
        };
        Unit {
            name: name.to_string(),
            format: Some(format.to_string()),
            calls,
        }
    }

    /// Whether its texts can stand in reports: those of a file that was written by other means may be anything.
    pub(crate) fn is_sound(&self) -> bool {
        let texts = self.format.iter().chain([&self.name]);
        let mut texts = texts.map(String::as_str);
        texts.all(|text| {
            let is_plain = tally_presentation::printable(text) == text;
            is_plain && !text.is_empty() && text.len() <= LONGEST
        })
    }

    /// Whether Tally counted. Then all counts are known.
    pub fn is_tally(&self) -> bool {
        self.format.is_none()
    }

    pub(crate) fn is_default(unit: &Unit) -> bool {
        unit.is_tally()
    }

    /// The name, and the format if a name without it would say too little.
    pub fn described(&self) -> String {
        match &self.format {
            Some(format) => format!("{} of a {format} file", self.name),
            None => self.name.clone(),
        }
    }

    /// What both units know: whether calls are known on both sides. Only for units of the same name.
    pub fn of_both(&self, other: &Unit) -> Unit {
        Unit {
            calls: self.calls && other.calls,
            ..self.clone()
        }
    }

    /// What is counted: methods by Tally, functions by others.
    pub fn subject(&self) -> &'static str {
        match self.is_tally() {
            true => "method",
            false => "function",
        }
    }

    /// The limits of the counts, a line for the foot of every report.
    pub fn proxy(&self) -> String {
        match &self.format {
            None => crate::report::PROXY.to_string(),
            Some(format) => {
                let lacking = match self.calls {
                    true => "send sites or allocations",
                    false => "numbers of calls, send sites or allocations",
                };
                format!(
                    "The counts are those of a {format} file. It holds no {lacking}, so none are shown.\n"
                )
            }
        }
    }

    /// Removes the members that this unit does not know from a document in JSON, at any depth, and calls the sends by the
    /// name `count`.
    pub fn omit_unknown(&self, document: &mut Value) {
        if self.is_tally() {
            return;
        }
        let mut waiting = vec![document];
        while let Some(value) = waiting.pop() {
            match value {
                Value::Object(members) => {
                    members.retain(|name, value| self.is_known(name, value));
                    if let Some(count) = members.remove("sends") {
                        members.insert(COUNT.to_string(), count);
                    }
                    waiting.extend(members.iter_mut().map(|(_, value)| value));
                }
                Value::Array(values) => waiting.extend(values),
                _ => {}
            }
        }
    }

    fn is_known(&self, member: &str, value: &Value) -> bool {
        match member {
            // The table of calls has totals too.
            "calls" => self.calls || value.is_array(),
            other => !UNKNOWN.contains(&other),
        }
    }
}

/// What stands for `sends` in documents about another unit.
const COUNT: &str = "count";

/// Puts zeros where [`Unit::omit_unknown`] removed members from a profile, so that one type reads all profiles.
pub(crate) fn restore_unknown(profile: &mut Value) {
    const NO_DIGEST: &str = "0000000000000000";
    let fill = |members: &mut Value, defaults: Value| {
        let (Value::Object(members), Value::Object(defaults)) = (members, defaults) else {
            return;
        };
        for (name, value) in defaults {
            members.entry(name).or_insert(value);
        }
    };
    let rows = |profile: &mut Value, table: &str, defaults: Value| {
        let rows = profile.get_mut(table).and_then(Value::as_array_mut);
        let rows = rows.into_iter().flatten();
        rows.for_each(|row| fill(row, defaults.clone()));
    };
    fill(
        profile,
        json!({"model": 0, "library": NO_DIGEST, "arguments": [], "seed": 0, "limits": {"depth": 0},
            "ending": "finished", "reproducible": true}),
    );
    if let Some(cost) = profile.get_mut("cost") {
        if let Some(count) = cost.as_object_mut().and_then(|cost| cost.remove(COUNT)) {
            cost["sends"] = count;
        }
        fill(
            cost,
            json!({"loops": 0, "activations": 0, "blocks": 0, "steps": 0, "primitives": {}, "called": 0, "counters": {}, "work": 0,
                "allocations": {"objects": 0, "bytes": 0}}),
        );
    }
    let method = json!({"category": "", "digest": NO_DIGEST, "calls": 0, "blockCalls": 0, "isLibrary": false});
    rows(profile, "methods", method);
    rows(profile, "contexts", json!({"calls": 0}));
    rows(profile, "calls", json!({"calls": 0, "blockCalls": 0}));
    // Activations are known where calls are.
    let calls = profile.get("methods").and_then(Value::as_array);
    let calls = calls.into_iter().flatten();
    let sum = calls.fold(0_u64, |sum, method| {
        sum.saturating_add(method["calls"].as_u64().unwrap_or(0))
    });
    if let Some(cost) = profile.get_mut("cost").and_then(Value::as_object_mut) {
        cost.insert("activations".to_string(), json!(sum));
    }
}

/// The members of documents that no imported profile has.
const UNKNOWN: &[&str] = &[
    "activations",
    "allocations",
    "arguments",
    "block",
    "blockCalls",
    "blocks",
    "bytes",
    "called",
    "category",
    "counters",
    "cumulative",
    "digest",
    "ending",
    "endings",
    "inputs",
    "steps",
    "isLibrary",
    "library",
    "limits",
    "loops",
    "model",
    "objects",
    "opposed",
    "ownWork",
    "primitives",
    "reproducible",
    "seed",
    "sites",
    "totalWork",
    "work",
];
