//! The exploration for programs: `tally.exploration/1`. Numbers that may exceed 2^53 are texts.

use std::collections::BTreeMap;

use serde::Serialize;

use super::Exploration;
use crate::depth::Bounds;
use crate::findings::{Cycles, Determinacy, Failure, Livelock, Outcome, Waiting};
use crate::machine::{COSTS, Departure, Machine};

/// The document.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Document<'d> {
    schema: &'static str,
    delivery: &'static str,
    /// The rules of the user's policy.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    policy: &'d [String],
    states: u64,
    transitions: u64,
    /// What stopped the exploration before its end.
    #[serde(skip_serializing_if = "Option::is_none")]
    limit: Option<&'static str>,
    determinacy: Determinacy,
    cycles: Cycles,
    computations: Option<u64>,
    schedules: Option<String>,
    nodes: Option<String>,
    results: &'d [Outcome],
    failures: &'d [Failure],
    #[serde(skip_serializing_if = "Option::is_none")]
    livelock: Option<&'d Livelock>,
    waiting: &'d [Waiting],
    lossy_transitions: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    costs: Option<Costs>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Costs {
    machine: BTreeMap<&'static str, u64>,
    departure: &'static str,
    bounds: Option<Bounds>,
    cost_forms: Vec<String>,
    depth_forms: Option<Vec<String>>,
}

impl Exploration<'_> {
    /// The document as JSON, in lines.
    pub fn json(&self) -> String {
        let Exploration {
            space, findings, ..
        } = self;
        // The largest number stands for all larger ones.
        let text = |number: u128| match number {
            u128::MAX => "more than 10^38".to_string(),
            number => number.to_string(),
        };
        let document = Document {
            schema: "tally.exploration/1",
            delivery: space.delivery().name(),
            policy: space.policy.texts(),
            states: space.states(),
            transitions: space.transitions(),
            limit: space.limit_text(),
            determinacy: findings.determinacy,
            cycles: findings.cycles,
            computations: findings.computations,
            schedules: findings.schedules.map(text),
            nodes: findings.nodes.map(text),
            results: &findings.outcomes,
            failures: &findings.failures,
            livelock: findings.livelock.as_ref(),
            waiting: &findings.waiting,
            lossy_transitions: findings.lossy,
            costs: self.prices.map(|prices| Costs {
                machine: parameters(&prices.machine),
                departure: match prices.machine.departure {
                    Departure::End => "end",
                    Departure::Exact => "exact",
                },
                bounds: prices.bounds,
                cost_forms: prices.work.iter().map(ToString::to_string).collect(),
                depth_forms: prices.depth.as_ref().map(|depth| {
                    let forms = depth.all().iter();
                    forms.map(ToString::to_string).collect()
                }),
            }),
        };
        let mut json = serde_json::to_string_pretty(&document).unwrap_or_default();
        json.push('\n');
        json
    }
}

fn parameters(machine: &Machine) -> BTreeMap<&'static str, u64> {
    let values = machine.parameters();
    let costs = COSTS.into_iter();
    let costs = costs.filter_map(|(name, place)| Some((name, values[place?])));
    costs.chain([("gap", machine.gap)]).collect()
}
