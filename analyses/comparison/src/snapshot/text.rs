//! `tally.counts` as text: lines of a head, a line for each test, sorted, and a last line. A truncated file lacks the
//! last line. A snapshot has exactly one text: a text that differs in a single byte is refused or is another snapshot.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::fmt::Write as _;

use tally_presentation::escape::is_obeyed;
use tally_profiler::{CostName, TestCounts};

use super::{Code, Snapshot, TestRecord};

/// The file's name.
pub const NAME: &str = "tally.counts";
/// Versions of this notation: the one for counting model 1, and the one for the models after it, which have work.
const VERSIONS: [&str; 2] = ["1", "2"];
/// What the last line is.
const END: &str = "# end";
/// Characters of a line that a message shows.
const SHOWN: usize = 60;

/// Why a text is no snapshot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SnapshotError {
    /// The line, from 1.
    pub line: usize,
    /// A sentence without a full stop.
    pub message: String,
}

impl fmt::Display for SnapshotError {
    /// `5: no count: 'sends=x'`; the file's name belongs in front of it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.line, self.message)
    }
}

impl std::error::Error for SnapshotError {}

impl Snapshot {
    /// The text that stands for this snapshot.
    pub fn to_text(&self) -> String {
        let version = version_of(self.model);
        let mut text = format!(
            "# {NAME} {version}\n# model {}\n# library {:016x}\n",
            self.model, self.library
        );
        if let Some(reason) = &self.reason {
            let _ = writeln!(text, "# reason: {}", escaped(reason));
        }
        for (name, record) in &self.tests {
            text.push_str(&escaped(name));
            let of_processors = CostName::OF_PROCESSORS_IN_SNAPSHOTS.iter();
            let of_processors = of_processors.filter(|_| record.counts.has_processors());
            let of_explorations = CostName::OF_EXPLORATIONS.iter();
            let of_explorations = of_explorations.filter(|_| record.counts.has_explorations());
            let special = of_processors.chain(of_explorations);
            for cost in self.costs().iter().chain(special) {
                let _ = write!(text, " {}={}", cost.name(), record.counts.get(*cost));
            }
            let _ = writeln!(text, " code={}", record.code);
        }
        text + END + "\n"
    }

    /// The snapshot in a text.
    ///
    /// # Errors
    /// The text is not a result of [`Snapshot::to_text`]; the error names the first wrong line and its fault.
    pub fn parse(text: &str) -> Result<Snapshot, SnapshotError> {
        let mut reader = Reader::new(text)?;
        let snapshot = reader.snapshot()?;
        reader.end()?;
        match is_written_so(&snapshot, text) {
            Some(line) => Err(error_at(line, "that is not as Tally writes it")),
            None => Ok(snapshot),
        }
    }
}

/// The version of the notation in which the counts of a model are written.
fn version_of(model: u32) -> &'static str {
    let has_work = CostName::of_model(model).contains(&CostName::Work);
    VERSIONS[usize::from(has_work)]
}

/// The first line in which the text differs from the snapshot's.
fn is_written_so(snapshot: &Snapshot, text: &str) -> Option<usize> {
    let written = snapshot.to_text();
    if written == text {
        return None;
    }
    let same = written
        .lines()
        .zip(text.lines())
        .take_while(|(a, b)| a == b);
    Some(same.count() + 1)
}

fn error_at(line: usize, message: impl Into<String>) -> SnapshotError {
    SnapshotError {
        line,
        message: message.into(),
    }
}

/// A name or a reason on one line. Ends of lines, characters that control a terminal and beginnings of comments are
/// written with a backslash; other characters stay readable.
fn escaped(text: &str) -> Cow<'_, str> {
    let is_plain = |c: char| c != '\\' && !is_unseen(c);
    if !text.starts_with('#') && text.chars().all(is_plain) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 8);
    for (index, c) in text.char_indices() {
        match c {
            '\\' => escaped.push_str("\\\\"),
            '\n' => escaped.push_str("\\n"),
            '\r' => escaped.push_str("\\r"),
            '\t' => escaped.push_str("\\t"),
            '#' if index == 0 => escaped.push_str("\\#"),
            c if is_unseen(c) => {
                let _ = write!(escaped, "\\u{{{:x}}}", u32::from(c));
            }
            c => escaped.push(c),
        }
    }
    Cow::Owned(escaped)
}

/// Whether a character would not be seen, or would change how others are.
fn is_unseen(c: char) -> bool {
    is_obeyed(c) || matches!(c, '\u{2028}' | '\u{2029}' | '\u{200B}' | '\u{FEFF}')
}

/// What an escaped text stands for; nothing if a backslash is followed by something else than [`escaped`] writes there.
fn unescaped(text: &str) -> Option<Cow<'_, str>> {
    if !text.contains('\\') {
        return Some(Cow::Borrowed(text));
    }
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('\\') {
        plain.push_str(before);
        let kind = behind.chars().next()?;
        rest = &behind[kind.len_utf8()..];
        match kind {
            '\\' | '#' => plain.push(kind),
            'n' => plain.push('\n'),
            'r' => plain.push('\r'),
            't' => plain.push('\t'),
            'u' => {
                let (digits, behind) = rest.strip_prefix('{')?.split_once('}')?;
                plain.push(char::from_u32(u32::from_str_radix(digits, 16).ok()?)?);
                rest = behind;
            }
            _ => return None,
        }
    }
    plain.push_str(rest);
    Some(Cow::Owned(plain))
}

/// Goes over the lines of a text.
struct Reader<'t> {
    /// The lines that are left.
    rest: std::iter::Peekable<std::str::Split<'t, char>>,
    /// The number of the line that was taken last.
    line: usize,
}

impl<'t> Reader<'t> {
    /// A reader of a text that ends where a line does.
    fn new(text: &'t str) -> Result<Reader<'t>, SnapshotError> {
        if text.is_empty() {
            return Err(error_at(
                1,
                "the file is empty; without counts there is no such file",
            ));
        }
        if let Some(place) = text.find('\r') {
            let line = text[..place].matches('\n').count() + 1;
            let why = "a carriage return: the lines of this file end in a single line feed \
                       (with git, `tally.counts text eol=lf` in .gitattributes keeps them so)";
            return Err(error_at(line, why));
        }
        let Some(lines) = text.strip_suffix('\n') else {
            let why = "the file ends in the middle of a line; half of it is missing";
            return Err(error_at(text.matches('\n').count() + 1, why));
        };
        Ok(Reader {
            rest: lines.split('\n').peekable(),
            line: 0,
        })
    }

    fn next(&mut self) -> Option<&'t str> {
        let line = self.rest.next()?;
        self.line += 1;
        Some(line)
    }

    fn wrong<T>(&self, message: impl Into<String>) -> Result<T, SnapshotError> {
        Err(error_at(self.line.max(1), message))
    }

    fn snapshot(&mut self) -> Result<Snapshot, SnapshotError> {
        let version = self.head("tally.counts", "the first line")?;
        if !VERSIONS.contains(&version) {
            let (shown, known) = (shown(version), VERSIONS.join(" and "));
            return self.wrong(format!(
                "version {shown} of this file's notation; this Tally knows versions {known}"
            ));
        }
        let model = self.head("model", "the version of the counting model")?;
        let Some(model) = number(model).and_then(|n| u32::try_from(n).ok()) else {
            return self.wrong(format!(
                "no version of the counting model: {}",
                shown(model)
            ));
        };
        let library = self.head("library", "the digest of the library")?;
        let Some(library) = digits(library, 16) else {
            return self.wrong(format!(
                "the digest of the library has 16 hexadecimal digits, not {}",
                shown(library)
            ));
        };
        Ok(Snapshot {
            model,
            library,
            reason: self.reason()?,
            tests: self.tests(CostName::of_model(model))?,
        })
    }

    /// What stands in the line of the head that begins with this word.
    fn head(&mut self, word: &str, what: &str) -> Result<&'t str, SnapshotError> {
        let line = self.next();
        let Some(line) = line else {
            self.line += 1;
            return self.wrong(format!("{what} is missing: `# {word} …`"));
        };
        if is_conflict(line) {
            return self.conflict();
        }
        let value = line
            .strip_prefix("# ")
            .and_then(|line| line.strip_prefix(word));
        match value.and_then(|value| value.strip_prefix(' ')) {
            Some(value) => Ok(value),
            None => self.wrong(format!(
                "expected {what}, `# {word} …`, not {}",
                shown(line)
            )),
        }
    }

    fn reason(&mut self) -> Result<Option<String>, SnapshotError> {
        let next = self
            .rest
            .peek()
            .and_then(|line| line.strip_prefix("# reason: "));
        let Some(reason) = next else {
            return Ok(None);
        };
        self.next();
        match unescaped(reason) {
            Some(reason) => Ok(Some(reason.into_owned())),
            None => {
                self.wrong("a backslash in the reason stands before nothing that it belongs to")
            }
        }
    }

    fn tests(&mut self, costs: &[CostName]) -> Result<BTreeMap<String, TestRecord>, SnapshotError> {
        let mut tests: BTreeMap<String, TestRecord> = BTreeMap::new();
        while let Some(line) = self.rest.next_if(|line| *line != END) {
            self.line += 1;
            let (name, record) = self.test(line, costs)?;
            if let Some((last, _)) = tests.last_key_value()
                && *last >= name
            {
                let shown = shown(&name);
                return self.wrong(match tests.contains_key(&name) {
                    true => format!("a second line for {shown}"),
                    false => format!("{shown} is out of order: lines are sorted by name, bytewise"),
                });
            }
            tests.insert(name, record);
        }
        Ok(tests)
    }

    /// The test of a line: its name, its costs, and the digest of its code.
    fn test(&self, line: &str, costs: &[CostName]) -> Result<(String, TestRecord), SnapshotError> {
        if line.is_empty() {
            return self.wrong("an empty line");
        }
        if line.starts_with('#') {
            return self.wrong(format!(
                "a comment that does not belong here: {}",
                shown(line)
            ));
        }
        let mut costs = costs.to_vec();
        let fields = line.rsplit(' ').skip(1);
        let names = fields.map_while(|field| Some(field.split_once('=')?.0));
        let names: Vec<&str> = names
            .take(CostName::special_in_snapshots().count())
            .collect();
        if names.contains(&CostName::Waiting.name()) {
            costs.extend(CostName::OF_PROCESSORS_IN_SNAPSHOTS);
        }
        if names.first() == Some(&CostName::Depth.name()) {
            costs.extend(CostName::OF_EXPLORATIONS);
        }
        let mut parts = line.rsplitn(costs.len() + 2, ' ');
        let code = parts.next().unwrap_or_default();
        let mut fields: Vec<&str> = parts.by_ref().take(costs.len()).collect();
        fields.reverse();
        let Some(name) = parts.next() else {
            return match is_conflict(line) {
                true => self.conflict(),
                false => self.wrong(format!(
                    "no line of a test, `Class>>selector sends=… … code=…`: {}",
                    shown(line)
                )),
            };
        };
        let mut record = TestRecord::default();
        for (cost, field) in costs.iter().zip(&fields) {
            self.count(&mut record.counts, *cost, field, line)?;
        }
        if costs.contains(&CostName::Ticks) && !record.counts.has_processors() {
            return self.wrong("a test that uses processors executes ticks");
        }
        if costs.contains(&CostName::States) && !record.counts.has_explorations() {
            return self.wrong("a test that explores has states");
        }
        record.code = Code(self.code(code, line)?);
        match unescaped(name) {
            Some(name) if name.is_empty() => self.wrong("a line without a test's name"),
            Some(name) => Ok((name.into_owned(), record)),
            None => self.wrong(format!(
                "a backslash in {} stands before nothing that it belongs to",
                shown(name)
            )),
        }
    }

    fn count(
        &self,
        counts: &mut TestCounts,
        cost: CostName,
        field: &str,
        line: &str,
    ) -> Result<(), SnapshotError> {
        let name = cost.name();
        let Some(digits) = field
            .strip_prefix(name)
            .and_then(|rest| rest.strip_prefix('='))
        else {
            return match is_conflict(line) {
                true => self.conflict(),
                false => self.wrong(format!("expected {name}=…, not {}", shown(field))),
            };
        };
        match number(digits) {
            Some(count) => counts.set(cost, count),
            None if is_all_digits(digits) && !digits.starts_with('0') => {
                return self.wrong(format!("{} is more than can be counted", shown(field)));
            }
            None => return self.wrong(format!("no count: {}", shown(field))),
        }
        Ok(())
    }

    fn code(&self, field: &str, line: &str) -> Result<u32, SnapshotError> {
        let code = field.strip_prefix("code=").and_then(|code| digits(code, 8));
        match code.and_then(|code| u32::try_from(code).ok()) {
            Some(code) => Ok(code),
            None if is_conflict(line) => self.conflict(),
            None => self.wrong(format!(
                "expected code=… with 8 hexadecimal digits, not {}",
                shown(field)
            )),
        }
    }

    fn conflict<T>(&self) -> Result<T, SnapshotError> {
        self.wrong(
            "a merge left its marks here; take either side, then `tally test --counts update`",
        )
    }

    /// The last line, and nothing behind it.
    fn end(&mut self) -> Result<(), SnapshotError> {
        if self.next().is_none() {
            self.line += 1;
            return self.wrong(format!(
                "the last line, `{END}`, is missing; half of the file is"
            ));
        }
        match self.next() {
            None => Ok(()),
            Some(_) => self.wrong(format!("there is something behind the last line, `{END}`")),
        }
    }
}

/// Whether a line is a conflict marker of a merge.
fn is_conflict(line: &str) -> bool {
    ["<<<<<<<", "|||||||", "=======", ">>>>>>>"]
        .iter()
        .filter_map(|mark| line.strip_prefix(mark))
        .any(|rest| rest.is_empty() || rest.starts_with(' '))
}

/// A number as it is written: no sign, no zeros before it.
fn number(digits: &str) -> Option<u64> {
    let is_short = digits == "0" || !digits.starts_with('0');
    (is_short && is_all_digits(digits)).then(|| digits.parse().ok())?
}

fn is_all_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// A number in exactly the given number of hexadecimal digits.
fn digits(text: &str, length: usize) -> Option<u64> {
    let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    let is_so = text.len() == length && text.bytes().all(is_digit);
    is_so.then(|| u64::from_str_radix(text, 16).ok())?
}

/// A part of the file in quotes, not all of it if it is long.
fn shown(text: &str) -> String {
    let mut start: String = text.chars().take(SHOWN).collect();
    if start.len() < text.len() {
        start.push('…');
    }
    format!("'{}'", tally_presentation::printable(&start))
}
