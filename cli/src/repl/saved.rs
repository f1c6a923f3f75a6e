//! The inputs of a session in a file: `:save` writes them, `:load` and `tally repl < FILE` evaluate them again.

use std::fs::File;
use std::io::Write as _;

use crate::exit::Exit;
use crate::failure::Failure;

/// The first line of such a file: a comment.
const HEAD: &str =
    "\"Inputs of a session. tally repl < FILE evaluates them again; so does :load FILE.\"\n";

/// Writes the inputs to a new file.
pub(super) fn save(file: &str, inputs: &[String]) -> Result<(), Failure> {
    let mut text = HEAD.to_string();
    for input in inputs {
        text.push('\n');
        text.push_str(input.trim_end());
        text.push('\n');
    }
    let made = File::create_new(file).and_then(|mut made| made.write_all(text.as_bytes()));
    made.map_err(|error| match error.kind() {
        std::io::ErrorKind::AlreadyExists => {
            let why = format!("{file} is there already; nothing is overwritten");
            Failure::new(Exit::Io, why)
        }
        _ => Failure::io("write", file, &error),
    })
}

/// The inputs in a file, if it is one with inputs of a session.
pub(super) fn inputs(file: &str) -> Option<String> {
    let text = std::fs::read_to_string(file).ok()?;
    text.strip_prefix(HEAD).map(str::to_string)
}
