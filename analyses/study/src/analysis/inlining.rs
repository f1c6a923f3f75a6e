//! §7: the messages that the compiler inlines, in source text and in runs.

use super::measured::Measured;
use crate::data::{Form, Messages, NORMAL, Role};
use crate::results::{Inlining, InliningRow};
use crate::statistics::finite;

/// The number of messages, and how many are inlined.
#[derive(Clone, Copy, Default)]
struct Share {
    messages: u64,
    inlined: u64,
}

/// The shares. Executed messages are those that were sent, and evaluations of inlined ones, of the first run that knows these.
pub(super) fn shares(measured: &Measured<'_>) -> Inlining {
    let executed = executed(measured);
    let all = together(executed.iter().map(|(_, share)| *share));
    Inlining {
        written: written(measured),
        executed: executed
            .into_iter()
            .map(|(name, share)| row(name, share))
            .collect(),
        all_executed: row("the basket", all),
    }
}

fn written(measured: &Measured<'_>) -> Vec<InliningRow> {
    let mut rows = Vec::new();
    if let Some(messages) = measured.data.library() {
        rows.push(row("the library", of_source(messages)));
    }
    let applications = measured.applications(Role::Basket);
    let basket = together(applications.map(|application| of_source(&application.messages)));
    if basket.messages > 0 {
        rows.push(row("the basket", basket));
    }
    rows
}

fn executed<'d>(measured: &Measured<'d>) -> Vec<(&'d str, Share)> {
    let programs = measured.basket.iter().map(|program| program.application);
    let known = programs.filter_map(|application| {
        let samples = measured.data.samples(application, NORMAL, Form::Inlined);
        let share = samples.iter().find_map(|sample| {
            let inlined = sum(sample.inlined.as_ref()?.values());
            Some(Share {
                messages: sample.cost.sends.saturating_add(inlined),
                inlined,
            })
        });
        Some((application.name.as_str(), share?))
    });
    known.collect()
}

fn of_source(messages: &Messages) -> Share {
    Share {
        messages: messages.written,
        inlined: sum(messages.inlined.values()),
    }
}

fn together(shares: impl Iterator<Item = Share>) -> Share {
    shares.fold(Share::default(), |one, other| Share {
        messages: one.messages.saturating_add(other.messages),
        inlined: one.inlined.saturating_add(other.inlined),
    })
}

fn sum<'n>(numbers: impl Iterator<Item = &'n u64>) -> u64 {
    numbers.fold(0, |sum, number| sum.saturating_add(*number))
}

fn row(name: &str, share: Share) -> InliningRow {
    let Share { messages, inlined } = share;
    InliningRow {
        name: name.to_owned(),
        messages,
        inlined,
        share: finite(100.0 * inlined as f64 / messages as f64),
    }
}
