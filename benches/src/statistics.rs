//! Means of ratios and their confidence intervals. Nothing here runs or prints anything.

use crate::measure::median;

/// Resamples from which a confidence interval is read.
const RESAMPLES: usize = 2000;

/// The geometric mean; of no numbers, no number.
pub fn geometric_mean(numbers: &[f64]) -> f64 {
    let sum: f64 = numbers.iter().map(|number| number.ln()).sum();
    (sum / numbers.len() as f64).exp()
}

/// An estimate with the interval that holds it with 95 % confidence.
#[derive(Clone, Copy, Debug)]
pub struct Estimate {
    /// The figure from all samples.
    pub figure: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end of the interval.
    pub high: f64,
}

/// How much slower one side of interleaved pairs is than the other: the geometric mean, over
/// programs, of the ratio of the medians. The interval comes from drawing rounds again, all programs
/// of a round together, since what disturbs one program of a round may disturb its neighbours.
pub fn ratio_of_pairs(programs: &[Vec<(f64, f64)>]) -> Estimate {
    let rounds = programs.iter().map(Vec::len).min().unwrap_or(0);
    let all: Vec<usize> = (0..rounds).collect();
    let figure = ratio_of_rounds(programs, &all);
    let mut random = Random::new();
    let mut drawn: Vec<f64> = (0..RESAMPLES)
        .map(|_| {
            let chosen: Vec<usize> = all.iter().map(|_| random.below(rounds)).collect();
            ratio_of_rounds(programs, &chosen)
        })
        .collect();
    drawn.sort_by(f64::total_cmp);
    Estimate {
        figure,
        low: drawn[RESAMPLES / 40],
        high: drawn[RESAMPLES - 1 - RESAMPLES / 40],
    }
}

fn ratio_of_rounds(programs: &[Vec<(f64, f64)>], rounds: &[usize]) -> f64 {
    let ratio = |pairs: &Vec<(f64, f64)>| {
        let (above, below): (Vec<f64>, Vec<f64>) = rounds.iter().map(|&round| pairs[round]).unzip();
        median(&above) / median(&below)
    };
    geometric_mean(&programs.iter().map(ratio).collect::<Vec<_>>())
}

/// How cost grows with size: the slope of the line through the logarithms, by least squares.
pub fn exponent(points: &[(f64, f64)]) -> f64 {
    let count = points.len() as f64;
    let logs: Vec<(f64, f64)> = points.iter().map(|(x, y)| (x.ln(), y.ln())).collect();
    let mean_x = logs.iter().map(|(x, _)| x).sum::<f64>() / count;
    let mean_y = logs.iter().map(|(_, y)| y).sum::<f64>() / count;
    let above: f64 = logs.iter().map(|(x, y)| (x - mean_x) * (y - mean_y)).sum();
    let below: f64 = logs.iter().map(|(x, _)| (x - mean_x).powi(2)).sum();
    above / below
}

/// Pseudo-random numbers from a fixed start: the same samples give the same interval.
struct Random(u64);

impl Random {
    fn new() -> Random {
        Random(0x9E37_79B9_7F4A_7C15)
    }

    /// The next number below a limit, by xorshift.
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit.max(1) as u64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::{exponent, geometric_mean, ratio_of_pairs};

    #[test]
    fn a_geometric_mean_multiplies() {
        assert!((geometric_mean(&[1.0, 4.0]) - 2.0).abs() < 1e-12);
        assert!(geometric_mean(&[]).is_nan());
    }

    #[test]
    fn an_interval_holds_its_estimate() {
        let pairs = |n: usize| {
            (0..30)
                .map(|i| (2.0 + ((i * n) % 7) as f64 / 100.0, 1.0))
                .collect()
        };
        let estimate = ratio_of_pairs(&[pairs(3), pairs(5)]);
        assert!(estimate.low <= estimate.figure && estimate.figure <= estimate.high);
        assert!(estimate.low > 1.9 && estimate.high < 2.1);
        // Nothing measured is no number, and no panic.
        assert!(ratio_of_pairs(&[]).figure.is_nan());
    }

    #[test]
    fn a_square_has_the_exponent_two() {
        let points: Vec<(f64, f64)> = [1.0, 10.0, 100.0].map(|x| (x, 3.0 * x * x)).into();
        assert!((exponent(&points) - 2.0).abs() < 1e-9);
    }
}
