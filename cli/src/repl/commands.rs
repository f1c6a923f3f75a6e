//! The commands of the session: lines that begin with a colon. The commands are rows of one list; help, completion
//! and the hint for a misspelled one derive from it.

use std::fmt::Write as _;
use std::io::Cursor;
use std::sync::Arc;

use tally_compiler::nearest;
use tally_compiler::session::MessageUse;
use tally_presentation::counted;
use tally_profiler::{Order, Profile, check_identities, cost_report, profile_report};
use tally_vm::Detail;

use super::evaluator::{Evaluator, Measure, Report};
use super::piped::{From, Reader};
use super::{browsing, saved};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::{console, documentation, output};

/// How the session goes on after an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Then {
    /// Read the next one.
    GoOn,
    /// End the session with this code, or with that of its first failure.
    Quit(Option<Exit>),
}

/// Methods that `:profile` shows.
const SHOWN_METHODS: usize = 30;

/// A command of the session.
pub(super) struct Command {
    pub(super) name: &'static str,
    argument: &'static str,
    does: &'static str,
    action: Action,
}

/// Carries a command out; gets the input's name and what stands behind the command's.
type Action = fn(&mut Commander, &str, &str) -> Result<Then, Failure>;

/// All commands.
pub(super) const COMMANDS: &[Command] = &[
    Command {
        name: "browse",
        argument: "NAME",
        does: "show the source of Class or Class>>selector",
        action: Commander::browse,
    },
    Command {
        name: "cost",
        argument: "EXPR",
        does: "evaluate, and show the counts and the messages that were sent",
        action: Commander::cost,
    },
    Command {
        name: "doc",
        argument: "NAME",
        does: "show the comment of Class, Class>>selector, or of every method called selector",
        action: Commander::doc,
    },
    Command {
        name: "help",
        argument: "",
        does: "show this",
        action: Commander::help,
    },
    Command {
        name: "implementors",
        argument: "NAME",
        does: "list the methods called selector",
        action: Commander::implementors,
    },
    Command {
        name: "load",
        argument: "FILE",
        does: "run a file, as `tally run` does, or the inputs of a saved session",
        action: Commander::load,
    },
    Command {
        name: "profile",
        argument: "EXPR",
        does: "evaluate, and rank the methods by the messages that they send",
        action: Commander::profile,
    },
    Command {
        name: "quit",
        argument: "",
        does: "end the session; so does Ctrl-D",
        action: Commander::quit,
    },
    Command {
        name: "save",
        argument: "FILE",
        does: "write the inputs that were evaluated without an error to a new file",
        action: Commander::save,
    },
    Command {
        name: "senders",
        argument: "NAME",
        does: "list the methods that send selector",
        action: Commander::senders,
    },
    Command {
        name: "time",
        argument: "EXPR",
        does: "evaluate, and show the sends and the time that it took",
        action: Commander::time,
    },
    Command {
        name: "vars",
        argument: "",
        does: "show the names of the session's variables",
        action: Commander::vars,
    },
];

/// The commands whose argument is an expression, which may take several lines.
const OF_EXPRESSIONS: [&str; 3] = ["cost", "profile", "time"];

/// The expression in an input: all of it, or what stands behind a command. Empty for commands without one.
pub(super) fn expression_of(input: &str) -> &str {
    let Some((name, argument)) = split(input) else {
        return input;
    };
    let takes_one = OF_EXPRESSIONS
        .iter()
        .any(|command| !name.is_empty() && command.starts_with(name));
    if takes_one { argument } else { "" }
}

/// What stands behind the command's name, or all of the input if it is none.
pub(super) fn argument_of(input: &str) -> &str {
    split(input).map_or(input, |(_, argument)| argument)
}

/// The name of a command and what follows it.
fn split(input: &str) -> Option<(&str, &str)> {
    let rest = input.trim_start().strip_prefix(':')?;
    let end = rest
        .find(|c: char| !c.is_ascii_alphabetic())
        .unwrap_or(rest.len());
    Some((&rest[..end], &rest[end..]))
}

/// Carries inputs out.
pub(super) struct Commander {
    pub(super) evaluator: Evaluator,
    /// The inputs that were evaluated without an error.
    inputs: Vec<String>,
}

impl Commander {
    pub(super) fn new(evaluator: Evaluator) -> Commander {
        Commander {
            evaluator,
            inputs: Vec::new(),
        }
    }

    /// Carries an input out. A failure has not been reported yet.
    pub(super) fn carry_out(&mut self, name: &str, input: &str) -> Result<Then, Failure> {
        let carried_out = match split(input) {
            Some((command, argument)) => self.command(name, command, argument.trim()),
            None => self.evaluate(name, input),
        };
        match carried_out {
            // The program ended itself, and the session with it.
            Err(failure) => failure.chosen().map(|exit| Then::Quit(Some(exit))),
            done => done,
        }
    }

    fn evaluate(&mut self, name: &str, input: &str) -> Result<Then, Failure> {
        let word = input.trim();
        let meant = match word {
            "exit" | "quit" | "bye" => ":quit or Ctrl-D ends the session",
            "help" | "?" => ":help shows the commands",
            _ => "",
        };
        if !meant.is_empty() && !self.evaluator.session.keeps(word) {
            console::write(&format!("help: {meant}\n"));
            return Ok(Then::GoOn);
        }
        self.evaluator.evaluate(name, input)?;
        self.inputs.push(input.to_string());
        Ok(Then::GoOn)
    }

    fn command(&mut self, name: &str, command: &str, argument: &str) -> Result<Then, Failure> {
        let named = COMMANDS.iter().find(|known| known.name == command);
        // `:q` is `:quit`: what can mean only one command means it.
        let mut begun = COMMANDS
            .iter()
            .filter(|known| !command.is_empty() && known.name.starts_with(command));
        let known = named.or_else(|| begun.next().filter(|_| begun.next().is_none()));
        let Some(known) = known else {
            return Err(unknown(command));
        };
        let wants_argument = !known.argument.is_empty();
        if wants_argument == argument.is_empty() {
            let usage = format!("usage: :{} {}", known.name, known.argument);
            return Err(Failure::new(Exit::Usage, usage.trim_end()));
        }
        (known.action)(self, name, argument)
    }

    fn cost(&mut self, name: &str, expression: &str) -> Result<Then, Failure> {
        let (report, ended) = self
            .evaluator
            .evaluate_measured(name, expression, Measure::Cost);
        if report.outcome.is_some() {
            let text = cost_report(&report.cost, None) + &messages(&report.messages);
            output::write(&text, None)?;
        }
        ended.map(|()| Then::GoOn)
    }

    fn profile(&mut self, name: &str, expression: &str) -> Result<Then, Failure> {
        self.evaluator.program.vm.start_profile(Detail::default());
        let (report, ended) = self
            .evaluator
            .evaluate_measured(name, expression, Measure::Profile);
        let recorder = self.evaluator.program.vm.finish_profile();
        let Report {
            cost,
            scripts,
            outcome: Some(outcome),
            ..
        } = report
        else {
            return ended.map(|()| Then::GoOn);
        };
        let program = &self.evaluator.program;
        let mut about = program.description(&outcome);
        about.files = vec![name.to_string(); scripts.len().max(1)];
        about.scripts = scripts;
        let mut profile = Profile::collect(&program.vm, &recorder, &cost, about);
        profile.files.truncate(1);
        output::write(
            &profile_report(&profile, Order::Total, Some(SHOWN_METHODS)),
            None,
        )?;
        if !check_identities(&profile).is_empty() {
            console::warning(
                "processes that earlier inputs began went on meanwhile; no method has their sends",
            );
        }
        ended.map(|()| Then::GoOn)
    }

    fn time(&mut self, name: &str, expression: &str) -> Result<Then, Failure> {
        let (report, ended) = self
            .evaluator
            .evaluate_measured(name, expression, Measure::Time);
        if report.outcome.is_some() {
            let sends = counted(report.cost.sends, "send", "sends");
            let time = report.time.as_secs_f64() * 1e3;
            output::write(&format!("{sends} in {time:.3} ms\n"), None)?;
        }
        ended.map(|()| Then::GoOn)
    }

    fn senders(&mut self, _: &str, selector: &str) -> Result<Then, Failure> {
        self.show(browsing::senders(&self.evaluator.program.vm, selector)?)
    }

    fn implementors(&mut self, _: &str, selector: &str) -> Result<Then, Failure> {
        self.show(browsing::implementors(
            &self.evaluator.program.vm,
            selector,
        )?)
    }

    fn browse(&mut self, _: &str, name: &str) -> Result<Then, Failure> {
        self.show(browsing::source(&self.evaluator.program.vm, name)?)
    }

    fn show(&self, text: String) -> Result<Then, Failure> {
        output::write(&tally_vm::printable_lines(&text), None)?;
        Ok(Then::GoOn)
    }

    fn save(&mut self, _: &str, file: &str) -> Result<Then, Failure> {
        if self.inputs.is_empty() {
            return Err(Failure::new(Exit::Nothing, "no input was evaluated yet"));
        }
        saved::save(file, &self.inputs)?;
        Ok(Then::GoOn)
    }

    fn load(&mut self, _: &str, file: &str) -> Result<Then, Failure> {
        if let Some(text) = saved::inputs(file) {
            return self.load_inputs(file, &text);
        }
        let units = self.evaluator.program.load_more(&[file.to_string()])?;
        for unit in units {
            self.evaluator.run(Arc::clone(&unit)).1?;
        }
        Ok(Then::GoOn)
    }

    /// Evaluates the inputs of a saved session, up to the first that fails.
    fn load_inputs(&mut self, file: &str, text: &str) -> Result<Then, Failure> {
        let mut reader = Reader::new(From::Text(Cursor::new(text.to_string())));
        while let Some(input) = reader.next()? {
            self.evaluate(file, &input.text)?;
        }
        Ok(Then::GoOn)
    }

    fn doc(&mut self, _: &str, name: &str) -> Result<Then, Failure> {
        let text = documentation::of(&self.evaluator.program.vm, name)?;
        output::write(&tally_vm::printable_lines(&text), None)?;
        Ok(Then::GoOn)
    }

    fn vars(&mut self, _: &str, _: &str) -> Result<Then, Failure> {
        let names: Vec<&str> = self
            .evaluator
            .session
            .variables()
            .map(String::as_str)
            .collect();
        output::write(&format!("{}\n", names.join(" ")), None)?;
        Ok(Then::GoOn)
    }

    fn help(&mut self, _: &str, _: &str) -> Result<Then, Failure> {
        let mut text = String::new();
        for command in COMMANDS {
            let usage = format!(":{} {}", command.name, command.argument);
            let _ = writeln!(text, "{usage:<18} {}", command.does);
        }
        text.push_str(
            "\nAnything else is Smalltalk. An input goes on until its brackets and quotes are closed.\n\
             Variables need no declaration; `it` is the last value. Ctrl-C ends what runs.\n",
        );
        output::write(&text, None)?;
        Ok(Then::GoOn)
    }

    fn quit(&mut self, _: &str, _: &str) -> Result<Then, Failure> {
        Ok(Then::Quit(None))
    }
}

fn unknown(command: &str) -> Failure {
    let names = COMMANDS.iter().map(|known| known.name);
    let hint = match nearest(command, names) {
        Some(near) => format!("did you mean :{near}?"),
        None => ":help shows the commands".to_string(),
    };
    Failure::new(
        Exit::Usage,
        format!("there is no command :{command}; {hint}"),
    )
}

/// The messages of an input, each kind once, in the order of the text.
fn messages(messages: &[MessageUse]) -> String {
    let mut kinds: Vec<(&str, bool, usize)> = Vec::new();
    for message in messages {
        let known = kinds.iter_mut().find(|(selector, inlined, _)| {
            *selector == message.selector && *inlined == message.inlined
        });
        match known {
            Some((_, _, places)) => *places += 1,
            None => kinds.push((&message.selector, message.inlined, 1)),
        }
    }
    let width = kinds
        .iter()
        .map(|kind| kind.0.chars().count())
        .max()
        .unwrap_or(0);
    let mut text = String::new();
    for (number, (selector, inlined, places)) in kinds.into_iter().enumerate() {
        let _ = write!(
            text,
            "{}{selector:<width$}  ",
            if number == 0 { "\n" } else { "" }
        );
        text.push_str(if inlined {
            "inlined: jumps, no send"
        } else {
            "sent"
        });
        if places > 1 {
            let _ = write!(text, ", in {places} places");
        }
        text.push('\n');
    }
    text
}
