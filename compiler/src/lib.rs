//! The compiler: source text → tokens → tree → resolved names → bytecode.
//!
//! Parsing never fails: it answers a tree and diagnostics. [`compile`] answers a [unit](tally_vm::bytecode::Unit) when no
//! diagnostic is an error. The compiler knows the machine's bytecode and nothing else of the machine.

pub mod ast;
pub mod bounds;
pub mod catalogue;
pub mod comments;
mod compile;
pub mod diagnostic;
mod emit;
pub mod environment;
pub mod lexer;
pub mod library;
pub mod load_order;
mod number;
pub mod parser;
pub mod render;
mod resolve;
pub mod runtime;
pub mod session;
pub mod som;
mod tonel;
mod traits;

pub use compile::{Compiled, compile, compile_all};
pub use resolve::nearest;
pub use tonel::begins as is_tonel;
