//! A repository of 500 commits with planted changes, and the ledger that says what is where. It is the same every time.

mod history;
mod project;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

pub(crate) use history::{COMMITS, Entry, Kind, ledger};

/// The moment of the first commit, in seconds since 1970; an hour lies between two.
const START: usize = 1_700_000_000;

/// The repository, and what is in it.
pub(crate) struct Repository {
    pub(crate) ledger: Vec<Entry>,
    /// The names of the commits.
    pub(crate) commits: Vec<String>,
}

impl Repository {
    /// Writes it into a folder, whose work tree is that of the last commit.
    pub(crate) fn create(folder: &Path) -> Repository {
        let ledger = ledger();
        git(folder, &["init", "--quiet", "--initial-branch=main"], "");
        git(
            folder,
            &["fast-import", "--quiet", "--export-marks=marks"],
            &stream(&ledger),
        );
        git(folder, &["reset", "--quiet", "--hard"], "");
        let marks = std::fs::read_to_string(folder.join("marks")).expect("the marks");
        std::fs::remove_file(folder.join("marks")).expect("to remove them");
        let names: BTreeMap<usize, String> = marks.lines().filter_map(mark).collect();
        let commits = (0..ledger.len())
            .map(|index| names[&index].clone())
            .collect();
        Repository { ledger, commits }
    }

    /// The indices of the commits on the main line, in order.
    pub(crate) fn main_line(&self) -> Vec<usize> {
        let indices = 0..self.ledger.len();
        indices
            .filter(|&index| self.ledger[index].is_on_main)
            .collect()
    }
}

/// A line `:mark name`; marks are numbered from 1.
fn mark(line: &str) -> Option<(usize, String)> {
    let (mark, name) = line.strip_prefix(':')?.split_once(' ')?;
    Some((
        mark.parse::<usize>().ok()?.checked_sub(1)?,
        name.to_string(),
    ))
}

/// Runs git in a folder, which has to go well, and answers what it prints.
pub(crate) fn git(folder: &Path, arguments: &[&str], input: &str) -> String {
    let mut child = Command::new("git")
        .args([
            "-c",
            "user.name=T",
            "-c",
            "user.email=t@example.org",
            "-c",
            "core.autocrlf=false",
        ])
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("git");
    let mut stdin = child.stdin.take().expect("its input");
    stdin.write_all(input.as_bytes()).expect("to write");
    drop(stdin);
    let output = child.wait_with_output().expect("its output");
    assert!(output.status.success(), "git {arguments:?}");
    String::from_utf8(output.stdout).expect("text")
}

/// What `git fast-import` reads.
fn stream(ledger: &[Entry]) -> String {
    let mut text = String::new();
    for (index, entry) in ledger.iter().enumerate() {
        let branch = if entry.is_on_main { "main" } else { "side" };
        let time = START + 3600 * index;
        let _ = writeln!(text, "commit refs/heads/{branch}\nmark :{}", index + 1);
        let _ = writeln!(text, "committer T <t@example.org> {time} +0000");
        data(&mut text, &entry.subject);
        for (nth, parent) in entry.parents.iter().enumerate() {
            let word = if nth == 0 { "from" } else { "merge" };
            let _ = writeln!(text, "{word} :{}", parent + 1);
        }
        let before = entry.parents.first().map(|&parent| &ledger[parent].files);
        for (path, content) in &entry.files {
            if before.and_then(|files| files.get(path)) != Some(content) {
                let _ = writeln!(text, "M 100644 inline {path}");
                data(&mut text, content);
            }
        }
        for path in before.into_iter().flat_map(|files| files.keys()) {
            if !entry.files.contains_key(path) {
                let _ = writeln!(text, "D {path}");
            }
        }
        text.push('\n');
    }
    text
}

fn data(text: &mut String, content: &str) {
    let _ = writeln!(text, "data {}\n{content}", content.len());
}
