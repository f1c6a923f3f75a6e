//! Plain words: no file contains a turn of phrase of the deny-list, and no sentence of the documentation is too long.
//! Each row of the list has the words to use instead.

use std::path::Path;

use libtest_mimic::{Failed, Trial};
use tally_tests::{files_below, root};

/// Sentences aim at 25 words. This limit is a ratchet: lower it when the longest sentence is shorter, never raise it.
const MOST_WORDS: usize = 40;

const KINDS: &[&str] = &["rs", "st", "md", "toml", "html", "css", "js", "lalrpop"];

/// Files and folders that the rules leave out, and why.
const EXCEPT: &[(&str, &str)] = &[
    ("tests/words.rs", "the list itself"),
    ("CHANGELOG.md", "quotes the messages of earlier versions"),
    ("tests/golden/", "texts of programs, which tests hold"),
    (
        "analyses/comparison/tests/comparisons/",
        "output of programs",
    ),
    ("analyses/study/tests/reports/", "output of programs"),
    (
        "docs/STUDY.md",
        "output of a program, whose source is checked",
    ),
    (
        "benches/ordinary/word_frequency.st",
        "a text to count words in",
    ),
    ("examples/textindex.st", "a text to count words in"),
];

/// Names and texts in programs that contain a denied phrase. The counts of these programs depend on their texts.
const QUOTED: &[(&str, &str)] = &[
    ("examples/basket/bigints.st", "nobody"),
    ("examples/basket/bigints.st", "whoever"),
    ("examples/basket/exceptions.st", "nobody"),
    ("examples/basket/metamodel.st", "nobody"),
    ("examples/basket/text.st", "nobody"),
    ("docs/guide/src/counted-tests.md", "nobody"),
];

/// A phrase in lower-case words, and what to write instead.
type Row = (&'static str, &'static str);

/// Denied everywhere.
const PHRASES: &[Row] = &[
    (
        "nobody",
        "the role: user, caller, process, test; or `no other process`",
    ),
    ("somebody", "the role: user, caller, process, test"),
    ("anybody", "the role: user, caller, process, test"),
    ("whoever", "the role: user, caller, process, test"),
    ("told apart", "distinguished, separated"),
    ("tell apart", "distinguish, separate"),
    ("tells apart", "distinguishes, separates"),
    ("tells them apart", "separates them"),
    ("without a word", "and printed nothing"),
    ("what those", "repeat the noun"),
    ("those that those", "repeat the noun"),
    ("come of", "be caused by, result from"),
    ("comes of", "is caused by, results from"),
    ("came of", "resulted from; `the result of`"),
    ("become of", "happen to; `the outcome of`"),
    ("becomes of", "happens to; `the outcome of`"),
    ("became of", "happened to; `the outcome of`"),
    ("is told", "is reported, is known, is stated"),
    ("are told", "are reported, are known, are stated"),
    ("was told", "was reported, was configured"),
    ("were told", "were reported, were configured"),
    ("be told", "be reported, be distinguished"),
    ("been told", "been reported"),
    ("as one that", "repeat the noun"),
    ("as ones that", "repeat the noun"),
    ("half away from nothing", "halves away from zero"),
    ("other than those that", "except"),
];

/// Denied in programs, documents and the library. In examples objects may ask and tell: there they are the subject.
const PERSONS: &[Row] = &[
    ("asks", "reads, queries, requires, sends"),
    ("is asked", "is queried, is read, receives"),
    ("are asked", "are queried, are read, receive"),
    ("was asked", "was queried, was requested"),
    ("be asked", "be queried, be requested"),
    ("asked for", "requested"),
    ("asked of", "requested from"),
    ("tells", "shows, reports, states"),
    (
        "so many",
        "the number: `n`, `a given number of`, `too many`",
    ),
];

/// A test for each rule.
pub(crate) fn trials() -> Vec<Trial> {
    let phrases = || no_file_contains_a_denied_phrase().map_err(Failed::from);
    let lengths = || no_sentence_is_too_long().map_err(Failed::from);
    vec![
        Trial::test("words/no_file_contains_a_denied_phrase", phrases),
        Trial::test("words/no_sentence_is_too_long", lengths),
    ]
}

// --- phrases --------------------------------------------------------------------------------------

fn no_file_contains_a_denied_phrase() -> Result<(), String> {
    let mut faults = Vec::new();
    for kind in KINDS {
        for (path, text) in checked_files(kind)? {
            let is_example = path.starts_with("examples/") || path.starts_with("benches/");
            let is_example = is_example && path.ends_with(".st");
            let persons = if is_example { &[] } else { PERSONS };
            let words = words(&text);
            for row in PHRASES.iter().chain(persons) {
                let (phrase, instead) = row;
                if QUOTED.contains(&(&path, phrase)) {
                    continue;
                }
                let found = occurrences(&words, phrase);
                faults.extend(
                    found.map(|line| format!("{path}:{line}: \"{phrase}\"; instead: {instead}")),
                );
            }
        }
    }
    none(&faults)
}

/// The words of a text in lower case, with their lines. A word that is empty stands for a break between sentences or clauses.
fn words(text: &str) -> Vec<(usize, String)> {
    let mut words = Vec::new();
    for (number, line) in text.lines().enumerate() {
        // Marks of comments do not interrupt a sentence.
        let line = line.trim_start().trim_start_matches(['/', '!', '*', '#']);
        for part in line.split(char::is_whitespace) {
            for piece in part.split_inclusive(|letter: char| !is_of_word(letter)) {
                let word = piece.trim_end_matches(|letter: char| !is_of_word(letter));
                if !word.is_empty() {
                    words.push((number + 1, word.to_lowercase()));
                }
                if word.len() < piece.len() {
                    words.push((number + 1, String::new()));
                }
            }
        }
    }
    words
}

/// Letters of a word. An apostrophe would join a word to the quotes around it.
fn is_of_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// The lines in which a phrase begins.
fn occurrences(words: &[(usize, String)], phrase: &str) -> impl Iterator<Item = usize> {
    let phrase: Vec<&str> = phrase.split(' ').collect();
    let windows = words.windows(phrase.len());
    windows.filter_map(move |window| {
        let mut pairs = window.iter().zip(&phrase);
        pairs
            .all(|((_, word), wanted)| word == wanted)
            .then(|| window[0].0)
    })
}

// --- sentences ------------------------------------------------------------------------------------

fn no_sentence_is_too_long() -> Result<(), String> {
    let mut faults = Vec::new();
    for kind in ["rs", "md"] {
        for (path, text) in checked_files(kind)? {
            let lines = match kind {
                "rs" => documentation(&text),
                _ => text.lines().map(Some).collect(),
            };
            for (line, paragraph) in paragraphs(&lines) {
                for sentence in sentences(&paragraph) {
                    let length = length(sentence);
                    if length > MOST_WORDS {
                        faults.push(format!("{path}:{line}: {length} words: {sentence}"));
                    }
                }
            }
        }
    }
    none(&faults)
}

/// The lines of documentation comments; `None` for lines of code.
fn documentation(text: &str) -> Vec<Option<&str>> {
    let lines = text.lines().map(str::trim_start);
    lines
        .map(|line| {
            line.strip_prefix("///")
                .or_else(|| line.strip_prefix("//!"))
        })
        .collect()
}

/// Paragraphs, items of lists and cells of tables, with the lines in which they begin. Code and headings are left out.
fn paragraphs(lines: &[Option<&str>]) -> Vec<(usize, String)> {
    let mut all: Vec<(usize, String)> = Vec::new();
    let (mut is_open, mut is_code) = (false, false);
    for (number, line) in lines.iter().enumerate() {
        let Some(line) = line.map(str::trim) else {
            (is_open, is_code) = (false, false);
            continue;
        };
        if line.starts_with("```") {
            (is_open, is_code) = (false, !is_code);
        } else if is_code || line.is_empty() || line.starts_with('#') {
            is_open = false;
        } else if line.starts_with('|') {
            all.extend(line.split('|').map(|cell| (number + 1, cell.to_string())));
            is_open = false;
        } else {
            match all.last_mut().filter(|_| is_open && !is_item(line)) {
                Some((_, paragraph)) => {
                    paragraph.push(' ');
                    paragraph.push_str(line);
                }
                None => all.push((number + 1, line.to_string())),
            }
            is_open = true;
        }
    }
    all
}

fn is_item(line: &str) -> bool {
    let mark = line.split(' ').next().unwrap_or_default();
    let number = mark.trim_end_matches('.');
    matches!(mark, "-" | "*") || number.len() < mark.len() && number.parse::<u32>().is_ok()
}

fn sentences(paragraph: &str) -> impl Iterator<Item = &str> {
    let ends = |part: &str| {
        let part = part.trim_end_matches([' ', ')', '*', '"', '_', '\'']);
        part.ends_with(['.', '?', '!'])
    };
    let mut rest = paragraph;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let spaces = rest.match_indices(' ').map(|(at, _)| at + 1);
        let end = spaces
            .into_iter()
            .find(|&at| ends(&rest[..at]))
            .unwrap_or(rest.len());
        let (sentence, after) = rest.split_at(end);
        rest = after;
        Some(sentence.trim())
    })
}

/// The number of words. Code between backticks is one word.
fn length(sentence: &str) -> usize {
    let prose = sentence.split('`').enumerate();
    let text: String = prose
        .map(|(index, part)| if index % 2 == 0 { part } else { "code" })
        .collect();
    let words = text.split_whitespace();
    words
        .filter(|word| word.contains(char::is_alphanumeric))
        .count()
}

// --- files ----------------------------------------------------------------------------------------

fn checked_files(kind: &str) -> Result<Vec<(String, String)>, String> {
    let root = root();
    let paths = files_below(&root, kind).map_err(|error| error.to_string())?;
    let mut files = Vec::new();
    for path in paths {
        let relative = relative(&root, &path);
        let is_left_out = |(start, _): &(&str, &str)| relative.starts_with(start);
        if EXCEPT.iter().any(is_left_out) {
            continue;
        }
        let text = std::fs::read(&path).map_err(|error| format!("{relative}: {error}"))?;
        files.push((relative, String::from_utf8_lossy(&text).into_owned()));
    }
    if files.is_empty() {
        return Err(format!("there are no .{kind} files"));
    }
    Ok(files)
}

fn relative(root: &Path, path: &Path) -> String {
    let path = path.strip_prefix(root).unwrap_or(path);
    path.to_string_lossy().replace('\\', "/")
}

fn none(faults: &[String]) -> Result<(), String> {
    match faults.is_empty() {
        true => Ok(()),
        false => Err(faults.join("\n")),
    }
}
