//! What might make a run shorter, by the guideline of document 000 (§3.2, §4.3): rules that are worth a try, with what speaks for them.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use tally_vm::{Event, EventKind};

use crate::sink::{Accepted, Described, Origin, Sink};

/// The most names of a kind that are kept.
const MOST: usize = 100_000;

/// The most rules of a kind that are tried.
const MOST_TRIED: usize = 6;

/// The most requests that a processor is supposed to serve at once.
const MOST_SERVERS: usize = 16;

/// What a rule would change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aim {
    /// Processors work together in another way.
    Together,
    /// They work together in another way, if the program allows it: nothing is run.
    Perhaps,
    /// A delay is shorter.
    Sooner,
    /// There is more of a supplier, or of what a condition waits for: nothing is run.
    More,
    /// A feature needs fewer ticks.
    Faster,
}

impl Aim {
    /// Its place in the order of advice: what costs least to change comes first.
    pub(crate) fn rank(self) -> u8 {
        match self {
            Aim::Together | Aim::Perhaps | Aim::Sooner => 0,
            Aim::More => 1,
            Aim::Faster => 2,
        }
    }
}

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
    /// What it would change.
    pub aim: Aim,
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

/// A request under way: the place that sent it, its feature, and when that has begun.
#[derive(Clone, Debug)]
struct UnderWay {
    place: Option<String>,
    feature: String,
    begun: Option<u64>,
}

impl UnderWay {
    /// Adds to what is noted of its feature.
    fn note_in(&self, seen: &mut BTreeMap<String, Seen>, count: u64) {
        let about = (self.place.as_deref(), self.feature.as_str());
        add(seen, &self.feature, about, count);
    }
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
    /// The clients of each processor, and how many requests they have sent.
    clients: HashMap<u32, (BTreeSet<u32>, u64)>,
    /// Requests of scopes that have locks, by the processors that have opened them.
    locked: HashMap<u32, Vec<u32>>,
    /// Ticks for which scopes have their locks, by their features.
    scopes: BTreeMap<String, Seen>,
    /// Scopes that want locks inside others, by the features of these.
    inner: BTreeMap<String, Seen>,
    /// Evaluations of conditions that were false, by the features.
    failed: BTreeMap<String, Seen>,
    /// Delays, by the features.
    delays: BTreeMap<String, Seen>,
}

fn note(seen: &mut BTreeMap<String, Seen>, key: &str, place: Option<&str>, feature: &str) {
    add(seen, key, (place, feature), 1);
}

fn add(
    seen: &mut BTreeMap<String, Seen>,
    key: &str,
    (place, feature): (Option<&str>, &str),
    count: u64,
) {
    if seen.len() >= MOST && !seen.contains_key(key) {
        return;
    }
    let seen = seen.entry(key.to_string()).or_default();
    if seen.count == 0 {
        seen.feature = feature.to_string();
    }
    seen.count = seen.count.saturating_add(count);
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
        let mut rules = self.changes();
        rules.extend(self.pairs());
        rules.extend(machine.iter().map(|rule| Candidate {
            rule: (*rule).to_string(),
            evidence: "the machine is smaller or stricter than it could be".to_string(),
            place: None,
            edit: "run it on such a machine",
            aim: Aim::Together,
        }));
        rules.extend(self.scopes());
        for (feature, ticks) in shares.iter().take(MOST_TRIED) {
            rules.push(Candidate {
                rule: format!("speed {feature} 2/1"),
                evidence: format!("{ticks} ticks of {feature} are on the critical path"),
                place: None,
                edit: "let it need fewer ticks",
                aim: Aim::Faster,
            });
        }
        rules.extend(self.scarce());
        rules
    }

    /// The rules to try after a deadlock: scopes that want locks while others of the processor have some.
    pub fn rules_against_deadlock(&self) -> Vec<Candidate> {
        let candidate = |(feature, seen): (&String, &Seen)| Candidate {
            rule: format!("together {feature}"),
            evidence: format!(
                "scopes of {feature} have locks while scopes inside them want others, {} times",
                seen.count
            ),
            place: seen.place.clone(),
            edit: "take all locks at once: one method with <separate> and all suppliers as arguments",
            aim: Aim::Together,
        };
        most(&self.inner).map(candidate).collect()
    }

    /// Requests that could be other ones, or none.
    fn changes(&self) -> Vec<Candidate> {
        let mut rules = Vec::new();
        for (class, seen) in most(&self.callbacks) {
            rules.push(Candidate {
                rule: format!("copy {class}"),
                evidence: called_back(class, seen),
                place: seen.place.clone(),
                edit: "pass the values that are needed, or a copy: `x byCopy`",
                aim: Aim::Together,
            });
        }
        for (feature, seen) in most(&self.features).filter(|(_, seen)| seen.count > 1) {
            rules.push(Candidate {
                rule: format!("cache {feature}"),
                evidence: format!("{} of {feature} are waited for", requests(seen.count)),
                place: seen.place.clone(),
                edit: "ask once, and keep the answer",
                aim: Aim::Together,
            });
        }
        for (place, seen) in most(&self.places) {
            let (are, all) = (
                if seen.count == 1 { "is" } else { "are" },
                requests(seen.count),
            );
            let evidence = format!("{all} of {} {are} waited for here", seen.feature);
            let gets_called_back = self
                .callbacks
                .values()
                .any(|one| one.place.as_ref() == Some(place));
            rules.push(Candidate {
                rule: format!("async {place}"),
                evidence: evidence.clone(),
                place: Some(place.clone()),
                edit: match gets_called_back {
                    true => "pass values in place of an object of your own: a command that passes one waits",
                    false => "send a command, whose answer is not used",
                },
                aim: Aim::Together,
            });
            rules.push(Candidate {
                rule: format!("late {place}"),
                evidence,
                place: Some(place.clone()),
                edit: "use the answer later: send all commands first, or send `future` and get its `value` at the end",
                aim: Aim::Perhaps,
            });
        }
        rules
    }

    /// Scopes that have locks for long.
    fn scopes(&self) -> impl Iterator<Item = Candidate> {
        most(&self.scopes).map(|(feature, seen)| Candidate {
            rule: format!("narrow {feature}"),
            evidence: format!("scopes of {feature} have locks for {} ticks", seen.count),
            place: seen.place.clone(),
            edit: "hold the locks for the requests only: work before the scope and after it",
            aim: Aim::Perhaps,
        })
    }

    /// What there might be more of, or what might take less.
    fn scarce(&self) -> Vec<Candidate> {
        let mut busiest: BTreeMap<&String, (usize, u64)> = BTreeMap::new();
        for (supplier, (clients, requests)) in &self.clients {
            if let Some(class) = self.class_of(*supplier) {
                let known = busiest.entry(class).or_default();
                known.0 = known.0.max(clients.len());
                known.1 = known.1.saturating_add(*requests);
            }
        }
        busiest.retain(|_, (clients, _)| *clients > 1);
        let mut busiest: Vec<_> = busiest.into_iter().collect();
        busiest.sort_by_key(|(class, (_, requests))| (Reverse(*requests), *class));
        let servers = |(class, (clients, sent)): (&String, (usize, u64))| Candidate {
            rule: format!("servers {class} {}", clients.min(MOST_SERVERS)),
            evidence: format!(
                "{} to {class}, whose processor has up to {clients} clients",
                requests(sent)
            ),
            place: None,
            edit: "use a supplier for each client, and combine the results at the end; pass copies if clients only read",
            aim: Aim::More,
        };
        let holds = |(feature, seen): (&String, &Seen)| Candidate {
            rule: format!("holds {feature}"),
            evidence: format!("the condition of {feature} is false {} times", seen.count),
            place: seen.place.clone(),
            edit: "find the feature that makes the condition true: it can come sooner, or leave more room",
            aim: Aim::More,
        };
        let delays = |(feature, seen): (&String, &Seen)| Candidate {
            rule: format!("delay {feature} 1/10"),
            evidence: format!("{feature} waits for {} delays", seen.count),
            place: seen.place.clone(),
            edit: "wait for a shorter time, or for a condition: `require:`",
            aim: Aim::Sooner,
        };
        let mut all: Vec<Candidate> = busiest.into_iter().take(MOST_TRIED).map(servers).collect();
        all.extend(most(&self.failed).map(holds));
        all.extend(most(&self.delays).map(delays));
        all
    }

    /// Classes of processors that have much to say to each other.
    fn pairs(&self) -> impl Iterator<Item = Candidate> {
        let mut all: Vec<_> = self.pairs.iter().collect();
        all.sort_by_key(|(pair, count)| (Reverse(**count), *pair));
        all.into_iter()
            .take(MOST_TRIED)
            .map(|((client, supplier), count)| Candidate {
                rule: format!("merge {client} with {supplier}"),
                evidence: format!("{} from {client} to {supplier}", requests(*count)),
                place: None,
                edit: "let them share a processor: `separateWith:`",
                aim: Aim::Together,
            })
    }

    /// Whether the request is the first of its supplier, which makes its object.
    fn makes_object(&mut self, request: &Described<'_>) -> bool {
        let supplier = self.has_object.get_mut(request.supplier as usize);
        supplier.is_some_and(|has_object| !std::mem::replace(has_object, true))
    }

    /// A scope of the processor wants locks. If another one has some, that is noted for its feature.
    fn wants_locks(&mut self, processor: u32, request: u32) {
        let outer = self.locked.get(&processor).and_then(|open| open.last());
        if let Some(one) = outer.and_then(|outer| self.under_way.get(outer)) {
            let inner = self.under_way.get(&request);
            let place = inner.and_then(|inner| inner.place.clone());
            let outer = UnderWay {
                place: place.or(one.place.clone()),
                ..one.clone()
            };
            outer.note_in(&mut self.inner, 1);
        }
    }

    /// The request has no locks any more. Answers whether it had some.
    fn unlocks(&mut self, processor: u32, request: u32) -> bool {
        let Some(open) = self.locked.get_mut(&processor) else {
            return false;
        };
        let before = open.len();
        open.retain(|one| *one != request);
        open.len() < before
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

fn requests(count: u64) -> String {
    format!(
        "{count} {}",
        if count == 1 { "request" } else { "requests" }
    )
}

fn with_article(class: &str) -> String {
    let is_vowel = class.starts_with(['A', 'E', 'I', 'O', 'U']);
    format!("{} {class}", if is_vowel { "an" } else { "a" })
}

impl Sink for Candidates {
    fn processor(&mut self, number: u32, _origin: Origin, class: &str) -> Accepted {
        self.classes.push(class.to_string());
        // The script has no object to make.
        self.has_object.push(number == 0);
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
        let is_of_condition = sender.is_some_and(|sender| sender.begun.is_none());
        let makes_object = !request.is_local && self.makes_object(request);
        if request.waits && !request.is_local && !makes_object && !is_of_condition {
            note(&mut self.features, &feature, request.site, &feature);
            if let Some(site) = request.site {
                note(&mut self.places, site, request.site, &feature);
            }
        }
        if !request.is_local && !makes_object && self.clients.len() < MOST {
            let (clients, requests) = self.clients.entry(request.supplier).or_default();
            *requests += 1;
            if clients.len() <= MOST_SERVERS {
                clients.insert(request.client);
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
            begun: None,
        };
        self.under_way.insert(number, under_way);
        Ok(())
    }

    fn event(&mut self, event: &Event) -> Accepted {
        let (processor, request) = (event.processor, event.request);
        match event.kind {
            EventKind::Locks => self.wants_locks(processor, request),
            EventKind::Granted => self.locked.entry(processor).or_default().push(request),
            EventKind::Evaluated(false) => {
                self.unlocks(processor, request);
                if let Some(one) = self.under_way.get(&request) {
                    one.note_in(&mut self.failed, 1);
                }
            }
            EventKind::Executes => {
                if let Some(request) = self.under_way.get_mut(&request) {
                    request.begun = Some(event.time);
                }
            }
            EventKind::Sleeps => {
                if let Some(one) = self.under_way.get(&request) {
                    one.note_in(&mut self.delays, 1);
                }
            }
            EventKind::Returns | EventKind::Cancelled => {
                let had_locks = self.unlocks(processor, request);
                if let Some(one) = self.under_way.remove(&request).filter(|_| had_locks) {
                    let ticks = event.time.saturating_sub(one.begun.unwrap_or(event.time));
                    one.note_in(&mut self.scopes, ticks);
                }
            }
            _ => {}
        }
        Ok(())
    }
}
