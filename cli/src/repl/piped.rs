//! A session whose inputs come from a pipe or a file: no prompt, no colour of its own, one input after the
//! other as soon as it is complete. It goes on after a failure, and its exit code is that of the first.

use std::io::{self, BufRead, Cursor, stdin};

use tally_compiler::session::{State, state};

use super::commands::{Commander, Then};
use super::evaluator::Evaluator;
use crate::exit::Exit;
use crate::failure::Failure;

/// Bytes of the longest line that is read. What has no line ends is no text.
const LONGEST_LINE: u64 = 64 << 20;

/// Reads standard input to its end.
pub(super) fn run(evaluator: Evaluator) -> Result<Exit, Failure> {
    let mut commander = Commander::new(evaluator);
    let mut reader = Reader::new(From::Input);
    let mut first_failure = None;
    loop {
        let input = match reader.next() {
            Ok(Some(input)) => input,
            Ok(None) => break,
            Err(failure) => {
                let exit = failure.report();
                first_failure.get_or_insert(exit);
                break;
            }
        };
        let name = format!("<line {}>", input.line);
        match commander.carry_out(&name, &input.text) {
            Ok(Then::GoOn) => {}
            Ok(Then::Quit(Some(exit))) => return Ok(exit),
            Ok(Then::Quit(None)) => break,
            Err(failure) => {
                let output_is_lost = failure.is_lost_output();
                first_failure.get_or_insert(failure.report());
                if output_is_lost {
                    break;
                }
            }
        }
    }
    Ok(first_failure.unwrap_or(Exit::Success))
}

fn line_of(from: impl BufRead, bytes: &mut Vec<u8>) -> io::Result<usize> {
    from.take(LONGEST_LINE).read_until(b'\n', bytes)
}

/// A complete input, or what stands before the end of the text.
pub(super) struct Input {
    /// The number of its first line.
    line: usize,
    pub(super) text: String,
}

/// Where inputs come from.
pub(super) enum From {
    /// Standard input, from which programs may read too: nothing is taken ahead of them.
    Input,
    Text(Cursor<String>),
}

/// Cuts a text into inputs.
pub(super) struct Reader {
    from: From,
    /// Lines read so far.
    lines: usize,
}

impl Reader {
    pub(super) fn new(from: From) -> Reader {
        Reader { from, lines: 0 }
    }

    /// The next input that is not blank.
    pub(super) fn next(&mut self) -> Result<Option<Input>, Failure> {
        let mut input = Input {
            line: self.lines + 1,
            text: String::new(),
        };
        let mut known = State::Complete;
        while let Some(line) = self.line()? {
            if input.text.is_empty() && line.trim().is_empty() {
                input.line = self.lines + 1;
                continue;
            }
            input.text.push_str(&line);
            // Nothing that is open ends without one of these; asking the parser at each line of a
            // long class would take long.
            let can_close = line.contains(['\'', '"', ')', ']', '}']);
            if known == State::Open && !can_close {
                continue;
            }
            known = state(super::commands::expression_of(&input.text));
            let is_over = known == State::Unfinished && line.trim().is_empty();
            if known == State::Complete || is_over {
                return Ok(Some(input));
            }
        }
        Ok((!input.text.is_empty()).then_some(input))
    }

    /// The next line with its end, `None` behind the last.
    fn line(&mut self) -> Result<Option<String>, Failure> {
        let mut bytes = Vec::new();
        let read = match &mut self.from {
            From::Input => line_of(stdin().lock(), &mut bytes),
            From::Text(text) => line_of(text, &mut bytes),
        };
        read.map_err(|error| Failure::io("read", "standard input", &error))?;
        if bytes.is_empty() {
            return Ok(None);
        }
        self.lines += 1;
        if bytes.len() as u64 == LONGEST_LINE {
            let why = format!("line {} of standard input is too long", self.lines);
            return Err(Failure::new(Exit::Source, why));
        }
        String::from_utf8(bytes).map(Some).map_err(|error| {
            let why = format!(
                "standard input is not UTF-8: invalid byte in line {}, behind {} good ones",
                self.lines,
                error.utf8_error().valid_up_to()
            );
            Failure::new(Exit::Source, why)
        })
    }
}
