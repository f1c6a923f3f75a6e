//! Runs the binary in a folder of its own, with a deadline, and checks its output. The tests
//! are in the files beside this folder.

#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot be set up has nothing better to do"
)]

pub(crate) mod filling;
pub(crate) mod lru;

use std::fs::{self, File};
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// A run that takes longer is taken to hang.
const DEADLINE: Duration = Duration::from_secs(120);

/// The views of a timeline that one run has.
pub(crate) const TIMELINE_VIEWS: [&str; 6] = [
    "summary",
    "processors",
    "features",
    "hotspots",
    "waits",
    "matrix",
];

/// A folder for one test.
pub(crate) struct Sandbox {
    folder: PathBuf,
    runs: AtomicU32,
}

/// The outcome of a run.
#[derive(Debug)]
pub(crate) struct Ran {
    code: Option<i32>,
    output: String,
    error: String,
    command: String,
}

impl Sandbox {
    /// An empty folder; tests in parallel never share one.
    pub(crate) fn new(name: &str) -> Sandbox {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let process = std::process::id();
        let folder =
            PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{process}-{number}"));
        fs::create_dir_all(&folder).unwrap();
        Sandbox {
            folder,
            runs: AtomicU32::new(0),
        }
    }

    /// Where a file of the folder is.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Writes a file, and the folders above it.
    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    /// The text of a file.
    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.folder.join(name)).unwrap()
    }

    /// Copies a folder of the folder, with everything in it.
    #[cfg(unix)]
    pub(crate) fn copy(&self, from: &str, to: &str) {
        let mut command = Command::new("cp");
        let command = command.arg("-a").args([self.path(from), self.path(to)]);
        assert!(command.status().unwrap().success(), "{from} to {to}");
    }

    /// Runs git in the folder, which has to go well.
    pub(crate) fn git(&self, arguments: &[&str]) {
        let output = Command::new("git")
            .args(["-c", "user.name=T", "-c", "user.email=t@example.org"])
            .args(arguments)
            .current_dir(&self.folder)
            .output()
            .unwrap();
        assert!(output.status.success(), "git {arguments:?}: {output:?}");
    }

    /// Runs the command without input.
    pub(crate) fn tally(&self, arguments: &[&str]) -> Ran {
        self.tally_reading("", arguments)
    }

    /// Runs the command without input in a folder of the folder.
    pub(crate) fn tally_in(&self, inner: &str, arguments: &[&str]) -> Ran {
        let output = Command::new(env!("CARGO_BIN_EXE_tally"))
            .args(arguments)
            .current_dir(self.folder.join(inner))
            .env_remove("NO_COLOR")
            .env_remove("CLICOLOR_FORCE")
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Ran {
            code: output.status.code(),
            output: text(&output.stdout),
            error: text(&output.stderr),
            command: arguments.join(" "),
        }
    }

    /// Runs the command with this standard input.
    pub(crate) fn tally_reading(&self, input: &str, arguments: &[&str]) -> Ran {
        self.tally_reading_bytes(input.as_bytes(), arguments)
    }

    /// Runs the command with a standard input that need not be text.
    pub(crate) fn tally_reading_bytes(&self, input: &[u8], arguments: &[&str]) -> Ran {
        let run = self.runs.fetch_add(1, Ordering::Relaxed);
        let out = format!("out-{run}");
        let stdout = File::create(self.folder.join(&out)).unwrap();
        let ran = self.spawn(run, input, arguments, stdout.into());
        Ran {
            output: self.read(&out),
            ..ran
        }
    }

    /// Runs the command with a standard output that no process reads.
    #[cfg(unix)]
    pub(crate) fn tally_into_closed_pipe(&self, arguments: &[&str]) -> Ran {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        self.spawn(
            self.runs.fetch_add(1, Ordering::Relaxed),
            b"",
            arguments,
            writer.into(),
        )
    }

    /// Runs the command with its standard output going to this file.
    #[cfg(target_os = "linux")]
    pub(crate) fn tally_into(&self, path: &str, arguments: &[&str]) -> Ran {
        let stdout = File::options().write(true).open(path).unwrap();
        self.spawn(
            self.runs.fetch_add(1, Ordering::Relaxed),
            b"",
            arguments,
            stdout.into(),
        )
    }

    fn spawn(&self, run: u32, input: &[u8], arguments: &[&str], stdout: Stdio) -> Ran {
        let errors = format!("err-{run}");
        let stderr = File::create(self.folder.join(&errors)).unwrap();
        let mut child = Command::new(env!("CARGO_BIN_EXE_tally"))
            .args(arguments)
            .current_dir(&self.folder)
            .env_remove("NO_COLOR")
            .env_remove("CLICOLOR_FORCE")
            .env("XDG_STATE_HOME", self.folder.join("state"))
            .stdin(Stdio::piped())
            .stdout(stdout)
            .stderr(stderr)
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(input).unwrap();
        let code = wait(&mut child, arguments);
        Ran {
            code,
            output: String::new(),
            error: self.read(&errors),
            command: arguments.join(" "),
        }
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        // What a failed test left behind helps to understand it.
        if !std::thread::panicking() {
            let _ = fs::remove_dir_all(&self.folder);
        }
    }
}

fn wait(child: &mut Child, arguments: &[&str]) -> Option<i32> {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status.code();
        }
        if start.elapsed() > DEADLINE {
            let _ = child.kill();
            panic!("tally {} does not end", arguments.join(" "));
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

impl Ran {
    /// The exit code; `None` if a signal ended the command.
    pub(crate) fn code(&self) -> Option<i32> {
        self.code
    }

    /// Standard output.
    pub(crate) fn output(&self) -> &str {
        &self.output
    }

    /// Standard error.
    pub(crate) fn error(&self) -> &str {
        &self.error
    }

    /// The exit code.
    #[track_caller]
    pub(crate) fn exits(&self, code: i32) -> &Ran {
        assert_eq!(self.code, Some(code), "{self}");
        self
    }

    /// All of standard output.
    #[track_caller]
    pub(crate) fn prints(&self, text: &str) -> &Ran {
        assert_eq!(self.output, text, "{self}");
        self
    }

    /// Something that standard output contains.
    #[track_caller]
    pub(crate) fn mentions(&self, text: &str) -> &Ran {
        assert!(
            self.output.contains(text),
            "expected {text:?} on standard output of {self}"
        );
        self
    }

    /// Something that standard error contains.
    #[track_caller]
    pub(crate) fn says(&self, text: &str) -> &Ran {
        assert!(
            self.error.contains(text),
            "expected {text:?} on standard error of {self}"
        );
        self
    }

    /// Standard error is empty.
    #[track_caller]
    pub(crate) fn is_silent(&self) -> &Ran {
        assert_eq!(self.error, "", "{self}");
        self
    }
}

impl std::fmt::Display for Ran {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let shown = |text: &str| text.chars().take(4000).collect::<String>();
        write!(
            f,
            "tally {}\nexit code {:?}\n--- output\n{}--- errors\n{}",
            shown(&self.command),
            self.code,
            shown(&self.output),
            shown(&self.error)
        )
    }
}
