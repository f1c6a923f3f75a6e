//! Runs one program of SOM in this process and on a peer, and keeps its output.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};

use tally_vm::{Config, Cost, Host, LoadError, Outcome};

/// Which core library a program runs with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Library {
    /// The one that is embedded.
    Ours,
    /// The SOM project's.
    Theirs,
}

impl fmt::Display for Library {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(match self {
            Library::Ours => "our core library",
            Library::Theirs => "SOM's own core library",
        })
    }
}

/// A program with its arguments and folders.
#[derive(Clone, Debug)]
pub(crate) struct Invocation {
    pub(crate) name: String,
    /// Folders of the class path, without the core library.
    pub(crate) folders: Vec<PathBuf>,
    pub(crate) file: PathBuf,
    pub(crate) arguments: Vec<String>,
}

/// How a program ended.
pub(crate) struct Ended {
    pub(crate) outcome: Result<Outcome, LoadError>,
    pub(crate) out: String,
    pub(crate) error: String,
    pub(crate) cost: Cost,
}

impl Ended {
    /// The exit code that the command would end with.
    pub(crate) fn exit_code(&self) -> u8 {
        match &self.outcome {
            Ok(Outcome::Finished) => 0,
            Ok(Outcome::Exited(code)) => *code,
            Ok(Outcome::Internal(_)) => 70,
            Ok(Outcome::Limit(_)) => 6,
            Ok(Outcome::Failed | Outcome::Deadlock) => 1,
            Ok(Outcome::NotCompiled) | Err(_) => 8,
        }
    }

    pub(crate) fn last_line(&self) -> String {
        let texts = [self.error.as_str(), self.out.as_str()];
        let last = texts.iter().find_map(|text| text.trim_end().lines().last());
        format!("{} ({:?})", last.unwrap_or(""), self.outcome)
    }
}

/// An outside world that keeps all output. Its clock advances with every reading.
#[derive(Clone)]
struct KeptOutput {
    kept: Arc<Mutex<(String, String)>>,
    checkout: PathBuf,
    clock: u64,
}

impl KeptOutput {
    fn with<T>(&self, act: impl FnOnce(&mut (String, String)) -> T) -> T {
        act(&mut self.kept.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Host for KeptOutput {
    fn write_out(&mut self, text: &str) -> io::Result<()> {
        self.with(|kept| kept.0.push_str(text));
        Ok(())
    }

    fn write_error(&mut self, text: &str) -> io::Result<()> {
        self.with(|kept| kept.1.push_str(text));
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn read_line(&mut self) -> io::Result<Option<String>> {
        Ok(None)
    }

    fn read_to_end(&mut self) -> io::Result<String> {
        Ok(String::new())
    }

    fn read_file(&mut self, path: &str) -> io::Result<Vec<u8>> {
        // Programs take the checkout for the current folder, or for the one where machines of SOM keep it.
        let inside = path.strip_prefix("core-lib/").unwrap_or(path);
        std::fs::read(self.checkout.join(inside))
    }

    fn milliseconds(&mut self) -> u64 {
        self.microseconds() / 1000
    }

    fn microseconds(&mut self) -> u64 {
        self.clock += 1000;
        self.clock
    }
}

/// How programs are run: one that runs away must not take the whole machine with it.
pub(crate) fn config() -> Config {
    Config {
        max_memory: Some(2 << 30),
        max_ticks: Some(20_000_000_000),
        ..Config::default()
    }
}

/// Folders of the class path, the core library included.
fn folders(invocation: &Invocation, library: Library, checkout: &Path) -> Vec<PathBuf> {
    let mut folders = invocation.folders.clone();
    if library == Library::Theirs {
        folders.push(checkout.join("Smalltalk"));
    }
    folders
}

/// Runs a program to its end.
pub(crate) fn run(
    invocation: &Invocation,
    library: Library,
    checkout: &Path,
    config: Config,
) -> Ended {
    let folders = folders(invocation, library, checkout);
    let file = invocation.file.to_string_lossy();
    let program =
        tally_workbench::loading::som::Program::new(&file, &folders, &invocation.arguments);
    let kept = KeptOutput {
        kept: Arc::default(),
        checkout: checkout.to_path_buf(),
        clock: 0,
    };
    let (outcome, cost) = match program.machine(config, Box::new(kept.clone()), false) {
        Ok((mut vm, _)) => {
            vm.count_everything();
            let outcome = vm.run_unit(Arc::new(program.start()));
            (Ok(outcome), vm.cost())
        }
        Err(error) => (Err(error), Cost::default()),
    };
    let (out, error) = kept.with(std::mem::take);
    Ended {
        outcome,
        out,
        error,
        cost,
    }
}

/// Whether another machine runs the program to a good end.
pub(crate) fn runs_on_peer(peer: &Path, invocation: &Invocation, checkout: &Path) -> bool {
    let folders = folders(invocation, Library::Theirs, checkout);
    let texts: Vec<_> = folders
        .iter()
        .map(|folder| folder.to_string_lossy())
        .collect();
    let status = Command::new(peer)
        .arg("-cp")
        .arg(texts.join(":"))
        .arg(&invocation.file)
        .args(&invocation.arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    status.is_ok_and(|status| status.success())
}
