//! `tally explain`: what a diagnostic's code means, with a text that yields it and one that does not. The
//! texts are the compiler's catalogue; only their layout is made here.

use clap::Args;
use std::fmt::Write as _;

use serde::Serialize;
use tally_compiler::catalogue::{ENTRIES, Entry, Sample, entry};

use crate::arguments::Format;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output;

#[derive(Clone, Debug, Args)]
pub(crate) struct ExplainArguments {
    /// Codes such as E0113
    #[arg(value_name = "CODE")]
    pub(crate) codes: Vec<String>,
    /// The format of the explanations
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub(crate) format: Format,
}

/// Characters of a line of running text.
const WIDTH: usize = 88;

#[derive(Serialize)]
struct Explanation {
    code: &'static str,
    title: &'static str,
    text: &'static str,
    wrong: Option<String>,
    right: Option<String>,
}

#[derive(Serialize)]
struct Document {
    schema: &'static str,
    codes: Vec<Explanation>,
}

pub(crate) fn explain(arguments: &ExplainArguments) -> Result<Exit, Failure> {
    let mut wanted = Vec::new();
    for code in &arguments.codes {
        let found = entry(code.trim());
        wanted.push(found.ok_or_else(|| unknown(code))?);
    }
    let lists_all = wanted.is_empty();
    if lists_all {
        wanted.extend(ENTRIES);
    }
    let text = match arguments.format {
        Format::Json => output::json(&Document {
            schema: "tally.explain/1",
            codes: wanted.into_iter().map(explanation).collect(),
        })?,
        Format::Human if lists_all => list(&wanted),
        Format::Human => {
            let texts: Vec<String> = wanted.into_iter().map(human).collect();
            texts.join("\n")
        }
    };
    output::write(&text, None)?;
    Ok(Exit::Success)
}

fn unknown(code: &str) -> Failure {
    let message = format!("there is no code `{code}`; `tally explain` lists all");
    Failure::new(Exit::Usage, message)
}

fn list(entries: &[&Entry]) -> String {
    let mut text = String::new();
    for Entry { code, title, .. } in entries {
        let _ = writeln!(text, "{code}  {title}");
    }
    text
}

fn human(entry: &Entry) -> String {
    let Entry {
        code,
        title,
        text,
        wrong,
        right,
    } = entry;
    let kind = if code.starts_with('W') {
        "warning"
    } else {
        "error"
    };
    format!(
        "{kind} {code}: {title}\n\n{}\nWrong:\n{}\nRight:\n{}",
        wrapped(text),
        sample(*wrong),
        sample(*right)
    )
}

/// A sample's lines, indented.
fn sample(sample: Sample) -> String {
    let shown = match sample {
        Sample::Script(text) | Sample::Som(text) => text.to_string(),
        Sample::Repeated(start, piece, times, end) => {
            format!("{start}{piece}{piece}{piece}…{end}  \"{times} times in all\"")
        }
        Sample::Nothing(why) => format!("({why})"),
    };
    let mut text = String::new();
    for line in shown.lines() {
        let _ = writeln!(text, "    {line}");
    }
    text
}

/// A text in lines of at most `width` characters.
fn wrapped(text: &str) -> String {
    let mut lines = String::new();
    let mut length = 0;
    for word in text.split(' ') {
        let needed = word.chars().count();
        if length > 0 && length + 1 + needed > WIDTH {
            lines.push('\n');
            length = 0;
        } else if length > 0 {
            lines.push(' ');
            length += 1;
        }
        lines.push_str(word);
        length += needed;
    }
    lines.push('\n');
    lines
}

fn explanation(entry: &Entry) -> Explanation {
    let shown = |sample: Sample| match sample {
        Sample::Script(text) | Sample::Som(text) => Some(text.to_string()),
        Sample::Repeated(..) | Sample::Nothing(_) => None,
    };
    Explanation {
        code: entry.code,
        title: entry.title,
        text: entry.text,
        wrong: shown(entry.wrong),
        right: shown(entry.right),
    }
}
