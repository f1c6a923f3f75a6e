//! The content of the page, within a limit of size. Every list starts with what weighs most; what is left out is counted.

use std::borrow::Cow;
use std::collections::HashMap;

use serde::Serialize;
use tally_presentation::figure::Style;
use tally_presentation::html::{Budget, Count, clipped, text_size};

use super::drawing::Drawn;
use super::holds::pack_holds;
use super::packed::Packed;
use super::path::{PASSES, Share, pack_parts, shares};
use super::rows::{Row, Texts, pack_requests, pack_waits};
use super::strips::MOST_STRIPS;
use crate::curve::{Curve, CurveRow};
use crate::features::Spread;
use crate::following::Wait;
use crate::hotspots::hotspots;
use crate::names::FeatureId;
use crate::overview::Figures;
use crate::report::state_word;
use crate::states::{CAUSES, Cause, STATES};
use crate::trace::{Ending, Head};
use crate::waits::{ended_by_ticks, ending_in_words};

/// Bytes of the packed parts, of the texts and of each table. The tracks have less than 1 MB. With the page's own text all together
/// stay below 10 MB.
const LANES: usize = 3_200_000;
/// The lanes and the requests: what the lanes leave is for the requests.
const LANES_AND_REQUESTS: usize = 4_800_000;
const WAITS: usize = 500_000;
const HOLDS: usize = 300_000;
const PARTS: usize = 300_000;
const CPUS: usize = 350_000;
const TEXTS: usize = 700_000;
const TABLE: usize = 250_000;

/// Everything that the page shows.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Data {
    about: About,
    states: Vec<&'static str>,
    causes: Vec<&'static str>,
    texts: Vec<String>,
    features: Vec<FeatureRow>,
    hotspots: Vec<Hotspot>,
    waits: Vec<WaitRow>,
    stuck: Vec<StuckRow>,
    matrix: Vec<LinkRow>,
    curve: Vec<CurveRow>,
    /// The critical path, if it was looked for.
    path: Option<PathData>,
    /// Packed columns.
    lanes: String,
    requests: String,
    longest_waits: String,
    holds: String,
    cpus: String,
    tracks: String,
    left_out: LeftOut,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct About {
    files: Vec<String>,
    program: String,
    model: u32,
    cpus: Option<Count>,
    costs: Vec<(String, Count)>,
    settings: Vec<(String, String)>,
    ending: &'static str,
    is_segment: bool,
    from: Count,
    to: Count,
    makespan: Count,
    ticks: Count,
    processors: Count,
    requests: Count,
    unfinished: Count,
}

/// The critical path.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PathData {
    /// How time passes, in words.
    passes: Vec<&'static str>,
    shares: Vec<Share>,
    never_ended: Count,
    unexplained: Count,
    /// Packed columns.
    parts: String,
}

/// How much is not in the page.
#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct LeftOut {
    processors: usize,
    /// The width of tiles in ticks, if short intervals were joined.
    tile: Count,
    requests: Count,
    longest_waits: Count,
    holds: Count,
    /// The width of joined times of CPUs in ticks.
    cpu_tile: Count,
    /// Ticks on CPUs without lanes.
    other_cpus: Count,
    shares: usize,
    parts: Count,
    texts: u64,
    features: usize,
    waits: usize,
    stuck: usize,
    matrix: usize,
    curve: usize,
}

/// A metric: the number of requests, the sum, the maximum, mean and deviation.
type Metric = (Count, Count, Count, Option<String>, Option<String>);

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FeatureRow {
    name: u32,
    requests: Count,
    unstarted: Count,
    overtaken: Count,
    interleaved: Count,
    useful_share: String,
    evaluations: Metric,
    queue: Metric,
    synchronization: Metric,
    execution: Metric,
    waiting: Metric,
    useful: Metric,
}

#[derive(Serialize)]
struct Hotspot {
    name: u32,
    worst: Vec<&'static str>,
    imperfect: Vec<&'static str>,
}

#[derive(Serialize)]
struct WaitRow {
    cause: usize,
    waiter: Option<u32>,
    subject: Option<u32>,
    by: Option<u32>,
    place: Option<u32>,
    waits: Count,
    ticks: Count,
    longest: Count,
}

#[derive(Serialize)]
struct StuckRow {
    processor: u32,
    cause: usize,
    waiter: Option<u32>,
    subject: Option<u32>,
    place: Option<u32>,
}

#[derive(Serialize)]
struct LinkRow {
    client: Option<u32>,
    supplier: Option<u32>,
    requests: Count,
    answers: Count,
    locks: Count,
}

/// Texts, each once. The first stands for those that had no room.
struct Strings {
    texts: Vec<String>,
    numbers: HashMap<String, u32>,
    features: HashMap<FeatureId, u32>,
    budget: Budget,
    left_out: u64,
}

impl Texts for Strings {
    fn feature(&mut self, figures: &Figures, feature: FeatureId) -> u32 {
        if let Some(number) = self.features.get(&feature) {
            return *number;
        }
        let number = self.text(&figures.names.full(feature));
        self.features.insert(feature, number);
        number
    }

    fn text(&mut self, text: &str) -> u32 {
        let text = clipped(text);
        if let Some(number) = self.numbers.get(&text) {
            return *number;
        }
        let has_room = self.budget.take(text_size(&text));
        self.left_out += u64::from(!has_room);
        let number = match has_room {
            true => self.texts.len() as u32,
            false => 0,
        };
        if has_room {
            self.texts.push(text.clone());
            self.numbers.insert(text, number);
        }
        number
    }
}

impl Data {
    pub(super) fn of(head: &Head, ending: Ending, figures: &Figures) -> Data {
        let mut strings = Strings {
            texts: vec!["(no room for this name)".to_string()],
            numbers: HashMap::new(),
            features: HashMap::new(),
            budget: Budget::new(TEXTS),
            left_out: 0,
        };
        let mut left_out = LeftOut::default();
        let features = features(figures, &mut strings, &mut left_out);
        let hotspots = marked(figures, &mut strings);
        let waits = waits(figures, &mut strings, &mut left_out);
        let stuck = stuck(figures, &mut strings, &mut left_out);
        let matrix = matrix(figures, &mut left_out);
        let path = path(figures, &mut strings, &mut left_out);
        let packs = Packs::of(figures, &mut strings, &mut left_out);
        left_out.texts = strings.left_out;
        Data {
            about: about(head, ending, figures),
            states: STATES.map(state_word).to_vec(),
            causes: CAUSES.map(|cause| cause.word()).to_vec(),
            texts: strings.texts,
            features,
            hotspots,
            waits,
            stuck,
            matrix,
            curve: curve(figures, &mut left_out),
            path,
            lanes: packs.lanes,
            requests: packs.requests,
            longest_waits: packs.waits,
            holds: packs.holds,
            cpus: packs.cpus,
            tracks: packs.tracks,
            left_out,
        }
    }

    pub(super) fn json(&self) -> String {
        // Numbers, texts and lists of them are always representable.
        serde_json::to_string(self).unwrap_or_else(|_| "null".to_string())
    }
}

fn about(head: &Head, ending: Ending, figures: &Figures) -> About {
    let mut budget = Budget::new(TABLE);
    let files = head.files.iter().map(|file| clipped(file));
    let extent = figures.extent;
    About {
        files: files
            .take_while(|file| budget.take(text_size(file)))
            .collect(),
        program: format!("{:016x}", head.program),
        model: head.model,
        cpus: head.cpus.map(Count),
        costs: head
            .costs
            .iter()
            .map(|(name, cost)| (clipped(name), Count(*cost)))
            .collect(),
        settings: head
            .settings
            .iter()
            .map(|(name, value)| (clipped(name), clipped(value)))
            .collect(),
        ending: ending.word(),
        is_segment: extent.is_segment,
        from: Count(extent.window.from),
        to: Count(extent.end),
        makespan: Count(extent.makespan()),
        ticks: Count(figures.ticks),
        processors: Count(figures.processors.len() as u64),
        requests: Count(figures.requests),
        unfinished: Count(figures.unfinished),
    }
}

/// The rows that fit into a table, and the number of the others.
fn fitting<T, R: Serialize>(rows: Vec<T>, left_out: &mut usize, row: impl FnMut(T) -> R) -> Vec<R> {
    let mut budget = Budget::new(TABLE);
    let all = rows.len();
    let size = |row: &R| serde_json::to_string(row).map_or(TABLE, |text| text.len()) + 1;
    let fitting: Vec<R> = rows
        .into_iter()
        .map(row)
        .take_while(|row| budget.take(size(row)))
        .collect();
    *left_out = all - fitting.len();
    fitting
}

/// The place of a cause among all.
fn place_of(cause: Cause) -> usize {
    CAUSES.iter().position(|one| *one == cause).unwrap_or(0)
}

fn metric(spread: &Spread) -> Metric {
    (
        Count(spread.count),
        Count(spread.sum),
        Count(spread.maximum),
        spread.mean().map(|mean| Style::Fixed(1).show(Some(mean))),
        spread
            .deviation()
            .map(|one| Style::Fixed(1).show(Some(one))),
    )
}

/// The features; if they have no room, those that wait longest.
fn features(figures: &Figures, texts: &mut Strings, left_out: &mut LeftOut) -> Vec<FeatureRow> {
    let mut rows: Vec<_> = figures.features.iter().collect();
    rows.sort_by_key(|row| {
        let waits = [row.queue.sum, row.synchronization.sum, row.waiting.sum];
        std::cmp::Reverse(waits.into_iter().fold(0, u64::saturating_add))
    });
    fitting(rows, &mut left_out.features, |row| FeatureRow {
        name: texts.text(&row.name),
        requests: Count(row.requests),
        unstarted: Count(row.unstarted),
        overtaken: Count(row.overtaken),
        interleaved: Count(row.interleaved),
        useful_share: Style::Fixed(1).show(Some(row.useful_share())),
        evaluations: metric(&row.evaluations),
        queue: metric(&row.queue),
        synchronization: metric(&row.synchronization),
        execution: metric(&row.execution),
        waiting: metric(&row.waiting),
        useful: metric(&row.useful),
    })
}

fn marked(figures: &Figures, texts: &mut Strings) -> Vec<Hotspot> {
    // Those with the most marks come first, and those behind have none that is not in the feature's row.
    fitting(hotspots(figures), &mut 0, |row| Hotspot {
        name: texts.text(&row.feature.name),
        worst: row.worst,
        imperfect: row.imperfect,
    })
}

fn waits(figures: &Figures, texts: &mut Strings, left_out: &mut LeftOut) -> Vec<WaitRow> {
    let rows = ended_by_ticks(figures);
    fitting(
        rows,
        &mut left_out.waits,
        |((cause, waiter, subject), by, place, row)| WaitRow {
            cause: place_of(cause),
            waiter: waiter.map(|waiter| texts.feature(figures, waiter)),
            subject: subject.map(|subject| texts.feature(figures, subject)),
            by: by.map(|by| texts.text(&ending_in_words(figures, cause, by))),
            place: place.map(|place| texts.text(place)),
            waits: Count(row.count),
            ticks: Count(row.ticks),
            longest: Count(row.longest),
        },
    )
}

fn stuck(figures: &Figures, texts: &mut Strings, left_out: &mut LeftOut) -> Vec<StuckRow> {
    let rows = figures.stuck.iter().collect();
    fitting(rows, &mut left_out.stuck, |(processor, wait)| {
        let (cause, waiter, subject) = wait.key;
        StuckRow {
            processor: *processor,
            cause: place_of(cause),
            waiter: waiter.map(|waiter| texts.feature(figures, waiter)),
            subject: subject.map(|subject| texts.feature(figures, subject)),
            place: figures.place(wait).map(|place| texts.text(place)),
        }
    })
}

/// The pairs of processors; if they have no room, those that wait longest.
fn matrix(figures: &Figures, left_out: &mut LeftOut) -> Vec<LinkRow> {
    let links = figures.matrix.links.iter();
    let mut rows: Vec<_> = links
        .map(|((client, supplier), link)| (Some(*client), Some(*supplier), link))
        .collect();
    rows.sort_by_key(|(.., link)| std::cmp::Reverse((link.waited(), link.requests)));
    if figures.matrix.others != crate::matrix::Link::default() {
        rows.insert(0, (None, None, &figures.matrix.others));
    }
    fitting(rows, &mut left_out.matrix, |(client, supplier, link)| {
        LinkRow {
            client,
            supplier,
            requests: Count(link.requests),
            answers: Count(link.answers),
            locks: Count(link.locks),
        }
    })
}

/// Packed columns as texts.
#[derive(Default)]
struct Packs {
    lanes: String,
    requests: String,
    waits: String,
    holds: String,
    cpus: String,
    tracks: String,
}

impl Packs {
    fn of(figures: &Figures, texts: &mut Strings, left_out: &mut LeftOut) -> Packs {
        let Some(drawn) = &figures.drawn else {
            return Packs::default();
        };
        let mut tracks = Packed::default();
        drawn.tracks.pack(&mut tracks);
        let lanes = lanes(figures, drawn, texts, left_out);
        let room = LANES_AND_REQUESTS.saturating_sub(lanes.len());
        Packs {
            requests: requests(figures, drawn, room, texts, left_out),
            lanes,
            waits: longest_waits(figures, drawn, texts, left_out),
            holds: holds(figures, drawn, left_out),
            cpus: cpus(drawn, left_out),
            tracks: tracks.text(),
        }
    }
}

/// The processors and their strips. Short intervals are joined until the strips fit.
fn lanes(figures: &Figures, drawn: &Drawn, texts: &mut Strings, left_out: &mut LeftOut) -> String {
    let count = figures.processors.len().min(MOST_STRIPS);
    left_out.processors = figures.processors.len() - count;
    let mut head = Packed::default();
    head.number(count as u64);
    for (number, row) in (0_u32..).zip(&figures.processors[..count]) {
        head.number(u64::from(number.wrapping_sub(row.origin.creator)));
        head.number(u64::from(row.origin.ordinal));
        head.difference(row.origin.time, figures.extent.window.from);
        let class = figures.processor_class(number);
        head.optional((!class.is_empty()).then(|| texts.text(class)));
        head.number(row.requests);
    }
    let mut strips = Cow::Borrowed(&drawn.strips);
    loop {
        let mut packed = head.clone();
        strips.pack(&mut packed);
        let text = packed.text();
        left_out.tile = Count(strips.width());
        if text.len() <= LANES || !strips.to_mut().widen() {
            return text;
        }
    }
}

/// The longest requests that fit into this number of bytes.
fn requests(
    figures: &Figures,
    drawn: &Drawn,
    room: usize,
    texts: &mut Strings,
    left_out: &mut LeftOut,
) -> String {
    let longest = |most: usize| -> Vec<&Row> {
        let mut rows: Vec<&Row> = drawn.requests.iter().take(most).collect();
        rows.sort_by_key(|row| row.number);
        rows
    };
    fitted(drawn.requests.len(), room, |most| {
        left_out.requests = Count(drawn.all_requests - most as u64);
        pack_requests(&longest(most), figures, texts)
    })
}

/// The longest waits that fit.
fn longest_waits(
    figures: &Figures,
    drawn: &Drawn,
    texts: &mut Strings,
    left_out: &mut LeftOut,
) -> String {
    let longest = |most: usize| -> Vec<Wait> {
        let mut waits = drawn.waits[..most].to_vec();
        waits.sort_by_key(|wait| wait.from);
        waits
    };
    fitted(drawn.waits.len(), WAITS, |most| {
        left_out.longest_waits = Count(drawn.all_waits - most as u64);
        pack_waits(&longest(most), figures, texts)
    })
}

/// The locks that scopes have, as many as fit.
fn holds(figures: &Figures, drawn: &Drawn, left_out: &mut LeftOut) -> String {
    fitted(drawn.holds.len(), HOLDS, |most| {
        left_out.holds = Count(drawn.all_holds - most as u64);
        pack_holds(&drawn.holds[..most], figures.extent.window)
    })
}

/// The CPUs. Short times are joined until they fit.
fn cpus(drawn: &Drawn, left_out: &mut LeftOut) -> String {
    let mut cpus = Cow::Borrowed(&drawn.cpus);
    left_out.other_cpus = Count(cpus.others());
    loop {
        let text = cpus.pack().text();
        left_out.cpu_tile = Count(cpus.width());
        if text.len() <= CPUS || !cpus.to_mut().widen() {
            return text;
        }
    }
}

/// The runs on several numbers of CPUs.
fn curve(figures: &Figures, left_out: &mut LeftOut) -> Vec<CurveRow> {
    let rows = figures.curve.as_ref().map(Curve::rows);
    fitting(rows.unwrap_or_default(), &mut left_out.curve, |row| row)
}

/// The critical path: its shares, and its first parts, as many as fit.
fn path(figures: &Figures, texts: &mut Strings, left_out: &mut LeftOut) -> Option<PathData> {
    let findings = figures.findings.as_ref()?;
    let path = findings.path();
    let rows = fitting(shares(findings, texts), &mut left_out.shares, |row| row);
    let parts = fitted(path.parts.len(), PARTS, |most| {
        let left = path.parts.len() - most;
        left_out.parts = Count(path.left_out.saturating_add(left as u64));
        pack_parts(findings, &path.parts[..most], figures.extent.window, texts)
    });
    Some(PathData {
        passes: PASSES.map(|passes| passes.word()).to_vec(),
        shares: rows,
        never_ended: Count(path.never_ended),
        unexplained: Count(path.unexplained),
        parts,
    })
}

/// The text of as many rows as fit into these bytes.
fn fitted(rows: usize, bytes: usize, mut pack: impl FnMut(usize) -> Packed) -> String {
    let mut most = rows;
    loop {
        let text = pack(most).text();
        if text.len() <= bytes || most == 0 {
            return text;
        }
        // Rows are about equally long, but not quite.
        most = (most as f64 * 0.9 * bytes as f64 / text.len() as f64) as usize;
    }
}
