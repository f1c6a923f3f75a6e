//! Progress of long work, shown on a terminal only.

use std::fmt::Write;
use std::time::Duration;

use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

/// The time between two displays.
const EVERY: Duration = Duration::from_millis(120);

/// Work that takes a while. Its display is removed with it.
pub(crate) struct Progress(ProgressBar);

impl Progress {
    /// Work of a number of steps, or of one.
    pub(crate) fn new(steps: usize) -> Progress {
        let progress = Progress::without_thread(steps);
        progress.0.enable_steady_tick(EVERY);
        progress
    }

    /// The same for a process that is copied while it works: the display changes with the steps only, and no thread holds a
    /// lock.
    pub(crate) fn without_thread(steps: usize) -> Progress {
        let bar = ProgressBar::with_draw_target(Some(steps as u64), ProgressDrawTarget::stderr());
        let template = match steps {
            0 | 1 => "{spinner} {wide_msg}",
            _ => "{bar:20} {pos}/{len}{left} {wide_msg}",
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.with_key("left", time_left));
        }
        Progress(bar)
    }

    /// Begins a step.
    pub(crate) fn step(&self, what: impl Into<String>) {
        self.0.set_message(what.into());
    }

    /// Lets something be printed while there is no display.
    pub(crate) fn suspended<T>(&self, print: impl FnOnce() -> T) -> T {
        self.0.suspend(print)
    }

    /// A step is done.
    pub(crate) fn done(&self) {
        self.0.inc(1);
    }
}

/// The estimated rest of the time, once a step is done.
fn time_left(state: &ProgressState, out: &mut dyn Write) {
    if state.pos() > 0 {
        let _ = write!(out, ", {} left", HumanDuration(state.eta()));
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
