//! Describes where a process stands: method, file, line and column of each frame. A trace shows the source line of the
//! innermost frame outside the library. Errors are written to the host, or kept for the owner of the machine.

use std::borrow::Cow;

use super::Vm;
use super::failing::is_condition;
use crate::base::MethodId;
use crate::bytecode::Instruction;
use crate::code::{Target, send_before};
use crate::processes::{FrameView, in_stub};
use crate::world::{Failure, SourcePlace, Trace, TraceFrame};

/// Frames that are kept at each end of a long trace.
const KEPT: usize = 64;

/// The largest number of errors that are kept until the owner of the machine takes them.
const MOST_FAILURES: usize = 100;

impl Vm {
    /// `Class>>selector`, or the file's name for a script.
    pub fn method_name(&self, id: MethodId) -> String {
        self.image.method_name(id)
    }

    /// The text of a method as it stands in its unit, from the message pattern on.
    pub fn method_text(&self, method: MethodId) -> String {
        self.image.method_text(method)
    }

    /// Number of the unit that the method came from.
    pub fn unit_of(&self, method: MethodId) -> usize {
        self.image.unit_of(method)
    }

    /// How many units are the library's; they are the first.
    pub fn library_unit_count(&self) -> usize {
        self.image.library_unit_count()
    }

    /// A unit's name: its file's.
    pub fn unit_name(&self, unit: usize) -> &str {
        self.image.unit_name(unit)
    }

    /// A unit's source text.
    pub fn unit_text(&self, unit: usize) -> Cow<'_, str> {
        self.image.unit_text(unit)
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
        let offset = self.offset_in_code(target, ip, is_top);
        Some(self.source_place(target.method, offset))
    }

    /// The byte of the unit at which a frame stands that runs the code, at an address as in [`FrameView`].
    pub(super) fn offset_in_code(&self, target: &Target, ip: *const u64, is_top: bool) -> u32 {
        let offset = if in_stub(ip) {
            None
        } else {
            let at = if is_top { ip } else { send_before(ip) };
            target.instruction_at(at).and_then(|found| {
                let site = self.code.sites.get(found.site()? as usize)?;
                let code = self.method(site.method).code.get();
                Some(code.sites.get(site.index as usize)?.selector_span.start)
            })
        };
        let code = self.method(target.method).code.get();
        offset.unwrap_or(code.span.start)
    }

    /// As [`Vm::offset_in_code`]. An instruction that is no message has the place of the next one that is one, or of the last one before.
    pub(super) fn offset_near(&self, target: &Target, ip: *const u64, is_top: bool) -> u32 {
        let Some(index) = target.index_of(ip).filter(|_| is_top && !in_stub(ip)) else {
            return self.offset_in_code(target, ip, is_top);
        };
        let (mut at, mut before) = (0, None);
        while let Some(found) = Instruction::at(&target.words, at) {
            if found.site().is_some() {
                if at >= index {
                    return self.offset_in_code(target, target.address_of(at), true);
                }
                before = Some(at);
            }
            at += found.op.width();
        }
        let near = target.address_of(before.unwrap_or(index));
        self.offset_in_code(target, near, true)
    }

    /// The frames of the running process, innermost first, without the frames above `from_frame`.
    pub(crate) fn trace(&mut self, from_frame: Option<usize>) -> Trace {
        let mut views = Vec::new();
        if !self.has_frames() {
            return Trace::default();
        }
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

    /// The trace of the process in which the last run stopped, if it stopped before its end.
    pub fn stopped_trace(&mut self) -> Option<Trace> {
        self.has_frames().then(|| self.trace(None))
    }

    pub(super) fn describe_frame(&self, view: FrameView) -> TraceFrame {
        let target = self.registers.code_of(&view);
        let mut frame = self.describe_code(target, view.ip, view.is_top);
        if is_condition(target, &view)
            && let Some(offset) = self.place_of_condition(target, &view)
        {
            frame.place = Some(self.source_place(target.method, offset));
        }
        frame
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
            is_library: self.image.is_of_library(target.method),
            place: self.place_in_code(target, ip, is_top),
        }
    }

    /// Writes an unhandled error, with a trace, to standard error.
    pub(crate) fn report_failure(&mut self, message: &str) {
        self.report_failure_from(message, None, None);
    }

    /// Writes an unhandled error with its likely remedy, and a trace from below that frame, to standard error.
    pub(crate) fn report_failure_from(
        &mut self,
        message: &str,
        help: Option<String>,
        from_frame: Option<usize>,
    ) {
        let message = self.with_turn(message);
        let failure = self.failure(&message, help, from_frame);
        let outermost = failure.trace.frames.last();
        let place = outermost.and_then(|frame| frame.place.as_ref());
        self.run.failed_at = place
            .filter(|_| self.running.id == self.processes.main)
            .map(|place| place.line);
        self.tell_failure(failure);
    }

    /// An unhandled error of the running process.
    pub(crate) fn failure(
        &mut self,
        message: &str,
        help: Option<String>,
        from_frame: Option<usize>,
    ) -> Failure {
        Failure {
            message: message.to_string(),
            help,
            trace: self.trace(from_frame),
            is_unhandled: true,
        }
    }

    /// Writes an unhandled error to standard error, or keeps it. The run has failed.
    pub(crate) fn tell_failure(&mut self, failure: Failure) {
        self.run.failed = true;
        if self.run.keeps_failures {
            self.keep_failure(failure);
            return;
        }
        let _ = self.world.host.flush();
        let _ = self.world.host.write_failure(&failure);
    }

    /// Keeps an error that the program handled and reports, if errors are kept at all.
    pub(crate) fn note_failure(
        &mut self,
        message: &str,
        help: Option<String>,
        from_frame: Option<usize>,
    ) {
        if self.run.keeps_failures {
            let failure = Failure {
                message: message.to_string(),
                help,
                trace: self.trace(from_frame),
                is_unhandled: false,
            };
            self.keep_failure(failure);
        }
    }

    fn keep_failure(&mut self, failure: Failure) {
        if self.run.failures.len() < MOST_FAILURES {
            self.run.failures.push(failure);
        }
    }

    /// The line of the script that was reached at the last unhandled error, if the script's own process failed.
    pub fn failed_line(&self) -> Option<usize> {
        self.run.failed_at
    }

    /// Keeps unhandled errors and noted errors of the library for [`Vm::take_failures`] from now on, instead of writing
    /// them.
    pub fn keep_failures(&mut self) {
        self.run.keeps_failures = true;
    }

    /// The errors that were kept since they were last taken, in the order in which they happened.
    pub fn take_failures(&mut self) -> Vec<Failure> {
        std::mem::take(&mut self.run.failures)
    }
}
