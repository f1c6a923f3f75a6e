//! What is measured in each version of a project: a script with its arguments, or the tests.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::error::{Error, ErrorKind};
use crate::loading::MachineSettings;
use crate::loading::som::refuse;

/// What is measured in each version.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subject {
    /// Files that run instead of the tests. Their paths are the same in each version.
    pub scripts: Vec<String>,
    /// Statements that are evaluated after the scripts.
    pub evaluate: Option<String>,
    /// The files and folders whose tests run. Without them those of `tally.toml` run.
    pub tests: Vec<String>,
    /// Only tests run that one of them selects, if there are any.
    pub filters: Vec<String>,
    /// The file that the script reads as standard input.
    pub input: Option<String>,
    /// Arguments for the script.
    pub arguments: Vec<String>,
    /// Limits, permissions and modes of the machine.
    pub machine: MachineSettings,
}

impl Subject {
    /// Whether the tests are measured, not a script.
    pub fn is_tests(&self) -> bool {
        self.scripts.is_empty() && self.evaluate.is_none()
    }

    /// Whether what runs may write files.
    pub fn writes(&self) -> bool {
        !self.machine.allow_write.is_empty()
    }

    /// Whether what runs may use files.
    pub fn reads_files(&self) -> bool {
        self.writes() || !self.machine.allow_read.is_empty() || self.input.is_some()
    }

    /// Refuses what cannot be the same in each version.
    ///
    /// # Errors
    /// Why the subject is not the same in each version.
    pub fn check(&self) -> Result<(), Error> {
        let files = self.scripts.iter().chain(&self.tests);
        for file in files {
            if file == "-" {
                let why = "standard input (-) cannot be a file of each version";
                return Err(Error::new(ErrorKind::Usage, why));
            }
            if Path::new(file).has_root() {
                let why = format!(
                    "{file} is the same file in each version; name it by its path from the current folder"
                );
                return Err(Error::new(ErrorKind::Usage, why));
            }
        }
        refuse(&self.scripts, "compare")?;
        refuse(&self.tests, "compare")
    }

    /// A short description for people.
    pub fn summary(&self) -> String {
        let mut words = match self.is_tests() {
            true if self.tests.is_empty() => vec!["tests".to_string()],
            true => [&["tests of".to_string()][..], &self.tests].concat(),
            false => self.scripts.clone(),
        };
        words.extend(self.evaluate.iter().map(|text| format!("-e '{text}'")));
        words.extend(self.filters.iter().map(|text| format!("-k '{text}'")));
        if !self.arguments.is_empty() {
            words.push("--".to_string());
            words.extend(self.arguments.iter().cloned());
        }
        words.join(" ")
    }
}
