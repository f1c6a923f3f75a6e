//! Callgrind's format, as valgrind and others write it: names with numbers, relative positions, several events, parts and
//! threads in one file. A function is known by its name, its file and its object. The lines of code that was inlined into
//! a function are the function's own. Jumps are passed over.

use std::collections::HashMap;

use super::function::Function;
use super::graph::Graph;
use super::{ImportError, chosen};
use crate::profile::Profile;
use crate::unit::{NO_CALLS, Unit};

/// The most events and positions of a line.
const MOST_COLUMNS: usize = 1000;

/// Writers that end a part with its totals if they begin it with a summary.
const TOTALLERS: [&str; 2] = ["callgrind", "tally"];

/// Headers that a file of this format may begin with.
const HEADERS: [&str; 6] = [
    "# callgrind format",
    "version:",
    "creator:",
    "positions:",
    "events:",
    "cmd:",
];

/// Whether a file begins as files of this format do.
pub(super) fn begins(bytes: &[u8]) -> bool {
    let start = &bytes[..bytes.len().min(1024)];
    let text = String::from_utf8_lossy(start);
    let text = text.trim_start();
    HEADERS.iter().any(|header| text.starts_with(header))
}

/// Reads a file.
pub(super) fn read(bytes: &[u8], event: Option<&str>) -> Result<Profile, ImportError> {
    let mut file = File::new(event);
    for (line, text) in (1..).zip(bytes.split(|byte| *byte == b'\n')) {
        let text = String::from_utf8_lossy(text);
        file.line(text.trim_end_matches('\r').trim())
            .map_err(|why| ImportError::at(line, why))?;
    }
    file.end_part().map_err(ImportError::whole)?;
    let Some(name) = file.name else {
        return Err(ImportError::whole("it has no line 'events:'"));
    };
    let event = chosen(&file.events, file.wanted)?;
    debug_assert_eq!(file.events.get(event), Some(&name), "one event is read");
    if !file.has_counts {
        return Err(ImportError::whole("it has no counts"));
    }
    let unit = Unit::imported(&name, "callgrind", file.has_calls);
    file.graph.profile(unit, bytes)
}

/// The state of reading a file.
struct File<'w> {
    wanted: Option<&'w str>,
    graph: Graph,
    /// The name of the event that is read.
    name: Option<String>,
    /// The events of all parts.
    events: Vec<String>,
    /// The column of the event in this part; absent if the part lacks it.
    column: Option<usize>,
    /// Columns of this part: positions, then events.
    positions: Positions,
    columns: usize,
    files: Names,
    functions: Names,
    objects: Names,
    /// The function whose lines follow.
    function: Option<u32>,
    object: String,
    /// The file of the function, and of the lines that follow.
    own_file: String,
    file: String,
    /// The callee of the next call.
    called: Called,
    /// A call whose costs follow: callee and count.
    call: Option<(u32, u64)>,
    /// A jump, whose line follows.
    is_jump: bool,
    has_counts: bool,
    has_calls: bool,
    /// Whether the writer ends each part with totals, and whether this part still lacks them.
    ends_with_totals: bool,
    needs_totals: bool,
    /// The sum of this part, and the sum that the part states.
    sum: u128,
    totals: Option<u128>,
}

#[derive(Default)]
struct Called {
    name: Option<String>,
    file: Option<String>,
    object: Option<String>,
}

/// The positions of a part, and the last values.
struct Positions {
    last: Vec<u64>,
    /// The column that holds lines.
    line: Option<usize>,
}

/// Names by their numbers.
#[derive(Default)]
struct Names(HashMap<u64, String>);

impl Names {
    /// The name in a text: `(1) name` defines a number, `(1)` refers to one. By the format, a text that does not begin with
    /// a parenthesis and a digit is a name itself, for instance `(below main)`.
    fn name(&mut self, text: &str) -> Result<String, String> {
        let rest = text.strip_prefix('(');
        let Some(rest) = rest.filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit())) else {
            return Ok(text.to_string());
        };
        let (digits, name) = rest
            .split_once(')')
            .ok_or_else(|| format!("'{text}' lacks the parenthesis behind its number"))?;
        let number = number(digits)?;
        match name.trim() {
            "" => {
                let known = self.0.get(&number).cloned();
                known.ok_or_else(|| format!("the name ({number}) was not defined before"))
            }
            name => {
                self.0.insert(number, name.to_string());
                Ok(name.to_string())
            }
        }
    }
}

impl<'w> File<'w> {
    fn new(wanted: Option<&'w str>) -> File<'w> {
        File {
            wanted,
            graph: Graph::default(),
            name: None,
            events: Vec::new(),
            column: None,
            positions: Positions {
                last: vec![0],
                line: Some(0),
            },
            columns: 0,
            files: Names::default(),
            functions: Names::default(),
            objects: Names::default(),
            function: None,
            object: String::new(),
            own_file: String::new(),
            file: String::new(),
            called: Called::default(),
            call: None,
            is_jump: false,
            has_counts: false,
            has_calls: true,
            ends_with_totals: false,
            needs_totals: false,
            sum: 0,
            totals: None,
        }
    }

    fn line(&mut self, line: &str) -> Result<(), String> {
        match line.as_bytes() {
            [] | [b'#', ..] => return Ok(()),
            [b'0'..=b'9' | b'+' | b'-' | b'*', ..] => return self.costs(line),
            _ => {}
        }
        // Names of functions have colons and equals signs; keys have neither.
        let end = line.find(|c: char| !c.is_ascii_alphanumeric());
        let (key, rest) = line.split_at(end.unwrap_or(line.len()));
        match rest.as_bytes() {
            [b'=', ..] => self.specification(key, rest[1..].trim()),
            [b':', ..] => self.header(key, rest[1..].trim()),
            _ => Err("expected a header, a name or a line of costs".to_string()),
        }
    }

    fn header(&mut self, key: &str, value: &str) -> Result<(), String> {
        match key {
            "events" => self.new_events(value),
            "positions" => self.new_positions(value),
            "part" | "thread" => self.end_part(),
            "desc" if NO_CALLS.trim_end().ends_with(value) && value.starts_with("Calls:") => {
                self.has_calls = false;
                Ok(())
            }
            "creator" => {
                self.ends_with_totals = TOTALLERS.iter().any(|name| value.starts_with(name));
                Ok(())
            }
            "summary" => {
                self.needs_totals = self.ends_with_totals;
                Ok(())
            }
            "totals" => {
                let total = match self.column {
                    Some(column) => value.split_whitespace().nth(column).map(number),
                    None => None,
                };
                self.totals = total.transpose()?.map(u128::from);
                self.needs_totals = false;
                Ok(())
            }
            // Descriptions, and what only other tools need.
            _ => Ok(()),
        }
    }

    fn new_events(&mut self, value: &str) -> Result<(), String> {
        let names: Vec<&str> = value.split_whitespace().collect();
        if names.is_empty() || names.len() > MOST_COLUMNS {
            return Err("expected the names of events".to_string());
        }
        for name in &names {
            if !self.events.iter().any(|known| known == name) {
                self.events.push((*name).to_string());
            }
        }
        if self.events.len() > MOST_COLUMNS {
            return Err(format!("there are more than {MOST_COLUMNS} events"));
        }
        let name = match (&self.name, self.wanted) {
            (Some(name), _) => name.clone(),
            (None, Some(wanted)) => wanted.to_string(),
            (None, None) => names[0].to_string(),
        };
        self.column = names.iter().position(|other| *other == name);
        self.columns = names.len();
        self.name = Some(name);
        Ok(())
    }

    fn new_positions(&mut self, value: &str) -> Result<(), String> {
        let names: Vec<&str> = value.split_whitespace().collect();
        if names.is_empty() || names.len() > MOST_COLUMNS {
            return Err("expected the names of positions".to_string());
        }
        self.positions = Positions {
            last: vec![0; names.len()],
            line: names.iter().position(|name| *name == "line"),
        };
        Ok(())
    }

    fn specification(&mut self, key: &str, value: &str) -> Result<(), String> {
        match key {
            "ob" => self.object = self.objects.name(value)?,
            "fl" => {
                self.own_file = self.files.name(value)?;
                self.file.clone_from(&self.own_file);
            }
            "fi" | "fe" => self.file = self.files.name(value)?,
            "fn" => {
                let name = self.functions.name(value)?;
                // The file of inlined code ends with the function.
                self.file.clone_from(&self.own_file);
                let function = Function::new(&name, &self.own_file, &self.object);
                self.function = Some(self.graph.number(function).map_err(|error| error.why)?);
            }
            "cob" => self.called.object = Some(self.objects.name(value)?),
            "cfi" | "cfl" => self.called.file = Some(self.files.name(value)?),
            "cfn" => self.called.name = Some(self.functions.name(value)?),
            "calls" => {
                let calls = value.split_whitespace().next().unwrap_or_default();
                self.call = Some((self.callee()?, number(calls)?));
            }
            "jump" | "jcnd" => self.is_jump = true,
            // These may define numbers.
            "jfi" => drop(self.files.name(value)?),
            "jfn" => drop(self.functions.name(value)?),
            _ => return Err(format!("unknown key '{key}'")),
        }
        Ok(())
    }

    /// The function that is called. Its file and its object are those of the caller's line unless they are named.
    fn callee(&mut self) -> Result<u32, String> {
        let called = std::mem::take(&mut self.called);
        let name = called
            .name
            .ok_or("a call of no function: 'cfn=' is missing")?;
        let file = called.file.as_deref().unwrap_or(&self.file);
        let object = called.object.as_deref().unwrap_or(&self.object);
        let function = Function::new(&name, file, object);
        self.graph.number(function).map_err(|error| error.why)
    }

    /// A line of costs: positions, then counts. Counts that are not there are zero.
    fn costs(&mut self, line: &str) -> Result<(), String> {
        if self.name.is_none() {
            return Err("costs before the line 'events:'".to_string());
        }
        let function = self
            .function
            .ok_or("costs of no function: 'fn=' is missing")?;
        let mut words = line.split_whitespace();
        for last in &mut self.positions.last {
            let Some(word) = words.next() else { break };
            *last = position(word, *last)?;
        }
        let mut count = 0;
        for (column, word) in words.enumerate() {
            if column >= self.columns {
                return Err(format!("more than {} counts", self.columns));
            }
            let value = number(word)?;
            if Some(column) == self.column {
                count = value;
            }
        }
        if std::mem::take(&mut self.is_jump) {
            return Ok(());
        }
        self.has_counts = true;
        let has_room = match self.call.take() {
            Some((callee, calls)) => self.graph.add_call(function, callee, calls, count),
            None => {
                if self.file == self.own_file
                    && let Some(line) = self
                        .positions
                        .line
                        .and_then(|at| self.positions.last.get(at))
                {
                    let line = usize::try_from(*line).unwrap_or(0);
                    self.graph.note_line(function, line);
                }
                self.sum += u128::from(count);
                self.graph.add_own(function, count)
            }
        };
        match has_room {
            true => Ok(()),
            false => Err("the sum of the counts exceeds 64 bits".to_string()),
        }
    }

    /// Compares the sum of a part with the sum that the part states: a file that was cut does not pass.
    fn end_part(&mut self) -> Result<(), String> {
        if self.call.take().is_some() {
            return Err("a call without costs: the file was cut".to_string());
        }
        if std::mem::take(&mut self.needs_totals) {
            return Err("its line 'totals:' is missing: the file was cut".to_string());
        }
        let (sum, totals) = (std::mem::take(&mut self.sum), self.totals.take());
        match totals {
            Some(totals) if totals != sum => Err(format!(
                "its lines add up to {sum}, but its totals are {totals}: it was cut or changed"
            )),
            _ => Ok(()),
        }
    }
}

/// A number in decimal digits, or in hexadecimal digits behind `0x`.
fn number(word: &str) -> Result<u64, String> {
    let parsed = match word.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => word.parse(),
    };
    parsed.map_err(|_| format!("'{word}' is no number of at most 64 bits"))
}

/// A position: a number, or a distance from the last one.
fn position(word: &str, last: u64) -> Result<u64, String> {
    match word.as_bytes() {
        [b'*'] => Ok(last),
        [b'+', ..] => Ok(last.saturating_add(number(&word[1..])?)),
        [b'-', ..] => Ok(last.saturating_sub(number(&word[1..])?)),
        _ => number(word),
    }
}
