//! How far an exploration is, on a terminal, and what is said if it is interrupted.

use std::time::{Duration, Instant};

use tally_explore::Progress as Explored;
use tally_presentation::grouped;

use crate::console;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::progress::Progress;

/// The time between two displays.
const EVERY: Duration = Duration::from_millis(200);

pub(super) struct Shown {
    progress: Progress,
    last: Instant,
}

impl Shown {
    pub(super) fn new() -> Shown {
        Shown {
            progress: Progress::new(1),
            last: Instant::now(),
        }
    }

    pub(super) fn show(&mut self, explored: Explored) {
        self.show_text(|| {
            let expected = explored.expected.map(grouped);
            let expected = expected.map(|more| format!(", about {more} more if levels go on so"));
            format!(
                "{} states{}, {} transitions, {} turns deep, {} states wait{}",
                grouped(explored.states),
                if explored.is_spilled { " in files" } else { "" },
                grouped(explored.transitions),
                explored.level,
                grouped(explored.waiting),
                expected.unwrap_or_default()
            )
        });
    }

    pub(super) fn show_text(&mut self, text: impl FnOnce() -> String) {
        if self.last.elapsed() < EVERY {
            return;
        }
        self.last = Instant::now();
        self.progress.step(text());
    }
}

/// The end of an exploration by Ctrl-C.
pub(super) fn interrupted() -> Failure {
    console::warning("interrupted: what was found so far is a part");
    Failure::silent(Exit::Interrupted)
}
