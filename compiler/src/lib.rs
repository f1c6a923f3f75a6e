//! The compiler: source text → tokens → tree → resolved names → bytecode.
//!
//! Parsing never fails: it answers a tree and diagnostics. [`compile`] answers a [unit](tally_vm::bytecode::Unit) when
//! no diagnostic is an error. The compiler knows the machine's bytecode and no other part of the machine.

pub mod comments;
mod compile;
pub mod description;
mod diagnostics;
mod emit;
pub mod environment;
mod foreign;
pub mod library;
pub mod load_order;
mod notation;
mod resolve;
pub mod runtime;
pub mod session;
pub mod statements;
mod syntax;

pub use compile::{Compiled, Text, compile, compile_all, compile_texts, compile_texts_in};
pub use diagnostics::{bounds, catalogue, render};
pub use notation::Notation;
pub use resolve::left_out::{LeftOut, LeftOutKind};
pub use resolve::nearest;
pub use syntax::ast;
pub use syntax::chunk::is_in as is_file_out;
pub use syntax::tonel::begins as is_tonel;

/// Diagnostics.
pub mod diagnostic {
    pub use crate::diagnostics::{Diagnostic, Secondary, Severity, line_column};
}

/// Source text to tree.
pub mod parser {
    pub use crate::syntax::{
        MOST_DEPTH, MOST_ERRORS, MOST_NESTING, parse, parse_body, parse_file, parse_method,
    };
}

/// Packages with a file for each method.
pub mod filetree {
    pub use crate::syntax::filetree::{PROPERTIES, Part, Place, place};
}

/// The dialect SOM: one class a file.
pub mod som {
    pub use crate::compile::compile_som as compile;
    pub use crate::syntax::som::{Header, header, parse};
}
