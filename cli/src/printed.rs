//! What programs print on the process's own streams. All hosts share one buffer for each stream, so that the bytes that are not
//! yet written can be found when the process must end at once.

use std::io::{self, BufWriter, Write};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError, TryLockError};
use std::time::Duration;

use crate::exit::Exit;

const BUFFER_BYTES: usize = 1 << 16;
/// How often a buffer that is in use is looked at, a millisecond apart. A write to a pipe without a reader keeps it in use for
/// ever.
const LOOKS: usize = 100;

type Buffer = OnceLock<Mutex<BufWriter<Box<dyn Write + Send>>>>;

static OUT: Buffer = OnceLock::new();
static ERROR: Buffer = OnceLock::new();

/// A stream of the process, buffered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Printed {
    /// Standard output.
    Out,
    /// Standard error.
    Error,
}

impl Printed {
    fn buffer(self) -> MutexGuard<'static, BufWriter<Box<dyn Write + Send>>> {
        let buffer = match self {
            Printed::Out => OUT.get_or_init(|| buffered(Box::new(io::stdout()))),
            Printed::Error => ERROR.get_or_init(|| buffered(Box::new(io::stderr()))),
        };
        buffer.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn buffered(stream: Box<dyn Write + Send>) -> Mutex<BufWriter<Box<dyn Write + Send>>> {
    Mutex::new(BufWriter::with_capacity(BUFFER_BYTES, stream))
}

impl Write for Printed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        end_if_closed(self.buffer().write(bytes))
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        end_if_closed(self.buffer().write_all(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        end_if_closed(self.buffer().flush())
    }
}

/// Ends the process when its output has no reader any more: a program that prints without end would otherwise go on for ever.
/// As with every command, there is no message; the exit code says that output is missing.
fn end_if_closed<T>(written: io::Result<T>) -> io::Result<T> {
    if let Err(error) = &written
        && error.kind() == io::ErrorKind::BrokenPipe
    {
        std::process::exit(Exit::Io.code());
    }
    written
}

/// Writes what was printed, for a process that is about to end in the middle of its work, or to become two.
pub(crate) fn flush() {
    for buffer in [&OUT, &ERROR] {
        if let Some(mut stream) = buffer.get().and_then(available) {
            // The process ends, so an error has no place to go.
            let _ = stream.flush();
        }
    }
}

/// Hands the bytes that are still in a buffer to `write`, with the file descriptor of their stream. Neither allocates nor waits
/// for another thread, so that it works when the process cannot go on. The process ends directly after it.
pub(crate) fn write_directly(write: impl Fn(i32, &[u8])) {
    for (buffer, descriptor) in [(&OUT, 1), (&ERROR, 2)] {
        // A buffer that is locked is being written at this moment.
        if let Some(Ok(buffer)) = buffer.get().map(Mutex::try_lock) {
            write(descriptor, buffer.buffer());
        }
    }
}

/// What a lock protects, unless another thread keeps it for itself.
fn available<T>(lock: &Mutex<T>) -> Option<MutexGuard<'_, T>> {
    for _ in 0..LOOKS {
        match lock.try_lock() {
            Ok(guard) => return Some(guard),
            Err(TryLockError::Poisoned(poisoned)) => return Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(1)),
        }
    }
    None
}

/// From now on a signal that ends the process lets it write first what was printed.
#[cfg(unix)]
pub(crate) fn flush_at_signals() {
    // Without the thread a signal still ends the process.
    let _ = std::thread::Builder::new().spawn(|| {
        use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXCPU};
        let signals = [SIGHUP, SIGINT, SIGTERM, SIGXCPU];
        let obeyed = signals.into_iter().filter(|&signal| !is_ignored(signal));
        let Ok(mut signals) = signal_hook::iterator::Signals::new(obeyed) else {
            return;
        };
        for signal in signals.forever() {
            flush();
            let _ = signal_hook::low_level::emulate_default_handler(signal);
        }
    });
}

#[cfg(not(unix))]
pub(crate) fn flush_at_signals() {}

/// Whether the process was started with a signal ignored, as `nohup` and a shell's `&` do. It stays so.
#[cfg(unix)]
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}
