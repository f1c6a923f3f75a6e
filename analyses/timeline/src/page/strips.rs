//! What processors do over time, a strip for each. Short intervals that do not fit are joined to tiles, which hold the ticks of each
//! state: so all sums stay whole.

use crate::measured::Window;
use crate::states::{STATES, State};

use super::packed::Packed;

/// The most processors that have strips.
pub(super) const MOST_STRIPS: usize = 1 << 17;
/// The most intervals and tiles of all strips together.
const MOST_ENTRIES: usize = 2_000_000;

/// The state of a time in which there is no processor.
const ABSENT: u8 = STATES.len() as u8;
/// The kind of a tile. The kinds of other entries are states.
const TILE: u8 = ABSENT + 1;
/// Kinds of which an entry has ticks.
const KINDS: usize = TILE as usize;

/// Ticks by state.
type Sums = [u64; KINDS];

/// An interval in one state, or a tile.
#[derive(Clone, Debug)]
struct Entry {
    /// Its end; its begin is the end of the entry before.
    to: u64,
    state: u8,
    /// The sums of a tile.
    sums: Option<Box<Sums>>,
}

#[derive(Clone, Debug, Default)]
struct Strip {
    entries: Vec<Entry>,
}

/// The strips of all processors.
#[derive(Clone, Debug)]
pub(super) struct Strips {
    window: Window,
    strips: Vec<Strip>,
    entries: usize,
    most: usize,
    /// The width of tiles in ticks; 0 as long as every interval is there.
    width: u64,
}

impl Strips {
    pub(super) fn new(window: Window) -> Strips {
        Strips {
            window,
            strips: Vec::new(),
            entries: 0,
            most: MOST_ENTRIES,
            width: 0,
        }
    }

    /// The width of tiles; 0 if there are none.
    pub(super) fn width(&self) -> u64 {
        self.width
    }

    /// The processor was in the state between these moments.
    pub(super) fn spent(&mut self, processor: u32, state: State, from: u64, to: u64) {
        let row = processor as usize;
        let (from, to) = (from.max(self.window.from), to.min(self.window.to));
        let state = STATES.iter().position(|one| *one == state);
        let Some(state) = state.filter(|_| row < MOST_STRIPS && from < to) else {
            return;
        };
        if self.strips.len() <= row {
            self.strips.resize(row + 1, Strip::default());
        }
        let strip = &mut self.strips[row];
        let last = strip.end(self.window);
        let before = strip.entries.len();
        if from > last {
            strip.push(ABSENT, from);
        }
        if to > last {
            strip.push(state as u8, to);
        }
        self.entries += strip.entries.len() - before;
        if self.entries > self.most {
            self.make_room();
        }
    }

    /// What came after the last joining is joined. If that does not help for long, tiles become wider.
    fn make_room(&mut self) {
        self.join();
        while self.entries > self.most / 2 && self.can_widen() {
            self.widen();
        }
    }

    fn can_widen(&self) -> bool {
        self.width <= self.window.to - self.window.from
    }

    /// Makes tiles twice as wide; the first are as wide as an interval is on average. Answers whether that can help.
    pub(super) fn widen(&mut self) -> bool {
        let can = self.can_widen();
        self.width = match self.width {
            0 => self
                .mean_length()
                .checked_next_power_of_two()
                .unwrap_or(u64::MAX),
            width => width.saturating_mul(2),
        };
        self.join();
        can
    }

    fn mean_length(&self) -> u64 {
        let length = self.window.to - self.window.from;
        let all = u128::from(length) * self.strips.len() as u128;
        let mean = all / self.entries.max(1) as u128;
        u64::try_from(mean).unwrap_or(u64::MAX).max(2)
    }

    /// Joins intervals, so that all tiles have the same width.
    pub(super) fn join(&mut self) {
        if self.width == 0 {
            return;
        }
        self.entries = 0;
        for strip in &mut self.strips {
            strip.join(self.window, self.width);
            self.entries += strip.entries.len();
        }
    }

    /// Adds the strips: their number, that of all entries, and for each the number of its entries and the entries.
    pub(super) fn pack(&self, packed: &mut Packed) {
        packed.number(self.strips.len() as u64);
        packed.number(self.entries as u64);
        for strip in &self.strips {
            packed.number(strip.entries.len() as u64);
            let mut from = self.window.from;
            for entry in &strip.entries {
                entry.pack(entry.to - from, packed);
                from = entry.to;
            }
        }
    }
}

impl Strip {
    fn end(&self, window: Window) -> u64 {
        self.entries.last().map_or(window.from, |entry| entry.to)
    }

    fn push(&mut self, state: u8, to: u64) {
        match self.entries.last_mut() {
            Some(last) if last.state == state => last.to = to,
            _ => self.entries.push(Entry {
                to,
                state,
                sums: None,
            }),
        }
    }

    /// Entries of which several lie within a part of this width become one.
    fn join(&mut self, window: Window, width: u64) {
        let part = |moment: u64| (moment - window.from) / width;
        let mut joined: Vec<Entry> = Vec::new();
        // The part in which the last entry lies as a whole, and the begin of that entry.
        let mut inside: Option<(u64, u64)> = None;
        let mut from = window.from;
        for entry in self.entries.drain(..) {
            let to = entry.to;
            let its = (part(from) == part(to - 1)).then(|| part(from));
            match (its, inside, joined.last_mut()) {
                (Some(its), Some((open, begin)), Some(last)) if its == open => {
                    last.absorb(last.to - begin, entry, to - from);
                }
                _ => {
                    inside = its.map(|its| (its, from));
                    joined.push(entry);
                }
            }
            from = to;
        }
        joined.shrink_to_fit();
        self.entries = joined;
    }
}

impl Entry {
    fn add_to(&self, length: u64, sums: &mut Sums) {
        match &self.sums {
            Some(own) => sums
                .iter_mut()
                .zip(own.iter())
                .for_each(|(sum, own)| *sum += own),
            None => sums[usize::from(self.state)] += length,
        }
    }

    /// Becomes a tile that ends where the other entry ends. Both have these lengths.
    fn absorb(&mut self, length: u64, other: Entry, other_length: u64) {
        let mut sums = Sums::default();
        self.add_to(length, &mut sums);
        other.add_to(other_length, &mut sums);
        *self = Entry {
            to: other.to,
            state: TILE,
            sums: Some(Box::new(sums)),
        };
    }

    /// The kind is in the lower four bits of a byte; the upper ones have the length, or 15 if a number with the rest follows.
    fn pack(&self, length: u64, packed: &mut Packed) {
        const REST_FOLLOWS: u64 = 15;
        let short = length.min(REST_FOLLOWS);
        packed.byte(self.state | (short as u8) << 4);
        if short == REST_FOLLOWS {
            packed.number(length - REST_FOLLOWS);
        }
        let Some(sums) = &self.sums else { return };
        let present = |kind: &usize| sums[*kind] > 0;
        let mask = (0..KINDS)
            .filter(present)
            .fold(0, |mask, kind| mask | 1 << kind);
        packed.number(mask);
        for kind in (0..KINDS).filter(present) {
            packed.number(sums[kind]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sums(strips: &Strips) -> Vec<Sums> {
        let of = |strip: &Strip| {
            let mut sums = Sums::default();
            let mut from = strips.window.from;
            for entry in &strip.entries {
                entry.add_to(entry.to - from, &mut sums);
                from = entry.to;
            }
            sums
        };
        strips.strips.iter().map(of).collect()
    }

    /// Two processors that turn from state to state; the second is created at moment 40.
    fn strips(most: usize) -> Strips {
        let mut strips = Strips::new(Window { from: 10, to: 400 });
        strips.most = most;
        let mut from = 0;
        for step in 0..90_u64 {
            let to = from + 1 + step % 7;
            let state = STATES[(step % 4) as usize];
            strips.spent(0, state, from, to);
            if from >= 40 {
                strips.spent(1, STATES[(step % 3) as usize], from, to);
            }
            from = to;
        }
        strips
    }

    #[test]
    fn tiles_hold_the_sums_of_what_they_stand_for() {
        let whole = strips(10_000);
        assert_eq!(whole.width(), 0);
        let expected = sums(&whole);
        // Twelve times 1 + … + 7 ticks, and 1 + … + 6, without the ten before the window.
        assert_eq!(expected[0].iter().sum::<u64>(), 12 * 28 + 21 - 10);
        for most in [100, 40, 10, 2] {
            let mut few = strips(most);
            few.join();
            assert!(few.entries <= most, "{} of {most}", few.entries);
            assert!(few.width() > 0);
            assert_eq!(sums(&few), expected, "{most}");
        }
    }

    #[test]
    fn tiles_are_no_wider_than_the_room_needs_however_long_the_run_is() {
        let to = 200_000;
        let mut strips = Strips::new(Window { from: 0, to });
        strips.most = 100;
        (0..to).for_each(|from| strips.spent(0, STATES[from as usize % 2], from, from + 1));
        strips.join();
        assert!(strips.entries <= 100, "{}", strips.entries);
        // 50 tiles or more take 200,000 ticks in all.
        assert!(strips.width() <= 8192, "{}", strips.width());
        assert_eq!(sums(&strips)[0][..2], [to / 2, to / 2]);
    }

    #[test]
    fn no_interval_is_joined_across_the_edge_of_a_part() {
        let mut strips = Strips::new(Window { from: 0, to: 100 });
        let ends = [3, 5, 7, 9, 20, 21];
        let mut from = 0;
        for (place, to) in ends.into_iter().enumerate() {
            strips.spent(0, STATES[place % 2], from, to);
            from = to;
        }
        strips.width = 8;
        strips.join();
        let to: Vec<u64> = strips.strips[0].entries.iter().map(|one| one.to).collect();
        assert_eq!(to, [7, 9, 20, 21]);
        let tile = strips.strips[0].entries[0].sums.as_ref().unwrap();
        assert_eq!(tile[..2], [5, 2]);
    }
}
