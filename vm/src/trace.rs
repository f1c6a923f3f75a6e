//! Telling where a process stands: method, file, line and column of each frame, and the source line of
//! the innermost.

use std::fmt::Write as _;

use crate::class::MethodId;
use crate::frames::{FrameView, in_stub};
use crate::vm::Vm;

/// Frames that are shown at each end of a long trace.
const SHOWN: usize = 12;

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
    pub fn method_source(&self, method: MethodId) -> String {
        let number = self.method(method).unit;
        let span = self.method(method).code.get().span;
        let source = match self.library_sources.get(number) {
            Some(bytes) => String::from_utf8_lossy(bytes),
            None => self
                .units
                .get(number)
                .map_or("", |unit| &unit.source)
                .into(),
        };
        let text = source.get(span.start as usize..span.end as usize);
        text.unwrap_or_default().to_string()
    }

    /// Where the byte stands in the method's unit.
    pub fn source_place(&self, method: MethodId, offset: u32) -> SourcePlace {
        let number = self.method(method).unit;
        let unit = &self.units[number];
        let source = match self.library_sources.get(number) {
            Some(bytes) => String::from_utf8_lossy(bytes),
            None => (&unit.source).into(),
        };
        let mut offset = (offset as usize).min(source.len());
        while !source.is_char_boundary(offset) {
            offset -= 1;
        }
        let before = &source[..offset];
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        let rest = &source[start..];
        SourcePlace {
            file: unit.name.clone(),
            line: before.matches('\n').count() + 1,
            column: before[start..].chars().count() + 1,
            text: rest.lines().next().unwrap_or("").to_string(),
        }
    }

    fn place_of_frame(&self, view: FrameView) -> Option<SourcePlace> {
        let target = self.target(view.target);
        let offset = if in_stub(view.ip) {
            None
        } else {
            let pc = (view.ip as usize).wrapping_sub(target.entry as usize) / 8;
            let at = if view.is_top { pc } else { pc.checked_sub(3)? };
            target.words.get(at).and_then(|&word| {
                let word = crate::bytecode::Word(word);
                let has_site = word.op()?.info().imm == crate::bytecode::Immediate::Site;
                let site = has_site.then(|| self.sites.get(word.imm() as usize))??;
                let code = self.method(site.method).code.get();
                Some(code.sites.get(site.index as usize)?.selector_span.start)
            })
        };
        let code = self.method(target.method).code.get();
        Some(self.source_place(target.method, offset.unwrap_or(code.span.start)))
    }

    /// The frames of the running process from the frame below `skip` marks' frame, innermost first.
    pub(crate) fn trace(&mut self, from_frame: Option<usize>) -> String {
        let mut views = Vec::new();
        let mut walk = self.walk_frames();
        while let Some(view) = walk.next(self) {
            if from_frame.is_none_or(|limit| view.frame < limit) {
                views.push(view);
            }
        }
        let mut text = String::new();
        let skipped = views.len().saturating_sub(2 * SHOWN);
        for (index, &view) in views.iter().enumerate() {
            if skipped > 0 && (SHOWN..SHOWN + skipped).contains(&index) {
                if index == SHOWN {
                    let _ = writeln!(text, "  … {skipped} more …");
                }
                continue;
            }
            self.describe_frame(&mut text, view, index == 0);
        }
        text
    }

    fn describe_frame(&self, text: &mut String, view: FrameView, innermost: bool) {
        let target = self.target(view.target);
        let name = self.method_name(target.method);
        let name = if target.is_block {
            format!("[] in {name}")
        } else {
            name
        };
        match self.place_of_frame(view) {
            Some(place) => {
                let SourcePlace {
                    file,
                    line,
                    column,
                    text: source,
                } = place;
                let _ = writeln!(text, "  {name} ({file}:{line}:{column})");
                if innermost && !source.trim().is_empty() {
                    let caret = " ".repeat(column.saturating_sub(1));
                    let _ = writeln!(text, "      {source}\n      {caret}^");
                }
            }
            None => {
                let _ = writeln!(text, "  {name}");
            }
        }
    }

    /// Writes an error that nobody handled, with a trace, to standard error.
    pub(crate) fn report_failure(&mut self, message: &str) {
        self.report_failure_from(message, None);
    }

    pub(crate) fn report_failure_from(&mut self, message: &str, from_frame: Option<usize>) {
        self.failed = true;
        let trace = self.trace(from_frame);
        let _ = self.host.flush();
        let _ = self.host.write_error(&format!("error: {message}\n{trace}"));
    }
}
