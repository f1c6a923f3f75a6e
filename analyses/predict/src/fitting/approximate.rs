//! The normal form of Extra-P, by least squares: a constant and one or two terms n^i·log₂(n)^j (Calotoiu, Hoefler, Poke, Wolf: *Using Automated Performance Modeling to Find
//! Scalability Bugs in Complex Codes*, 2013).

/// The exponents that are tried, in twelfths.
const EXPONENTS: &[u32] = &[0, 3, 4, 6, 8, 9, 12, 15, 16, 18, 20, 21, 24, 30, 36];
/// The largest exponent of logarithms.
const MOST_LOG: u32 = 2;
/// The largest error at the sizes that were held out.
pub(crate) const MOST_ERROR: f64 = 0.2;
/// The points below this part of the largest size say little about large ones.
const SMALL: f64 = 1.0 / 100.0;
/// The errors of points down to this part of the largest size are stated. Below, they are larger.
pub(crate) const TOP: f64 = 8.0;
/// The most points of those that are at most twice as large as each other.
const IN_OCTAVE: f64 = 16.0;
/// The points above this part of the largest size are held out.
const HELD_OUT: f64 = 4.0;
/// A second term must make the error this many times smaller.
const WORTH_A_TERM: f64 = 1.5;

/// A function that nearly fits.
#[derive(Clone, Debug, PartialEq)]
pub struct Approximation {
    /// The constant.
    pub constant: f64,
    /// A factor, the exponent of n in twelfths, and that of the logarithm.
    pub terms: Vec<(f64, u32, u32)>,
    /// The largest relative error at sizes from a quarter of the largest one on, when only those below were used; or at any size from an eighth of the largest one on.
    pub error: f64,
}

/// The exponents of a term.
type Form = (u32, u32);

fn term(n: f64, (twelfths, log): Form) -> f64 {
    n.powf(f64::from(twelfths) / 12.0) * n.log2().powi(log as i32)
}

impl Approximation {
    /// The best approximation of points with parameters of at least 1, in ascending order. None if too few are given, or the error is large.
    pub(super) fn of(points: &[(f64, f64)]) -> Option<Approximation> {
        let roughness = roughness(points);
        let points = thinned(points);
        let largest = points.last()?.0;
        let (small, large): (Vec<_>, Vec<_>) =
            points.iter().partition(|(n, _)| *n <= largest / HELD_OUT);
        if small.len() < 5 || large.len() < 2 || points.iter().any(|(n, _)| *n < 1.0) {
            return None;
        }
        // Values that are much smaller than most do not count alone.
        let sum: f64 = points.iter().map(|(_, y)| y.abs()).sum();
        let floor = (sum / points.len() as f64 / 1_000.0).max(f64::MIN_POSITIVE);
        let judged = |forms: &[Form]| {
            let found = least_squares(&small, forms, floor)?;
            let error = worst(&large, floor, &found);
            Some(Approximation { error, ..found }).filter(|one| one.error.is_finite())
        };
        let forms: Vec<Form> = EXPONENTS
            .iter()
            .flat_map(|twelfths| (0..=MOST_LOG).map(move |log| (*twelfths, log)))
            .filter(|form| *form != (0, 0))
            .collect();
        let best = |all: &mut dyn Iterator<Item = Vec<Form>>| {
            let all = all.filter_map(|forms| Some((judged(&forms)?.error, forms)));
            all.min_by(|one, other| one.0.total_cmp(&other.0))
        };
        let one = best(&mut forms.iter().map(|form| vec![*form]))?;
        let pairs = forms.iter().enumerate().flat_map(|(place, form)| {
            let others = forms[place + 1..].iter();
            others.map(move |other| vec![*form, *other])
        });
        // Two terms have three numbers, which a few points would not refute.
        let two = (small.len() >= 8)
            .then(|| best(&mut pairs.into_iter()))
            .flatten();
        let two = two.filter(|two| two.0 * WORTH_A_TERM < one.0);
        let (error, forms) = two.unwrap_or(one);
        let all: Vec<&(f64, f64)> = points.iter().collect();
        let found = least_squares(&all, &forms, floor)?;
        let error = error.max(roughness).max(worst(
            &all[count_below(&points, largest / TOP)..],
            floor,
            &found,
        ));
        Some(Approximation { error, ..found }).filter(|_| error <= MOST_ERROR)
    }

    /// The sum of two approximations. Its error is the larger one, because both are of positive counts.
    pub(crate) fn plus(mut self, other: &Approximation) -> Approximation {
        self.constant += other.constant;
        for (factor, i, j) in &other.terms {
            match self.terms.iter_mut().find(|(_, k, l)| (k, l) == (i, j)) {
                Some((sum, _, _)) => *sum += factor,
                None => self.terms.push((*factor, *i, *j)),
            }
        }
        self.terms
            .sort_by_key(|(_, i, j)| std::cmp::Reverse((*i, *j)));
        self.error = self.error.max(other.error);
        self
    }

    /// The value at a parameter of at least 1.
    pub fn value(&self, n: f64) -> f64 {
        let terms = self.terms.iter();
        let sum: f64 = terms.map(|(factor, i, j)| factor * term(n, (*i, *j))).sum();
        self.constant + sum
    }

    /// How it grows, without the constant and with a few digits.
    pub(super) fn growth(&self, name: &str) -> String {
        let terms = self.terms.iter();
        let terms = terms.map(|(factor, i, j)| format!("{factor:.3}*{}", shape(name, *i, *j)));
        terms.collect::<Vec<_>>().join(" + ")
    }

    /// The formula, with the name of the parameter.
    pub fn text(&self, name: &str) -> String {
        let terms = self.terms.iter().map(|term| term_text(name, *term));
        format!("{:.4}{}", self.constant, terms.collect::<String>())
    }
}

/// By how much a value differs from the mean of its neighbours, relative to it, among the larger half of values at sizes that follow each other. What is seldom and large is seen there.
fn roughness(points: &[(f64, f64)]) -> f64 {
    let all = points
        .windows(3)
        .filter(|three| three[2].0 - three[0].0 <= 2.0);
    let last = all.clone().next_back().map_or(0.0, |three| three[2].0);
    let rough = all.filter(|three| three[0].0 >= last / 2.0).map(|three| {
        let mean = f64::midpoint(three[0].1, three[2].1);
        (three[1].1 - mean).abs() / three[1].1.abs().max(mean.abs()).max(1.0)
    });
    rough.fold(0.0, f64::max)
}

/// A term without its factor.
fn shape(name: &str, twelfths: u32, log: u32) -> String {
    let exponent = f64::from(twelfths) / 12.0;
    let power = match twelfths {
        0 => String::new(),
        12 => name.to_string(),
        twelfths if twelfths % 12 == 0 => format!("{name}^{}", twelfths / 12),
        _ => format!("{name}^{exponent:.3}"),
    };
    let log = match log {
        0 => String::new(),
        1 => format!("log2({name})"),
        _ => format!("log2({name})^{log}"),
    };
    let factors: Vec<String> = [power, log]
        .into_iter()
        .filter(|one| !one.is_empty())
        .collect();
    factors.join("*")
}

fn term_text(name: &str, (factor, twelfths, log): (f64, u32, u32)) -> String {
    let sign = if factor < 0.0 { '-' } else { '+' };
    let factor = match factor.abs() {
        small if small < 0.001 => format!("{small:.5e}"),
        factor => format!("{factor:.6}"),
    };
    format!(" {sign} {factor}*{}", shape(name, twelfths, log))
}

/// How many points are below this size.
fn count_below(points: &[(f64, f64)], size: f64) -> usize {
    points.partition_point(|(n, _)| *n < size)
}

/// Points that are equally far apart, more or less, where sizes double.
fn thinned(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let Some((largest, _)) = points.last() else {
        return Vec::new();
    };
    let mut kept: Vec<(f64, f64)> = Vec::new();
    let apart = (1.0 / IN_OCTAVE).exp2();
    // From the largest down, so that this one is kept.
    for (n, y) in points.iter().rev().filter(|(n, _)| *n >= largest * SMALL) {
        if kept
            .last()
            .is_none_or(|(last, _)| n * apart <= *last || *n < 1.0)
        {
            kept.push((*n, *y));
        }
    }
    kept.reverse();
    kept
}

/// Constant and factors with the least sum of squares of relative errors, by the normal equations.
fn least_squares(points: &[&(f64, f64)], forms: &[Form], floor: f64) -> Option<Approximation> {
    let columns = forms.len() + 1;
    // Columns are scaled, so that no power of the largest size hides the others.
    let largest = points.last()?.0;
    let scales: Vec<f64> = forms.iter().map(|form| term(largest, *form)).collect();
    let mut equations = vec![vec![0.0; columns + 1]; columns];
    for (n, y) in points {
        let mut row = vec![1.0];
        let terms = forms.iter().zip(&scales);
        row.extend(terms.map(|(form, scale)| term(*n, *form) / scale));
        let weight = (floor / y.abs().max(floor)).powi(2);
        for (place, equation) in equations.iter_mut().enumerate() {
            for (sum, other) in equation.iter_mut().zip(row.iter().chain([y])) {
                *sum += weight * row[place] * other;
            }
        }
    }
    // Costs are sums of costs: what two large terms of other signs leave does not go on as it began.
    let is_growing = |found: &Vec<f64>| found[1..].iter().all(|factor| *factor > 0.0);
    let found = solved(equations).filter(is_growing)?;
    let terms = forms.iter().zip(found[1..].iter().zip(&scales));
    Some(Approximation {
        constant: found[0],
        terms: terms
            .map(|((i, j), (factor, scale))| (factor / scale, *i, *j))
            .collect(),
        error: 0.0,
    })
}

/// The solution of a few equations, each with its value at the end; none if it is not finite. By elimination with the largest pivots.
fn solved(mut equations: Vec<Vec<f64>>) -> Option<Vec<f64>> {
    let count = equations.len();
    for place in 0..count {
        let pivot = (place..count).max_by(|one, other| {
            equations[*one][place]
                .abs()
                .total_cmp(&equations[*other][place].abs())
        })?;
        equations.swap(place, pivot);
        let own = equations[place].clone();
        for (other, equation) in equations.iter_mut().enumerate() {
            if other != place {
                let factor = equation[place] / own[place];
                for (one, part) in equation.iter_mut().zip(&own) {
                    *one -= factor * part;
                }
            }
        }
    }
    let values = equations.iter().enumerate();
    let values: Vec<f64> = values.map(|(place, row)| row[count] / row[place]).collect();
    values.iter().all(|one| one.is_finite()).then_some(values)
}

/// The largest relative error.
fn worst(points: &[&(f64, f64)], floor: f64, found: &Approximation) -> f64 {
    let errors = points
        .iter()
        .map(|(n, y)| (found.value(*n) - y).abs() / y.abs().max(floor));
    errors.fold(0.0, f64::max)
}
