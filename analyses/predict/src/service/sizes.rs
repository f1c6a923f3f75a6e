//! The sizes at which a program is run.

use crate::error::PredictError;

/// The most parameters.
const MOST_PARAMETERS: usize = 3;
/// The most points.
const MOST_POINTS: usize = 10_000;
/// The ticks of a run far above the sizes.
const EFFORT: u64 = 1_000_000;
/// The first sizes, if none are given.
const FIRST: i64 = 64;

/// Parameters with the values that each takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// The names of the parameters, one to three.
    pub names: Vec<String>,
    /// The points, in ascending order of their sums.
    pub points: Vec<Vec<i64>>,
    /// Whether further sizes may be added.
    pub may_grow: bool,
    /// How many ticks a run far above these sizes may take. Others may take some times as many.
    pub effort: u64,
}

impl Default for Sizes {
    fn default() -> Sizes {
        Sizes {
            names: vec!["n".to_string()],
            points: (1..=FIRST).map(|n| vec![n]).collect(),
            may_grow: true,
            effort: EFFORT,
        }
    }
}

impl Sizes {
    /// The sizes of texts like `n=1..64,100` for each parameter. The points are all combinations.
    ///
    /// # Errors
    ///
    /// A text is none of these, a name is no name of a variable or is given twice, or there are too many parameters or points.
    pub fn read(texts: &[String]) -> Result<Sizes, PredictError> {
        if texts.is_empty() {
            return Ok(Sizes::default());
        }
        if texts.len() > MOST_PARAMETERS {
            let why = format!("there are at most {MOST_PARAMETERS} parameters");
            return Err(PredictError::limit(why));
        }
        let (mut names, mut points): (Vec<String>, Vec<Vec<i64>>) = (Vec::new(), vec![Vec::new()]);
        for text in texts {
            let wrong = || {
                PredictError::usage(format!(
                    "sizes are given like n=1..64,100, and {text:?} is not"
                ))
            };
            let (name, values) = text.split_once('=').ok_or_else(wrong)?;
            let name = name.trim();
            if !is_variable(name) || names.iter().any(|one| one == name) {
                let why = format!("{name:?} is no name of a variable, or is given twice");
                return Err(PredictError::usage(why));
            }
            let mut values = listed(values)?.ok_or_else(wrong)?;
            values.sort_unstable();
            values.dedup();
            if points.len().saturating_mul(values.len()) > MOST_POINTS {
                return Err(too_many());
            }
            names.push(name.to_string());
            let longer = points.iter().flat_map(|point| {
                values
                    .iter()
                    .map(move |value| point.iter().copied().chain([*value]).collect())
            });
            points = longer.collect();
        }
        points.sort_by_key(|point| {
            (
                point.iter().map(|one| i128::from(*one)).sum::<i128>(),
                point.clone(),
            )
        });
        Ok(Sizes {
            names,
            points,
            may_grow: false,
            effort: EFFORT,
        })
    }

    /// The largest value of each parameter.
    pub fn largest(&self) -> Vec<i64> {
        let column = |place: usize| self.points.iter().map(|point| point[place]).max();
        (0..self.names.len())
            .map(|place| column(place).unwrap_or(0))
            .collect()
    }
}

fn too_many() -> PredictError {
    PredictError::limit(format!("there are at most {MOST_POINTS} sizes"))
}

fn is_variable(name: &str) -> bool {
    let reserved = ["self", "super", "nil", "true", "false", "thisContext"];
    name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !reserved.contains(&name)
}

/// The numbers of a list like `1..8,16`; none if it is no list.
fn listed(text: &str) -> Result<Option<Vec<i64>>, PredictError> {
    let number = |text: &str| text.trim().replace('_', "").parse::<i64>().ok();
    let mut all = Vec::new();
    for part in text.split(',') {
        let range = match part.split_once("..") {
            Some((first, last)) => number(first).zip(number(last)),
            None => number(part).map(|one| (one, one)),
        };
        let Some((first, last)) = range.filter(|(first, last)| first <= last) else {
            return Ok(None);
        };
        if last.abs_diff(first) as usize >= MOST_POINTS - all.len().min(MOST_POINTS) {
            return Err(too_many());
        }
        all.extend(first..=last);
    }
    Ok(Some(all))
}
