//! Files for speedscope: the calling-context tree as events on an axis of sends instead of time, and again on axes of
//! allocations and of work. A context's own share comes first, then its children in the order of the tree. So the axis shows
//! proportions, not the order of events.

use serde::Serialize;

use super::ExportError;
use super::tree::{Function, Step, Tree};
use crate::profile::{Context, Profile};

const SCHEMA: &str = "https://www.speedscope.app/file-format-schema.json";

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct File<'p> {
    #[serde(rename = "$schema")]
    schema: &'static str,
    name: String,
    exporter: String,
    active_profile_index: usize,
    shared: Shared<'p>,
    profiles: Vec<Evented>,
}

#[derive(Serialize)]
struct Shared<'p> {
    frames: Vec<Frame<'p>>,
}

#[derive(Serialize)]
struct Frame<'p> {
    name: &'p str,
    #[serde(skip_serializing_if = "str::is_empty")]
    file: &'p str,
    #[serde(skip_serializing_if = "is_zero")]
    line: usize,
}

impl<'p> Frame<'p> {
    fn of(function: &'p Function) -> Frame<'p> {
        Frame {
            name: &function.name,
            file: &function.file,
            line: function.line,
        }
    }
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn is_zero(line: &usize) -> bool {
    *line == 0
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Evented {
    #[serde(rename = "type")]
    kind: &'static str,
    name: String,
    unit: &'static str,
    start_value: u64,
    end_value: u64,
    events: Vec<Event>,
}

#[derive(Serialize)]
struct Event {
    #[serde(rename = "type")]
    kind: &'static str,
    frame: usize,
    at: u64,
}

/// The quantity on the axis.
struct Axis {
    name: &'static str,
    unit: &'static str,
    own: fn(&Context) -> u64,
}

const AXES: [Axis; 4] = [
    Axis {
        name: "sends",
        unit: "none",
        own: |context| context.own,
    },
    Axis {
        name: "objects allocated",
        unit: "none",
        own: |context| context.allocations.objects,
    },
    Axis {
        name: "bytes allocated",
        unit: "bytes",
        own: |context| context.allocations.bytes,
    },
    Axis {
        name: "work",
        unit: "none",
        own: |context| context.work,
    },
];

/// Writes the tree, once for each count that is not zero throughout.
pub(super) fn speedscope(profile: &Profile) -> Result<String, ExportError> {
    let tree = Tree::of(profile)?;
    let profiles: Vec<Evented> = AXES
        .iter()
        .map(|axis| evented(&tree, axis))
        .enumerate()
        .filter(|(index, evented)| *index == 0 || evented.end_value > 0)
        .map(|(_, evented)| evented)
        .collect();
    let file = File {
        schema: SCHEMA,
        name: profile.files.join(", "),
        exporter: format!("tally {}", env!("CARGO_PKG_VERSION")),
        active_profile_index: 0,
        shared: Shared {
            frames: tree.functions.iter().map(Frame::of).collect(),
        },
        profiles,
    };
    let text = serde_json::to_string(&file);
    text.map(|text| text + "\n")
        .map_err(|error| ExportError::Malformed(error.to_string()))
}

/// The units that speedscope has names for.
const UNITS: [&str; 5] = [
    "nanoseconds",
    "microseconds",
    "milliseconds",
    "seconds",
    "bytes",
];

/// The name of an axis; that of the sends is the profile's unit.
fn axis_name(profile: &Profile, axis: &Axis) -> String {
    match axis.name == AXES[0].name {
        true => profile.unit.name.clone(),
        false => axis.name.to_string(),
    }
}

fn axis_unit(profile: &Profile, axis: &Axis) -> &'static str {
    let is_unit = |unit: &&&str| axis.name == AXES[0].name && **unit == profile.unit.name;
    UNITS.iter().find(is_unit).unwrap_or(&axis.unit)
}

/// The events of the contexts whose width is not zero.
fn evented(tree: &Tree<'_>, axis: &Axis) -> Evented {
    let widths = tree.totals(axis.own);
    let mut events = Vec::new();
    let mut at: u64 = 0;
    for step in tree.walk() {
        let (Step::Enter(context) | Step::Leave(context)) = step;
        if widths[context] == 0 {
            continue;
        }
        let frame = tree.function_of(context);
        match step {
            Step::Enter(_) => {
                events.push(Event {
                    kind: "O",
                    frame,
                    at,
                });
                at = at.saturating_add((axis.own)(&tree.contexts()[context]));
            }
            Step::Leave(_) => events.push(Event {
                kind: "C",
                frame,
                at,
            }),
        }
    }
    Evented {
        kind: "evented",
        name: axis_name(tree.profile, axis),
        unit: axis_unit(tree.profile, axis),
        start_value: 0,
        end_value: at,
        events,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::examples::small as testing;

    #[test]
    fn events_nest_and_their_widths_are_the_counts() {
        let profile = testing::example();
        let file: Value = serde_json::from_str(&speedscope(&profile).unwrap()).unwrap();
        let names: Vec<&Value> = file["profiles"]
            .as_array()
            .unwrap()
            .iter()
            .map(|p| &p["name"])
            .collect();
        assert_eq!(names, ["sends", "objects allocated", "bytes allocated"]);
        let ends: Vec<u64> = file["profiles"]
            .as_array()
            .unwrap()
            .iter()
            .map(|p| p["endValue"].as_u64().unwrap())
            .collect();
        assert_eq!(ends, [15, 3, 80]);
        let events = serde_json::json!([
            {"type": "O", "frame": 0, "at": 0},
            {"type": "O", "frame": 1, "at": 0},
            {"type": "O", "frame": 2, "at": 1},
            {"type": "O", "frame": 3, "at": 1},
            {"type": "O", "frame": 4, "at": 1},
            {"type": "C", "frame": 4, "at": 3},
            {"type": "C", "frame": 3, "at": 3},
            {"type": "C", "frame": 2, "at": 3},
            {"type": "C", "frame": 1, "at": 3},
            {"type": "C", "frame": 0, "at": 3},
        ]);
        assert_eq!(file["profiles"][1]["events"], events);
    }

    #[test]
    fn frames_know_their_places() {
        let file: Value = serde_json::from_str(&speedscope(&testing::example()).unwrap()).unwrap();
        let leaf = serde_json::json!({"name": "A>>leaf", "file": "a.st", "line": 19});
        assert!(file["shared"]["frames"].as_array().unwrap().contains(&leaf));
    }

    #[test]
    fn what_allocates_nothing_has_no_axis_for_it() {
        let file: Value =
            serde_json::from_str(&speedscope(&testing::chain(100_000)).unwrap()).unwrap();
        assert_eq!(file["profiles"].as_array().unwrap().len(), 1);
        assert_eq!(file["profiles"][0]["endValue"], 100_000);
    }
}
