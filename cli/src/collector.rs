//! What `--gc-stats` prints: the collector's figures for people. It decides nothing and counts nothing.

use std::time::Duration;

use tally_vm::{CollectorStatistics, Pauses};

use crate::console;

/// Writes the figures to standard error.
pub(crate) fn report(statistics: &CollectorStatistics) {
    let words = |words: u64| bytes(words.saturating_mul(8));
    console::write(&format!(
        "garbage collection\n  \
         nursery    {}\n  \
         full       {}\n  \
         promoted   {}\n  \
         moved      {}\n  \
         heap peak  {}\n",
        pauses(&statistics.minor),
        pauses(&statistics.full),
        words(statistics.words_promoted),
        words(statistics.words_moved),
        bytes(statistics.peak_bytes as u64),
    ));
}

fn pauses(pauses: &Pauses) -> String {
    format!(
        "{} pauses, median {}, longest {}, total {}",
        pauses.count(),
        milliseconds(pauses.median()),
        milliseconds(pauses.longest()),
        milliseconds(pauses.total()),
    )
}

fn milliseconds(time: Duration) -> String {
    format!("{:.3} ms", time.as_secs_f64() * 1e3)
}

fn bytes(bytes: u64) -> String {
    format!("{:.1} MiB", bytes as f64 / f64::from(1 << 20))
}
