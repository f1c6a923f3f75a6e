//! What was recorded of a test: its methods, and its own part.

use serde::{Deserialize, Serialize};
use tally_comparison::{Code, MethodCosts, MethodCount};
use tally_profiler::{MethodProfile, Profile, TestCounts, fnv1a};

use super::worker::Ended;

/// What is wanted of a test's profile.
#[derive(Serialize, Deserialize)]
pub struct Observed {
    /// What each method did, in setUp and tearDown too.
    pub methods: Vec<(String, MethodCosts)>,
    /// The test's own part, if it came to its end.
    pub own: Option<OwnPart>,
}

/// What is wanted of a test that came to its end.
#[derive(Serialize, Deserialize)]
pub struct OwnPart {
    /// A digest of the methods that it entered, and those that its setUp and tearDown entered.
    pub code: Code,
    /// The counts of each method; they add up to the sends of the test.
    pub methods: Vec<MethodCount>,
}

impl Observed {
    /// From the profile of a test, and that of all that was done for it.
    pub fn of(profile: &Profile, whole: &Profile, is_complete: bool) -> Observed {
        let methods = whole.methods.iter().map(|method| {
            let costs = MethodCosts {
                calls: method.calls,
                own: method.own,
                total: method.total,
            };
            (method.name.clone(), costs)
        });
        Observed {
            methods: methods.collect(),
            own: is_complete.then(|| OwnPart {
                code: code(whole),
                methods: methods_of(profile),
            }),
        }
    }
}

/// What a test cost, if that is the same in every run.
pub fn counts_of(ended: &Ended) -> Option<TestCounts> {
    let cost = ended.report.cost.filter(|_| ended.is_reproducible)?;
    Some(cost.counts)
}

/// A digest of the program's own methods that a test entered.
fn code(profile: &Profile) -> Code {
    let own = profile.methods.iter().filter(|method| {
        !method.is_library && !method.class.is_empty() && (method.calls > 0 || method.own > 0)
    });
    let mut own: Vec<(&str, &str)> = own
        .map(|method| (method.name.as_str(), method.digest.as_str()))
        .collect();
    own.sort_unstable();
    let texts = own.iter().flat_map(|(name, digest)| [*name, *digest]);
    Code::of(fnv1a(texts))
}

/// What methods did in the test.
fn methods_of(profile: &Profile) -> Vec<MethodCount> {
    let count = |method: &MethodProfile| MethodCount {
        name: method.name.clone(),
        digest: u64::from_str_radix(&method.digest, 16)
            .unwrap_or_else(|_| fnv1a([method.digest.as_str()])),
        calls: method.calls,
        own: method.own,
        file: method.file.clone(),
        line: method.line,
    };
    profile.methods.iter().map(count).collect()
}
