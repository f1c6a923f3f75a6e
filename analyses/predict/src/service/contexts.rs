//! What was counted in each context, at all points that were run.

use std::collections::{BTreeMap, HashMap};

use num_integer::Integer;

use super::function::{Function, Part};
use super::learning::{Observation, near, number};
use crate::fitting::{Class, Fit, MOST_ERROR, Predicted, TOP, Table, fit, fit_nearly};
use crate::pmf::{Rational, float};

/// The most different functions of contexts.
const MOST_GROUPS: usize = 300;

/// The counts of one run: numbers of contexts, each with a count for each counter.
struct Row {
    ticks: u64,
    bytes: u64,
    counts: Vec<(u32, Vec<u64>)>,
}

/// All runs so far.
pub(super) struct Seen<'c> {
    names: &'c [String],
    counters: &'c [&'static str],
    contexts: Vec<String>,
    numbers: HashMap<String, u32>,
    points: BTreeMap<Vec<i64>, Row>,
    pub(super) ticks: u64,
}

impl<'c> Seen<'c> {
    pub(super) fn new(names: &'c [String], counters: &'c [&'static str]) -> Seen<'c> {
        Seen {
            names,
            counters,
            contexts: Vec::new(),
            numbers: HashMap::new(),
            points: BTreeMap::new(),
            ticks: 0,
        }
    }

    pub(super) fn add(&mut self, point: &[i64], observation: Observation) {
        self.ticks = self.ticks.saturating_add(observation.ticks);
        let mut counts = Vec::with_capacity(observation.contexts.len());
        for (name, all) in observation.contexts {
            let next = self.contexts.len() as u32;
            let context = *self.numbers.entry(name.clone()).or_insert(next);
            if context == next {
                self.contexts.push(name);
            }
            counts.push((context, all));
        }
        let row = Row {
            ticks: observation.ticks,
            bytes: observation.bytes,
            counts,
        };
        self.points.insert(point.to_vec(), row);
    }

    /// The largest point that was run.
    pub(super) fn last(&self) -> Option<Vec<i64>> {
        self.points.keys().next_back().cloned()
    }

    /// The ticks of the run at this point, if there was one.
    pub(super) fn ticks_at(&self, point: &[i64]) -> Option<u64> {
        self.points.get(point).map(|row| row.ticks)
    }

    /// The bytes of the run at this point; 0 if there was none.
    pub(super) fn bytes_at(&self, point: &[i64]) -> u64 {
        self.points.get(point).map_or(0, |row| row.bytes)
    }

    /// What was counted at this point, in all contexts.
    pub(super) fn counted(&self, counter: usize, point: &[i64]) -> Option<Rational> {
        let counts = self.points.get(point)?.counts.iter();
        let sum = counts.map(|(_, all)| u128::from(all[counter])).sum();
        Some(number(sum))
    }

    /// The functions of all counters, by the points up to this one; by all, if none is given.
    pub(super) fn functions(&self, largest: Option<&[i64]>) -> Vec<Function> {
        let all = 0..self.counters.len();
        all.map(|counter| self.function(counter, largest)).collect()
    }

    /// The function of a counter: that of all contexts together if it is a sum of terms, else those of the contexts if all are exact.
    pub(super) fn function(&self, counter: usize, largest: Option<&[i64]>) -> Function {
        let table = self.table(counter, largest, |_| true);
        let whole = Function::of(table.clone(), one_part(fit(&table)));
        if matches!(
            whole.parts[..],
            [Part {
                fit: Fit {
                    class: Class::Exact { .. },
                    ..
                },
                ..
            }]
        ) {
            return whole;
        }
        let parts = Function::of(table, self.parts(counter, largest));
        if parts.is_exact() { parts } else { whole }
    }

    /// The best approximation by all points, of all contexts together or of each.
    pub(super) fn approximate(&self, counter: usize) -> Function {
        let table = self.table(counter, None, |_| true);
        let whole = Function::of(table.clone(), one_part(fit_nearly(&table)));
        if self.names.len() > 1 {
            return whole;
        }
        let parts = Function::of(table, self.parts(counter, None));
        match (whole.is_known(), parts.is_known()) {
            (true, true) if worst(&parts) < worst(&whole) => parts,
            (false, true) if worst(&parts) < MOST_ERROR => parts,
            _ => whole,
        }
    }

    /// The sum of the counts of some contexts at all points, or at those up to the largest.
    pub(super) fn table(
        &self,
        counter: usize,
        largest: Option<&[i64]>,
        is_part: impl Fn(u32) -> bool,
    ) -> Table {
        let points = self.points.iter();
        let points = points.filter(|(at, _)| {
            largest.is_none_or(|largest| at.iter().zip(largest).all(|(one, most)| one <= most))
        });
        let points = points.map(|(at, row)| {
            let counts = row.counts.iter().filter(|(context, _)| is_part(*context));
            let sum = counts.map(|(_, all)| u128::from(all[counter])).sum();
            let at = at.iter().map(|n| (*n).into()).collect();
            (at, number(sum))
        });
        Table {
            names: self.names.to_vec(),
            of: self.counters[counter].to_string(),
            points: points.collect(),
        }
    }

    /// The functions of the contexts.
    fn parts(&self, counter: usize, largest: Option<&[i64]>) -> Vec<Part> {
        let groups = self.groups(counter);
        let parts = groups.into_iter().map(|contexts| {
            let group = self.table(counter, largest, |one| contexts.contains(&one));
            let name = |one: &u32| self.contexts[*one as usize].clone();
            Part {
                contexts: contexts.iter().map(name).collect(),
                begins: None,
                fit: fit(&group),
            }
        });
        parts.collect()
    }

    /// Contexts whose counts are multiples of each other, together.
    fn groups(&self, counter: usize) -> Vec<Vec<u32>> {
        let mut counts: BTreeMap<u32, Vec<u64>> = BTreeMap::new();
        for (place, row) in self.points.values().enumerate() {
            for (context, all) in &row.counts {
                let row = counts.entry(*context);
                row.or_insert_with(|| vec![0; self.points.len()])[place] = all[counter];
            }
        }
        let mut groups: HashMap<Vec<u64>, usize> = HashMap::new();
        let mut found: Vec<Vec<u32>> = Vec::new();
        for (context, row) in counts {
            let divisor = row.iter().fold(0, |divisor, one| one.gcd(&divisor));
            if divisor == 0 {
                continue;
            }
            let shape = row.iter().map(|one| one / divisor).collect();
            // What is too much is lumped together.
            let next = found.len().min(MOST_GROUPS);
            let group = *groups.entry(shape).or_insert(next);
            match found.get_mut(group) {
                Some(contexts) => contexts.push(context),
                None => found.push(vec![context]),
            }
        }
        found
    }
}

fn one_part(fit: Fit) -> Vec<Part> {
    vec![Part {
        contexts: Vec::new(),
        begins: None,
        fit,
    }]
}

/// The largest relative error of a function at sizes that are not small, or the one that it states, if that is larger.
fn worst(function: &Function) -> f64 {
    let points = &function.table.points;
    let largest = points.keys().map(|at| near(&at[0])).fold(1.0, f64::max);
    let errors = points.iter().map(|(at, counted)| {
        if near(&at[0]) < largest / TOP {
            return 0.0;
        }
        let counted = float(counted);
        match function.elsewhere(at) {
            Ok(Predicted::Approximate(value, error)) => {
                error.max((value - counted).abs() / counted.abs().max(1.0))
            }
            _ => 0.0,
        }
    });
    errors.fold(0.0, f64::max)
}
