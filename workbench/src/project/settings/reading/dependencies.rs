//! The table `[dependencies]`. A revision that can come to mean another commit is refused, because results would change without
//! a change of the project.

use std::path::{Path, PathBuf};

use toml::Spanned;
use toml::de::{DeString, DeTable};

use super::{Reading, Value};
use crate::project::settings::dependency::{Choice, Dependency, Place};

const KEYS: [&str; 6] = ["path", "git", "rev", "packages", "groups", "baseline"];
/// The digits of a full name of a commit, by SHA-1 and by SHA-256.
const FULL: [usize; 2] = [40, 64];
/// A name is a part of the name of a folder.
const LONGEST_NAME: usize = 64;
/// How an address of a repository may begin. Other forms can start programs.
const SCHEMES: [&str; 5] = ["https://", "ssh://", "file://", "http://", "git://"];
const URL: &str = "an address of a git repository, \"https://…\"";

impl Reading {
    pub(super) fn dependencies(&mut self, value: &Value<'_>) {
        let Some(table) = self.table(value, "a table, [dependencies]") else {
            return;
        };
        for (name, value) in table {
            self.dependency(name, value);
        }
    }

    fn dependency(&mut self, name: &Spanned<DeString<'_>>, value: &Value<'_>) {
        if !is_name(name.get_ref()) {
            return self.complain(
                "a name of a dependency that is no name",
                name.span(),
                "expected letters, digits, - and _, at most 64",
            );
        }
        let Some(table) = self.table(value, "a table, { path = \"…\" } or { git = \"…\" }")
        else {
            return;
        };
        for (key, _) in table {
            if !KEYS.contains(&key.get_ref().as_ref()) {
                self.unknown(key, &KEYS);
            }
        }
        let place = self.place(value, table);
        let choice = self.choice(table);
        let baseline = match table.get("baseline") {
            None => None,
            Some(value) => match self.text(value, "the name of a baseline") {
                None => return,
                // Both spellings mean the same class.
                Some(text) => Some(text.strip_prefix("BaselineOf").unwrap_or(&text).to_owned()),
            },
        };
        if let (Some(place), Some(choice)) = (place, choice) {
            self.settings.dependencies.push(Dependency {
                name: name.get_ref().to_string(),
                place,
                choice,
                baseline,
            });
        }
    }

    fn place(&mut self, whole: &Value<'_>, table: &DeTable<'_>) -> Option<Place> {
        let (path, git, rev) = (table.get("path"), table.get("git"), table.get("rev"));
        match (path, git, rev) {
            (Some(path), None, None) => self.folder(path),
            (None, Some(git), Some(rev)) => {
                let (url, commit) = (self.url(git), self.commit(rev));
                Some(Place::Commit {
                    url: url?,
                    commit: commit?,
                })
            }
            (None, Some(git), None) => {
                self.complain(
                    "a repository without a commit",
                    git.span(),
                    "expected `rev = \"…\"`, the full name of a commit",
                );
                None
            }
            (Some(_), Some(git), _) => {
                let expected = "expected `path` or `git`, not both";
                self.complain("a dependency in two places", git.span(), expected);
                None
            }
            (_, None, Some(rev)) => {
                let expected = "`rev` belongs to `git`";
                self.complain("a commit without a repository", rev.span(), expected);
                None
            }
            (None, None, None) => {
                let expected = "expected `path = \"…\"` or `git = \"…\"` with `rev = \"…\"`";
                self.complain("a dependency without a place", whole.span(), expected);
                None
            }
        }
    }

    fn folder(&mut self, value: &Value<'_>) -> Option<Place> {
        let text = self.text(value, "a path")?;
        if Path::new(&text).has_root() {
            self.complain(
                "a path that holds on one machine only",
                value.span(),
                "expected a path from this file's folder",
            );
            return None;
        }
        Some(Place::Folder(PathBuf::from(text)))
    }

    fn url(&mut self, value: &Value<'_>) -> Option<String> {
        let text = self.text(value, URL)?;
        if is_url(&text) {
            return Some(text);
        }
        let hint = match text.contains(':') {
            true => None,
            false => Some("a folder is named by `path`".to_owned()),
        };
        let message = "this is no address of a git repository";
        self.complain_helping(message, value.span(), format!("expected {URL}"), hint);
        None
    }

    fn commit(&mut self, value: &Value<'_>) -> Option<String> {
        let text = self.text(value, "the full name of a commit")?;
        let is_hexadecimal = text.bytes().all(|byte| byte.is_ascii_hexdigit());
        if is_hexadecimal && FULL.contains(&text.len()) {
            return Some(text.to_ascii_lowercase());
        }
        let message = match is_hexadecimal && text.len() < FULL[0] {
            true => "an abbreviated name of a commit",
            false => "this is no name of a commit",
        };
        self.complain_helping(
            message,
            value.span(),
            "expected the full name of a commit, 40 hexadecimal digits",
            Some(
                "a branch, a tag or an abbreviation can come to mean another commit, \
                 so results would change without a change here"
                    .to_owned(),
            ),
        );
        None
    }

    fn choice(&mut self, table: &DeTable<'_>) -> Option<Choice> {
        match (table.get("packages"), table.get("groups")) {
            (None, None) => Some(Choice::Default),
            (Some(value), None) => self.names(value, "packages").map(Choice::Packages),
            (None, Some(value)) => self.names(value, "groups").map(Choice::Groups),
            (Some(_), Some(value)) => {
                let expected = "expected `packages` or `groups`, not both";
                self.complain("packages are chosen twice", value.span(), expected);
                None
            }
        }
    }

    /// A list of names that is not empty.
    fn names(&mut self, value: &Value<'_>, of: &str) -> Option<Vec<String>> {
        let Some(array) = value.get_ref().as_array() else {
            self.mistyped(value, &format!("a list of {of}, [\"…\"]"));
            return None;
        };
        if array.is_empty() {
            let expected = format!("expected a list of {of}, [\"…\"]");
            self.complain("an empty list", value.span(), expected);
            return None;
        }
        let names = array.iter().map(|value| self.text(value, "a name"));
        // All of them are looked at, so that each mistake is reported.
        names.collect::<Vec<_>>().into_iter().collect()
    }
}

fn is_name(text: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    (1..=LONGEST_NAME).contains(&text.len()) && text.bytes().all(is_part) && !text.starts_with('-')
}

/// Whether git takes a text for an address and nothing else: `https://host/path`, or `user@host:path`.
fn is_url(text: &str) -> bool {
    if text.starts_with('-') || text.contains(char::is_whitespace) {
        return false;
    }
    let scheme = SCHEMES.iter().find_map(|scheme| text.strip_prefix(scheme));
    match scheme {
        Some(rest) => !rest.is_empty(),
        None => is_short_ssh(text),
    }
}

/// `user@host:path`. With `::` in it, git would start a program of that name.
fn is_short_ssh(text: &str) -> bool {
    let Some((address, path)) = text.split_once(':') else {
        return false;
    };
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    let is_word = |word: &str| !word.is_empty() && word.bytes().all(is_plain);
    let parts = address.split_once('@');
    parts.is_some_and(|(user, host)| is_word(user) && is_word(host) && !host.starts_with('-'))
        && !path.is_empty()
        && !path.starts_with([':', '-'])
}
