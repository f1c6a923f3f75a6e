//! The figures of a timeline for programs: `tally.timeline/1`.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::advice::{Advice, Advised};
use crate::assumptions::{TrialRow, Trials};
use crate::curve::{Curve, CurveRow};
use crate::endings::Ender;
use crate::features::{Feature, Spread};
use crate::findings::PathDocument;
use crate::hotspots::hotspots;
use crate::matrix::Link;
use crate::measured::Measured;
use crate::overview::{EndedKey, Figures, WaitKey, WaitTotals};
use crate::report::SHOWN_STATES;
use crate::trace::{Ending, Head};
use crate::waits::{ended_by_ticks, ender_in_words, waits_by_ticks};

/// The document.
#[derive(Debug, Serialize)]
pub struct Document {
    schema: &'static str,
    model: u32,
    program: String,
    files: Vec<String>,
    cpus: Option<u64>,
    costs: BTreeMap<String, u64>,
    settings: BTreeMap<String, String>,
    ending: &'static str,
    from: u64,
    to: u64,
    makespan: u64,
    ticks: u64,
    processors: Vec<Processor>,
    features: Vec<FeatureRow>,
    requests: Vec<Request>,
    #[serde(rename = "requestsLeftOut", skip_serializing_if = "is_zero")]
    requests_left_out: u64,
    waits: Vec<WaitRow>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    blocked: Vec<BlockedRow>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    stuck: Vec<StuckRow>,
    hotspots: Vec<HotspotRow>,
    matrix: Vec<LinkRow>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    curve: Vec<CurveRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<PathDocument>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    advice: Vec<Advised>,
    #[serde(rename = "if", skip_serializing_if = "Vec::is_empty")]
    trials: Vec<TrialRow>,
}

impl Document {
    /// The document with what helps.
    #[must_use]
    pub fn with_advice(mut self, advice: &Advice) -> Document {
        self.advice = advice.rows();
        self
    }

    /// The document with runs on several numbers of CPUs.
    #[must_use]
    pub fn with_curve(mut self, curve: &Curve) -> Document {
        self.curve = curve.rows();
        self
    }

    /// The document with runs under rules.
    #[must_use]
    pub fn with_trials(mut self, trials: &Trials) -> Document {
        self.trials = trials.rows();
        self
    }
}

#[derive(Debug, Serialize)]
struct Processor {
    name: String,
    class: String,
    created: u64,
    requests: u64,
    states: BTreeMap<&'static str, u64>,
}

#[derive(Debug, Serialize)]
struct FeatureRow {
    name: String,
    requests: u64,
    unstarted: u64,
    overtaken: u64,
    interleaved: u64,
    evaluations: Spread,
    queue: Spread,
    synchronization: Spread,
    execution: Spread,
    waiting: Spread,
    useful: Spread,
}

#[derive(Debug, Serialize)]
struct Request {
    number: u32,
    feature: String,
    client: u32,
    supplier: u32,
    sender: Option<u32>,
    waits: bool,
    #[serde(rename = "isLocal")]
    is_local: bool,
    #[serde(rename = "isCallback")]
    is_callback: bool,
    called: Option<u64>,
    synchronizes: Option<u64>,
    executes: Option<u64>,
    returns: Option<u64>,
    waiting: u64,
    evaluations: u64,
}

#[derive(Debug, Serialize)]
struct WaitRow {
    cause: &'static str,
    waiter: Option<String>,
    #[serde(rename = "for")]
    subject: Option<String>,
    waits: u64,
    ticks: u64,
    longest: u64,
    #[serde(rename = "endedBy")]
    ended_by: Vec<EndedRow>,
}

#[derive(Debug, Serialize)]
struct EndedRow {
    by: Option<String>,
    waits: u64,
    ticks: u64,
    longest: u64,
}

/// A client and a supplier; both are absent in the row for all pairs that did not fit.
#[derive(Debug, Serialize)]
struct LinkRow {
    client: Option<u32>,
    supplier: Option<u32>,
    requests: u64,
    answers: u64,
    locks: u64,
}

/// Waits inside processors.
#[derive(Debug, Serialize)]
struct BlockedRow {
    cause: &'static str,
    waiter: Option<String>,
    #[serde(rename = "for")]
    subject: Option<String>,
    #[serde(rename = "endedBy")]
    ended_by: Option<String>,
    place: Option<String>,
    waits: u64,
    ticks: u64,
    longest: u64,
}

/// A processor that waits at the end.
#[derive(Debug, Serialize)]
struct StuckRow {
    processor: String,
    cause: &'static str,
    waiter: Option<String>,
    #[serde(rename = "for")]
    subject: Option<String>,
    place: Option<String>,
}

#[derive(Debug, Serialize)]
struct HotspotRow {
    feature: String,
    worst: Vec<&'static str>,
    imperfect: Vec<&'static str>,
}

/// Of serde.
#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "the signature is serde's"
)]
pub(crate) fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// The document of these figures. Requests are in it if they were listed.
pub fn document(head: &Head, ending: Ending, figures: &Figures) -> Document {
    let extent = figures.extent;
    Document {
        schema: "tally.timeline/1",
        model: head.model,
        program: format!("{:016x}", head.program),
        files: head.files.clone(),
        cpus: head.cpus,
        costs: head.costs.iter().cloned().collect(),
        settings: head.settings.iter().cloned().collect(),
        ending: ending.word(),
        from: extent.window.from,
        to: extent.end,
        makespan: extent.makespan(),
        ticks: figures.ticks,
        processors: processors(figures),
        features: figures.features.iter().map(feature).collect(),
        requests: figures
            .listed
            .iter()
            .map(|(number, row)| request(*number, row, figures))
            .collect(),
        requests_left_out: figures.unlisted,
        waits: waits(figures),
        blocked: blocked(figures),
        stuck: stuck(figures),
        hotspots: hotspots(figures)
            .into_iter()
            .map(|row| HotspotRow {
                feature: row.feature.name.clone(),
                worst: row.worst,
                imperfect: row.imperfect,
            })
            .collect(),
        matrix: matrix(figures),
        curve: Vec::new(),
        path: figures
            .findings
            .as_ref()
            .map(crate::findings::Findings::document),
        trials: Vec::new(),
        advice: Vec::new(),
    }
}

/// The waits inside processors, with their places.
fn blocked(figures: &Figures) -> Vec<BlockedRow> {
    let name = |id| figures.names.full(id);
    let rows = ended_by_ticks(figures).into_iter();
    let inside = rows.filter(|((cause, ..), ..)| cause.is_inside());
    let rows = inside.map(|((cause, waiter, subject), by, place, row)| BlockedRow {
        cause: cause.word(),
        waiter: waiter.map(name),
        subject: subject.map(name),
        ended_by: by.map(|by| ender_in_words(figures, by)),
        place: place.map(str::to_string),
        waits: row.count,
        ticks: row.ticks,
        longest: row.longest,
    });
    rows.collect()
}

fn stuck(figures: &Figures) -> Vec<StuckRow> {
    let name = |id| figures.names.full(id);
    let rows = figures.stuck.iter().map(|(processor, wait)| {
        let (cause, waiter, subject) = wait.key;
        StuckRow {
            processor: figures.processor_name(*processor),
            cause: cause.word(),
            waiter: waiter.map(name),
            subject: subject.map(name),
            place: figures.place(wait).map(str::to_string),
        }
    });
    rows.collect()
}

/// What ended the waits of each key. Waits at several places are one row.
fn enders(figures: &Figures) -> BTreeMap<WaitKey, Vec<EndedRow>> {
    let mut totals: BTreeMap<(WaitKey, Option<Ender>), WaitTotals> = BTreeMap::new();
    for (EndedKey { key, by, .. }, row) in &figures.ended {
        totals.entry((*key, *by)).or_default().join(*row);
    }
    let mut ended: BTreeMap<WaitKey, Vec<EndedRow>> = BTreeMap::new();
    for ((key, by), row) in totals {
        ended.entry(key).or_default().push(EndedRow {
            by: by.map(|by| ender_in_words(figures, by)),
            waits: row.count,
            ticks: row.ticks,
            longest: row.longest,
        });
    }
    ended
}

fn waits(figures: &Figures) -> Vec<WaitRow> {
    let mut ended = enders(figures);
    let name = |id| figures.names.full(id);
    let rows = waits_by_ticks(figures).into_iter();
    let rows = rows.map(|(key, row)| {
        let (cause, waiter, subject) = key;
        let mut ended_by = ended.remove(&key).unwrap_or_default();
        ended_by.sort_by(|one, other| (other.ticks, &one.by).cmp(&(one.ticks, &other.by)));
        WaitRow {
            cause: cause.word(),
            waiter: waiter.map(name),
            subject: subject.map(name),
            waits: row.count,
            ticks: row.ticks,
            longest: row.longest,
            ended_by,
        }
    });
    rows.collect()
}

fn matrix(figures: &Figures) -> Vec<LinkRow> {
    let row = |client, supplier, link: &Link| LinkRow {
        client,
        supplier,
        requests: link.requests,
        answers: link.answers,
        locks: link.locks,
    };
    let links = figures.matrix.links.iter();
    let mut rows: Vec<LinkRow> = links
        .map(|((client, supplier), link)| row(Some(*client), Some(*supplier), link))
        .collect();
    if figures.matrix.others != Link::default() {
        rows.push(row(None, None, &figures.matrix.others));
    }
    rows
}

fn processors(figures: &Figures) -> Vec<Processor> {
    let numbered = (0..).zip(&figures.processors);
    let rows = numbered.map(|(number, row)| Processor {
        name: figures.processor_name(number),
        class: figures.processor_class(number).to_string(),
        created: row.origin.time,
        requests: row.requests,
        states: SHOWN_STATES
            .iter()
            .map(|(name, state)| (*name, row.in_state(*state)))
            .collect(),
    });
    rows.collect()
}

fn feature(row: &Feature) -> FeatureRow {
    FeatureRow {
        name: row.name.clone(),
        requests: row.requests,
        unstarted: row.unstarted,
        overtaken: row.overtaken,
        interleaved: row.interleaved,
        evaluations: row.evaluations,
        queue: row.queue,
        synchronization: row.synchronization,
        execution: row.execution,
        waiting: row.waiting,
        useful: row.useful,
    }
}

fn request(number: u32, row: &Measured, figures: &Figures) -> Request {
    Request {
        number,
        feature: figures.names.full(row.feature),
        client: row.client,
        supplier: row.supplier,
        sender: row.sender,
        waits: row.waits,
        is_local: row.is_local,
        is_callback: row.is_callback,
        called: row.called,
        synchronizes: row.synchronizes,
        executes: row.executes,
        returns: row.returns,
        waiting: row.waiting,
        evaluations: row.evaluations,
    }
}
