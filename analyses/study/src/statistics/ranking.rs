//! How stable rankings are over repeated profiles (Bergel 2011, §4.4).

use super::{Random, deviation, finite, mean};

/// Most methods that random rankings are made of; of more they would be no other reference, only a longer one to make.
pub const MOST_RANDOM: usize = 10_000;

/// How often the random rankings are drawn; their mean depends less on luck than a single drawing.
const DRAWINGS: u64 = 10;

/// The instability of a set of profiles over its first n methods, ψⁿ = Σ s(i) / ln(i + 1), i from 1 to n (Bergel 2011, §4.4;
/// the weight after Järvelin and Kekäläinen's discounted cumulated gain, with the natural logarithm). s(i) is the sample
/// standard deviation of a method's place over the profiles; the methods stand in the order of their mean place, in the order
/// given if that is equal. `places` holds each method's place in each profile. 0 is perfectly stable. Absent without methods
/// or with fewer than two profiles.
pub fn instability(places: &[Vec<f64>], first: usize) -> Option<f64> {
    let ranked = places.iter().map(|of| Some((mean(of)?, deviation(of)?)));
    let mut ranked = ranked.collect::<Option<Vec<_>>>()?;
    if ranked.is_empty() {
        return None;
    }
    ranked.sort_by(|(one, _), (other, _)| one.total_cmp(other));
    let deviations = ranked.iter().take(first).map(|(_, deviation)| *deviation);
    finite(discounted(deviations))
}

/// Σ s(i) / ln(i + 1) of deviations in the order of their methods.
pub(super) fn discounted(deviations: impl Iterator<Item = f64>) -> f64 {
    let terms = deviations.zip(2_u32..);
    terms.map(|(s, next)| s / f64::from(next).ln()).sum()
}

/// The [`instability`] of the same number of random rankings of the same number of methods: the mean of ten drawings.
///
/// A place in a random ranking of N has the standard deviation √((N² − 1) / 12). So ψ¹⁰ comes near 6.555 · N / √12, a
/// little less because the methods with the lowest mean come first. It grows with the number of methods. The paper's 173,
/// of ten profiles, belongs to about 91 methods. At most [`MOST_RANDOM`] methods are taken.
pub fn random_instability(methods: usize, profiles: usize, first: usize) -> Option<f64> {
    let methods = methods.min(MOST_RANDOM);
    let drawn = (0..DRAWINGS).map(|seed| {
        let mut random = Random::new(seed);
        let mut places = vec![Vec::with_capacity(profiles); methods];
        let mut ranking: Vec<usize> = (0..methods).collect();
        for _ in 0..profiles {
            random.shuffle(&mut ranking);
            for (place, method) in (1_u32..).zip(&ranking) {
                places[*method].push(f64::from(place));
            }
        }
        instability(&places, first)
    });
    mean(&drawn.collect::<Option<Vec<_>>>()?)
}
