//! Ctrl-C and similar signals, noted only, so that temporary folders are removed before the process ends. Only an embedder that
//! wants this catches them.

use std::process::{Child, ExitStatus};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::{SigId, flag};

use crate::error::{Error, ErrorKind};

/// As long as it lives, signals to end are noted only.
#[derive(Debug)]
pub struct Interrupts {
    came: Arc<AtomicBool>,
    /// Whether a signal ends the process.
    ends: Arc<AtomicBool>,
    handlers: Vec<SigId>,
}

impl Interrupts {
    /// Catches signals from now on.
    ///
    /// # Errors
    /// If the system does not allow it.
    pub fn caught() -> Result<Interrupts, Error> {
        Interrupts::noted_in(Arc::default())
    }

    /// Catches signals from now on, and notes them in this flag.
    ///
    /// # Errors
    /// If the system does not allow it.
    pub fn noted_in(came: Arc<AtomicBool>) -> Result<Interrupts, Error> {
        let ends = Arc::<AtomicBool>::default();
        let code = i32::from(ErrorKind::Interrupted.exit_code());
        let mut handlers = Vec::new();
        for signal in [SIGHUP, SIGINT, SIGTERM] {
            let ending = flag::register_conditional_shutdown(signal, code, Arc::clone(&ends));
            let noting = flag::register(signal, Arc::clone(&came));
            for handler in [ending, noting] {
                handlers.push(handler.map_err(|error| {
                    Error::new(
                        ErrorKind::Internal,
                        format!("Ctrl-C cannot be caught: {error}"),
                    )
                })?);
            }
        }
        Ok(Interrupts {
            came,
            ends,
            handlers,
        })
    }

    /// From now on a signal ends the process at once. What looks at [`Interrupts::came`] is over.
    pub fn end_at_once(&self) {
        self.ends.store(true, Ordering::Relaxed);
    }

    /// Whether one came.
    pub fn came(&self) -> bool {
        self.came.load(Ordering::Relaxed)
    }

    /// Waits for the end of a process that was started, with a look every `looks`. When a signal comes, the process is ended.
    ///
    /// # Errors
    /// If a signal came, or the system does not report the state of the process.
    pub fn wait_for(&self, mut child: Child, looks: Duration) -> Result<ExitStatus, Error> {
        loop {
            let ended = child.try_wait();
            let ended = ended.map_err(|error| Error::io("wait for", "tally", &error))?;
            if self.came() {
                // It may have ended by itself meanwhile.
                let _ = child.kill();
                let _ = child.wait();
                return Err(Error::told(ErrorKind::Interrupted, "it was interrupted"));
            }
            if let Some(status) = ended {
                return Ok(status);
            }
            std::thread::sleep(looks);
        }
    }
}

impl Drop for Interrupts {
    fn drop(&mut self) {
        for handler in self.handlers.drain(..) {
            signal_hook::low_level::unregister(handler);
        }
    }
}
