//! Bounds on the text that the compiler reads and on the findings that it keeps. Its memory grows with the text by a
//! known factor, and no text exceeds the factor, however wrong it is. docs/SAFETY.md states the bounds.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::Diagnostic;
use tally_vm::bytecode::Span;

/// Bytes that a source text may have, unless [`set_most_source_bytes`] says otherwise.
pub const MOST_SOURCE_BYTES: usize = 64 << 20;
/// No text is longer: places in it are numbers of four bytes.
const ADDRESSABLE: usize = u32::MAX as usize;
/// Findings that a stage keeps. Far fewer are shown.
pub(crate) const MOST_KEPT: usize = 10_000;
/// Brackets that may be open while a text is cut into tokens. Far fewer may nest: an unclosed bracket ends at the end
/// of its definition.
pub(crate) const MOST_OPEN: usize = 10_000;

static MOST_BYTES: AtomicUsize = AtomicUsize::new(MOST_SOURCE_BYTES);

/// Bytes that a source text may have at most.
pub fn most_source_bytes() -> usize {
    MOST_BYTES.load(Ordering::Relaxed)
}

/// Sets how many bytes a source text may have, for the whole process. More than 4 GiB is never read.
pub fn set_most_source_bytes(bytes: usize) {
    MOST_BYTES.store(bytes.min(ADDRESSABLE), Ordering::Relaxed);
}

/// The reason why a text of this length is not read, if it is too long.
pub fn too_long(bytes: u64) -> Option<String> {
    let most = most_source_bytes();
    (bytes > most as u64).then(|| format!("it has {bytes} bytes, and a text has at most {most}"))
}

/// Whether a text is short enough to be read; else the only diagnostic about it.
pub(crate) fn readable(source: &str) -> Result<(), Box<Diagnostic>> {
    match too_long(source.len() as u64) {
        None => Ok(()),
        Some(why) => {
            let error = Diagnostic::error("E0192", Span::default(), "the text is too long");
            Err(Box::new(error.labelled(why)))
        }
    }
}

/// Adds a finding unless the list is full: a longer list takes memory and helps no reader. A full list of warnings
/// still takes the first error.
pub(crate) fn keep(findings: &mut Vec<Diagnostic>, finding: Diagnostic) {
    let is_first_error = || finding.is_error() && !findings.iter().any(Diagnostic::is_error);
    if findings.len() < MOST_KEPT || findings.len() == MOST_KEPT && is_first_error() {
        findings.push(finding);
    }
}

/// That more brackets are open than may be.
pub(crate) fn too_nested(span: Span, most: usize) -> Diagnostic {
    Diagnostic::error("E0190", span, "the brackets are nested too deeply")
        .labelled(format!("the {}st bracket that is open here", most + 1))
        .noting(format!("at most {most} brackets may be open at a time"))
}
