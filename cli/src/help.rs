//! The map of the commands, and help in two layers. The first layer shows the commands of the map and their usual options. The
//! second layer, `--help-all`, shows the rest: the options with `hide_short_help` in the grammar and the commands that are not on
//! the map. The second layer of the command line as a whole shows all commands.

use std::ffi::OsString;

use clap::builder::Resettable;
use clap::{Arg, ArgAction, CommandFactory as _, FromArgMatches as _};
use tally_compiler::nearest;

use crate::exit::{self, Exit};
use crate::failure::Failure;
use crate::grammar::Arguments;
use crate::output;

/// The commands by the questions that they answer. README and the guide have the same map.
const MAP: &[(&str, &[&str])] = &[
    ("WRITE", &["new", "run", "repl", "check", "doc"]),
    ("COUNT", &["test", "profile", "annotate"]),
    ("KEEP", &["gate", "verify"]),
    ("CHANGED?", &["compare", "history", "bisect"]),
    ("WAITING?", &["timeline", "explore"]),
    ("BIGGER?", &["predict"]),
    ("MORE", &["tally --help-all"]),
];

/// The option that shows the second layer, without its hyphens.
const ALL: &str = "help-all";

/// The map as text.
pub(crate) fn map() -> String {
    let rows = MAP
        .iter()
        .map(|(question, commands)| format!("{question:<8}  {}", commands.join("  ")));
    rows.collect::<Vec<_>>().join("\n")
}

/// The whole grammar of the command line.
pub(crate) fn grammar() -> clap::Command {
    let help = Arg::new("help").short('h').long("help");
    let all = Arg::new(ALL).long(ALL);
    Arguments::command()
        .disable_help_flag(true)
        .disable_help_subcommand(true)
        .args([
            help.help("Print help"),
            all.help("Print the rest of the help"),
        ])
        .mut_args(|argument| match argument.get_id().as_str() {
            "help" | ALL => argument.global(true).action(ArgAction::HelpShort),
            _ => argument,
        })
}

/// Reads the command line. Help, version and mistakes end the process.
pub(crate) fn parsed(line: Vec<OsString>) -> Arguments {
    let is_all =
        |word: &OsString| word.to_str().and_then(|word| word.strip_prefix("--")) == Some(ALL);
    let mut words = line.iter().take_while(|word| *word != "--");
    let grammar = layer(grammar(), words.any(is_all));
    let matches = grammar.try_get_matches_from(line);
    let arguments = matches.and_then(|matches| Arguments::from_arg_matches(&matches));
    arguments.unwrap_or_else(|error| exit::usage(&error))
}

/// Prints the first layer of the help of a command, or of the command line as a whole.
pub(crate) fn help(name: Option<&str>) -> Result<Exit, Failure> {
    let mut grammar = layer(grammar(), false);
    grammar.build();
    let text = match name {
        None => grammar.render_help(),
        Some(name) => match grammar.find_subcommand_mut(name) {
            Some(command) => command.render_help(),
            None => return Err(unknown(name)),
        },
    };
    output::write_to_reader(&text.to_string())
}

fn unknown(name: &str) -> Failure {
    let grammar = grammar();
    let names = grammar.get_subcommands().map(clap::Command::get_name);
    let hint = nearest(name, names).map_or(String::new(), |near| format!("; did you mean {near}?"));
    Failure::new(Exit::Usage, format!("there is no command {name}{hint}"))
}

/// The grammar whose help shows one layer.
fn layer(grammar: clap::Command, is_all: bool) -> clap::Command {
    let is_on_map = |name: &str| MAP.iter().any(|(_, commands)| commands.contains(&name));
    let grammar = grammar.mut_subcommands(|command| {
        let is_hidden = command.is_hide_set() || !(is_all || is_on_map(command.get_name()));
        let command = command.hide(is_hidden);
        match is_all {
            true => command.mut_args(shown_in_second).after_help(""),
            false => command,
        }
    });
    match is_all {
        // All commands are listed with what they do, so the map is not repeated.
        true => grammar
            .before_help(Resettable::Reset)
            .mut_args(|argument| argument.hide_short_help(false)),
        false => grammar,
    }
}

/// An option of a command, shown if and only if the first layer does not show it.
fn shown_in_second(argument: Arg) -> Arg {
    let is_second = argument.is_hide_short_help_set() && !argument.is_hide_set();
    argument.hide_short_help(false).hide(!is_second)
}
