//! Telling somebody at a terminal how far something is that takes a while. Nobody else is told.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// How often it is told anew.
const EVERY: Duration = Duration::from_millis(120);

/// Something that takes a while; what was told of it goes away with it.
pub(crate) struct Progress(ProgressBar);

impl Progress {
    /// Something that is done in so many steps, or in one.
    pub(crate) fn new(steps: usize) -> Progress {
        let bar = ProgressBar::with_draw_target(Some(steps as u64), ProgressDrawTarget::stderr());
        let template = match steps {
            0 | 1 => "{spinner} {wide_msg}",
            _ => "{bar:20} {pos}/{len} {wide_msg}",
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        bar.enable_steady_tick(EVERY);
        Progress(bar)
    }

    /// Begins a step.
    pub(crate) fn step(&self, what: impl Into<String>) {
        self.0.set_message(what.into());
    }

    /// A step is done.
    pub(crate) fn done(&self) {
        self.0.inc(1);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
