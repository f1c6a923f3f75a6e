//! What might make a run shorter, by the guideline of document 000 (§3.2, §4.3): rules that are worth a try, with what speaks for them.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use tally_vm::{Event, EventKind};

use crate::sink::{Accepted, Described, Origin, Sink};

/// The most names of a kind that are kept.
const MOST: usize = 100_000;

/// The most rules of a kind that are tried.
const MOST_TRIED: usize = 6;

/// A rule that is worth a try.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The rule, as `--if` takes it.
    pub rule: String,
    /// What was seen.
    pub evidence: String,
    /// File, line and column to look at, if they are known.
    pub place: Option<String>,
    /// What to change there.
    pub edit: &'static str,
    /// Whether processors would work together in another way. Otherwise a feature would take fewer ticks.
    pub is_change: bool,
}

/// Requests of a kind: how many, and the place and the feature of the first.
#[derive(Clone, Debug, Default)]
struct Seen {
    count: u64,
    /// How many of them are commands.
    commands: u64,
    place: Option<String>,
    feature: String,
}

/// A request under way: the place that sent it, its feature, and whether that has begun.
#[derive(Clone, Debug)]
struct UnderWay {
    place: Option<String>,
    feature: String,
    has_begun: bool,
}

/// Collects from a run what rules might change.
#[derive(Clone, Debug, Default)]
pub struct Candidates {
    /// The class of each processor.
    classes: Vec<String>,
    /// Whether each processor has had a request. The first makes its object.
    has_object: Vec<bool>,
    under_way: HashMap<u32, UnderWay>,
    /// Requests that clients waited for, by their features and by their places.
    features: BTreeMap<String, Seen>,
    places: BTreeMap<String, Seen>,
    /// Callbacks by the class of their receivers. The place is where the receiver was passed on.
    callbacks: BTreeMap<String, Seen>,
    /// Requests by the classes of client and supplier.
    pairs: BTreeMap<(String, String), u64>,
}

fn note(seen: &mut BTreeMap<String, Seen>, key: &str, place: Option<&str>, feature: &str) {
    if seen.len() >= MOST && !seen.contains_key(key) {
        return;
    }
    let seen = seen.entry(key.to_string()).or_default();
    if seen.count == 0 {
        seen.feature = feature.to_string();
    }
    seen.count += 1;
    if seen.place.is_none() {
        seen.place = place.map(str::to_string);
    }
}

/// The first of the kind, those with the most requests first.
fn most(seen: &BTreeMap<String, Seen>) -> impl Iterator<Item = (&String, &Seen)> {
    let mut all: Vec<_> = seen.iter().collect();
    all.sort_by_key(|(name, seen)| (Reverse(seen.count), *name));
    all.into_iter().take(MOST_TRIED)
}

impl Candidates {
    /// The rules to try. `shares` are the features that run on the critical path, with their ticks there, the greatest first.
    pub fn rules(&self, shares: &[(String, u64)], machine: &[&'static str]) -> Vec<Candidate> {
        let mut rules = Vec::new();
        for (class, seen) in most(&self.callbacks) {
            rules.push(Candidate {
                rule: format!("copy {class}"),
                evidence: called_back(class, seen),
                place: seen.place.clone(),
                edit: "pass the values that are needed, or a copy: `x byCopy`",
                is_change: true,
            });
        }
        for (feature, seen) in most(&self.features).filter(|(_, seen)| seen.count > 1) {
            rules.push(Candidate {
                rule: format!("cache {feature}"),
                evidence: format!("{} requests of {feature} are waited for", seen.count),
                place: seen.place.clone(),
                edit: "ask once, and keep the answer",
                is_change: true,
            });
        }
        for (place, seen) in most(&self.places) {
            rules.push(Candidate {
                rule: format!("async {place}"),
                evidence: format!(
                    "{} requests of {} are waited for here",
                    seen.count, seen.feature
                ),
                place: Some(place.clone()),
                edit: match self.callbacks.values().any(|one| one.place.as_ref() == Some(place)) {
                    true => "pass values in place of an object of your own: a command that passes one waits",
                    false => "send a command, whose answer is not used; or `future`, if it is used later",
                },
                is_change: true,
            });
        }
        rules.extend(self.pairs());
        rules.extend(machine.iter().map(|rule| Candidate {
            rule: (*rule).to_string(),
            evidence: "the machine is smaller or stricter than it could be".to_string(),
            place: None,
            edit: "run it on such a machine",
            is_change: true,
        }));
        for (feature, ticks) in shares.iter().take(MOST_TRIED) {
            rules.push(Candidate {
                rule: format!("speed {feature} 2/1"),
                evidence: format!("{ticks} ticks of {feature} are on the critical path"),
                place: None,
                edit: "let it need fewer ticks",
                is_change: false,
            });
        }
        rules
    }

    /// Classes of processors that have much to say to each other.
    fn pairs(&self) -> impl Iterator<Item = Candidate> {
        let mut all: Vec<_> = self.pairs.iter().collect();
        all.sort_by_key(|(pair, count)| (Reverse(**count), *pair));
        all.into_iter()
            .take(MOST_TRIED)
            .map(|((client, supplier), count)| Candidate {
                rule: format!("merge {client} with {supplier}"),
                evidence: format!("{count} requests go from {client} to {supplier}"),
                place: None,
                edit: "let them share a processor: `separateWith:`",
                is_change: true,
            })
    }

    /// Whether the request is the first of its supplier, which makes its object.
    fn makes_object(&mut self, request: &Described<'_>) -> bool {
        let supplier = self.has_object.get_mut(request.supplier as usize);
        supplier.is_some_and(|has_object| !std::mem::replace(has_object, true))
    }

    fn class_of(&self, processor: u32) -> Option<&String> {
        let class = self.classes.get(processor as usize);
        class.filter(|class| !class.is_empty())
    }
}

/// What speaks for a copy, and against it.
fn called_back(class: &str, seen: &Seen) -> String {
    let times = format!(
        "{} gets {} and calls it back {} times",
        seen.feature,
        with_article(class),
        seen.count
    );
    match seen.commands {
        0 => times,
        commands => {
            format!("{times}; {commands} of these are commands, which would change the copy alone")
        }
    }
}

fn with_article(class: &str) -> String {
    let is_vowel = class.starts_with(['A', 'E', 'I', 'O', 'U']);
    format!("{} {class}", if is_vowel { "an" } else { "a" })
}

impl Sink for Candidates {
    fn processor(&mut self, _number: u32, _origin: Origin, class: &str) -> Accepted {
        self.classes.push(class.to_string());
        self.has_object.push(false);
        Ok(())
    }

    fn request(&mut self, number: u32, request: &Described<'_>) -> Accepted {
        if request.selector.is_empty() || self.under_way.contains_key(&number) {
            return Ok(());
        }
        let feature = format!("{}>>{}", request.class, request.selector);
        if request.is_callback && !request.is_local {
            let sender = request
                .sender
                .and_then(|sender| self.under_way.get(&sender));
            if let Some(sender) = sender.cloned() {
                let (place, passed_to) = (sender.place.as_deref(), &sender.feature);
                note(&mut self.callbacks, request.class, place, passed_to);
                if let Some(seen) = self.callbacks.get_mut(request.class) {
                    seen.commands += u64::from(!request.waits);
                }
            }
        }
        // The answers of a condition change while it is waited for.
        let sender = request
            .sender
            .and_then(|sender| self.under_way.get(&sender));
        let is_of_condition = sender.is_some_and(|sender| !sender.has_begun);
        let makes_object = !request.is_local && self.makes_object(request);
        if request.waits && !request.is_local && !makes_object && !is_of_condition {
            note(&mut self.features, &feature, request.site, &feature);
            if let Some(site) = request.site {
                note(&mut self.places, site, request.site, &feature);
            }
        }
        let classes = [request.client, request.supplier].map(|one| self.class_of(one).cloned());
        if let [Some(client), Some(supplier)] = classes
            && client != supplier
            && self.pairs.len() < MOST
        {
            *self.pairs.entry((client, supplier)).or_default() += 1;
        }
        let site = request.site.map(str::to_string);
        let under_way = UnderWay {
            place: site,
            feature,
            has_begun: false,
        };
        self.under_way.insert(number, under_way);
        Ok(())
    }

    fn event(&mut self, event: &Event) -> Accepted {
        match event.kind {
            EventKind::Executes => {
                if let Some(request) = self.under_way.get_mut(&event.request) {
                    request.has_begun = true;
                }
            }
            EventKind::Returns | EventKind::Cancelled => {
                self.under_way.remove(&event.request);
            }
            _ => {}
        }
        Ok(())
    }
}
