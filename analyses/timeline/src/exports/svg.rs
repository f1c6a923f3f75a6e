//! A picture of the processors: a lane for each, with its states over time as bars, and calls as lines. Its size is bounded: what has no
//! room is counted below the picture.

use std::collections::BTreeSet;
use std::io::Write;

use tally_presentation::grouped;
use tally_presentation::plot::{Figure, LaneBar, LaneChart, LaneKind, LaneLink, LaneRow};

use crate::following::Wait;
use crate::lanes::Lanes;
use crate::measured::{Measured, Window};
use crate::names::FeatureId;
use crate::sink::{Accepted, Origin, SinkError};
use crate::states::{STATES, State};

use super::About;
use super::pen::{Drawn, Pen, label, word};
use super::perfetto::described;

/// The most lanes.
const MOST_LANES: usize = 200;
/// The most columns of a lane, and of all lanes together.
const MOST_COLUMNS: u64 = 1_000;
const MOST_CELLS: u64 = 60_000;
/// The most calls. Those stay that waited longest until they were taken up.
const MOST_CALLS: usize = 200;

/// Draws the picture.
pub(crate) struct Svg<W: Write> {
    out: W,
    window: Window,
    is_segment: bool,
    lanes: Lanes,
    labels: Vec<String>,
    more: u64,
    features: Vec<String>,
    /// The ticks until a call was taken up, the number of its request, and what is drawn of it.
    calls: BTreeSet<(u64, u32, Call)>,
    calls_left_out: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Call {
    feature: FeatureId,
    client: u32,
    supplier: u32,
    called: u64,
    synchronizes: u64,
}

/// The class of a state in the style sheet.
fn class(state: State) -> &'static str {
    match state {
        State::Idle => "third",
        State::Running => "second",
        State::Ready => "sixth",
        State::Answer => "first",
        State::Lock => "eighth",
        State::Condition => "fourth",
        State::Asleep => "seventh",
        State::Overhead => "ninth",
        State::Blocked => "fifth",
    }
}

impl<W: Write> Svg<W> {
    pub(crate) fn new(about: About<'_>, out: W) -> Svg<W> {
        let extent = about.extent;
        let window = Window {
            from: extent.window.from,
            to: extent.end.max(extent.window.from),
        };
        Svg {
            out,
            window,
            is_segment: extent.is_segment,
            lanes: Lanes::wide(window, MOST_LANES, MOST_COLUMNS),
            labels: Vec::new(),
            more: 0,
            features: Vec::new(),
            calls: BTreeSet::new(),
            calls_left_out: 0,
        }
    }

    fn row(&self, number: usize) -> LaneRow {
        let most = MOST_CELLS / self.labels.len().max(1) as u64;
        let stays = self.lanes.stays(number, most);
        let bars = stays.into_iter().filter_map(|(state, from, to)| {
            let kind = STATES.iter().position(|one| *one == state)?;
            Some(LaneBar { kind, from, to })
        });
        LaneRow {
            name: self.labels[number].clone(),
            bars: bars.collect(),
        }
    }

    fn link(&self, call: &Call, number: u32) -> LaneLink {
        let name = self.features.get(call.feature.0 as usize);
        let name = name.map_or("", String::as_str);
        LaneLink {
            from: (call.client as usize, call.called),
            to: (call.supplier as usize, call.synchronizes),
            title: format!(
                "{name}, request {}: called at {}, taken up at {}",
                grouped(number.into()),
                grouped(call.called),
                grouped(call.synchronizes)
            ),
        }
    }

    fn left_out(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.more > 0 {
            notes.push(format!(
                "{} processors are left out: the first {MOST_LANES} are drawn",
                grouped(self.more)
            ));
        }
        if self.calls_left_out > 0 {
            notes.push(format!(
                "{} calls are left out: {MOST_CALLS} that waited longest until they were taken up are drawn",
                grouped(self.calls_left_out)
            ));
        }
        notes
    }
}

impl<W: Write> Pen for Svg<W> {
    fn processor(&mut self, _: u32, name: &str, class: &str, _: Origin) -> Accepted {
        match self.labels.len() < MOST_LANES {
            true => self.labels.push(label(name, class)),
            false => self.more += 1,
        }
        Ok(())
    }

    fn feature(&mut self, _: FeatureId, name: &str) -> Accepted {
        self.features.push(name.to_string());
        Ok(())
    }

    fn state(&mut self, lane: u32, state: State, from: u64, to: u64, _: Option<&Wait>) -> Accepted {
        self.lanes.spent(lane, state, from, to);
        Ok(())
    }

    fn request(&mut self, number: u32, row: &Measured) -> Accepted {
        let (Some(called), Some(synchronizes)) = (row.called, row.synchronizes) else {
            return Ok(());
        };
        let is_before = self.is_segment && called == self.window.from && called > 0;
        if row.is_local || is_before {
            return Ok(());
        }
        let most = MOST_LANES as u32;
        if row.client >= most || row.supplier >= most {
            self.calls_left_out += 1;
            return Ok(());
        }
        let call = Call {
            feature: row.feature,
            client: row.client,
            supplier: row.supplier,
            called,
            synchronizes,
        };
        // Of equal ones the first stay.
        let waited = synchronizes.saturating_sub(called);
        self.calls.insert((waited, u32::MAX - number, call));
        if self.calls.len() > MOST_CALLS {
            self.calls.pop_first();
            self.calls_left_out += 1;
        }
        Ok(())
    }

    fn finish(&mut self, drawn: &Drawn<'_>) -> Result<Vec<String>, SinkError> {
        let left_out = self.left_out();
        let ticks = self
            .lanes
            .ticks_of_column(MOST_CELLS / self.labels.len().max(1) as u64);
        let mut notes = Vec::new();
        if ticks > 1 {
            notes.push(format!(
                "A bar shows the state that took most of each {} ticks",
                grouped(ticks)
            ));
        }
        notes.extend(left_out.iter().cloned());
        let links = self.calls.iter().rev();
        let chart = LaneChart {
            title: format!("Processors of {}", described(drawn.about.head)),
            across: ("ticks", self.window.from, self.window.to),
            kinds: STATES
                .iter()
                .map(|state| LaneKind {
                    name: word(*state),
                    class: class(*state),
                    is_thin: *state == State::Idle,
                })
                .collect(),
            rows: (0..self.labels.len())
                .map(|number| self.row(number))
                .collect(),
            links: links
                .map(|(_, number, call)| self.link(call, u32::MAX - number))
                .collect(),
            notes,
        };
        let svg = Figure::of_lanes("processors", &chart).svg();
        self.out.write_all(svg.as_bytes()).map_err(SinkError::Io)?;
        self.out.flush().map_err(SinkError::Io)?;
        Ok(left_out)
    }
}
