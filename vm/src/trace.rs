//! Telling where a process stands: method, file, line and column of each frame, and the source line of
//! the innermost that is not the library's. Errors are written to the host, or kept for whoever runs the machine.

use std::borrow::Cow;
use std::fmt::Write as _;

use crate::class::MethodId;
use crate::code::{Target, send_before};
use crate::frames::{FrameView, in_stub};
use crate::printable::{printable, printable_lines};
use crate::vm::Vm;

/// Frames that are shown at each end of a long trace.
const SHOWN: usize = 12;
/// Frames that are kept at each end of a long trace.
const KEPT: usize = 64;
/// Errors that are kept at most until somebody takes them.
const MOST_FAILURES: usize = 100;
/// Characters of a message that are shown.
const MOST_OF_MESSAGE: usize = 4000;
/// Characters of a line of source text that are shown, and those before the column that is pointed at.
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

/// A frame as people see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceFrame {
    /// The method that it runs, or that its block stands in: `Class>>selector`, or a script's name.
    pub method: String,
    /// Whether it runs a block.
    pub is_block: bool,
    /// Whether that is code of the library.
    pub is_library: bool,
    /// Where it stands.
    pub place: Option<SourcePlace>,
}

/// Where a process stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trace {
    /// Its frames, innermost first; of a very long trace those at both ends.
    pub frames: Vec<TraceFrame>,
    /// How many frames were left out in the middle.
    pub hidden: usize,
}

/// An error with the place that it comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// What happened.
    pub message: String,
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
        }
        text
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
    /// The message and the trace, as they are written to standard error.
    pub fn text(&self, in_color: bool) -> String {
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
        format!("{label}: {message}\n{}", self.trace.text(in_color))
    }
}

impl Vm {
    /// `Class>>selector`, or the file's name for a script.
    pub fn method_name(&self, id: MethodId) -> String {
        let method = self.method(id);
        match method.code.get().kind {
            crate::bytecode::CodeKind::Script => method.code.get().selector.clone(),
            crate::bytecode::CodeKind::Method => format!(
                "{}>>{}",
                self.class(method.holder).display_name(),
                self.symbols.text(method.selector)
            ),
        }
    }

    /// The text of a method as it stands in its unit, from the message pattern on.
    pub fn method_text(&self, method: MethodId) -> String {
        let span = self.method(method).code.get().span;
        let source = self.unit_text(self.unit_of(method));
        let text = source.get(span.start as usize..span.end as usize);
        text.unwrap_or_default().to_string()
    }

    /// Number of the unit that the method came from.
    pub fn unit_of(&self, method: MethodId) -> usize {
        self.method(method).unit
    }

    /// How many units are the library's; they are the first.
    pub fn library_unit_count(&self) -> usize {
        self.library_sources.len()
    }

    /// A unit's name: its file's.
    pub fn unit_name(&self, unit: usize) -> &str {
        &self.units[unit].name
    }

    /// A unit's source text.
    pub fn unit_text(&self, unit: usize) -> Cow<'_, str> {
        match self.library_sources.get(unit) {
            // They are what was compiled; to find that out in one go is quicker than piece by piece.
            Some(bytes) => match std::str::from_utf8(bytes) {
                Ok(text) => text.into(),
                Err(_) => String::from_utf8_lossy(bytes),
            },
            None => (&self.units[unit].source).into(),
        }
    }

    /// Where the byte stands in the method's unit.
    pub fn source_place(&self, method: MethodId, offset: u32) -> SourcePlace {
        let number = self.unit_of(method);
        let source = self.unit_text(number);
        let mut offset = (offset as usize).min(source.len());
        while !source.is_char_boundary(offset) {
            offset -= 1;
        }
        let before = &source[..offset];
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        let rest = &source[start..];
        SourcePlace {
            file: self.unit_name(number).to_string(),
            line: before.matches('\n').count() + 1,
            column: before[start..].chars().count() + 1,
            text: rest.lines().next().unwrap_or("").to_string(),
        }
    }

    /// Where a frame stands that runs the code, at an address as in [`FrameView`].
    fn place_in_code(&self, target: &Target, ip: *const u64, is_top: bool) -> Option<SourcePlace> {
        let offset = if in_stub(ip) {
            None
        } else {
            let at = if is_top { ip } else { send_before(ip) };
            target.instruction_at(at).and_then(|found| {
                let site = self.sites.get(found.site()? as usize)?;
                let code = self.method(site.method).code.get();
                Some(code.sites.get(site.index as usize)?.selector_span.start)
            })
        };
        let code = self.method(target.method).code.get();
        Some(self.source_place(target.method, offset.unwrap_or(code.span.start)))
    }

    /// Whether the method belongs to the library.
    pub(crate) fn is_of_library(&self, method: MethodId) -> bool {
        self.method(method).unit < self.library_sources.len()
    }

    /// The frames of the running process, innermost first; those above `from_frame` are left out.
    pub(crate) fn trace(&mut self, from_frame: Option<usize>) -> Trace {
        let mut views = Vec::new();
        let mut walk = self.walk_frames();
        while let Some(view) = walk.next(self) {
            if from_frame.is_none_or(|limit| view.frame < limit) {
                views.push(view);
            }
        }
        let hidden = views.len().saturating_sub(2 * KEPT);
        let kept = views.iter().enumerate();
        let kept = kept.filter(|(index, _)| !(KEPT..KEPT + hidden).contains(index));
        let frames = kept.map(|(_, &view)| self.describe_frame(view)).collect();
        Trace { frames, hidden }
    }

    /// Where the process stood in the middle of which the last run ended, if it ended so.
    pub fn stopped_trace(&mut self) -> Option<Trace> {
        self.has_frames().then(|| self.trace(None))
    }

    fn describe_frame(&self, view: FrameView) -> TraceFrame {
        self.describe_code(self.code_of(&view), view.ip, view.is_top)
    }

    /// A frame that runs the code, at an address as in [`FrameView`].
    pub(crate) fn describe_code(
        &self,
        target: &Target,
        ip: *const u64,
        is_top: bool,
    ) -> TraceFrame {
        TraceFrame {
            method: self.method_name(target.method),
            is_block: target.is_block,
            is_library: self.is_of_library(target.method),
            place: self.place_in_code(target, ip, is_top),
        }
    }

    /// Writes an error that nobody handled, with a trace, to standard error.
    pub(crate) fn report_failure(&mut self, message: &str) {
        self.report_failure_from(message, None);
    }

    pub(crate) fn report_failure_from(&mut self, message: &str, from_frame: Option<usize>) {
        self.failed = true;
        let failure = Failure {
            message: message.to_string(),
            trace: self.trace(from_frame),
            is_unhandled: true,
        };
        if self.keeps_failures {
            self.keep_failure(failure);
            return;
        }
        let _ = self.host.flush();
        let _ = self.host.write_failure(&failure);
    }

    /// Keeps what the program tells of an error that it handled, if anybody wants to know.
    pub(crate) fn note_failure(&mut self, message: &str, from_frame: Option<usize>) {
        if self.keeps_failures {
            let failure = Failure {
                message: message.to_string(),
                trace: self.trace(from_frame),
                is_unhandled: false,
            };
            self.keep_failure(failure);
        }
    }

    fn keep_failure(&mut self, failure: Failure) {
        if self.failures.len() < MOST_FAILURES {
            self.failures.push(failure);
        }
    }

    /// From now on errors that nobody handled, and those that the library notes, are kept for
    /// [`Vm::take_failures`] and not written.
    pub fn keep_failures(&mut self) {
        self.keeps_failures = true;
    }

    /// The errors that were kept since they were last taken, in the order in which they happened.
    pub fn take_failures(&mut self) -> Vec<Failure> {
        std::mem::take(&mut self.failures)
    }
}
