//! The computations as a table for spreadsheets.

use tally_presentation::csv::{Csv, text_field};

use super::Exploration;

impl Exploration<'_> {
    /// A row for each computation: its number, its result, whether a turn failed, its turns, and its costs if they are known.
    pub fn csv(&self) -> String {
        let mut csv = Csv::unix();
        csv.row(["computation", "result", "failed", "turns", "cost", "depth"]);
        let known = self.computations;
        let turns = known.iter().flat_map(|known| {
            let all = known.all.iter();
            all.map(|computation| computation.events(&known.unfolding).len())
        });
        for (number, turns) in turns.enumerate() {
            let outcome = self.findings.outcome_of(number);
            let cost = self
                .prices
                .and_then(|prices| prices.computations.get(number));
            let failed = outcome.is_some_and(|outcome| outcome.failure.is_some());
            let number_of = |number: Option<u64>| number.map(|n| n.to_string()).unwrap_or_default();
            csv.row([
                (number + 1).to_string(),
                text_field(&outcome.map(|outcome| outcome.text()).unwrap_or_default()),
                failed.to_string(),
                turns.to_string(),
                number_of(cost.map(|cost| cost.work)),
                number_of(cost.map(|cost| cost.depth)),
            ]);
        }
        csv.finish()
    }
}
