//! The process that measures a version: what it is asked, how it is waited for, what its answer means.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::PoisonError;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tally_comparison::Measurement;

use super::{Measured, Measuring};
use crate::child::{self, Death};
use crate::console;
use crate::exit::{Exit, Failure};
use crate::subject::SubjectArguments;
use tally_workbench::files::temporary::TemporaryFolder;
use tally_workbench::revisions::git::Revision;
use tally_workbench::revisions::{Checkout, Version};

/// What the names of the folders begin with in which requests and answers are.
pub(super) const NAME: &str = "tally-measure";
/// Between two looks at whether the process has ended.
const LOOK_EVERY: Duration = Duration::from_millis(2);

/// What the process that measures a version is asked.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Request {
    pub(crate) subject: SubjectArguments,
    /// The folder in which is kept what was measured, if it can be kept.
    pub(crate) keeps_in: Option<PathBuf>,
    /// The revision, if it is one.
    pub(crate) revision: Option<KeptRevision>,
    /// Where the answer is to be written.
    pub(crate) answer: PathBuf,
}

/// What is kept of a revision beside what it costs.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct KeptRevision {
    pub(crate) commit: String,
    pub(crate) tree: String,
    /// The current folder in it.
    pub(crate) place: PathBuf,
    /// Where its files are.
    pub(crate) root: PathBuf,
}

/// What it answers on its standard output.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Answer {
    /// Whether something was run.
    pub(crate) ran: bool,
}

impl Measuring<'_> {
    /// What the version costs whose files are in a folder.
    pub(crate) fn measure_in(
        &self,
        folder: &Path,
        version: &Version,
        revision: Option<(&Revision, &Checkout)>,
    ) -> Result<Measured, Failure> {
        let failed = |error: std::io::Error| Failure::io("make", "a temporary folder", &error);
        let desk = TemporaryFolder::new(NAME).map_err(failed)?;
        let place = |name: &str| desk.path().join(name);
        let mut subject = self.subject.clone();
        if let Some(input) = &mut subject.input {
            let whole = fs::canonicalize(&input);
            let whole = whole.map_err(|error| Failure::io("read", input, &error))?;
            *input = whole.to_string_lossy().into_owned();
        }
        let request = Request {
            subject,
            keeps_in: self.store().is_usable().then(|| self.keeps_in.clone()),
            revision: revision.map(|(revision, checkout)| self.kept(revision, checkout)),
            answer: place("measurement"),
        };
        let asked = File::create(place("request"));
        let asked = asked.and_then(|mut file| child::write(&mut file, &request));
        asked.map_err(failed)?;
        let child = self.start(folder, desk.path()).map_err(failed)?;
        let status = self.interrupts.wait_for(child, LOOK_EVERY)?;
        let said = fs::read(place("said")).unwrap_or_default();
        if !status.success() {
            return Err(refusal(version, status, &String::from_utf8_lossy(&said)));
        }
        self.say(&String::from_utf8_lossy(&said));
        let answer = fs::read(place("answer")).map_err(failed)?;
        let answer: Answer = child::read(&answer)
            .map_err(|error| Failure::new(Exit::Internal, error.to_string()))?;
        let bytes = fs::read(&request.answer).map_err(failed)?;
        let measurement = Measurement::from_bytes(&bytes)
            .map_err(|error| Failure::new(Exit::Internal, error.to_string()))?;
        Ok(Measured {
            measurement,
            ran: answer.ran,
        })
    }

    /// Tells what was not told before: two sides may have the same to say.
    fn say(&self, text: &str) {
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        if !text.is_empty() && said.insert(text.to_string()) {
            console::write(text);
        }
    }

    fn kept(&self, revision: &Revision, checkout: &Checkout) -> KeptRevision {
        let place = self.repository.map(|repository| repository.place.clone());
        KeptRevision {
            commit: revision.commit.0.clone(),
            tree: revision.tree.clone(),
            place: place.unwrap_or_default(),
            root: checkout.root().to_path_buf(),
        }
    }

    fn start(&self, folder: &Path, desk: &Path) -> std::io::Result<Child> {
        let input = match &self.subject.input {
            Some(path) => Stdio::from(File::open(path)?),
            None => Stdio::null(),
        };
        let color = if console::in_color() {
            "always"
        } else {
            "never"
        };
        Command::new(std::env::current_exe()?)
            .args(["--color", color, "measure"])
            .arg(desk.join("request"))
            .current_dir(folder)
            .stdin(input)
            .stdout(File::create(desk.join("answer"))?)
            .stderr(File::create(desk.join("said"))?)
            .spawn()
    }
}

/// Why a version could not be measured, with all that was said of it.
fn refusal(version: &Version, status: ExitStatus, said: &str) -> Failure {
    let exit = status.code().and_then(Exit::from_code);
    let said = said.trim_end();
    let said = said.strip_prefix("error: ").unwrap_or(said);
    let name = version.name();
    match exit {
        Some(exit) if !said.is_empty() => Failure::printed(exit, format!("in {name}: {said}")),
        Some(exit) => Failure::new(exit, format!("{name} could not be measured")),
        None => {
            let death = Death::from(status);
            let why = format!("the process that measures {name} {death}\n{said}");
            Failure::new(death.exit(), why.trim_end())
        }
    }
}
