//! Readers of the formats of profiles: a written file must hold the profile's own numbers. The readers share no code with
//! the writers, and return an error as a sentence.

use std::collections::{BTreeMap, HashMap};

use serde_json::Value;

/// Counts by the names of functions.
pub type Counts = BTreeMap<String, u64>;

fn number(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("'{text}' is no number"))
}

/// Own sends by function of folded stacks.
///
/// # Errors
/// A line that is no stack.
pub fn folded(text: &str) -> Result<Counts, String> {
    let mut own = Counts::new();
    for line in text.lines() {
        let (stack, count) = line.rsplit_once(' ').ok_or(line)?;
        let name = stack.rsplit(';').next().unwrap_or_default();
        *own.entry(name.to_string()).or_default() += number(count)?;
    }
    Ok(own)
}

/// Own counts by function of the profile of this name in a speedscope file; none if there is no such profile.
///
/// # Errors
/// Events that do not nest or go back.
pub fn speedscope(file: &Value, name: &str) -> Result<Counts, String> {
    let profiles = file["profiles"].as_array().ok_or("no profiles")?;
    let Some(profile) = profiles.iter().find(|profile| profile["name"] == name) else {
        return Ok(Counts::new());
    };
    let frames = file["shared"]["frames"].as_array().ok_or("no frames")?;
    let mut own = Counts::new();
    let mut stack: Vec<&str> = Vec::new();
    let mut last = profile["startValue"].as_u64().ok_or("no start")?;
    for event in profile["events"].as_array().ok_or("no events")? {
        let wrong = || event.to_string();
        let at = event["at"].as_u64().ok_or_else(wrong)?;
        let frame = event["frame"]
            .as_u64()
            .and_then(|frame| usize::try_from(frame).ok());
        let frame = frame
            .and_then(|frame| frames.get(frame))
            .ok_or_else(wrong)?;
        let frame = frame["name"].as_str().ok_or_else(wrong)?;
        let passed = at.checked_sub(last).ok_or_else(wrong)?;
        match stack.last() {
            Some(top) => *own.entry((*top).to_string()).or_default() += passed,
            None if passed > 0 => return Err(wrong()),
            None => {}
        }
        last = at;
        match event["type"].as_str() {
            Some("O") => stack.push(frame),
            Some("C") if stack.last() == Some(&frame) => {
                stack.pop();
            }
            _ => return Err(wrong()),
        }
    }
    match stack.is_empty() && profile["endValue"].as_u64() == Some(last) {
        true => Ok(own),
        false => Err("it does not end where it says".to_string()),
    }
}

/// The sums of the columns of a file of line counts: sends, calls, objects, bytes, work.
///
/// # Errors
/// A row that is none.
pub fn lines(text: &str) -> Result<[u64; 5], String> {
    let mut rows = text.lines();
    let heading = rows.next().unwrap_or_default();
    let known = heading.strip_prefix("file,line,sends,calls,objects,bytes");
    // Work stands behind the other counts if it was counted.
    let columns = match known {
        Some("") => 4,
        Some(",work") => 5,
        _ => return Err(format!("the heading {heading}")),
    };
    let mut sums = [0; 5];
    for row in rows {
        // The file's name stands first and may hold anything, the counts last.
        let mut counts = row.rsplitn(columns + 2, ',');
        for sum in sums[..columns].iter_mut().rev() {
            *sum += number(counts.next().ok_or(row)?)?;
        }
        match counts.next() {
            Some("") => {}
            Some(line) => drop(number(line)?),
            None => return Err(row.to_string()),
        }
    }
    Ok(sums)
}

/// Costs of a callgrind file, one for each of its five events.
pub type Costs = [u64; 5];

/// What a callgrind file says.
#[derive(Debug, Default)]
pub struct Callgrind {
    /// Own costs by function.
    pub own: BTreeMap<String, Costs>,
    /// Calls and inclusive costs by caller and callee.
    pub calls: BTreeMap<(String, String), (u64, Costs)>,
    /// The sums that the file states, in its head and at its end.
    pub stated: Vec<Costs>,
}

impl Callgrind {
    /// All own costs together.
    pub fn total(&self) -> Costs {
        self.own.values().fold([0; 5], add)
    }

    /// A function's own costs and those of its calls.
    pub fn inclusive(&self, name: &str) -> Costs {
        let own = self.own.get(name).copied().unwrap_or_default();
        let out = self.calls.iter().filter(|((caller, _), _)| caller == name);
        out.map(|(_, (_, costs))| costs).fold(own, add)
    }

    /// The number and the costs of the calls of a function.
    pub fn incoming(&self, name: &str) -> (u64, Costs) {
        let into = self.calls.iter().filter(|((_, callee), _)| callee == name);
        into.fold((0, [0; 5]), |(count, sum), (_, (calls, costs))| {
            (count + calls, add(sum, costs))
        })
    }
}

fn add(mut sum: Costs, more: &Costs) -> Costs {
    sum.iter_mut()
        .zip(more)
        .for_each(|(sum, more)| *sum += more);
    sum
}

/// What stands in a callgrind file before the line that is read.
#[derive(Default)]
struct Place {
    /// Names of functions and of files by their numbers.
    functions: HashMap<String, String>,
    files: HashMap<String, String>,
    function: String,
    callee: String,
    /// How many calls the next line of costs is about.
    calls: Option<u64>,
}

/// Reads a callgrind file with names that are numbered, lines for positions and five events.
///
/// # Errors
/// A line that callgrind's own tools would misread.
pub fn callgrind(text: &str) -> Result<Callgrind, String> {
    let mut read = Callgrind::default();
    let mut place = Place::default();
    for line in text.lines() {
        if let Some(calls) = line.strip_prefix("calls=") {
            let count = number(calls.split(' ').next().unwrap_or_default())?;
            // A count of 0 would make the line after it one of own costs.
            place.calls = Some(Some(count).filter(|count| *count > 0).ok_or(line)?);
        } else if let Some((key @ ("fl" | "fn" | "cfi" | "cfn"), value)) = line.split_once('=') {
            let name = place.name(key.ends_with('n'), value).ok_or(line)?;
            match key {
                "fn" => {
                    read.own.entry(name.clone()).or_default();
                    place.function = name;
                }
                "cfn" => place.callee = name,
                _ => {}
            }
        } else if let Some(costs) = line
            .strip_prefix("summary: ")
            .or(line.strip_prefix("totals: "))
        {
            read.stated.push(costs_of(costs)?);
        } else if line.starts_with(|c: char| c.is_ascii_digit()) {
            let (position, costs) = line.split_once(' ').ok_or(line)?;
            number(position)?;
            let costs = costs_of(costs)?;
            match place.calls.take() {
                None => {
                    let sum = read.own.entry(place.function.clone()).or_default();
                    *sum = add(*sum, &costs);
                }
                Some(calls) => {
                    let key = (place.function.clone(), place.callee.clone());
                    let edge = read.calls.entry(key).or_default();
                    *edge = (edge.0 + calls, add(edge.1, &costs));
                }
            }
        }
    }
    Ok(read)
}

impl Place {
    /// The name behind `(number) name` or `(number)`.
    fn name(&mut self, is_function: bool, value: &str) -> Option<String> {
        let names = match is_function {
            true => &mut self.functions,
            false => &mut self.files,
        };
        let (number, name) = value.strip_prefix('(')?.split_once(')')?;
        match name.strip_prefix(' ') {
            None => names.get(number).cloned(),
            Some(name) => match names.insert(number.to_string(), name.to_string()) {
                None => Some(name.to_string()),
                Some(_) => None,
            },
        }
    }
}

fn costs_of(text: &str) -> Result<Costs, String> {
    let costs: Result<Vec<u64>, String> = text.split(' ').map(number).collect();
    Costs::try_from(costs?).map_err(|_| format!("'{text}' has not five costs"))
}
