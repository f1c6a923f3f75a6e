//! A session on a terminal: line editing, history, completion, and Ctrl-C, which ends what runs and not the
//! session.

use std::borrow::Cow;
use std::cell::RefCell;
use std::io;
use std::path::Path;
use std::rc::Rc;

use rustyline::completion::Completer;
use rustyline::error::ReadlineError;
use rustyline::highlight::{CmdKind, Highlighter};
use rustyline::hint::Hinter;
use rustyline::history::FileHistory;
use rustyline::validate::Validator;
use rustyline::{CompletionType, Config, Context, Editor, Helper};
use signal_hook::consts::SIGINT;
use tally_compiler::session::{State, state};

use super::arguments::ReplArguments;
use super::commands::{Commander, Then, expression_of};
use super::evaluator::Evaluator;
use super::{completion, highlight};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::state::state_file;
use crate::{console, output};

const PROMPT: &str = "st> ";
/// The prompt where an input goes on.
const CONTINUED: &str = "... ";
/// Inputs that the history keeps.
const HISTORY: usize = 10_000;

/// Reads inputs until the user ends the session.
pub(super) fn run(evaluator: Evaluator, arguments: &ReplArguments) -> Result<Exit, Failure> {
    catch_interrupts(&evaluator)?;
    let commander = Rc::new(RefCell::new(Commander::new(evaluator)));
    let mut editor = editor(Rc::clone(&commander))?;
    let history = (!arguments.no_history)
        .then(|| state_file("history"))
        .flatten();
    if let Some(path) = &history {
        // The first session has none.
        let _ = editor.load_history(path);
    }
    output::write(
        &format!(
            "Tally {}; :help shows the commands, Ctrl-D ends the session\n",
            env!("CARGO_PKG_VERSION")
        ),
        None,
    )?;
    let ended = converse(&mut editor, &commander);
    if let Some(path) = &history
        && let Err(error) = keep_history(&mut editor, path)
    {
        console::warning(&format!("the history was not kept: {error}"));
    }
    ended
}

fn converse(
    editor: &mut Editor<Assistant, FileHistory>,
    commander: &RefCell<Commander>,
) -> Result<Exit, Failure> {
    for number in 1_u64.. {
        let input = match read(editor) {
            Ok(input) => input,
            // Ctrl-C at the prompt drops what was typed.
            Err(ReadlineError::Interrupted) => continue,
            Err(ReadlineError::Eof) => break,
            Err(ReadlineError::Io(error)) if error.kind() == io::ErrorKind::InvalidData => {
                console::error("the input is not UTF-8");
                continue;
            }
            Err(error) => {
                let why = format!("cannot read the terminal: {error}");
                return Err(Failure::new(Exit::Io, why));
            }
        };
        if input.trim().is_empty() {
            continue;
        }
        // An input that cannot be kept is evaluated all the same.
        let _ = editor.add_history_entry(&input);
        let name = format!("<input {number}>");
        let done = commander.borrow_mut().carry_out(&name, &input);
        match done {
            Ok(Then::GoOn) => {}
            Ok(Then::Quit(exit)) => return Ok(exit.unwrap_or(Exit::Success)),
            Err(failure) => {
                if failure.is_interrupt() {
                    // Behind the `^C` that the terminal shows.
                    console::write("\n");
                }
                failure.report();
            }
        }
    }
    Ok(Exit::Success)
}

/// Reads lines until they are an input. An empty line ends an input that could go on.
fn read(editor: &mut Editor<Assistant, FileHistory>) -> Result<String, ReadlineError> {
    let mut input = editor.readline(PROMPT)?;
    loop {
        let last = input.rsplit('\n').next().unwrap_or_default();
        match state(expression_of(&input)) {
            State::Open => {}
            State::Unfinished if !last.trim().is_empty() => {}
            _ => return Ok(input),
        }
        let line = editor.readline(CONTINUED)?;
        input.push('\n');
        input.push_str(&line);
    }
}

/// The first Ctrl-C ends the running input at its next poll point; a second one, while the first was
/// not heeded yet, ends the process.
fn catch_interrupts(evaluator: &Evaluator) -> Result<(), Failure> {
    use signal_hook::flag;
    let asked = || std::sync::Arc::clone(&evaluator.interrupt);
    let code = Exit::Interrupted.code();
    let registered = flag::register_conditional_shutdown(SIGINT, code, asked())
        .and_then(|_| flag::register(SIGINT, asked()));
    registered
        .map(|_| ())
        .map_err(|error| Failure::new(Exit::Internal, format!("Ctrl-C cannot be caught: {error}")))
}

fn editor(commander: Rc<RefCell<Commander>>) -> Result<Editor<Assistant, FileHistory>, Failure> {
    let failed =
        |error: ReadlineError| Failure::new(Exit::Io, format!("cannot use the terminal: {error}"));
    let config = Config::builder()
        .max_history_size(HISTORY)
        .map_err(failed)?
        .history_ignore_space(true)
        .auto_add_history(false)
        .completion_type(CompletionType::List)
        .build();
    let mut editor = Editor::with_config(config).map_err(failed)?;
    editor.set_helper(Some(Assistant { commander }));
    Ok(editor)
}

fn keep_history(
    editor: &mut Editor<Assistant, FileHistory>,
    path: &Path,
) -> Result<(), ReadlineError> {
    if let Some(folder) = path.parent() {
        make_private(folder)?;
    }
    editor.append_history(path)
}

/// Makes the folder, readable for its owner only.
fn make_private(folder: &Path) -> io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Help with typing: colours, and completions of words.
struct Assistant {
    commander: Rc<RefCell<Commander>>,
}

impl Helper for Assistant {}

impl Highlighter for Assistant {
    fn highlight<'l>(&self, line: &'l str, _: usize) -> Cow<'l, str> {
        match console::results_in_color() {
            true => highlight::highlighted(line),
            false => Cow::Borrowed(line),
        }
    }

    /// A character can change the colour of all that follows.
    fn highlight_char(&self, _: &str, _: usize, _: CmdKind) -> bool {
        console::results_in_color()
    }
}

impl Hinter for Assistant {
    type Hint = String;
}

impl Validator for Assistant {}

impl Completer for Assistant {
    type Candidate = String;

    fn complete(
        &self,
        line: &str,
        position: usize,
        _: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<String>)> {
        let commander = self.commander.borrow();
        let text = line.get(..position).unwrap_or(line);
        Ok(completion::complete(&commander.evaluator, text))
    }
}
