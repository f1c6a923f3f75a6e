//! Source text to tree. Parsing never fails: it answers a tree and diagnostics. Where it recovered from an error, the
//! tree has an `Error` node.
//!
//! Each dialect has a folder: `tally` for scripts, `tonel` and `filetree` for packages, `chunk` for file-outs, `gst`, `som`. The
//! files here are shared: the tree, tokens, the mending of brackets, and the reading of one unit by a generated parser
//! with recovery. The shared files know no dialect. A dialect hands in its layout and its grammar.

pub mod ast;
mod brackets;
mod builder;
pub(crate) mod chunk;
mod explain;
pub(crate) mod filetree;
mod findings;
pub(crate) mod gst;
mod lexical;
mod lines;
mod number;
mod piece;
pub(crate) mod som;
pub(crate) mod tally;
pub(crate) mod token;
pub(crate) mod tonel;
pub(crate) mod traits;
mod unit;

pub use brackets::MOST_NESTING;
pub use builder::MOST_DEPTH;
pub use findings::MOST_ERRORS;
pub(crate) use lines::{indentation, is_first_on_line};
pub(crate) use tally::is_open;
pub use tally::{parse_body, parse_method};

use crate::diagnostics::Diagnostic;
use crate::notation::Notation;
use ast::File;

/// Reads a file: a script with class definitions in bracket syntax, definitions in Tonel, or a file-out. A literal of
/// one notation may look like a text in another one, so the beginning of a text decides first.
pub fn parse(source: &str) -> (File, Vec<Diagnostic>) {
    if chunk::is_in(source) && !tonel::begins(source) {
        chunk::parse(source)
    } else if tonel::is_in(source) {
        tonel::parse(source)
    } else {
        tally::parse(source)
    }
}

/// Reads a file whose path is known. Files of a FileTree are known by their paths, others by their texts.
pub fn parse_file(path: &str, source: &str) -> (File, Vec<Diagnostic>) {
    match filetree::place(path) {
        Some(place) => filetree::parse(&place, source),
        None => parse(source),
    }
}

/// Reads a file in a notation that was chosen.
pub(crate) fn parse_in(notation: Notation, path: &str, source: &str) -> (File, Vec<Diagnostic>) {
    match notation {
        Notation::Tally => parse_file(path, source),
        Notation::Gst => gst::parse(source),
    }
}
