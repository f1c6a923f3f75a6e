//! A tree-walking interpreter of the language that counts by the text of the counting model: the reference for the
//! machine. It uses the compiler's parser and no other part. It reads the library's sources and executes them like the
//! program's. It has its own primitives, with their charges, and reads the weights of work from docs/COUNTING.md.
//!
//! It is simple and therefore slow: every activation is a list of tasks, the calling-context tree is not folded, and
//! there are no short cuts.
//!
//! Each file uses only files before it: `names`, `value`, `code`, `object`; `world`; `resolve`; `count`; `machine` (the
//! state); `primitives`, which make requests; `interpreter`, which carries them out; `library`; `compare`.

pub mod actors;
mod code;
pub mod compare;
mod count;
mod interpreter;
pub mod lanes;
mod library;
mod machine;
mod names;
mod object;
mod primitives;
pub mod processors;
pub mod program;
mod resolve;
mod value;
mod world;

use std::rc::Rc;

use tally_compiler::parser;

use crate::observe::Options;

use code::{Method, SourceFile};
pub use count::{Attribution, Counts, EdgeCounts, MethodCounts, MethodName, SiteCounts, SitePlace};
pub use machine::Ending;
use value::Value;

/// What a run showed.
#[derive(Clone, Debug)]
pub struct Seen {
    /// Standard output.
    pub out: String,
    /// How it ended.
    pub ending: Ending,
    /// The costs of the run.
    pub counts: Counts,
    /// What methods, pairs of methods and send sites cost.
    pub attribution: Attribution,
}

/// Runs a program.
///
/// # Errors
/// What of the library cannot be executed.
pub fn run(name: &str, source: &str, options: &Options) -> Result<Seen, String> {
    let mut machine = library::machine()?;
    let (tree, _) = parser::parse(source);
    let file = Rc::new(SourceFile {
        name: name.to_string(),
        text: source.to_string(),
    });
    machine.max_ticks = options.max_ticks;
    machine.max_depth = options.max_depth.unwrap_or(machine.max_depth);
    machine.slice = options.slice;
    machine.preset = options.preset;
    machine.arguments = options.arguments.clone();
    let holder = machine.known.undefined;
    let routine = machine.world.resolve_script(&tree, &file, holder);
    let span = tally_compiler::ast::Span {
        start: 0,
        end: source.len() as u32,
    };
    let script = Method::piece(holder, span, &file, routine);
    let ending = machine.run(&script, Value::Nil);
    Ok(Seen {
        out: machine.out.clone(),
        ending,
        counts: machine.all_counts(),
        attribution: machine.tree.attribution(),
    })
}
