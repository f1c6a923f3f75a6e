//! Files of GNU Smalltalk: class definitions in bracket syntax, `Eval [ … ]`, statements that end with a period or a bang,
//! and methods behind preambles such as `!Foo methodsFor: 'x'!`.

use crate::diagnostics::Diagnostic;
use crate::diagnostics::bounds::readable;
use crate::notation::Notation;
use crate::syntax::ast::File;
use crate::syntax::chunk;
use crate::syntax::findings::in_order;
use crate::syntax::piece::Piece;
use crate::syntax::tally;

/// Reads a file of GNU Smalltalk.
pub(crate) fn parse(source: &str) -> (File, Vec<Diagnostic>) {
    if let Err(diagnostic) = readable(source) {
        return (File::default(), vec![*diagnostic]);
    }
    let mut file = File {
        of_package: true,
        mentions_declare: true,
        ..File::default()
    };
    let mut diagnostics = Vec::new();
    let mut position = 0;
    loop {
        let preamble = chunk::next_preamble(source, position);
        let end = preamble.unwrap_or(source.len());
        let piece = Piece::new(source, position, end);
        let (script, found) = tally::script_in(Notation::Gst, source, end, &piece);
        file.items.extend(script.items);
        diagnostics.extend(found);
        let Some(bang) = preamble else {
            return (file, in_order(diagnostics));
        };
        let (methods, found, next) = chunk::section_at(Notation::Gst, source, bang);
        file.items.extend(methods);
        diagnostics.extend(found);
        position = next;
    }
}
