//! The process that measures a version: what it is asked, how it is waited for, what its answer means.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::PoisonError;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tally_comparison::Measurement;

use super::{Measured, Measuring};
use crate::child::{self, Death, Desk, Process, Reply};
use crate::console;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::subject::SubjectArguments;
use tally_workbench::revisions::git::Revision;
use tally_workbench::revisions::{Checkout, Version};

/// What the names of the folders begin with in which requests and answers are.
const NAME: &str = "tally-measure";
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
        let desk = Desk::new(NAME)?;
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
            answer: desk.file("measurement"),
        };
        let reply = desk.ask(self.process(folder)?, &request, &self.interrupts)??;
        if !reply.status.success() {
            return Err(refusal(version, &reply));
        }
        self.say(&reply.messages);
        let answer: Answer = child::read(&reply.answer)
            .map_err(|error| Failure::new(Exit::Internal, error.to_string()))?;
        let failed = |error: std::io::Error| Failure::io("read", "a measurement", &error);
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

    fn process<'p>(&self, folder: &'p Path) -> Result<Process<'p>, Failure> {
        let input = match &self.subject.input {
            Some(path) => {
                let file = File::open(path);
                Stdio::from(file.map_err(|error| Failure::io("read", path, &error))?)
            }
            None => Stdio::null(),
        };
        Ok(Process {
            command: &[],
            subcommand: "measure",
            in_color: console::in_color(),
            folder,
            input,
            look_every: LOOK_EVERY,
        })
    }
}

/// Why a version could not be measured, with all messages of its process.
fn refusal(version: &Version, reply: &Reply) -> Failure {
    let name = version.name();
    let messages = reply.messages.trim_end();
    let messages = messages.strip_prefix("error: ").unwrap_or(messages);
    match reply.status.code().and_then(Exit::from_code) {
        Some(exit) if !messages.is_empty() => {
            Failure::printed(exit, format!("in {name}: {messages}"))
        }
        Some(exit) => Failure::new(exit, format!("{name} could not be measured")),
        None => {
            let death = Death::from(reply.status);
            let why = format!("the process that measures {name} {death}\n{messages}");
            Failure::new(death.exit(), why.trim_end())
        }
    }
}
