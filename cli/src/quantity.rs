//! The options that name the number of a version that is followed through its history.

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use tally_workbench::measuring::{Count, Quantity};

/// Which number is followed.
#[derive(Clone, Debug, Args)]
pub(crate) struct QuantityArguments {
    /// Follow this test: 'Class>>selector', or its selector if one test has it
    #[arg(
        long = "test",
        value_name = "TEST",
        conflicts_with = "method",
        help_heading = "What is followed"
    )]
    test: Option<String>,
    /// Follow this method, or all that are like a pattern with *: 'Class>>selector'
    #[arg(long, value_name = "METHOD", help_heading = "What is followed")]
    method: Option<String>,
    /// The number that is followed; for a method sends and work are its totals; span, ticks and waiting are of programs with processors
    #[arg(
        long = "count",
        value_parser = counts(),
        default_value = Count::NAMED[0].0,
        value_name = "COUNT",
        help_heading = "What is followed"
    )]
    count: Count,
}

fn counts() -> impl TypedValueParser<Value = Count> {
    let names = Count::NAMED.map(|(name, _)| name);
    PossibleValuesParser::new(names).map(|given| {
        let named = Count::NAMED.iter().find(|(name, _)| *name == given);
        named.map_or_else(Count::default, |(_, count)| *count)
    })
}

impl QuantityArguments {
    /// The number that the options name.
    pub(crate) fn quantity(&self) -> Quantity {
        Quantity {
            test: self.test.clone(),
            method: self.method.clone(),
            count: self.count,
        }
    }
}
