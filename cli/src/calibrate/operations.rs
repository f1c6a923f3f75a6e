//! The operations that are measured. They are data: `operations.toml` names them and says what each prices.

use serde::Deserialize;
use tally_study::prices::{self, Measured, Point};

use crate::exit::Exit;
use crate::failure::Failure;

const TEXT: &str = include_str!("operations.toml");

/// The whole table.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Table {
    /// In the order in which they are priced.
    #[serde(rename = "stage")]
    pub(super) stages: Vec<Stage>,
    /// Operations that mix messages of many kinds.
    pub(super) mixed: Vec<Operation>,
}

/// Operations that price a counter.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Stage {
    /// The counter that it prices, by its name in the cost vector.
    pub(super) counter: String,
    /// Whether all code has it, so that it is priced with other such counters.
    #[serde(default)]
    common: bool,
    /// Whether mixed operations set the level of its price.
    #[serde(default)]
    pub(super) mixed: bool,
    pub(super) operations: Vec<Operation>,
}

/// An operation in the language.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Operation {
    /// Its name, for people.
    pub(super) name: String,
    /// Class definitions.
    #[serde(default)]
    pub(super) classes: String,
    /// Statements that run once.
    #[serde(default)]
    prepare: String,
    /// Statements that are repeated.
    repeat: String,
    /// Statements that run once at the end.
    #[serde(default)]
    finish: String,
    /// The values of `n`; without them it is 1.
    #[serde(default = "one")]
    pub(super) sizes: Vec<u64>,
}

fn one() -> Vec<u64> {
    vec![1]
}

impl Operation {
    /// A script that repeats the operation at a size.
    pub(super) fn script(&self, size: u64, repetitions: u64) -> String {
        let Operation {
            prepare,
            repeat,
            finish,
            ..
        } = self;
        let repeated = format!("1 to: {repetitions} do: [:i | {repeat}]");
        format!("| n a b |\nn := {size}. a := b := nil.\n{prepare}.\n{repeated}.\n{finish}")
    }
}

impl Table {
    /// The table that comes with the command.
    pub(super) fn own() -> Result<Table, Failure> {
        toml::from_str(TEXT).map_err(|error| Failure::new(Exit::Internal, error.to_string()))
    }

    /// All operations.
    pub(super) fn operations(&self) -> impl Iterator<Item = &Operation> {
        let priced = self.stages.iter().flat_map(|stage| &stage.operations);
        priced.chain(&self.mixed)
    }

    /// What was measured of each operation, in their order.
    pub(super) fn measured(&self, points: Vec<Vec<Point>>) -> Measured {
        let mut points = points.into_iter();
        let mut with_points = |operations: &[Operation]| -> Vec<prices::Operation> {
            let operations = operations.iter().zip(points.by_ref());
            operations
                .map(|(operation, points)| prices::Operation {
                    name: operation.name.clone(),
                    points,
                })
                .collect()
        };
        let stages = self.stages.iter();
        Measured {
            stages: stages
                .map(|stage| prices::Stage {
                    counter: stage.counter.clone(),
                    is_common: stage.common,
                    is_mixed: stage.mixed,
                    operations: with_points(&stage.operations),
                })
                .collect(),
            mixed: with_points(&self.mixed),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use tally_vm::Work;

    use super::Table;

    #[test]
    fn each_counter_is_priced_once_and_has_operations() {
        let stages = Table::own().expect("the table").stages;
        let priced: Vec<&str> = stages.iter().map(|stage| stage.counter.as_str()).collect();
        let all = Work::OTHERS.iter().map(|(name, _)| *name);
        let all: BTreeSet<&str> = all
            .chain(Work::ALL.iter().map(|work| work.name()))
            .collect();
        assert_eq!(priced.iter().copied().collect::<BTreeSet<&str>>(), all);
        assert_eq!(priced.len(), all.len());
        assert!(stages.iter().all(|stage| !stage.operations.is_empty()));
    }
}
