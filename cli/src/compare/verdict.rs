//! Rules and what they say of a comparison.

use tally_comparison::{Difference, Rule, RuleViolation};

use crate::console;
use crate::exit::Exit;
use crate::failure::Failure;

/// Violations that are shown one by one.
const SHOWN: usize = 10;

/// A rule as the command line has it.
pub(super) fn rule(text: &str) -> Result<Rule, String> {
    Rule::parse(text).map_err(|error| error.to_string())
}

/// The violations of rules by a difference. A rule that concerns nothing gets a warning.
pub(super) fn violations(rules: &[Rule], difference: &Difference) -> Vec<RuleViolation> {
    let mut violations = Vec::new();
    for rule in rules {
        let mut outcome = rule.check(difference);
        if outcome.is_idle {
            console::warning(&format!(
                "the rule {rule} is about nothing that ran on either side"
            ));
        }
        violations.append(&mut outcome.violations);
    }
    violations
}

/// The exit code that violations call for.
pub(super) fn verdict(violations: &[RuleViolation]) -> Result<Exit, Failure> {
    if violations.is_empty() {
        return Ok(Exit::Success);
    }
    let mut lines: Vec<String> = violations
        .iter()
        .take(SHOWN)
        .map(ToString::to_string)
        .collect();
    if violations.len() > SHOWN {
        lines.push(format!("and {} more", violations.len() - SHOWN));
    }
    Err(Failure::new(Exit::Counted, lines.join("\n       ")))
}
