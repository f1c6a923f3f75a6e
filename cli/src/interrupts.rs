//! Ctrl-C and similar signals, noted only, so that temporary files are removed before the process ends.

use std::process::{Child, ExitStatus};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use signal_hook::SigId;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

use crate::exit::Exit;
use crate::failure::Failure;

/// As long as it lives, signals to end are noted only.
pub(crate) struct Interrupts {
    came: Arc<AtomicBool>,
    handlers: Vec<SigId>,
}

impl Interrupts {
    pub(crate) fn caught() -> Result<Interrupts, Failure> {
        let came = Arc::<AtomicBool>::default();
        let mut handlers = Vec::new();
        for signal in [SIGHUP, SIGINT, SIGTERM] {
            let handler = signal_hook::flag::register(signal, Arc::clone(&came));
            handlers.push(handler.map_err(|error| {
                Failure::new(Exit::Internal, format!("Ctrl-C cannot be caught: {error}"))
            })?);
        }
        Ok(Interrupts { came, handlers })
    }

    /// Whether one came.
    pub(crate) fn came(&self) -> bool {
        self.came.load(Ordering::Relaxed)
    }

    /// Waits for the end of a process of the command's own, with a look every `looks`. When a signal comes, the process is ended
    /// and this fails.
    pub(crate) fn wait_for(
        &self,
        mut child: Child,
        looks: Duration,
    ) -> Result<ExitStatus, Failure> {
        loop {
            let ended = child.try_wait();
            let ended = ended.map_err(|error| Failure::io("wait for", "tally", &error))?;
            if self.came() {
                // It may have ended by itself meanwhile.
                let _ = child.kill();
                let _ = child.wait();
                return Err(Failure::silent(Exit::Interrupted));
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
