//! The embedder of a session: it keeps the messages of the workbench, for errors and for [`crate::Session::warnings`].

use std::sync::{Mutex, PoisonError};

use tally_workbench::Embedder;

/// The messages of the workbench.
#[derive(Debug, Default)]
pub(crate) struct Heard(Mutex<String>);

impl Heard {
    /// Everything since it was last taken.
    pub(crate) fn take(&self) -> String {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn add(&self, text: &str) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.push_str(text);
    }
}

impl Embedder for Heard {
    fn show(&self, text: &str) {
        self.add(text);
    }

    fn warn(&self, message: &str) {
        self.add(&format!("warning: {message}\n"));
    }

    fn complain(&self, error: &tally_workbench::Error) {
        self.add(&format!("error: {error}\n"));
    }

    /// A test shares its process with others, so a limit holds for the machine of its session alone.
    fn limit_memory(&self, _bytes: usize) {}
}
