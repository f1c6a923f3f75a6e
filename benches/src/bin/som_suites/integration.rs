//! The integration tests of SOM: a program each, with a comment in front that says how it ends and what it
//! prints.

use std::path::{Path, PathBuf};

use crate::world::{Invocation, Library, config, run};

/// What a test's comment says.
#[derive(Debug, Default, PartialEq, Eq)]
struct Wanted {
    /// Whether the program ends well.
    succeeds: bool,
    out: Option<Vec<String>>,
    error: Option<Vec<String>>,
    /// Folders of a class path of the test's own, which brings the core library.
    folders: Option<String>,
}

/// Of the tests that are to end well this many have to agree.
const WANTED: usize = 90;

/// Runs all tests, prints those that fail, and answers whether enough pass.
pub(crate) fn report(checkout: &Path, library: Library) -> bool {
    let (mut agree, mut succeed, mut errors_agree, mut errors) = (0, 0, 0, 0);
    for (name, file) in tests(&checkout.join("IntegrationTests/Tests")) {
        let Ok(text) = std::fs::read_to_string(&file) else {
            continue;
        };
        let wanted = wanted(&text);
        let invocation = Invocation {
            name: name.clone(),
            folders: own_folders(&wanted, checkout),
            file,
            arguments: Vec::new(),
        };
        let ended = run(&invocation, library, checkout, config());
        let ends_as_wanted = (ended.exit_code() == 0) == wanted.succeeds;
        let out = wanted
            .out
            .as_ref()
            .is_none_or(|out| matches(out, &ended.out));
        let error = wanted
            .error
            .as_ref()
            .is_none_or(|error| matches(error, &ended.error));
        if wanted.succeeds {
            succeed += 1;
            agree += usize::from(ends_as_wanted && out && error);
            if !(ends_as_wanted && out && error) {
                println!("   {name} does not agree: {}", ended.last_line());
            }
        } else {
            // How an error is worded is every machine's own business.
            errors += 1;
            errors_agree += usize::from(ends_as_wanted && out);
            if !(ends_as_wanted && out) {
                println!("   {name} (an error) does not agree: {}", ended.last_line());
            }
        }
    }
    println!(
        "integration tests: {agree} of {succeed} that end well agree, {errors_agree} of {errors} errors"
    );
    agree >= WANTED.min(succeed)
}

/// The test's own class path; tests name folders as they lie in the machines of SOM.
fn own_folders(wanted: &Wanted, checkout: &Path) -> Vec<PathBuf> {
    let named = wanted.folders.iter().flat_map(|path| path.split(':'));
    let inside = named.filter_map(|folder| folder.trim().strip_prefix("./core-lib/"));
    inside.map(|folder| checkout.join(folder)).collect()
}

/// Names and files: a file of its own, or `test.som` in a folder.
fn tests(root: &Path) -> Vec<(String, PathBuf)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(root).into_iter().flatten().flatten() {
        let path = entry.path();
        let name = path
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        if path.is_dir() {
            found.push((name, path.join("test.som")));
        } else if path.extension().is_some_and(|extension| extension == "som") {
            found.push((name, path));
        }
    }
    found.sort();
    found
}

/// Reads the comment in front of a test.
fn wanted(text: &str) -> Wanted {
    let comment = text.split('"').nth(1).unwrap_or("");
    let mut wanted = Wanted {
        succeeds: true,
        ..Wanted::default()
    };
    let mut section = "";
    let mut lines: Vec<String> = Vec::new();
    for line in comment.lines().chain(["end:"]) {
        let key = line.trim().split_once(':').filter(|(key, _)| {
            matches!(
                *key,
                "VM" | "status" | "stdout" | "stderr" | "custom_classpath" | "end"
            )
        });
        let Some((key, rest)) = key else {
            lines.push(line.trim().to_string());
            continue;
        };
        let found = std::mem::take(&mut lines);
        match section {
            "stdout" => wanted.out = Some(found),
            "stderr" => wanted.error = Some(found),
            "custom_classpath" => wanted.folders = found.first().cloned(),
            _ => {}
        }
        section = key;
        let rest = rest.trim();
        if key == "status" {
            wanted.succeeds = rest == "success";
        } else if !rest.is_empty() {
            lines.push(rest.to_string());
        }
    }
    wanted
}

/// Whether a text is what a pattern says: lines without the space around them, `...` for any lines, and for any
/// characters at the beginning or the end of a line.
fn matches(pattern: &[String], text: &str) -> bool {
    let lines: Vec<&str> = text.trim().lines().map(str::trim).collect();
    let is_blank = |line: &&String| line.is_empty();
    let start = pattern.iter().take_while(is_blank).count();
    let end = pattern.len() - pattern[start..].iter().rev().take_while(is_blank).count();
    matches_lines(&pattern[start..end], &lines)
}

fn matches_lines(pattern: &[String], lines: &[&str]) -> bool {
    match (pattern.split_first(), lines.split_first()) {
        (None, None) => true,
        (Some((first, rest)), _) if first == "..." => {
            (0..=lines.len()).any(|skipped| matches_lines(rest, &lines[skipped..]))
        }
        (Some((first, pattern)), Some((line, lines))) => {
            matches_line(first, line) && matches_lines(pattern, lines)
        }
        _ => false,
    }
}

fn matches_line(pattern: &str, line: &str) -> bool {
    match (pattern.strip_prefix("..."), pattern.strip_suffix("...")) {
        (Some(rest), None) => line.ends_with(rest),
        (None, Some(rest)) => line.starts_with(rest),
        (Some(rest), Some(_)) => line.contains(rest.trim_end_matches("...")),
        (None, None) => line == pattern,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_read_and_patterns_matched() {
        let text = "\"\nVM:\n  status: error\n  stdout:\n    1\n    ...\n    b...\n  stderr: x\n\"\na = ( )";
        let wanted = wanted(text);
        assert!(!wanted.succeeds);
        let out = wanted.out.unwrap_or_default();
        assert_eq!(out, ["1", "...", "b..."]);
        assert_eq!(wanted.error, Some(vec!["x".to_string()]));
        assert!(matches(&out, "1\n2\n3\nbcd\n"));
        assert!(!matches(&out, "1\nc"));
    }
}
