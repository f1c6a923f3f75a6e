//! The subject of a comparison of versions: a script with its arguments, or the tests.

use clap::Args;
use serde::{Deserialize, Serialize};

use crate::arguments::MachineArguments;
use crate::exit::Exit;
use crate::failure::Failure;
use tally_workbench::loading::som::refuse;

/// The program or the tests that are measured in each version.
#[derive(Clone, Debug, Args, Serialize, Deserialize)]
pub(crate) struct SubjectArguments {
    /// Run this file instead of the tests (may be repeated); its path is the same in each version
    #[arg(long = "run", value_name = "FILE", help_heading = "What runs")]
    pub(crate) scripts: Vec<String>,
    /// Evaluate statements, after the files of --run
    #[arg(
        short,
        long = "evaluate",
        value_name = "EXPR",
        allow_hyphen_values = true,
        help_heading = "What runs"
    )]
    pub(crate) evaluate: Option<String>,
    /// Run the tests of this file or folder (may be repeated); without it those of tally.toml
    #[arg(long = "tests", value_name = "FILE", conflicts_with_all = ["scripts", "evaluate"], help_heading = "What runs")]
    pub(crate) tests: Vec<String>,
    /// Run only tests whose Class>>selector contains TEXT, or is like it if it has * (may be repeated)
    #[arg(short = 'k', long = "filter", value_name = "TEXT", conflicts_with_all = ["scripts", "evaluate"], help_heading = "What runs")]
    pub(crate) filters: Vec<String>,
    /// What the script reads from standard input; without it nothing
    #[arg(long = "stdin", value_name = "FILE", help_heading = "What runs")]
    pub(crate) input: Option<String>,
    /// Arguments for the script (Smalltalk arguments)
    #[arg(last = true, value_name = "ARGS")]
    pub(crate) arguments: Vec<String>,
    #[command(flatten)]
    pub(crate) machine: MachineArguments,
}

impl SubjectArguments {
    /// Whether the tests are measured, not a script.
    pub(crate) fn is_tests(&self) -> bool {
        self.scripts.is_empty() && self.evaluate.is_none()
    }

    /// Whether what runs may write files.
    pub(crate) fn writes(&self) -> bool {
        !self.machine.allow_write.is_empty()
    }

    /// Refuses files that cannot be the same in each version.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        let files = self.scripts.iter().chain(&self.tests);
        for file in files {
            if file == "-" {
                let why = "standard input (-) cannot be a file of each version";
                return Err(Failure::new(Exit::Usage, why));
            }
            if std::path::Path::new(file).has_root() {
                let why = format!(
                    "{file} is the same file in each version; name it by its path from the current folder"
                );
                return Err(Failure::new(Exit::Usage, why));
            }
        }
        refuse(&self.scripts, "compare")?;
        Ok(refuse(&self.tests, "compare")?)
    }

    /// A short description for people.
    pub(crate) fn summary(&self) -> String {
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
