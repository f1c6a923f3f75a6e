//! Expectations: comments in a test program that state results of its run. An unknown word is an error, so that a
//! misspelt expectation does not pass for a comment.

use crate::observe::Options;

/// One thing that a program is expected to show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expectation {
    /// The next line of standard output.
    Output(String),
    /// A part of standard error.
    Error(String),
    /// A number of the run's cost vector, by its word.
    Cost(CostWord, u64),
    /// The counters of work inside primitives that are not 0, such as `limbs 3, moved 16`, in the model's order.
    Work(String),
    /// How the run ends: `finished`, `failed`, `limit`, `deadlock`, `exited`, `not compiled`.
    Exit(String),
    /// The code of an error of the compiler. All of them have to be named.
    CompileError(String),
    /// The code of a warning.
    Warning(String),
    /// A number of a method's tally.
    Tally(TallyWord, String, u64),
}

/// A number of the cost vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CostWord {
    /// `sends`
    Sends,
    /// `loops`
    Loops,
    /// `activations`
    Activations,
    /// `blocks`
    Blocks,
    /// `objects`, as the model counts allocations
    Objects,
    /// `bytes`, by the model
    Bytes,
    /// `called`: primitives that are not simple
    Called,
    /// `steps`
    Steps,
}

/// A number of a tally.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TallyWord {
    /// `calls`
    Calls,
    /// `own`
    Own,
    /// `total`
    Total,
}

/// What a test program's comments say.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// Its expectations, in the order of the text, with the numbers of their lines.
    pub expectations: Vec<(usize, Expectation)>,
    /// The options of its runs.
    pub options: Options,
}

/// Reads the expectations and options of a test program.
///
/// # Errors
/// A sentence that names the line.
pub fn read(source: &str) -> Result<Wanted, String> {
    let mut wanted = Wanted::default();
    for (index, line) in source.lines().enumerate() {
        for comment in comments(line) {
            let read = if let Some(rest) = comment.strip_prefix("option:") {
                option(rest.trim(), &mut wanted.options)
            } else if comment.starts_with("expect") {
                expectation(&comment).map(|one| wanted.expectations.push((index + 1, one)))
            } else {
                Ok(())
            };
            read.map_err(|message| format!("line {}: {message}", index + 1))?;
        }
    }
    Ok(wanted)
}

/// The comments of a line that may be expectations, doubled quotes made single.
fn comments(line: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = line;
    while let Some(start) = rest.find("\"expect").or_else(|| rest.find("\"option:")) {
        let body = &rest[start + 1..];
        let mut text = String::new();
        let mut end = body.len();
        let mut letters = body.char_indices().peekable();
        while let Some((at, letter)) = letters.next() {
            let is_doubled = letters.peek().is_some_and(|(_, next)| *next == '"');
            match letter {
                '"' if is_doubled => {
                    letters.next();
                    text.push('"');
                }
                '"' => {
                    end = at + 1;
                    break;
                }
                _ => text.push(letter),
            }
        }
        found.push(text);
        rest = &body[end..];
    }
    found
}

fn expectation(comment: &str) -> Result<Expectation, String> {
    let Some((words, text)) = comment.split_once(':') else {
        return Err(format!("an expectation without a colon: {comment}"));
    };
    let text = text.strip_prefix(' ').unwrap_or(text);
    let cost = |word| Ok(Expectation::Cost(word, number(text)?));
    match words {
        "expect" => Ok(Expectation::Output(text.to_string())),
        "expect error" => Ok(Expectation::Error(text.to_string())),
        "expect compile error" => Ok(Expectation::CompileError(text.trim().to_string())),
        "expect warning" => Ok(Expectation::Warning(text.trim().to_string())),
        "expect exit" => exit(text.trim()),
        "expect sends" => cost(CostWord::Sends),
        "expect loops" => cost(CostWord::Loops),
        "expect activations" => cost(CostWord::Activations),
        "expect blocks" => cost(CostWord::Blocks),
        "expect objects" => cost(CostWord::Objects),
        "expect bytes" => cost(CostWord::Bytes),
        "expect called" => cost(CostWord::Called),
        "expect steps" => cost(CostWord::Steps),
        "expect work" => Ok(Expectation::Work(text.trim().to_string())),
        "expect calls" => tally(TallyWord::Calls, text),
        "expect own" => tally(TallyWord::Own, text),
        "expect total" => tally(TallyWord::Total, text),
        _ => Err(format!("no such expectation: {words}")),
    }
}

fn exit(word: &str) -> Result<Expectation, String> {
    match word {
        "finished" | "failed" | "limit" | "deadlock" | "exited" | "not compiled" => {
            Ok(Expectation::Exit(word.to_string()))
        }
        _ => Err(format!("no such way to end: {word}")),
    }
}

fn tally(word: TallyWord, text: &str) -> Result<Expectation, String> {
    let (method, count) = text
        .trim()
        .rsplit_once(' ')
        .ok_or_else(|| format!("a method and a number, not {text}"))?;
    Ok(Expectation::Tally(
        word,
        method.trim().to_string(),
        number(count)?,
    ))
}

fn number<T: std::str::FromStr>(text: &str) -> Result<T, String> {
    text.trim()
        .parse()
        .map_err(|_| format!("not a number: {text}"))
}

fn option(text: &str, options: &mut Options) -> Result<(), String> {
    let (name, value) = text.split_once('=').unwrap_or((text, ""));
    match name.trim() {
        "args" => options.arguments = value.split_whitespace().map(str::to_string).collect(),
        "max-depth" => options.max_depth = Some(number(value)?),
        "max-work" => options.max_work = Some(number(value)?),
        "max-ticks" => options.max_ticks = Some(number(value)?),
        "max-memory" => options.max_memory = Some(number(value)?),
        "preset" => options.preset = number(value)?,
        "serials" => options.serials = number(value)?,
        "slice" => options.slice = Some(number(value)?),
        "by-memory" => options.by_memory = true,
        "no-gc-stress" => options.no_gc_stress = true,
        other => return Err(format!("no such option: {other}")),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expectations_are_read_in_the_order_of_the_text() {
        let source = "\"What is tested.\"\n3 printNl. \"expect: 3\"\n'\"' foo. \"expect sends: 4\" \"expect own: A>>b: 2\"";
        let read = read(source).map(|wanted| wanted.expectations);
        let wanted = vec![
            (2, Expectation::Output("3".to_string())),
            (3, Expectation::Cost(CostWord::Sends, 4)),
            (
                3,
                Expectation::Tally(TallyWord::Own, "A>>b:".to_string(), 2),
            ),
        ];
        assert_eq!(read, Ok(wanted));
    }

    #[test]
    fn an_unknown_word_is_an_error() {
        assert!(read("\"expect sendz: 3\"").is_err());
        assert!(read("\"option: speed=3\"").is_err());
        assert!(read("\"expects 3\"").is_err());
    }
}
