//! Messages to standard error, and the decisions whether to colour them and results. Results never come by here.

use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use tally_presentation::Page;
use tally_vm::printable_lines;

use crate::printed;

/// When to colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Color {
    // On a terminal, unless NO_COLOR is set
    Auto,
    // Always
    Always,
    // Never
    Never,
}

static IN_COLOR: AtomicBool = AtomicBool::new(false);
static RESULTS_IN_COLOR: AtomicBool = AtomicBool::new(false);

/// Decides whether messages and results are coloured: the option first, then the environment, then
/// whether the stream is a terminal.
pub(crate) fn set_color(color: Color) {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let wanted = match color {
        Color::Always => Some(true),
        Color::Never => Some(false),
        Color::Auto if is_set("NO_COLOR") => Some(false),
        Color::Auto if is_set("CLICOLOR_FORCE") => Some(true),
        Color::Auto => None,
    };
    let messages = wanted.unwrap_or_else(|| std::io::stderr().is_terminal());
    let results = wanted.unwrap_or_else(|| std::io::stdout().is_terminal());
    IN_COLOR.store(messages, Ordering::Relaxed);
    RESULTS_IN_COLOR.store(results, Ordering::Relaxed);
}

/// Whether messages are coloured.
pub(crate) fn in_color() -> bool {
    IN_COLOR.load(Ordering::Relaxed)
}

/// How results are to look: as wide as the terminal, if they go to one.
pub(crate) fn results_page() -> Page {
    let out = std::io::stdout();
    let width = match out.is_terminal() {
        true => terminal_size::terminal_size_of(out).map(|(width, _)| usize::from(width.0)),
        false => None,
    };
    Page {
        width,
        color: RESULTS_IN_COLOR.load(Ordering::Relaxed),
    }
}

/// Whether results are coloured.
pub(crate) fn results_in_color() -> bool {
    RESULTS_IN_COLOR.load(Ordering::Relaxed)
}

/// A part of a result, in green or red if results are coloured.
pub(crate) fn tinted(text: &str, is_good: bool) -> String {
    if !results_in_color() {
        return text.to_string();
    }
    let color = if is_good { "32" } else { "1;31" };
    format!("\x1b[{color}m{text}\x1b[0m")
}

/// Writes text to standard error. If that is closed, the text is lost.
pub(crate) fn write(text: &str) {
    let _ = std::io::stderr().write_all(text.as_bytes());
}

/// Prints an error.
pub(crate) fn error(message: &str) {
    labelled("\x1b[1;31m", "error", &printable_lines(message));
}

/// Prints an error in words that another process of the command has printed: nothing in them is dangerous, but there may be colours.
pub(crate) fn printed_error(message: &str) {
    labelled("\x1b[1;31m", "error", message);
}

/// Prints a warning.
pub(crate) fn warning(message: &str) {
    labelled("\x1b[1;33m", "warning", &printable_lines(message));
}

/// Prints an error that is the command's own fault.
pub(crate) fn internal_error(message: &str) {
    labelled("\x1b[1;31m", "internal error", &printable_lines(message));
    write("This is a mistake in tally, not in your program. Please report it with the program.\n");
}

/// Stands in for the panic message that Rust would print.
pub(crate) fn report_panic(info: &std::panic::PanicHookInfo<'_>) {
    printed::flush();
    let payload = info.payload();
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    let place = info
        .location()
        .map(|place| format!(" ({}:{})", place.file(), place.line()));
    internal_error(&format!(
        "{}{}",
        text.unwrap_or("panic"),
        place.unwrap_or_default()
    ));
}

fn labelled(color: &str, label: &str, message: &str) {
    if in_color() {
        write(&format!("{color}{label}\x1b[0m: {message}\n"));
    } else {
        write(&format!("{label}: {message}\n"));
    }
}
