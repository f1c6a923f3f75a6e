//! Requests and waits one by one, as the page shows them: columns of numbers, those of a column one after the other.

use super::packed::Packed;
use crate::following::Wait;
use crate::measured::Measured;
use crate::names::FeatureId;
use crate::overview::Figures;
use crate::states::CAUSES;
use crate::waits::ending_in_words;

/// Evaluations of a condition that are marked in a request.
pub(super) const MOST_MARKS: usize = 32;
/// Locks of a scope that are listed.
pub(super) const MOST_LOCKS: usize = 64;

/// A request.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) number: u32,
    pub(super) measured: Measured,
    /// When its client had the answer.
    pub(super) answered: Option<u64>,
    pub(super) marks: Marks,
}

/// What happens in the synchronization step of a request.
#[derive(Clone, Debug, Default)]
pub(super) struct Marks {
    /// Evaluations of its condition, and whether it was true.
    pub(super) evaluations: Vec<(u64, bool)>,
    /// The processors that it locks.
    pub(super) locks: Vec<u32>,
}

/// Numbers of texts in the page.
pub(super) trait Texts {
    /// The number of a feature's name.
    fn feature(&mut self, figures: &Figures, feature: FeatureId) -> u32;
    /// The number of another text.
    fn text(&mut self, text: &str) -> u32;
}

/// The requests, in the order of their numbers.
pub(super) fn pack_requests(rows: &[&Row], figures: &Figures, texts: &mut impl Texts) -> Packed {
    let mut packed = Packed::default();
    packed.number(rows.len() as u64);
    let mut before = 0;
    for row in rows {
        packed.difference(u64::from(row.number), before);
        before = u64::from(row.number);
    }
    let all = || rows.iter().map(|row| &row.measured);
    for row in all() {
        packed.number(u64::from(texts.feature(figures, row.feature)));
    }
    all().for_each(|row| packed.number(u64::from(row.client)));
    all().for_each(|row| packed.difference(u64::from(row.supplier), u64::from(row.client)));
    for row in rows {
        let sender = row.measured.sender;
        packed.optional(sender.map(|sender| row.number.wrapping_sub(sender)));
    }
    for row in all() {
        let site = row.site.map(|site| texts.text(figures.names.named(site)));
        packed.optional(site);
    }
    rows.iter().for_each(|row| packed.number(flags(row)));
    pack_moments(rows, figures.extent.window.from, &mut packed);
    all().for_each(|row| packed.number(row.waiting));
    all().for_each(|row| packed.number(row.evaluations));
    pack_marks(rows, &mut packed);
    packed
}

/// A bit for each property, and for each moment that a request has.
fn flags(row: &Row) -> u64 {
    let Row {
        measured, answered, ..
    } = row;
    let bits = [
        measured.waits,
        measured.is_local,
        measured.is_callback,
        measured.called.is_some(),
        measured.synchronizes.is_some(),
        measured.executes.is_some(),
        measured.returns.is_some(),
        measured.joined.is_some(),
        answered.is_some(),
    ];
    let places = bits.into_iter().enumerate();
    places.fold(0, |bits, (place, bit)| bits | u64::from(bit) << place)
}

/// The moments of a request, each as the difference to the one before; the first to that of the request before.
fn pack_moments(rows: &[&Row], from: u64, packed: &mut Packed) {
    let mut last = from;
    for row in rows {
        let one = &row.measured;
        let moments = [one.called, one.synchronizes, one.executes, one.returns];
        let mut before = last;
        let mut first = None;
        let rest = [one.joined, row.answered];
        for moment in moments.into_iter().chain(rest).flatten() {
            packed.difference(moment, before);
            first.get_or_insert(moment);
            before = moment;
        }
        last = first.unwrap_or(last);
    }
}

/// For each request with marks its place after the one before, its evaluations and its locks.
fn pack_marks(rows: &[&Row], packed: &mut Packed) {
    let marked = |row: &Row| !row.marks.evaluations.is_empty() || !row.marks.locks.is_empty();
    packed.number(rows.iter().filter(|row| marked(row)).count() as u64);
    let mut before = 0;
    for (place, row) in rows.iter().enumerate().filter(|(_, row)| marked(row)) {
        packed.number((place - before) as u64);
        before = place;
        let Marks { evaluations, locks } = &row.marks;
        packed.number(evaluations.len() as u64);
        let mut last = row.measured.synchronizes.unwrap_or(0);
        for (moment, is_true) in evaluations {
            packed.difference(*moment, last);
            packed.byte(u8::from(*is_true));
            last = *moment;
        }
        packed.number(locks.len() as u64);
        locks
            .iter()
            .for_each(|lock| packed.number(u64::from(*lock)));
    }
}

/// The waits, in the order of their begins.
pub(super) fn pack_waits(waits: &[Wait], figures: &Figures, texts: &mut impl Texts) -> Packed {
    let mut packed = Packed::default();
    packed.number(waits.len() as u64);
    let mut before = figures.extent.window.from;
    for wait in waits {
        packed.difference(wait.from, before);
        before = wait.from;
    }
    waits
        .iter()
        .for_each(|wait| packed.difference(wait.to, wait.from));
    for wait in waits {
        let cause = CAUSES.iter().position(|cause| *cause == wait.cause);
        packed.number(cause.unwrap_or(0) as u64);
    }
    for feature in [|wait: &Wait| wait.waiter, |wait: &Wait| wait.subject] {
        for wait in waits {
            packed.optional(feature(wait).map(|one| texts.feature(figures, one)));
        }
    }
    waits
        .iter()
        .for_each(|wait| packed.number(u64::from(wait.client)));
    waits.iter().for_each(|wait| packed.optional(wait.supplier));
    for wait in waits {
        let words = |by| ending_in_words(figures, wait.cause, by);
        let by = wait.by.map(|by| texts.text(&words(by)));
        packed.optional(by);
    }
    for wait in waits {
        let place = wait
            .place
            .map(|place| texts.text(figures.names.named(place)));
        packed.optional(place);
    }
    waits.iter().for_each(|wait| packed.byte(wait.lasts.into()));
    packed
}
