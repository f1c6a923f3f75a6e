//! What is likely wrong with a gate that notices nothing: the usual ways to lose an exit code, looked for in the command and
//! in the scripts that it names. Texts are looked at, not understood; so this only ever explains a verdict, and never makes
//! one.

use std::fs;
use std::path::Path;

/// No script of a gate is longer.
const MOST_BYTES: u64 = 1 << 20;
/// Files in which `make` finds out what to do.
const MAKEFILES: [&str; 3] = ["GNUmakefile", "makefile", "Makefile"];
/// What is said if nothing is found.
const USUAL: [&str; 4] = [
    "likely: a failure is ignored, as by `|| true`",
    "likely: the exit code is that of the last command of a pipe (a shell needs `set -o pipefail`)",
    "likely: a shell goes on after a command that failed (it needs `set -e`)",
    "likely: no step runs tally with --counts check, or it runs in another folder than the project's",
];

/// A text that a shell or `make` obeys.
struct Script {
    name: String,
    text: String,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Shell,
    Make,
    Other,
}

/// One sentence for each thing that looks wrong, or the usual ones.
pub(super) fn found(folder: &Path, command: &[String]) -> Vec<String> {
    let scripts = scripts(folder, command);
    let mut found = Vec::new();
    for script in &scripts {
        found.extend(script.suspects());
    }
    if !scripts.iter().any(|script| script.text.contains("tally")) {
        found.push(
            "nothing in the command, or in the scripts that it names, mentions tally".to_string(),
        );
    }
    if found.is_empty() {
        found.extend(USUAL.map(String::from));
    }
    found
}

fn scripts(folder: &Path, command: &[String]) -> Vec<Script> {
    let is_make = program(command).ends_with("make");
    let mut scripts = vec![Script {
        name: "the command".to_string(),
        text: command.join(" "),
        kind: match (is_make, has_text_of_shell(command)) {
            (true, _) => Kind::Make,
            (false, true) => Kind::Shell,
            (false, false) => Kind::Other,
        },
    }];
    for word in command {
        scripts.extend(read(folder, word));
    }
    if is_make {
        let files = MAKEFILES.iter().filter_map(|name| read(folder, name));
        scripts.extend(files.take(1));
    }
    scripts
}

fn program(command: &[String]) -> &str {
    command.first().map_or("", String::as_str)
}

/// `sh -c TEXT`
fn has_text_of_shell(command: &[String]) -> bool {
    let is_option =
        |word: &String| word.starts_with('-') && !word.starts_with("--") && word.ends_with('c');
    program(command).ends_with("sh") && command.iter().skip(1).any(is_option)
}

fn read(folder: &Path, name: &str) -> Option<Script> {
    let path = folder.join(name);
    let facts = fs::metadata(&path).ok()?;
    if !facts.is_file() || facts.len() > MOST_BYTES {
        return None;
    }
    let text = fs::read_to_string(path).ok()?;
    let first = text.lines().next().unwrap_or_default();
    let is_makefile = MAKEFILES.contains(&name) || name.ends_with(".mk");
    let kind = if is_makefile {
        Kind::Make
    } else if name.ends_with("sh") || first.starts_with("#!") && first.contains("sh") {
        Kind::Shell
    } else {
        Kind::Other
    };
    Some(Script {
        name: name.to_string(),
        text,
        kind,
    })
}

impl Script {
    fn suspects(&self) -> Vec<String> {
        let mut found = Vec::new();
        let has_pipefail = self.text.contains("pipefail");
        let lines: Vec<&str> = self.text.lines().collect();
        for (number, line) in (1..).zip(&lines) {
            let line = line.trim_end();
            if line.trim_start().starts_with('#') && !line.starts_with("#!") {
                continue;
            }
            let place = match lines.len() {
                1 => self.name.clone(),
                _ => format!("{}:{number}", self.name),
            };
            if line.contains("||") {
                found.push(format!("{place}: a failure in front of || is ignored"));
            }
            if line.contains("tally") && has_pipe(line) && !has_pipefail {
                found.push(format!(
                    "{place}: the exit code of a pipe is that of its last command (no `set -o pipefail`)"
                ));
            }
            if self.kind == Kind::Make && ignores_errors(line) {
                found.push(format!(
                    "{place}: make ignores the failure of a line that begins with -"
                ));
            }
            for mode in ["ignore", "update"] {
                if line.contains(&format!("--counts {mode}"))
                    || line.contains(&format!("--counts={mode}"))
                {
                    found.push(format!("{place}: --counts {mode} compares nothing"));
                }
            }
        }
        if self.kind == Kind::Shell && self.has_steps() && !self.stops_at_failures() {
            let name = &self.name;
            found.push(format!(
                "{name}: the shell goes on after a command that failed (no `set -e`)"
            ));
        }
        if self.kind == Kind::Make && self.ignores_all() {
            found.push(format!("{}: make -i ignores every failure", self.name));
        }
        found
    }

    /// Whether something comes behind something.
    fn has_steps(&self) -> bool {
        let is_step = |line: &&str| !line.trim().is_empty() && !line.trim_start().starts_with('#');
        self.text.lines().filter(is_step).count() > 1 || self.text.contains(';')
    }

    fn stops_at_failures(&self) -> bool {
        let is_set = |line: &str| {
            let words: Vec<&str> = line.split([' ', ';']).collect();
            let is_flag = |word: &&str| {
                word.starts_with('-') && !word.starts_with("--") && word.contains('e')
            };
            let sets = words.contains(&"set") || words.first().is_some_and(|w| w.ends_with("sh"));
            sets && words.iter().any(is_flag) || line.contains("errexit")
        };
        self.text.lines().any(is_set)
    }

    fn ignores_all(&self) -> bool {
        let mut words = self.text.split_whitespace();
        self.name == "the command" && words.any(|w| w == "-i" || w == "--ignore-errors")
    }
}

/// A `|` that is no part of `||`.
fn has_pipe(line: &str) -> bool {
    line.replace("||", "").contains('|')
}

fn ignores_errors(line: &str) -> bool {
    let recipe = line.strip_prefix('\t').unwrap_or_default();
    recipe.trim_start_matches(['@', '+']).starts_with('-')
}
