//! The normal form of Extra-P, by least squares: a constant and one term n^i·log₂(n)^j (Calotoiu, Hoefler, Poke, Wolf: *Using Automated Performance Modeling to Find Scalability
//! Bugs in Complex Codes*, 2013).

/// The exponents that are tried, in twelfths.
const EXPONENTS: &[u32] = &[0, 3, 4, 6, 8, 9, 12, 15, 16, 18, 20, 21, 24, 30, 36];
/// The largest error at the sizes that were held out.
const MOST_ERROR: f64 = 0.2;

/// A function that nearly fits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Approximation {
    /// The constant.
    pub constant: f64,
    /// The factor of the term.
    pub factor: f64,
    /// The exponent of n, in twelfths.
    pub twelfths: u32,
    /// The exponent of the logarithm.
    pub log: u32,
    /// The largest relative error at sizes from half of the largest one on, when only those below were used.
    pub error: f64,
}

fn term(n: f64, twelfths: u32, log: u32) -> f64 {
    n.powf(f64::from(twelfths) / 12.0) * n.log2().powi(log as i32)
}

impl Approximation {
    /// The best approximation of points with parameters of at least 1. None if too few are given, or the error is large.
    pub(super) fn of(points: &[(f64, f64)]) -> Option<Approximation> {
        let largest = points.last()?.0;
        let (small, large): (Vec<_>, Vec<_>) =
            points.iter().partition(|(n, _)| *n <= largest / 2.0);
        if small.len() < 5 || large.len() < 2 || points.iter().any(|(n, _)| *n < 1.0) {
            return None;
        }
        // Values that are much smaller than most do not count alone.
        let sum: f64 = points.iter().map(|(_, y)| y.abs()).sum();
        let floor = (sum / points.len() as f64 / 1_000.0).max(f64::MIN_POSITIVE);
        let forms = EXPONENTS
            .iter()
            .flat_map(|twelfths| (0..=2).map(move |log| (*twelfths, log)));
        let forms = forms.filter(|form| *form != (0, 0));
        let judged = forms.filter_map(|form| {
            let (constant, factor) = least_squares(&small, form, floor)?;
            let error = worst(&large, floor, |n| {
                constant + factor * term(n, form.0, form.1)
            });
            let (constant, factor) = least_squares(points, form, floor)?;
            error.is_finite().then_some(Approximation {
                constant,
                factor,
                twelfths: form.0,
                log: form.1,
                error,
            })
        });
        let best = judged.min_by(|one, other| one.error.total_cmp(&other.error));
        best.filter(|best| best.error <= MOST_ERROR)
    }

    /// The value at a parameter of at least 1.
    pub fn value(&self, n: f64) -> f64 {
        self.constant + self.factor * term(n, self.twelfths, self.log)
    }

    /// The formula, with the name of the parameter.
    pub fn text(&self, name: &str) -> String {
        let exponent = f64::from(self.twelfths) / 12.0;
        let power = match self.twelfths {
            0 => String::new(),
            12 => name.to_string(),
            twelfths if twelfths % 12 == 0 => format!("{name}^{}", twelfths / 12),
            _ => format!("{name}^{exponent:.3}"),
        };
        let log = match self.log {
            0 => String::new(),
            1 => format!("log2({name})"),
            _ => format!("log2({name})^{}", self.log),
        };
        let factors: Vec<String> = [power, log]
            .into_iter()
            .filter(|one| !one.is_empty())
            .collect();
        let sign = if self.factor < 0.0 { '-' } else { '+' };
        let factor = match self.factor.abs() {
            small if small < 0.001 => format!("{small:.5e}"),
            factor => format!("{factor:.6}"),
        };
        format!("{:.4} {sign} {factor}*{}", self.constant, factors.join("*"))
    }
}

/// Constant and factor with the least sum of squares of relative errors.
fn least_squares<'p>(
    points: impl IntoIterator<Item = &'p (f64, f64)>,
    (twelfths, log): (u32, u32),
    floor: f64,
) -> Option<(f64, f64)> {
    let (mut w, mut wx, mut wxx, mut wy, mut wxy) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for (n, y) in points {
        let x = term(*n, twelfths, log);
        let weight = (floor / y.abs().max(floor)).powi(2);
        w += weight;
        wx += weight * x;
        wxx += weight * x * x;
        wy += weight * y;
        wxy += weight * x * y;
    }
    let determinant = w * wxx - wx * wx;
    let found = (
        (wy * wxx - wx * wxy) / determinant,
        (w * wxy - wx * wy) / determinant,
    );
    (found.0.is_finite() && found.1.is_finite()).then_some(found)
}

/// The largest relative error.
fn worst(points: &[(f64, f64)], floor: f64, value: impl Fn(f64) -> f64) -> f64 {
    let errors = points
        .iter()
        .map(|(n, y)| (value(*n) - y).abs() / y.abs().max(floor));
    errors.fold(0.0, f64::max)
}
