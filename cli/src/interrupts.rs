//! Ctrl-C and its like, noted instead of obeyed, so that what was made for a while is removed before we go.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::SigId;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

use crate::exit::{Exit, Failure};

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
}

impl Drop for Interrupts {
    fn drop(&mut self) {
        for handler in self.handlers.drain(..) {
            signal_hook::low_level::unregister(handler);
        }
    }
}
