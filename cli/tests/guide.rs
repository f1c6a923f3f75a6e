//! Every block of code in the guide runs. docs/guide/README.md defines the fences
//! and what is expected of each kind of block. With `TALLY_UPDATE=1` what commands print is written into the chapters.
//! A chapter's blocks run in order, in a folder of its own.

#![cfg(unix)]
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot be set up has nothing better to do"
)]

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tally_compiler::session::{State, state};

/// Stands for any lines in an expected output.
const ELLIPSIS: &str = "…";
const PROMPT: &str = "st> ";
const COMMAND: &str = "$ ";
/// A file of tests in Rust. `cargo test -p tally-test --doc` runs it.
const RUST: &str = "rust,test_harness";
/// Before the value that a line of Smalltalk is said to have.
const ARROW: &str = "\"→ ";

#[test]
fn every_block_of_the_guide_does_what_it_says() {
    let mut wrong = String::new();
    let mut checked = 0;
    for path in chapters() {
        let mut chapter = Chapter::open(&path);
        match chapter.run() {
            Ok(count) => checked += count,
            Err(why) => {
                let _ = writeln!(wrong, "{}:{why}", path.display());
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(checked >= 40, "the guide's blocks are gone: {checked} left");
}

#[test]
fn the_summary_names_every_chapter() {
    let summary = fs::read_to_string(guide().join("src/SUMMARY.md")).unwrap();
    for path in chapters() {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        assert!(
            summary.contains(&format!("({name})")),
            "SUMMARY.md lacks {name}"
        );
    }
    for line in summary.lines().filter(|line| line.contains("](")) {
        let (_, rest) = line.split_once("](").unwrap();
        let name = rest.trim_end_matches(')');
        assert!(
            guide().join("src").join(name).exists(),
            "there is no chapter {name}"
        );
    }
}

#[test]
fn tally_test_includes_the_chapters_with_rust() {
    let library = guide().join("../../tally-test/src/lib.rs");
    let library = fs::read_to_string(library).unwrap();
    let mut checked = 0;
    for path in chapters() {
        let found = blocks(&fs::read_to_string(&path).unwrap());
        if found.iter().any(|block| block.language == RUST) {
            let name = path.file_name().unwrap().to_string_lossy();
            let included = format!("include_str!(\"../../docs/guide/src/{name}\")");
            assert!(library.contains(&included), "tally-test lacks {name}");
            checked += 1;
        }
    }
    assert!(checked > 0, "no chapter has a block in Rust");
}

fn guide() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/guide")
}

fn chapters() -> Vec<PathBuf> {
    let entries = fs::read_dir(guide().join("src")).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    paths.retain(|path| !path.ends_with("SUMMARY.md"));
    paths.sort();
    paths
}

/// A fenced block.
struct Block {
    /// The number of its first line in the chapter, from 0.
    first: usize,
    language: String,
    /// The file that it is the content of, or the program that its commands need.
    file: Option<String>,
    lines: Vec<String>,
}

struct Chapter {
    path: PathBuf,
    folder: PathBuf,
    blocks: Vec<Block>,
    /// Blocks whose content is to be another one.
    changed: Vec<(usize, Vec<String>)>,
}

impl Chapter {
    fn open(path: &Path) -> Chapter {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("guide-{name}"));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        let text = fs::read_to_string(path).unwrap();
        Chapter {
            path: path.to_path_buf(),
            folder,
            blocks: blocks(&text)
                .into_iter()
                .filter(|block| block.language != RUST)
                .collect(),
            changed: Vec::new(),
        }
    }

    /// Runs the blocks; answers how many said something, or the line and what is wrong there.
    fn run(&mut self) -> Result<usize, String> {
        let updates = std::env::var_os("TALLY_UPDATE").is_some_and(|value| value == "1");
        let mut checked = 0;
        for number in 0..self.blocks.len() {
            let block = &self.blocks[number];
            let at = |why: String| format!("{}: {why}", block.first);
            match (block.language.as_str(), &block.file) {
                ("text", None) => continue,
                ("console", Some(tool)) if !is_installed(tool) => {
                    skip(&format!("{}: {tool} is not installed", self.path.display()));
                    break;
                }
                ("console", _) => {
                    let shown = self.transcript(block).map_err(at)?;
                    if !matches(&block.lines, &shown) {
                        if !updates {
                            let why =
                                format!("what is shown is not what happens:\n{}", shown.join("\n"));
                            return Err(at(why));
                        }
                        self.changed.push((number, shown));
                    }
                }
                (_, Some(file)) => {
                    let path = self.folder.join(file);
                    fs::create_dir_all(path.parent().unwrap()).unwrap();
                    fs::write(path, block.lines.join("\n") + "\n").unwrap();
                    let top = file.split('/').next().unwrap_or(file);
                    let is_used = self.blocks[number..].iter().any(|later| {
                        let mut lines = later.lines.iter();
                        later.language == "console"
                            && lines.any(|l| l.starts_with(COMMAND) && l.contains(top))
                    });
                    if !is_used {
                        return Err(at(format!("no command uses {file}")));
                    }
                }
                ("smalltalk", None) => self.evaluates(block).map_err(at)?,
                (other, None) => {
                    return Err(at(format!(
                        "a block of {other:?} is not checked; mark it as text"
                    )));
                }
            }
            checked += 1;
        }
        self.write_changes();
        Ok(checked)
    }

    /// Each line that ends in `"→ value"` has that value, in a session that gets the whole block.
    fn evaluates(&self, block: &Block) -> Result<(), String> {
        let mut input = String::new();
        let mut expected = Vec::new();
        for line in &block.lines {
            let _ = writeln!(input, "{line}");
            if let Some((_, value)) = line.rsplit_once(ARROW) {
                let value = value
                    .trim_end()
                    .strip_suffix('"')
                    .ok_or("an arrow needs its end")?;
                let _ = writeln!(input, "{}", mark(expected.len()));
                expected.push(value.replace("\"\"", "\""));
            }
        }
        if expected.is_empty() {
            return Err("nothing is expected of this block".to_string());
        }
        let (output, code) = self.tally(&["repl"], &input);
        if code != 0 {
            return Err(format!("exit code {code}:\n{output}"));
        }
        let mut rest = output.as_str();
        for (number, value) in expected.iter().enumerate() {
            let marker = format!("@@{number}\n");
            let (before, behind) = rest
                .split_once(&marker)
                .ok_or(format!("no value of {value}:\n{output}"))?;
            let last = before.lines().last().unwrap_or_default();
            if last != value {
                return Err(format!("{value} is expected, {last} is the value"));
            }
            rest = behind;
        }
        Ok(())
    }

    /// The block as it would be if its commands were typed now.
    fn transcript(&self, block: &Block) -> Result<Vec<String>, String> {
        let mut shown = Vec::new();
        let mut code = 0;
        let mut is_known = true;
        let mut lines = block.lines.iter().peekable();
        while let Some(line) = lines.next() {
            let Some(command) = line.strip_prefix(COMMAND) else {
                if shown.is_empty() {
                    return Err("a block of commands begins with `$ `".to_string());
                }
                continue;
            };
            shown.push(line.clone());
            if command == "echo $?" {
                is_known = true;
                shown.push(code.to_string());
                continue;
            }
            if !is_known {
                return Err(format!("exit code {code} is not shown, before `{command}`"));
            }
            let is_session = lines.peek().is_some_and(|next| next.starts_with(PROMPT));
            let output = if is_session {
                let mut session = Vec::new();
                while let Some(next) = lines.next_if(|next| !next.starts_with(COMMAND)) {
                    session.push(next.as_str());
                }
                let (text, ended) = self.session(command, &session);
                code = ended;
                text
            } else {
                let (text, ended) = self.shell(command);
                code = ended;
                text
            };
            is_known = code == 0;
            shown.extend(output.lines().map(str::to_string));
        }
        if is_known {
            Ok(shown)
        } else {
            Err(format!(
                "exit code {code} is not shown at the end:\n{}",
                shown.join("\n")
            ))
        }
    }

    /// What a session shows, the inputs behind their prompts.
    fn session(&self, command: &str, lines: &[&str]) -> (String, i32) {
        let mut inputs: Vec<String> = Vec::new();
        let mut is_open = false;
        for line in lines {
            if let Some(input) = line.strip_prefix(PROMPT) {
                inputs.push(input.to_string());
            } else if is_open && let Some(input) = inputs.last_mut() {
                let _ = write!(input, "\n{line}");
            }
            is_open = inputs
                .last()
                .is_some_and(|input| state(input) != State::Complete);
        }
        let mut all = String::new();
        for (number, input) in inputs.iter().enumerate() {
            let _ = writeln!(all, "{input}\n{}", mark(number));
        }
        let arguments: Vec<&str> = command.split_whitespace().skip(1).collect();
        let (output, _) = self.tally(&arguments, &all);
        let mut shown = String::new();
        let mut rest = output.as_str();
        for (number, input) in inputs.iter().enumerate() {
            let marker = format!("@@{number}\n");
            let (before, behind) = rest.split_once(&marker).unwrap_or((rest, ""));
            let _ = write!(shown, "{PROMPT}{input}\n{before}");
            rest = behind;
        }
        // Failures are shown; a session on a terminal ends well all the same.
        (shown, 0)
    }

    fn shell(&self, command: &str) -> (String, i32) {
        let mut shell = Command::new("sh");
        shell.args(["-c", command]);
        self.run_command(&mut shell, "")
    }

    fn tally(&self, arguments: &[&str], input: &str) -> (String, i32) {
        let mut tally = Command::new(env!("CARGO_BIN_EXE_tally"));
        self.run_command(tally.args(arguments), input)
    }

    /// Everything that the command prints, and its exit code.
    fn run_command(&self, command: &mut Command, input: &str) -> (String, i32) {
        let binaries = Path::new(env!("CARGO_BIN_EXE_tally")).parent().unwrap();
        let others = std::env::var("PATH").unwrap_or_default();
        let path = self.folder.join(".output");
        let out = File::create(&path).unwrap();
        let error = File::options().append(true).open(&path).unwrap();
        drop(out);
        let out = error.try_clone().unwrap();
        let mut child = command
            .current_dir(&self.folder)
            .env("PATH", format!("{}:{others}", binaries.display()))
            .env_remove("CLICOLOR_FORCE")
            .env("XDG_STATE_HOME", self.folder.join(".state"))
            .env("EXAMPLES", guide().join("../../examples"))
            .stdin(Stdio::piped())
            .stdout(out)
            .stderr(error)
            .spawn()
            .unwrap();
        let mut pipe = child.stdin.take().unwrap();
        // A command that reads nothing may be gone already.
        let _ = pipe.write_all(input.as_bytes());
        drop(pipe);
        let code = child.wait().unwrap().code().unwrap_or(-1);
        (fs::read_to_string(path).unwrap(), code)
    }

    fn write_changes(&mut self) {
        if self.changed.is_empty() {
            return;
        }
        let text = fs::read_to_string(&self.path).unwrap();
        let mut lines: Vec<String> = text.lines().map(str::to_string).collect();
        for (number, shown) in self.changed.drain(..).rev() {
            let block = &self.blocks[number];
            lines.splice(block.first..block.first + block.lines.len(), shown);
        }
        fs::write(&self.path, lines.join("\n") + "\n").unwrap();
    }
}

/// Whether a program is on the path.
fn is_installed(tool: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(tool).is_file())
}

/// Says that the rest of a chapter did not run.
#[expect(clippy::print_stderr, reason = "what is skipped has to be seen")]
fn skip(why: &str) {
    eprintln!("SKIPPED: {why}");
}

/// An input that shows where the output of those before it ends, and changes nothing.
fn mark(number: usize) -> String {
    format!("Eval [ '@@{number}' displayNl ]")
}

/// The fenced blocks of a chapter.
fn blocks(text: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut open: Option<Block> = None;
    for (number, line) in text.lines().enumerate() {
        match (line.strip_prefix("```"), &mut open) {
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (Some(info), None) => {
                let mut words = info.split_whitespace();
                open = Some(Block {
                    first: number + 1,
                    language: words.next().unwrap_or_default().to_string(),
                    file: words.next().map(str::to_string),
                    lines: Vec::new(),
                });
            }
            (None, Some(block)) => block.lines.push(line.to_string()),
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "a block is not closed");
    blocks
}

/// Whether the lines are as expected; `…` stands for any.
fn matches(expected: &[String], lines: &[String]) -> bool {
    match expected.split_first() {
        None => lines.is_empty(),
        Some((first, rest)) if first.trim() == ELLIPSIS => {
            (0..=lines.len()).any(|skipped| matches(rest, &lines[skipped..]))
        }
        Some((first, rest)) => lines.split_first().is_some_and(|(line, others)| {
            line.trim_end() == first.trim_end() && matches(rest, others)
        }),
    }
}
