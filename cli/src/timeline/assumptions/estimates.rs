//! Rules that are no runs: the events of the run without a rule are followed as if they had other causes.

use tally_timeline::{
    Circumstances, Inventory, LastRequests, Preludes, Sums, Trial, Variation, Varying,
};

use super::Base;
use super::rules::{Rule, feature, known_feature, known_processor, known_site, one_word, site};
use crate::exit::Exit;
use crate::failure::Failure;

/// The names of the rules.
pub(super) const NAMES: [&str; 5] = ["servers", "late", "narrow", "holds", "locking"];

/// The most requests that a processor serves at once.
const MOST_SERVERS: usize = 1_000_000;

/// The variation that the rule of this name stands for.
pub(super) fn variation(name: &str, rest: &str) -> Result<Variation, String> {
    let feature = || {
        let (class, selector) = feature(rest)?;
        Ok::<String, String>(format!("{class}>>{selector}"))
    };
    match name {
        "servers" => servers(rest),
        "late" => site(rest).map(|site| LastRequests::of(site).late()),
        "narrow" => feature().map(|feature| Preludes::of(feature).narrow()),
        "holds" => feature().map(|feature| Variation::Holds { feature }),
        _ if rest == "queues" => Ok(Variation::Queues),
        _ => Err("the rule is `locking queues`".to_string()),
    }
}

/// `CLASS 3`.
fn servers(text: &str) -> Result<Variation, String> {
    let (class, number) = text.rsplit_once(char::is_whitespace).unwrap_or((text, ""));
    let number = number.parse().ok();
    let number = number.filter(|number| (1..=MOST_SERVERS).contains(number));
    let expected = format!(
        "a class and how many requests each of its processors serves at once are expected, at most {MOST_SERVERS}: Account 3"
    );
    let number = number.ok_or(expected)?;
    let class = one_word(class.trim(), "the name of a class")?;
    Ok(Variation::Servers { class, number })
}

/// Whether the run has what the variation names. Folders of a file may be missing, and are added.
pub(super) fn known_names(variation: &mut Variation, names: &Inventory) -> Result<(), String> {
    match variation {
        Variation::Servers { class, .. } => known_processor(class, names),
        Variation::Late { site, .. } => known_site(site, names).map(|found| *site = found),
        Variation::Narrow { feature, .. } | Variation::Holds { feature } => {
            known_feature(feature, names)
        }
        Variation::Queues => Ok(()),
    }
}

/// What is to be known of a variation that changed nothing.
pub(super) fn of_no_use(variation: &Variation) -> &'static str {
    match variation {
        Variation::Servers { .. } => "no processor of this class served a request",
        Variation::Late { .. } => "no answer was waited for there",
        Variation::Narrow { .. } => "no scope of this feature wanted locks",
        Variation::Holds { .. } => "no condition of this feature was false, and true after that",
        Variation::Queues => {
            "no scope waited for the lock of a processor that had been locked before"
        }
    }
}

/// What the run would have taken under the variation.
pub(super) fn estimate(
    base: &mut Base,
    rule: &Rule,
    variation: &Variation,
    before: Sums,
) -> Result<Trial, Failure> {
    if base.figures.extent.is_segment {
        let why = "an estimate is of a run to its end: leave --from and --to out";
        return Ok(Trial::refused(&rule.text, why));
    }
    let (makespan, uses) = match makespan(base, variation, before.ticks) {
        Ok(found) => found,
        Err(failure) if failure.exit() == Exit::Limit => {
            return Ok(Trial::refused(&rule.text, failure.message()));
        }
        Err(failure) => return Err(failure),
    };
    let of_no_use = rule.of_no_use().filter(|_| uses == 0);
    Ok(Trial {
        rule: rule.text.clone(),
        label: rule.label(),
        refused: None,
        notes: Vec::from_iter(of_no_use.map(str::to_string)),
        sums: Some(Sums { makespan, ..before }),
        ending: base.source.ending().word(),
    })
}

/// The estimated makespan, and how often the variation made a difference. All ticks have to fit on the CPUs.
fn makespan(base: &mut Base, variation: &Variation, ticks: u64) -> Result<(u64, u64), Failure> {
    let source = &mut base.source;
    let variation = match variation {
        Variation::Narrow { feature, .. } => {
            let mut preludes = Preludes::of(feature.clone());
            source.replay(&mut preludes)?;
            preludes.narrow()
        }
        Variation::Late { site, .. } => {
            let mut last = LastRequests::of(site.clone());
            source.replay(&mut last)?;
            last.late()
        }
        other => other.clone(),
    };
    let circumstances = Circumstances::of(source.head());
    let mut varying = Varying::new(variation, base.figures.extent.window.from, circumstances);
    source.replay(&mut varying)?;
    let (makespan, uses) = varying.finish(source.end());
    let cpus = source.head().cpus.map(|cpus| cpus.max(1));
    let least = cpus.map_or(0, |cpus| ticks.div_ceil(cpus));
    Ok((makespan.max(least), uses))
}
