//! The picture of the processors: a row each, over virtual time.

use tally_presentation::page::{Page, Tint, push_title};
use tally_presentation::{grouped, printable, width};

use crate::measured::Window;
use crate::overview::{Figures, ProcessorTotals};
use crate::states::{STATES, State};

/// The most columns of a row.
const MOST_COLUMNS: u64 = 400;
/// The most rows.
const MOST_ROWS: usize = 10_000;
/// The width without a terminal, in columns.
const USUAL_WIDTH: usize = 100;
/// The most columns of a processor's name and class.
const MOST_LABEL: usize = 28;
/// The most columns of one tick.
const WIDEST_TICK: u64 = 4;

/// Ticks by state, for each column of each row.
#[derive(Clone, Debug)]
pub struct Lanes {
    window: Window,
    columns: u64,
    rows: Vec<Vec<[u64; STATES.len()]>>,
    most: usize,
}

impl Lanes {
    /// An empty picture of the window with at most this number of rows, for a page.
    pub fn new(window: Window, rows: Option<usize>, page: Page) -> Lanes {
        let room = page.width.unwrap_or(USUAL_WIDTH);
        let room = room.saturating_sub(MOST_LABEL + 2).max(10) as u64;
        let length = (window.to - window.from).max(1);
        Lanes {
            window,
            columns: room.min(MOST_COLUMNS).min(length),
            rows: Vec::new(),
            most: rows.unwrap_or(MOST_ROWS).min(MOST_ROWS),
        }
    }

    /// An empty picture with at most this number of rows and of columns.
    pub(crate) fn wide(window: Window, rows: usize, columns: u64) -> Lanes {
        let length = (window.to - window.from).max(1);
        Lanes {
            window,
            columns: columns.min(length),
            rows: Vec::new(),
            most: rows,
        }
    }

    /// Columns that are taken together, so that a row has at most this number of them.
    fn together(&self, most: u64) -> u64 {
        self.columns.div_ceil(most.max(1))
    }

    /// The ticks of the longest column if a row has at most this number of columns.
    pub(crate) fn ticks_of_column(&self, most: u64) -> u64 {
        self.length().div_ceil(self.columns) * self.together(most)
    }

    /// The longest states of a row's columns, of which it has at most this number. Columns of the same state are one.
    pub(crate) fn stays(&self, row: usize, most: u64) -> Vec<(State, u64, u64)> {
        let mut stays: Vec<(State, u64, u64)> = Vec::new();
        let Some(cells) = self.rows.get(row) else {
            return stays;
        };
        let together = self.together(most);
        for (place, cells) in (0..).zip(cells.chunks(together as usize)) {
            let first = place * together;
            let from = self.moment(first);
            let to = self.moment(first + cells.len() as u64);
            let mut sums = [0_u64; STATES.len()];
            for (sum, ticks) in cells.iter().flat_map(|cell| (0..).zip(cell)) {
                sums[sum] = sums[sum].saturating_add(*ticks);
            }
            let Some(state) = longest(&sums, to - from) else {
                continue;
            };
            match stays.last_mut() {
                Some(last) if (last.0, last.2) == (state, from) => last.2 = to,
                _ => stays.push((state, from, to)),
            }
        }
        stays
    }

    fn length(&self) -> u64 {
        (self.window.to - self.window.from).max(1)
    }

    /// The first moment of a column.
    fn moment(&self, column: u64) -> u64 {
        let part = u128::from(self.length()) * u128::from(column) / u128::from(self.columns);
        self.window.from + part as u64
    }

    /// The column of a moment in the window.
    fn column(&self, moment: u64) -> u64 {
        let ticks = u128::from(moment - self.window.from);
        let column = (ticks * u128::from(self.columns) / u128::from(self.length())) as u64;
        // The first moments of columns are rounded down.
        match column + 1 < self.columns && self.moment(column + 1) <= moment {
            true => column + 1,
            false => column.min(self.columns - 1),
        }
    }

    /// The processor was in the state between these moments.
    pub(crate) fn spent(&mut self, processor: u32, state: State, from: u64, to: u64) {
        let from = from.clamp(self.window.from, self.window.to);
        let to = to.clamp(self.window.from, self.window.to);
        let row = processor as usize;
        let state = STATES.iter().position(|one| *one == state);
        let Some(state) = state.filter(|_| row < self.most && from < to) else {
            return;
        };
        if self.rows.len() <= row {
            let blank = vec![[0; STATES.len()]; self.columns as usize];
            self.rows.resize(row + 1, blank);
        }
        for column in self.column(from)..=self.column(to - 1) {
            let cell = Window {
                from: self.moment(column),
                to: self.moment(column + 1),
            };
            let ticks = cell.overlap(from, to);
            let place = &mut self.rows[row][column as usize][state];
            *place = place.saturating_add(ticks);
        }
    }

    /// Columns that a tick has, if it has more than one.
    fn stretch(&self, page: Page) -> u64 {
        let room = page.width.unwrap_or(USUAL_WIDTH);
        let room = room.saturating_sub(MOST_LABEL + 2) as u64;
        (room / self.columns).clamp(1, WIDEST_TICK)
    }
}

/// The letter of a state.
fn letter(state: State) -> char {
    match state {
        State::Idle => '·',
        State::Running => '█',
        State::Ready => 'r',
        State::Answer => 'a',
        State::Lock => 'l',
        State::Condition => 'c',
        State::Asleep => 's',
        State::Overhead => 'o',
        State::Blocked => 'b',
    }
}

/// The longest state of a cell that has this number of ticks. Work goes before waits, waits before idling, and all before the
/// time in which there was no processor.
fn longest(cell: &[u64; STATES.len()], ticks: u64) -> Option<State> {
    let known = cell.iter().fold(0_u64, |sum, one| sum.saturating_add(*one));
    let places = (1..STATES.len()).chain([0]);
    let mut best = (0, None);
    for place in places {
        if cell[place] > best.0 {
            best = (cell[place], Some(STATES[place]));
        }
    }
    match ticks.saturating_sub(known) > best.0 {
        true => None,
        false => best.1,
    }
}

fn shown(cell: &[u64; STATES.len()], ticks: u64) -> char {
    longest(cell, ticks).map_or(' ', letter)
}

const LEGEND: &str = "█ runs   r ready, without a CPU   a waits for an answer   l for locks   c for its condition   \
s sleeps   o is charged   · idle   blank: not created yet";

/// Behind the legend, if it is the case.
const BLOCKED_LEGEND: &str = "   b is blocked: waits for a semaphore";

/// Adds the picture.
pub(crate) fn push_picture(figures: &Figures, page: Page, text: &mut String) {
    let Some(lanes) = &figures.lanes else { return };
    push_title("Processors", page, text);
    let stretch = lanes.stretch(page);
    let per_column = lanes.length().div_ceil(lanes.columns);
    let scale = match (per_column, stretch) {
        (1, 1) => "A column is a tick.".to_string(),
        (1, many) => format!("A tick has {many} columns."),
        (most, _) => format!(
            "A column is up to {} ticks. It shows the state that took most of them.",
            grouped(most)
        ),
    };
    let is_blocked = |row: &ProcessorTotals| row.in_state(State::Blocked) > 0;
    let blocked = match figures.processors.iter().any(is_blocked) {
        true => BLOCKED_LEGEND,
        false => "",
    };
    for line in page.wrapped(&format!("{LEGEND}{blocked}\n{scale}")).lines() {
        text.push_str(&page.tinted(line, Tint::Dim));
        text.push('\n');
    }
    text.push('\n');
    push_axis(lanes, stretch, text);
    let empty = vec![[0; STATES.len()]; lanes.columns as usize];
    let count = figures.processors.len().min(lanes.most);
    for number in 0..count {
        let cells = lanes.rows.get(number).unwrap_or(&empty);
        let name = figures.processor_name(number as u32);
        let class = figures.processor_class(number as u32);
        let mut line = fitted(&printable(&format!("{name} {class}")));
        line.push_str("  ");
        for (column, cell) in (0..).zip(cells) {
            let ticks = lanes.moment(column + 1) - lanes.moment(column);
            let letter = shown(cell, ticks);
            (0..stretch).for_each(|_| line.push(letter));
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    let more = figures.processors.len() - count;
    if more > 0 {
        let more = grouped(more as u64);
        text.push_str(&format!(
            "\n{more} more processors; --limit N shows N of them, 0 all.\n"
        ));
    }
}

/// A text in exactly the columns of a label.
fn fitted(text: &str) -> String {
    let mut fitted = String::new();
    let mut used = 0;
    for letter in text.trim_end().chars() {
        let wide = width(letter.encode_utf8(&mut [0; 4]));
        if used + wide > MOST_LABEL {
            break;
        }
        fitted.push(letter);
        used += wide;
    }
    fitted.extend(std::iter::repeat_n(' ', MOST_LABEL - used));
    fitted
}

/// Moments above the rows, each over its column.
fn push_axis(lanes: &Lanes, stretch: u64, text: &mut String) {
    let mut line = " ".repeat(MOST_LABEL + 2);
    let start = line.len();
    let wide = lanes.columns * stretch;
    // A moment has room for its digits and two blanks.
    let digits = grouped(lanes.window.to).len() as u64 + 2;
    let step = (wide / 5).max(digits);
    let mut at = 0;
    while at < wide {
        let column = at / stretch;
        let place = start + (column * stretch) as usize;
        let label = grouped(lanes.moment(column));
        if place >= line.len() {
            line.extend(std::iter::repeat_n(' ', place - line.len()));
            line.push_str(&label);
        }
        at += step;
    }
    text.push_str(line.trim_end());
    text.push('\n');
}
