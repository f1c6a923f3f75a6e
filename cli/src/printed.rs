//! What a program prints on standard output, in a buffer that the process knows of: it is written whatever ends the process, a panic
//! or a signal too.

use std::io::{self, BufWriter, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError, Weak};
use std::time::Duration;

type Stream = BufWriter<Box<dyn Write + Send>>;

const CAPACITY: usize = 1 << 16;
/// How often, a millisecond apart, the buffer is looked at that is in use. It may be in use for ever, by a write to a pipe that
/// nobody reads.
const LOOKS: usize = 100;

/// The buffer of the program that prints on standard output.
static LAST: Mutex<Weak<Mutex<Stream>>> = Mutex::new(Weak::new());

/// A stream that programs print on.
pub(crate) struct Printed(Arc<Mutex<Stream>>);

impl Printed {
    /// With a buffer that [`flush`] knows of.
    pub(crate) fn known(stream: Box<dyn Write + Send>) -> Printed {
        let stream = BufWriter::with_capacity(CAPACITY, stream);
        let printed = Printed(Arc::new(Mutex::new(stream)));
        *LAST.lock().unwrap_or_else(PoisonError::into_inner) = Arc::downgrade(&printed.0);
        printed
    }

    /// Without a buffer.
    pub(crate) fn unbuffered(stream: Box<dyn Write + Send>) -> Printed {
        Printed(Arc::new(Mutex::new(BufWriter::with_capacity(0, stream))))
    }

    fn stream(&self) -> MutexGuard<'_, Stream> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Write for Printed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.stream().write(bytes)
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stream().write_all(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream().flush()
    }
}

/// Writes what was printed, for a process that is about to end in the middle of its work.
pub(crate) fn flush() {
    let last = available(&LAST).and_then(|last| last.upgrade());
    if let Some(stream) = last
        && let Some(mut stream) = available(&stream)
    {
        // Nobody can be told any more.
        let _ = stream.flush();
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
    // Without the thread a signal ends the process all the same.
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
