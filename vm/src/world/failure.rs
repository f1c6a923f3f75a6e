//! Unhandled errors as texts: traces and locations in sources.

use std::fmt::Write as _;

use crate::base::{printable, printable_lines};

/// Characters of a message that are shown.
const MOST_OF_MESSAGE: usize = 4000;

/// Frames that are shown at each end of a long trace.
const SHOWN: usize = 12;

/// Characters of a source line that are shown, and characters in front of the marked column.
const MOST_SHOWN: usize = 400;

const MOST_BEFORE: usize = 200;

/// A place in a source text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourcePlace {
    /// The unit's name.
    pub file: String,
    /// 1-based.
    pub line: usize,
    /// 1-based, in characters.
    pub column: usize,
    /// The text of the line.
    pub text: String,
}

/// A frame as shown to people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceFrame {
    /// The method that it runs, or that its block stands in: `Class>>selector`, or a script's name.
    pub method: String,
    /// Whether it runs a block.
    pub is_block: bool,
    /// Whether that is code of the library.
    pub is_library: bool,
    /// Its location.
    pub place: Option<SourcePlace>,
}

/// Where a process stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trace {
    /// Its frames, innermost first; a very long trace has only the frames at both ends.
    pub frames: Vec<TraceFrame>,
    /// How many frames were left out in the middle.
    pub hidden: usize,
}

/// An error with its location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The message of the failure.
    pub message: String,
    /// The likely remedy.
    pub help: Option<String>,
    /// Where.
    pub trace: Trace,
    /// Whether it has ended a process.
    pub is_unhandled: bool,
}

impl Trace {
    /// The innermost frame that runs the program's own code, not the library's.
    pub fn innermost_own(&self) -> Option<usize> {
        self.frames.iter().position(|frame| !frame.is_library)
    }

    /// A line for each frame and, behind the innermost one of the program's own, the line of source text that it
    /// stands in. Frames of the library are dimmed in colour.
    pub fn text(&self, in_color: bool) -> String {
        self.text_with(None, in_color)
    }

    /// The same, with a remedy behind the line of source text.
    fn text_with(&self, help: Option<&str>, in_color: bool) -> String {
        let mut text = String::new();
        let pointed_at = self.innermost_own().unwrap_or(0);
        let most = self.frames.len();
        let left_out = SHOWN..most.saturating_sub(SHOWN);
        for (index, frame) in self.frames.iter().enumerate() {
            let is_left_out = left_out.contains(&index) && index != pointed_at;
            if index == left_out.start && !left_out.is_empty() {
                let left = left_out.len() - usize::from(left_out.contains(&pointed_at));
                let _ = writeln!(text, "  … {} more …", left + self.hidden);
            }
            if !is_left_out {
                frame.write(&mut text, index == pointed_at, in_color);
            }
            if let Some(help) = help.filter(|_| index == pointed_at) {
                let _ = writeln!(text, "  = help: {}", printable_lines(help));
            }
        }
        text
    }

    /// The frames of the program's own code, and how many frames of the library are left out. A trace without code of
    /// the program's own stays as it is.
    fn folded(&self) -> (Trace, usize) {
        let mut own = self.clone();
        own.frames.retain(|frame| !frame.is_library);
        let folded = self.frames.len() - own.frames.len();
        match own.frames.is_empty() {
            true => (self.clone(), 0),
            false => (own, folded),
        }
    }
}

impl TraceFrame {
    fn write(&self, text: &mut String, is_pointed_at: bool, in_color: bool) {
        let (on, off) = match (in_color, self.is_library, is_pointed_at) {
            (true, true, false) => ("\x1b[2m", "\x1b[0m"),
            (true, _, true) => ("\x1b[1m", "\x1b[0m"),
            _ => ("", ""),
        };
        let _ = writeln!(text, "  {on}{}{off}", printable(&self.to_string()));
        if let (true, Some(place)) = (is_pointed_at, &self.place)
            && !place.text.trim().is_empty()
        {
            text.push_str(&place.pointed_at("      "));
        }
    }
}

impl std::fmt::Display for TraceFrame {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.is_block {
            f.write_str("[] in ")?;
        }
        f.write_str(&self.method)?;
        match &self.place {
            Some(place) => write!(f, " ({place})"),
            None => Ok(()),
        }
    }
}

impl SourcePlace {
    /// The line of source text and a caret below its column, both behind `indent`; the line's own indent is
    /// left out.
    pub fn pointed_at(&self, indent: &str) -> String {
        let line = self.text.trim_start();
        let cut = self.text.chars().count() - line.chars().count();
        let column = self.column.saturating_sub(cut + 1);
        // Of a line that is much too long the part before the column is left out, and that far behind it.
        let first = if column > MOST_BEFORE { column } else { 0 };
        let shown: String = line
            .trim_end()
            .chars()
            .skip(first)
            .take(MOST_SHOWN)
            .collect();
        let before = line.chars().take(column).skip(first);
        // A tab stays a tab, so that the caret stands where it should.
        let space: String = before.map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
        let is_cut = line.trim_end().chars().nth(first + MOST_SHOWN).is_some();
        let (head, indented) = if first > 0 { ("… ", "  ") } else { ("", "") };
        let tail = if is_cut { " …" } else { "" };
        let shown = printable_lines(&shown);
        format!("{indent}{head}{shown}{tail}\n{indent}{indented}{space}^\n")
    }
}

impl std::fmt::Display for SourcePlace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

impl Failure {
    /// The message, the help and the trace, as they are written to standard error. The trace shows the frames of the
    /// library only if `shows_library`; else their number.
    pub fn text(&self, in_color: bool, shows_library: bool) -> String {
        let label = if in_color {
            "\x1b[1;31merror\x1b[0m"
        } else {
            "error"
        };
        let message = printable_lines(&self.message);
        let message = match message.char_indices().nth(MOST_OF_MESSAGE) {
            Some((end, _)) => format!("{} …", &message[..end]),
            None => message.into_owned(),
        };
        let (trace, folded) = match shows_library {
            true => (self.trace.clone(), 0),
            false => self.trace.folded(),
        };
        let trace = trace.text_with(self.help.as_deref(), in_color);
        let note = match folded {
            0 => String::new(),
            1 => "  (1 frame of the library is folded; TALLY_TRACE=all shows it)\n".to_string(),
            _ => format!(
                "  ({folded} frames of the library are folded; TALLY_TRACE=all shows them)\n"
            ),
        };
        format!("{label}: {message}\n{trace}{note}")
    }
}
