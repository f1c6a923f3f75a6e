//! Metrics of features: sums over their requests, exact, rounded once when they are shown.

use serde::Serialize;

use crate::measured::Measured;

/// How a metric is distributed over the requests of a feature.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Spread {
    /// How many requests have it.
    #[serde(rename = "n")]
    pub count: u64,
    /// Its sum.
    pub sum: u64,
    /// The sum of its squares.
    pub squares: u128,
    /// The greatest.
    #[serde(rename = "max")]
    pub maximum: u64,
}

impl Spread {
    /// Adds a request's value, if it has one.
    pub fn add(&mut self, value: Option<u64>) {
        let Some(value) = value else { return };
        self.count += 1;
        self.sum = self.sum.saturating_add(value);
        let square = u128::from(value) * u128::from(value);
        self.squares = self.squares.saturating_add(square);
        self.maximum = self.maximum.max(value);
    }

    /// The mean; absent without requests.
    pub fn mean(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum as f64 / self.count as f64)
    }

    /// The standard deviation of the population, as in the paper: of 0 and 10 it is 5.
    pub fn deviation(&self) -> Option<f64> {
        let count = u128::from(self.count);
        let sum = u128::from(self.sum);
        let variance = self.squares.checked_mul(count)?.checked_sub(sum * sum)?;
        (count > 0).then(|| (variance as f64).sqrt() / count as f64)
    }
}

/// A feature with its metrics, in ticks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Feature {
    /// Class and selector: `Market>>buy:`.
    pub name: String,
    /// Requests that began.
    pub requests: u64,
    /// Requests that were sent and never began.
    pub unstarted: u64,
    /// The most later requests that got a lock of one of its scopes first.
    pub overtaken: u64,
    /// Calls outside of scopes, since the last of which the supplier served another client.
    pub interleaved: u64,
    /// Evaluations of its condition.
    pub evaluations: Spread,
    /// Queue times.
    pub queue: Spread,
    /// Synchronization times.
    pub synchronization: Spread,
    /// Execution times.
    pub execution: Spread,
    /// Waiting times.
    pub waiting: Spread,
    /// Useful times.
    pub useful: Spread,
}

impl Feature {
    /// Useful time in per cent of the execution time; 100 where that is 0.
    pub fn useful_share(&self) -> f64 {
        match self.execution.sum {
            0 => 100.0,
            all => 100.0 * self.useful.sum as f64 / all as f64,
        }
    }

    /// Adds a request.
    pub(crate) fn add(&mut self, request: &Measured) {
        if request.synchronizes.is_none() {
            self.unstarted += 1;
            return;
        }
        self.requests += 1;
        self.queue.add(request.queue_time());
        self.synchronization.add(request.synchronization_time());
        self.execution.add(request.execution_time());
        let ended = request.returns.map(|_| request.waiting);
        self.waiting.add(ended);
        self.useful.add(request.useful_time());
        if request.evaluations > 0 {
            self.evaluations.add(Some(request.evaluations));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Spread;

    /// The figures of the paper's Figure 6.
    #[test]
    fn deviations_are_those_of_the_population() {
        for (values, deviation) in [([0, 10], 5.0), ([5137, 15282], 5072.5)] {
            let mut spread = Spread::default();
            for value in values {
                spread.add(Some(value));
            }
            assert_eq!(spread.deviation(), Some(deviation));
        }
    }
}
