//! Profiles as JSON; `docs/PROFILE.md` describes the schema. The reader accepts any profile of the same major number, by
//! any writer. It checks the properties that the rest of the crate relies on. This module opens no files.

use std::fmt;

use serde::Serialize;
use serde::de::IgnoredAny;
use serde_json::Value;

use crate::profile::Profile;
use crate::unit::{Unit, restore_unknown};

/// The schema that is written, and the only one that is read.
pub const PROFILE_SCHEMA: &str = "tally.profile/1";

/// Why a text is no profile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReadError {
    /// It is not JSON, or a member is missing or of the wrong type.
    Malformed(String),
    /// It is another kind of document or another major number.
    Schema(String),
    /// A member has a value that no profile has.
    Invalid(String),
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReadError::Malformed(why) => write!(f, "not a profile: {why}"),
            ReadError::Schema(found) => {
                write!(
                    f,
                    "not a profile: its schema is '{found}', expected '{PROFILE_SCHEMA}'"
                )
            }
            ReadError::Invalid(why) => write!(f, "damaged profile: {why}"),
        }
    }
}

impl std::error::Error for ReadError {}

/// Writes a profile as indented JSON that ends in a newline.
///
/// # Errors
/// Only if a profile could not be represented as JSON, which its types rule out.
pub fn to_json(profile: &Profile) -> Result<String, serde_json::Error> {
    match profile.unit.is_tally() {
        true => serde_json::to_string_pretty(profile).map(|text| text + "\n"),
        false => known_json(&profile.unit, PROFILE_SCHEMA, profile),
    }
}

/// A document as indented JSON that ends in a newline, with the members that a unit knows. The schema comes first.
///
/// # Errors
/// Only if the document could not be represented as JSON.
pub fn known_json(
    unit: &Unit,
    schema: &str,
    document: &impl Serialize,
) -> Result<String, serde_json::Error> {
    let mut rest = serde_json::to_value(document)?;
    unit.omit_unknown(&mut rest);
    if let Some(members) = rest.as_object_mut() {
        members.remove("schema");
    }
    let known = Known { schema, rest };
    serde_json::to_string_pretty(&known).map(|text| text + "\n")
}

/// A document whose schema comes first.
#[derive(Serialize)]
struct Known<'d> {
    schema: &'d str,
    #[serde(flatten)]
    rest: Value,
}

/// Reads a profile back.
///
/// # Errors
/// The text is not JSON, has another schema, or holds values that no profile has.
pub fn from_json(text: &str) -> Result<Profile, ReadError> {
    let malformed = |e: serde_json::Error| ReadError::Malformed(e.to_string());
    // The schema is looked at first: that a member is missing says little about another document. Nothing else is kept meanwhile.
    let Schema { schema, unit } = serde_json::from_str(text).map_err(malformed)?;
    match schema.as_ref().and_then(Value::as_str) {
        Some(PROFILE_SCHEMA) => {}
        Some(other) => return Err(ReadError::Schema(other.to_string())),
        None => return Err(ReadError::Malformed("there is no \"schema\"".to_string())),
    }
    // From the text again, so that the error names a line and a column.
    let profile: Profile = match unit {
        None => serde_json::from_str(text).map_err(malformed)?,
        Some(_) => {
            let mut document: Value = serde_json::from_str(text).map_err(malformed)?;
            restore_unknown(&mut document);
            serde_json::from_value(document).map_err(malformed)?
        }
    };
    validate(&profile)?;
    Ok(profile)
}

/// The schema of a document.
#[derive(serde::Deserialize)]
struct Schema {
    #[serde(default)]
    schema: Option<Value>,
    /// Only an imported profile has one.
    #[serde(default)]
    unit: Option<IgnoredAny>,
}

pub(crate) fn validate(profile: &Profile) -> Result<(), ReadError> {
    let is_digest = |text: &str| text.len() == 16 && text.bytes().all(|b| b.is_ascii_hexdigit());
    let digests = [("library", &profile.library), ("program", &profile.program)];
    for (member, digest) in digests {
        if !is_digest(digest) {
            return Err(ReadError::Invalid(format!("\"{member}\" is not a digest")));
        }
    }
    let cost = &profile.cost;
    if profile.model == tally_vm::MODEL_VERSION && cost.work > 0 && cost.work != cost.weighted_sum()
    {
        let why = "the \"work\" of the run is not the sum of its weighted counts";
        return Err(ReadError::Invalid(why.to_string()));
    }
    if !profile.unit.is_sound() {
        return Err(ReadError::Invalid("the \"unit\" has no name".to_string()));
    }
    for method in &profile.methods {
        if method.name.is_empty() {
            return Err(ReadError::Invalid("a method has no name".to_string()));
        }
        if !is_digest(&method.digest) {
            let why = format!("the \"digest\" of {} is not a digest", method.name);
            return Err(ReadError::Invalid(why));
        }
        if !method.code.as_deref().is_none_or(is_digest) {
            let why = format!("the \"code\" of {} is not a digest", method.name);
            return Err(ReadError::Invalid(why));
        }
    }
    match crate::check_identities(profile).first() {
        Some(violation) => Err(ReadError::Invalid(violation.to_string())),
        None => Ok(()),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::profile::{
        Allocated, Allocation, Call, Context, ContextKind, CostVector, Ending, Limits,
        MethodProfile, Site,
    };

    fn method(name: &str, own: u64, total: u64) -> MethodProfile {
        MethodProfile {
            name: name.to_string(),
            class: String::new(),
            selector: String::new(),
            package: String::new(),
            category: String::new(),
            file: "a.st".to_string(),
            line: 1,
            digest: "0123456789abcdef".to_string(),
            calls: 1,
            block_calls: 0,
            own,
            total,
            cumulative: total,
            code: None,
            allocations: Allocated::default(),
            is_library: false,
            source: String::new(),
            ..MethodProfile::default()
        }
    }

    fn context(parent: Option<u32>, kind: ContextKind, method: Option<u32>) -> Context {
        Context {
            parent,
            kind,
            method,
            block: u32::from(kind == ContextKind::Block),
            calls: u64::from(kind != ContextKind::Run),
            own: 0,
            total: 0,
            allocations: Allocated::default(),
            ..Context::default()
        }
    }

    /// A small profile that satisfies the identities: a script calls a method with a block that the method
    /// evaluates four times.
    pub(crate) fn example() -> Profile {
        let made = Allocated {
            objects: 2,
            bytes: 48,
        };
        let mut script = method("a.st", 4, 10);
        script.allocations = made;
        let mut callee = method("A>>b", 6, 6);
        callee.block_calls = 4;
        let mut contexts = vec![
            context(None, ContextKind::Run, None),
            context(Some(0), ContextKind::Method, Some(0)),
            context(Some(1), ContextKind::Method, Some(1)),
            context(Some(2), ContextKind::Block, Some(1)),
        ];
        let counts = [(0, 10, 0), (4, 10, 1), (5, 6, 1), (1, 1, 4)];
        for (context, (own, total, calls)) in contexts.iter_mut().zip(counts) {
            (context.own, context.total, context.calls) = (own, total, calls);
        }
        contexts[1].allocations = made;
        for (context, work) in contexts.iter_mut().zip([0, 700, 900, 100]) {
            context.work = work;
        }
        for (context, work) in contexts.iter_mut().zip([1700, 1700, 1000, 100]) {
            context.total_work = work;
        }
        contexts[1].primitive_work = 50;
        (script.own_work, script.total_work) = (700, 1700);
        (callee.own_work, callee.total_work) = (1000, 1000);
        let call = |caller, callee, calls, block_calls, total, total_work| Call {
            caller,
            callee,
            calls,
            block_calls,
            total,
            total_work,
        };
        let site = |method, line, sends, calls, total, total_work| Site {
            method,
            line,
            column: 3,
            selector: "b".to_string(),
            is_super: false,
            sends,
            calls,
            total,
            work: 105 * sends,
            total_work,
        };
        Profile {
            schema: PROFILE_SCHEMA.to_string(),
            model: 1,
            library: "00000000000000aa".to_string(),
            program: "00000000000000bb".to_string(),
            unit: Unit::default(),
            files: vec!["a.st".to_string()],
            arguments: Vec::new(),
            seed: 1,
            limits: Limits {
                depth: 10,
                ..Limits::default()
            },
            ending: Ending::Finished,
            reproducible: true,
            cost: CostVector {
                sends: 10,
                activations: 2,
                blocks: 4,
                allocations: made,
                ..CostVector::default()
            },
            inlined: None,
            definitions: None,
            inputs: None,
            revision: None,
            methods: vec![script, callee],
            contexts,
            is_tree_complete: true,
            calls: vec![
                call(None, 0, 1, 0, 10, 1700),
                call(Some(0), 1, 1, 0, 6, 1000),
                call(Some(1), 1, 0, 4, 1, 100),
            ],
            sites: vec![
                site(0, 1, 3, 0, 0, 0),
                site(0, 2, 1, 1, 6, 1000),
                site(1, 3, 5, 4, 1, 100),
                site(1, 4, 1, 0, 0, 0),
            ],
            allocations: vec![Allocation {
                context: 1,
                class: "Array".to_string(),
                site: Some(0),
                objects: 2,
                bytes: 48,
            }],
        }
    }

    #[test]
    fn what_is_written_is_read_back() {
        let text = to_json(&example()).unwrap();
        assert_eq!(from_json(&text), Ok(example()));
        assert!(
            text.starts_with("{\n  \"schema\": \"tally.profile/1\""),
            "{text}"
        );
    }

    #[test]
    fn a_later_minor_version_may_have_more_members() {
        let text = to_json(&example())
            .unwrap()
            .replacen('{', "{\"later\": [1],", 1);
        assert_eq!(from_json(&text), Ok(example()));
    }

    #[test]
    fn what_is_no_profile_is_refused_with_a_reason() {
        let good = to_json(&example()).unwrap();
        let broken = [
            ("", "EOF"),
            ("[]", "no \"schema\""),
            ("{\"schema\": \"tally.profile/2\"}", "tally.profile/2"),
            ("{\"schema\": \"tally.profile/1\"}", "missing field"),
            (&good.replace("\"own\": 6", "\"own\": -6"), "invalid value"),
            (&good.replace("\"own\": 6", "\"own\": 5"), "add up to 9"),
            (
                &good.replace("\"kind\": \"block\"", "\"kind\": \"run\""),
                "context 3",
            ),
            (&good.replace("0123456789abcdef", "zz"), "is not a digest"),
            (&good[..good.len() / 2], "EOF"),
        ];
        for (text, reason) in broken {
            let error = from_json(text).unwrap_err().to_string();
            assert!(error.contains(reason), "{error} should mention {reason}");
        }
    }
}
