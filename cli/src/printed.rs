//! What programs print on the process's own streams. All hosts share one buffer for each stream, so that the bytes that are not
//! yet written can be found when the process must end at once.

use std::io::{self, BufWriter, Write};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

const BUFFER_BYTES: usize = 1 << 16;

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
        self.buffer().write(bytes)
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.buffer().write_all(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.buffer().flush()
    }
}

/// Writes what was printed and is still in a buffer, past all streams. Neither allocates nor waits for another thread, so that
/// it works when the process cannot go on. The process ends directly after it.
pub(crate) fn flush() {
    for (buffer, descriptor) in [(&OUT, 1), (&ERROR, 2)] {
        // A buffer that is locked is being written at this moment.
        if let Some(Ok(buffer)) = buffer.get().map(Mutex::try_lock) {
            crate::memory::write_directly(descriptor, buffer.buffer());
        }
    }
}
