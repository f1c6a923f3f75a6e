//! Files of speedscope: sampled profiles, which are stacks with weights, and evented ones, which open and close frames. An
//! opened frame may stand for many calls, so calls are not known. Profiles of one unit, such as those of threads, are
//! added up. Times become nanoseconds, because counts are whole numbers.

use serde::Deserialize;
use serde_json::Number;

use super::function::Function;
use super::stacks::{ROOT, Stacks};
use super::{ImportError, chosen};
use crate::profile::Profile;
use crate::recording::MAX_CONTENT;
use crate::unit::Unit;

/// Units of time, and their nanoseconds.
const TIMES: [(&str, u64); 4] = [
    ("nanoseconds", 1),
    ("microseconds", 1_000),
    ("milliseconds", 1_000_000),
    ("seconds", 1_000_000_000),
];
/// Below this, a floating-point number holds every whole number.
const MOST: f64 = 9_007_199_254_740_992.0;
/// Frames that may be open at once.
const DEEPEST: usize = 1_000_000;

#[derive(Deserialize)]
struct File {
    shared: Shared,
    profiles: Vec<Chart>,
}

#[derive(Deserialize)]
struct Shared {
    frames: Vec<Frame>,
}

#[derive(Deserialize)]
struct Frame {
    name: String,
    #[serde(default)]
    file: Option<String>,
    #[serde(default)]
    line: Option<u64>,
}

/// One of the profiles.
#[derive(Deserialize)]
struct Chart {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    name: String,
    #[serde(default)]
    unit: String,
    #[serde(default)]
    events: Vec<Event>,
    #[serde(default)]
    samples: Vec<Vec<usize>>,
    #[serde(default)]
    weights: Vec<Number>,
}

#[derive(Deserialize)]
struct Event {
    #[serde(rename = "type")]
    kind: String,
    frame: usize,
    at: Number,
}

/// Whether a file begins as files of this format do. Its schema may stand anywhere, so the beginning only excludes files.
pub(super) fn begins(bytes: &[u8]) -> bool {
    let start = String::from_utf8_lossy(&bytes[..bytes.len().min(4096)]);
    start.trim_start().starts_with('{') && start.contains("speedscope.app/file-format-schema.json")
}

/// Reads a file.
pub(super) fn read(bytes: &[u8], event: Option<&str>) -> Result<Profile, ImportError> {
    // Decoded, a file takes several times its length.
    if bytes.len() > MAX_CONTENT {
        return Err(ImportError::too_much_memory());
    }
    let file: File = serde_json::from_slice(bytes)
        .map_err(|error| ImportError::at(error.line().max(1), error.to_string()))?;
    let mut units: Vec<String> = Vec::new();
    for chart in &file.profiles {
        let unit = chart.unit_name();
        if !units.contains(&unit) {
            units.push(unit);
        }
    }
    if units.is_empty() {
        return Err(ImportError::whole("it has no profiles"));
    }
    let unit = &units[chosen(&units, event)?];
    let scale = TIMES.iter().find(|(name, _)| name == unit);
    let (unit_name, scale) = match scale {
        Some((_, scale)) => ("nanoseconds", *scale),
        None => (unit.as_str(), 1),
    };
    let mut stacks = Stacks::new();
    let frames = file.shared.frames.iter().map(|frame| {
        let path = frame.file.as_deref().unwrap_or_default();
        let line = frame.line.and_then(|line| usize::try_from(line).ok());
        stacks.number(Function::new(&frame.name, path, ""), line.unwrap_or(0))
    });
    let frames = frames.collect::<Result<Vec<u32>, _>>()?;
    for chart in file
        .profiles
        .iter()
        .filter(|chart| &chart.unit_name() == unit)
    {
        match chart.kind.as_str() {
            "sampled" => sampled(chart, scale, &frames, &mut stacks)?,
            "evented" => evented(chart, scale, &frames, &mut stacks)?,
            kind => {
                let why = format!("it has a profile of the unknown type '{kind}'");
                return Err(ImportError::whole(why));
            }
        }
    }
    stacks.profile(Unit::imported(unit_name, "speedscope", false), bytes)
}

impl Chart {
    /// The unit; a profile without one counts what its name says.
    fn unit_name(&self) -> String {
        match (self.unit.as_str(), self.name.as_str()) {
            ("none" | "", "") => "counts".to_string(),
            ("none" | "", name) if name.chars().all(|c| c.is_alphabetic() || c == ' ') => {
                name.to_string()
            }
            ("none" | "", _) => "counts".to_string(),
            (unit, _) => unit.to_string(),
        }
    }
}

fn frame(frames: &[u32], index: usize) -> Result<u32, ImportError> {
    let frame = frames.get(index).copied();
    frame.ok_or_else(|| ImportError::whole(format!("it has no frame {index}")))
}

/// A count: a whole number in the unit, or a time that is rounded to nanoseconds.
fn count(number: &Number, scale: u64) -> Result<u64, ImportError> {
    let scaled = |value: f64| {
        let value = value * scale as f64;
        let is_exact = scale > 1 || value.fract() == 0.0;
        (is_exact && (0.0..MOST).contains(&value)).then(|| value.round() as u64)
    };
    let whole = number.as_u64().map(|value| value.checked_mul(scale));
    let count = whole.unwrap_or_else(|| number.as_f64().and_then(scaled));
    count.ok_or_else(|| {
        ImportError::whole(format!(
            "{number} is no count: expected a whole number of at most 64 bits"
        ))
    })
}

fn sampled(
    chart: &Chart,
    scale: u64,
    frames: &[u32],
    stacks: &mut Stacks,
) -> Result<(), ImportError> {
    if !chart.weights.is_empty() && chart.weights.len() != chart.samples.len() {
        let why = format!(
            "it has {} samples and {} weights",
            chart.samples.len(),
            chart.weights.len()
        );
        return Err(ImportError::whole(why));
    }
    for (index, sample) in chart.samples.iter().enumerate() {
        let mut place = ROOT;
        for number in sample {
            place = stacks.below(place, frame(frames, *number)?)?;
        }
        let weight = chart.weights.get(index).map(|weight| count(weight, scale));
        let weight = weight.transpose()?;
        if !stacks.add(place, weight.unwrap_or(1)) {
            return Err(ImportError::too_large());
        }
    }
    Ok(())
}

fn evented(
    chart: &Chart,
    scale: u64,
    frames: &[u32],
    stacks: &mut Stacks,
) -> Result<(), ImportError> {
    let mut open: Vec<(usize, u32)> = Vec::new();
    let mut last = None;
    for (number, event) in chart.events.iter().enumerate() {
        let wrong = |why: &str| ImportError::whole(format!("event {number}: {why}"));
        let at = count(&event.at, scale)?;
        let passed = at
            .checked_sub(last.unwrap_or(at))
            .ok_or_else(|| wrong("it stands before the event above"))?;
        last = Some(at);
        let place = open.last().map_or(ROOT, |(_, place)| *place);
        if !stacks.add(place, passed) {
            return Err(ImportError::too_large());
        }
        match (event.kind.as_str(), open.last()) {
            ("O", _) if open.len() >= DEEPEST => return Err(wrong("too many frames are open")),
            ("O", _) => {
                let below = stacks.below(place, frame(frames, event.frame)?)?;
                open.push((event.frame, below));
            }
            ("C", Some((top, _))) if *top == event.frame => drop(open.pop()),
            ("C", _) => return Err(wrong("it closes a frame that is not the innermost")),
            _ => return Err(wrong("expected the type O or C")),
        }
    }
    match open.is_empty() {
        true => Ok(()),
        false => Err(ImportError::whole(
            "frames are open at its end: the file was cut",
        )),
    }
}
