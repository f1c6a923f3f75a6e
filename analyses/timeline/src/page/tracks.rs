//! How many processors do what, and how many requests stand in queues, over time: ticks in columns of equal width.

use crate::measured::Window;
use crate::states::{STATES, State};

use super::packed::Packed;

/// The most columns.
const MOST_COLUMNS: u64 = 8192;
/// A track for each state, and one for the queues.
const TRACKS: usize = STATES.len() + 1;

/// Sums over all processors.
#[derive(Clone, Debug)]
pub(super) struct Tracks {
    window: Window,
    width: u64,
    columns: Vec<Column>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Column {
    /// Ticks of intervals that begin or end here.
    ticks: [u64; TRACKS],
    /// How many more intervals cover this column as a whole than the one before, and have neither begun nor ended in it.
    more: [i64; TRACKS],
}

impl Tracks {
    pub(super) fn new(window: Window) -> Tracks {
        let length = window.to - window.from;
        let width = length.div_ceil(MOST_COLUMNS).max(1);
        Tracks {
            window,
            width,
            columns: vec![Column::default(); length.div_ceil(width) as usize],
        }
    }

    /// A processor was in the state between these moments.
    pub(super) fn spent(&mut self, state: State, from: u64, to: u64) {
        if let Some(track) = STATES.iter().position(|one| *one == state) {
            self.add(track, from, to);
        }
    }

    /// A request stood in a queue between these moments.
    pub(super) fn queued(&mut self, from: u64, to: u64) {
        self.add(STATES.len(), from, to);
    }

    fn add(&mut self, track: usize, from: u64, to: u64) {
        let (from, to) = (from.max(self.window.from), to.min(self.window.to));
        if from >= to {
            return;
        }
        let (from, to) = (from - self.window.from, to - self.window.from);
        let (first, last) = (from / self.width, (to - 1) / self.width);
        if first == last {
            self.add_part(first, track, to - from);
            return;
        }
        self.add_part(first, track, (first + 1) * self.width - from);
        self.add_part(last, track, to - last * self.width);
        self.columns[first as usize + 1].more[track] += 1;
        self.columns[last as usize].more[track] -= 1;
    }

    fn add_part(&mut self, column: u64, track: usize, ticks: u64) {
        let place = &mut self.columns[column as usize].ticks[track];
        *place = place.saturating_add(ticks);
    }

    /// The ticks of a track, column by column.
    fn ticks(&self, track: usize) -> impl Iterator<Item = u64> {
        let mut whole = 0_i64;
        self.columns.iter().map(move |column| {
            whole += column.more[track];
            let ticks = self.width.saturating_mul(whole.unsigned_abs());
            column.ticks[track].saturating_add(ticks)
        })
    }

    /// Adds the width, the number of columns, and the columns of each track.
    pub(super) fn pack(&self, packed: &mut Packed) {
        packed.number(self.width);
        packed.number(self.columns.len() as u64);
        for track in 0..TRACKS {
            self.ticks(track).for_each(|ticks| packed.number(ticks));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_in_the_columns_in_which_they_are() {
        // 8192 columns of three ticks.
        let window = Window {
            from: 100,
            to: 100 + 3 * 8192,
        };
        let mut tracks = Tracks::new(window);
        assert_eq!((tracks.width, tracks.columns.len()), (3, 8192));
        tracks.spent(State::Running, 0, 104);
        tracks.spent(State::Running, 101, 107);
        tracks.queued(105, u64::MAX);
        let running: Vec<u64> = tracks.ticks(1).take(4).collect();
        // 100 to 104 and 101 to 107: (3 + 2), (1 + 3), 1.
        assert_eq!(running, [5, 4, 1, 0]);
        let queued: Vec<u64> = tracks.ticks(TRACKS - 1).take(3).collect();
        assert_eq!(queued, [0, 1, 3]);
        let all: u64 = tracks.ticks(TRACKS - 1).sum();
        assert_eq!(all, 3 * 8192 - 5);
    }
}
