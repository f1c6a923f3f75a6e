//! Names of projects: names that can be a folder on every system, and the name of the class.

use std::path::{Component, Path};

use tally_vm::{Config, MemoryHost};

use crate::exit::Exit;
use crate::failure::Failure;

/// Characters of a name.
const MOST: usize = 64;
/// Names of devices on some systems, in any case.
const DEVICES: &[&str] = &["con", "prn", "aux", "nul"];
/// Names of devices when a digit follows.
const NUMBERED_DEVICES: &[&str] = &["com", "lpt"];

/// The names of a project and its class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ProjectName {
    /// The folder's own name.
    pub(super) folder: String,
    /// The class's.
    pub(super) class: String,
}

impl ProjectName {
    /// The name at the end of a path, if it can be one.
    pub(super) fn new(path: &str) -> Result<ProjectName, Failure> {
        let last = Path::new(path).components().next_back();
        let folder = match last {
            Some(Component::Normal(name)) if !path.ends_with('.') => name.to_string_lossy(),
            _ => return refused(format!("'{}' is no name for a folder", path.escape_debug())),
        };
        let shown = folder.escape_debug();
        if !folder.starts_with(|c: char| c.is_ascii_alphabetic()) {
            return refused(format!(
                "'{shown}' does not begin with a letter from a to z"
            ));
        }
        let is_allowed = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        if let Some(wrong) = folder.chars().find(|c| !is_allowed(*c)) {
            let wrong = wrong.escape_debug();
            return refused(format!(
                "'{shown}' holds '{wrong}'; a name has letters from a to z, digits, - and _"
            ));
        }
        if folder.len() > MOST {
            return refused(format!("'{shown}' is longer than {MOST} characters"));
        }
        if is_device(&folder.to_ascii_lowercase()) {
            return refused(format!("'{shown}' is no name for a folder on some systems"));
        }
        Ok(ProjectName {
            class: class_named_after(&folder),
            folder: folder.into_owned(),
        })
    }

    /// The names of a folder that exists, whatever it is called. The class is named after its words, or after its program if the
    /// library has that name.
    pub(super) fn of_folder(path: &Path) -> Result<ProjectName, Failure> {
        let failed = |error| Failure::io("look into", &path.display().to_string(), &error);
        let whole = std::fs::canonicalize(path).map_err(failed)?;
        let folder = whole.file_name().unwrap_or_default().to_string_lossy();
        let is_word = |c: char| c.is_ascii_alphanumeric();
        let words: Vec<&str> = folder.split(|c| !is_word(c)).collect();
        let class = class_named_after(&words.join("-"));
        let class = class.trim_start_matches(|c: char| c.is_ascii_digit());
        let class: String = class.chars().take(MOST).collect();
        let shown: String = folder.chars().filter(|c| !c.is_control()).collect();
        for class in [class.clone(), format!("{class}Project")] {
            let name = ProjectName {
                folder: shown.clone(),
                class,
            };
            let is_name = name.class.starts_with(|c: char| c.is_ascii_uppercase());
            if is_name && name.check_class().is_ok() {
                return Ok(name);
            }
        }
        Ok(ProjectName {
            folder: shown,
            class: "Main".to_string(),
        })
    }

    /// Fails if the library has the name of the project's class or of its test class.
    pub(super) fn check_class(&self) -> Result<(), Failure> {
        let machine = tally_stdlib::machine(Config::default(), Box::<MemoryHost>::default());
        let vm = machine.map_err(|error| Failure::new(Exit::Internal, error.to_string()))?;
        let names = vm.global_names();
        for class in [self.class.clone(), format!("{}Test", self.class)] {
            if names.contains(&class) {
                return refused(format!("its class would be {class}, which the library has"));
            }
        }
        Ok(())
    }
}

fn refused<T>(why: String) -> Result<T, Failure> {
    let message = format!("{why}; choose another name");
    Err(Failure::new(Exit::Usage, message))
}

fn is_device(name: &str) -> bool {
    let is_digit = |rest: &str| rest.len() == 1 && rest.bytes().all(|byte| byte.is_ascii_digit());
    let mut numbered = NUMBERED_DEVICES
        .iter()
        .filter_map(|device| name.strip_prefix(device));
    DEVICES.contains(&name) || numbered.any(is_digit)
}

/// `WordCounter` for `word-counter`, `word_counter` and `wordCounter`.
fn class_named_after(folder: &str) -> String {
    let words = folder.split(['-', '_']);
    let capitalised = words.map(|word| {
        let (first, rest) = word.split_at(word.len().min(1));
        first.to_ascii_uppercase() + rest
    });
    capitalised.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_is_named_after_its_project() {
        for (path, folder, class) in [
            ("tree", "tree", "Tree"),
            ("word-counter", "word-counter", "WordCounter"),
            ("a/b/word_counter2/", "word_counter2", "WordCounter2"),
            ("wordCounter", "wordCounter", "WordCounter"),
            ("x--", "x--", "X"),
        ] {
            let name = ProjectName::new(path).expect(path);
            assert_eq!((name.folder.as_str(), name.class.as_str()), (folder, class));
        }
    }

    #[test]
    fn what_is_no_name_everywhere_is_none_here() {
        let long = "a".repeat(65);
        for path in [
            "", ".", "..", "a/..", "a/.", "/", "2d", "-a", "_a", "a b", "a.st", "é", "a\n", "CON",
            "com1", &long,
        ] {
            assert!(ProjectName::new(path).is_err(), "{path}");
        }
        assert!(ProjectName::new("common").is_ok());
        assert!(ProjectName::new("com10").is_ok());
    }

    #[test]
    fn names_of_the_library_are_taken() {
        let taken = |name: &str| ProjectName::new(name).expect(name).check_class().is_err();
        assert!(taken("ordered-collection"));
        assert!(taken("smalltalk"));
        assert!(taken("set"));
        assert!(!taken("word-counter"));
    }
}
