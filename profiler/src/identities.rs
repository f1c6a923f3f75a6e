//! The identities that a profile must satisfy (counting model, 3). They hold exactly, so a violation is
//! an error of the machine and never noise. Those that need the calling-context tree are not checked
//! here: a flat profile does not hold it.

use std::fmt;

use crate::profile::{MethodProfile, Profile};

/// An identity that does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Violation {
    /// Σ own is not the run's sends.
    Own {
        /// Σ own.
        sum: u128,
        /// The run's sends.
        sends: u64,
    },
    /// Σ calls is not the run's activations.
    Calls {
        /// Σ calls.
        sum: u128,
        /// The run's activations.
        activations: u64,
    },
    /// Σ block calls is not the run's evaluations of blocks.
    BlockCalls {
        /// Σ block calls.
        sum: u128,
        /// The run's evaluations of blocks.
        blocks: u64,
    },
    /// A method's total is below its own sends or above the run's sends.
    Total {
        /// The method.
        name: String,
        /// Its own sends.
        own: u64,
        /// Its total.
        total: u64,
        /// The run's sends.
        sends: u64,
    },
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Violation::Own { sum, sends } => {
                write!(
                    f,
                    "the methods' own sends add up to {sum}, the run has {sends} sends"
                )
            }
            Violation::Calls { sum, activations } => {
                write!(
                    f,
                    "the methods' calls add up to {sum}, the run has {activations} activations"
                )
            }
            Violation::BlockCalls { sum, blocks } => {
                write!(
                    f,
                    "the methods' block calls add up to {sum}, the run evaluated {blocks} blocks"
                )
            }
            Violation::Total {
                name,
                own,
                total,
                sends,
            } => write!(
                f,
                "{name} has a total of {total} sends, which is not between its own {own} and the run's {sends}"
            ),
        }
    }
}

/// Checks the identities and answers those that do not hold.
pub fn check_identities(profile: &Profile) -> Vec<Violation> {
    let sum = |count: fn(&MethodProfile) -> u64| -> u128 {
        profile
            .methods
            .iter()
            .map(|method| u128::from(count(method)))
            .sum()
    };
    let cost = &profile.cost;
    let mut found = Vec::new();
    let own = sum(|method| method.own);
    if own != u128::from(cost.sends) {
        found.push(Violation::Own {
            sum: own,
            sends: cost.sends,
        });
    }
    let calls = sum(|method| method.calls);
    if calls != u128::from(cost.activations) {
        found.push(Violation::Calls {
            sum: calls,
            activations: cost.activations,
        });
    }
    let block_calls = sum(|method| method.block_calls);
    if block_calls != u128::from(cost.blocks) {
        found.push(Violation::BlockCalls {
            sum: block_calls,
            blocks: cost.blocks,
        });
    }
    let out_of_range = |m: &&MethodProfile| m.total < m.own || m.total > cost.sends;
    found.extend(
        profile
            .methods
            .iter()
            .filter(out_of_range)
            .map(|m| Violation::Total {
                name: m.name.clone(),
                own: m.own,
                total: m.total,
                sends: cost.sends,
            }),
    );
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::tests::example;

    #[test]
    fn a_sound_profile_has_no_violations() {
        assert_eq!(check_identities(&example()), []);
    }

    #[test]
    fn each_identity_is_checked() {
        let mut profile = example();
        profile.cost.sends += 1;
        profile.cost.activations += 1;
        profile.cost.blocks += 1;
        profile.methods[1].total = 0;
        let texts: Vec<String> = check_identities(&profile)
            .iter()
            .map(ToString::to_string)
            .collect();
        assert_eq!(texts.len(), 4, "{texts:?}");
        assert!(
            texts[0].contains("add up to 10, the run has 11 sends"),
            "{texts:?}"
        );
    }
}
