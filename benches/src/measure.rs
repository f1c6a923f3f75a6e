//! Commands and their processor time. The caller chooses the commands.

use std::ffi::OsString;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{self, Child, ExitStatus, Stdio};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// How long to sleep between two looks at whether a child has ended that may only last so long.
const PAUSE: Duration = Duration::from_millis(5);

/// A command line that can be run again and again.
#[derive(Clone, Debug)]
pub struct Command {
    program: PathBuf,
    arguments: Vec<OsString>,
    folder: PathBuf,
    limit: Option<Duration>,
}

impl Command {
    /// A command that runs in this folder.
    pub fn new(program: &Path, folder: &Path) -> Command {
        Command {
            program: program.into(),
            arguments: Vec::new(),
            folder: folder.into(),
            limit: None,
        }
    }

    /// The same, but a run fails and is ended when it lasts longer than this on the clock on the wall.
    pub fn within(mut self, limit: Duration) -> Command {
        self.limit = Some(limit);
        self
    }

    /// The same with more arguments.
    pub fn with(mut self, arguments: impl IntoIterator<Item = impl Into<OsString>>) -> Command {
        self.arguments.extend(arguments.into_iter().map(Into::into));
        self
    }

    fn process(&self) -> process::Command {
        let mut process = process::Command::new(&self.program);
        process
            .args(&self.arguments)
            .current_dir(&self.folder)
            .stdin(Stdio::null());
        process
    }

    /// What the command writes to standard output.
    ///
    /// # Errors
    /// A sentence, if it cannot be run or fails.
    pub fn output(&self) -> Result<String, String> {
        let mut process = self.process();
        process.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = self.start(process)?;
        let (out, error) = (reader(child.stdout.take()), reader(child.stderr.take()));
        let status = self.finish(child)?;
        let [out, error] = [out, error].map(|text| text.join().unwrap_or_default());
        if !status.success() {
            let said = String::from_utf8_lossy(&error);
            let last = said.lines().last().unwrap_or_default();
            return Err(self.describe(&format!("{status}: {last}")));
        }
        Ok(String::from_utf8_lossy(&out).replace("\r\n", "\n"))
    }

    fn start(&self, mut process: process::Command) -> Result<Child, String> {
        process
            .spawn()
            .map_err(|error| self.describe(&error.to_string()))
    }

    /// Waits for a child's end. One that outlasts its limit is ended here.
    fn finish(&self, mut child: Child) -> Result<ExitStatus, String> {
        let failed = |error: std::io::Error| self.describe(&error.to_string());
        let Some(limit) = self.limit else {
            return child.wait().map_err(failed);
        };
        let start = Instant::now();
        loop {
            if let Some(status) = child.try_wait().map_err(failed)? {
                return Ok(status);
            }
            if start.elapsed() >= limit {
                child.kill().map_err(failed)?;
                child.wait().map_err(failed)?;
                let seconds = limit.as_secs();
                return Err(self.describe(&format!("longer than {seconds} s")));
            }
            thread::sleep(PAUSE);
        }
    }

    /// Processor seconds, user and system, of one run when it is run that often in a row. Programs
    /// that last a millisecond are too short for the clocks of some systems to be run only once.
    ///
    /// # Errors
    /// A sentence, if it cannot be run or fails.
    pub fn seconds(&self, repeats: u32) -> Result<f64, String> {
        let before = clock::seconds()?;
        for _ in 0..repeats {
            let mut process = self.process();
            process.stdout(Stdio::null()).stderr(Stdio::null());
            let status = self.finish(self.start(process)?)?;
            if !status.success() {
                return Err(self.describe(&status.to_string()));
            }
        }
        Ok((clock::seconds()? - before) / f64::from(repeats.max(1)))
    }

    /// Processor seconds of one run, and what it writes to standard output.
    ///
    /// # Errors
    /// A sentence, if it cannot be run or fails.
    pub fn timed_output(&self) -> Result<(f64, String), String> {
        let before = clock::seconds()?;
        let output = self.output()?;
        Ok((clock::seconds()? - before, output))
    }

    fn describe(&self, what: &str) -> String {
        let name = self
            .program
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let arguments = self
            .arguments
            .iter()
            .map(|argument| argument.to_string_lossy());
        let words: Vec<_> = std::iter::once(name.into()).chain(arguments).collect();
        format!("{}: {what}", words.join(" "))
    }
}

/// Reads to the end in a thread of its own: a child whose pipe is full stops.
fn reader(stream: Option<impl Read + Send + 'static>) -> JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut text = Vec::new();
        if let Some(mut stream) = stream {
            // What was read before an error is all there is to tell.
            let _ = stream.read_to_end(&mut text);
        }
        text
    })
}

/// Processor seconds that this process has taken so far.
///
/// # Errors
/// What the system says.
pub fn own_seconds() -> Result<f64, String> {
    clock::own_seconds()
}

/// Whether a program can be found and started.
pub fn is_installed(program: &str, version_option: &str) -> bool {
    let mut process = process::Command::new(program);
    process
        .arg(version_option)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    process.status().is_ok_and(|status| status.success())
}

/// The middle one of some numbers; of two in the middle, the mean.
pub fn median(numbers: &[f64]) -> f64 {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match (sorted.get(middle), sorted.len().is_multiple_of(2)) {
        (None, _) => f64::NAN,
        (Some(&upper), true) => (sorted[middle - 1] + upper) / 2.0,
        (Some(&upper), false) => upper,
    }
}

/// What the times are, and where the processes run, for the heading of a report. Pins this process,
/// and with it all that it will start, to one processor where the system allows it.
pub fn settle() -> String {
    format!("{}, {}", clock::KIND, pinning::pin())
}

#[cfg(unix)]
mod clock {
    //! The processor time of all children that have ended, or of this process, as the system accounts it.

    use nix::sys::resource::{UsageWho, getrusage};
    use nix::sys::time::TimeValLike as _;

    pub(super) const KIND: &str = "processor time, user and system";

    pub(super) fn seconds() -> Result<f64, String> {
        seconds_of(UsageWho::RUSAGE_CHILDREN)
    }

    pub(super) fn own_seconds() -> Result<f64, String> {
        seconds_of(UsageWho::RUSAGE_SELF)
    }

    fn seconds_of(who: UsageWho) -> Result<f64, String> {
        let usage = getrusage(who).map_err(|error| error.to_string())?;
        let microseconds =
            usage.user_time().num_microseconds() + usage.system_time().num_microseconds();
        Ok(microseconds as f64 / 1e6)
    }
}

#[cfg(not(unix))]
mod clock {
    //! The clock on the wall stands in where children's processor time is not to be had.

    use std::sync::LazyLock;
    use std::time::Instant;

    static START: LazyLock<Instant> = LazyLock::new(Instant::now);

    pub(super) const KIND: &str = "elapsed time";

    pub(super) fn seconds() -> Result<f64, String> {
        Ok(START.elapsed().as_secs_f64())
    }

    pub(super) fn own_seconds() -> Result<f64, String> {
        seconds()
    }
}

#[cfg(target_os = "linux")]
mod pinning {
    //! One processor for everything: caches stay warm and its frequency is the same for both sides.

    use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
    use nix::unistd::Pid;

    pub(super) fn pin() -> String {
        match last_processor() {
            Ok(number) => format!("pinned to processor {number}"),
            Err(error) => format!("not pinned: {error}"),
        }
    }

    /// The last of those that this process may use, since interrupts prefer the first.
    fn last_processor() -> nix::Result<usize> {
        let this = Pid::from_raw(0);
        let allowed = sched_getaffinity(this)?;
        let mut usable = (0..CpuSet::count()).filter(|&n| allowed.is_set(n).unwrap_or(false));
        let number = usable.next_back().ok_or(nix::Error::ENODEV)?;
        let mut chosen = CpuSet::new();
        chosen.set(number)?;
        sched_setaffinity(this, &chosen)?;
        Ok(number)
    }
}

#[cfg(not(target_os = "linux"))]
mod pinning {
    //! Not to be had in a portable way.

    pub(super) fn pin() -> String {
        "not pinned: this system offers no way".to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::median;
    #[cfg(unix)]
    use super::{Command, Duration, Path};

    #[cfg(unix)]
    #[test]
    fn a_command_that_outlasts_its_limit_is_ended() {
        let sleep = |seconds| Command::new(Path::new("sleep"), Path::new(".")).with([seconds]);
        let ended = sleep("600").within(Duration::from_millis(1)).output();
        assert!(ended.is_err_and(|why| why.contains("longer than")));
        assert_eq!(
            sleep("0").within(Duration::from_secs(60)).output(),
            Ok(String::new())
        );
    }

    #[test]
    fn a_median_is_in_the_middle_whatever_the_order() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), 2.5);
        assert!(median(&[]).is_nan());
    }
}
