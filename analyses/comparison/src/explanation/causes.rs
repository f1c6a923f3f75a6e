//! The possible causes of a difference: everything that differs between both sides. Some causes can affect a run without
//! visible calls: through the values that they return or leave behind.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use serde::Serialize;
use tally_profiler::{Definition, DefinitionKind, Ending};

use crate::difference::changed_inputs;
use crate::matching::{DefinitionChange, Fate, Matched};
use crate::measurement::MeasuredRun;

/// The kind of a cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum CauseKind {
    /// A method.
    Method,
    /// A class's own properties, without its methods.
    Class,
    /// Statements at top level, or the first value of a class variable.
    Script,
    /// Something that was read from outside.
    Input,
    /// The arguments of the script.
    Arguments,
    /// The seed of `Random new`.
    Seed,
    /// The limits.
    Limits,
    /// A clock, or memory: what differs from run to run.
    Surroundings,
    /// The library.
    Library,
    /// The version of the counting model.
    Model,
    /// Data that a recording without definitions lacks.
    Unrecorded,
}

/// Something that is not the same on both sides.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Cause {
    /// The kind of the cause.
    pub kind: CauseKind,
    /// `Class>>selector`, a class, a file, or a description of a thing without a name. The current name, if the thing still exists.
    pub name: String,
    /// Its name before, if it was renamed or moved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old_name: Option<String>,
    /// The file that holds the cause; empty without a file.
    pub file: String,
    /// Its first line there, from 1; 0 without a file.
    pub line: usize,
    /// Whether it belongs to the library.
    pub is_library: bool,
    /// Whether it was added, removed, edited, renamed or moved.
    pub fate: Fate,
}

/// A cause by its number.
pub(crate) type CauseId = usize;

/// Messages that are delivered without a send.
const DELIVERED: [&str; 3] = ["doesNotUnderstand:", "mustBeBoolean", "cannotReturn:"];

/// All causes that there can be.
pub(crate) struct Causes<'m> {
    matched: &'m Matched<'m>,
    pub(crate) list: Vec<Cause>,
    numbers: HashMap<Cause, CauseId>,
    of_pair: Vec<Option<CauseId>>,
    of_definition: Vec<CauseId>,
    inputs: Vec<CauseId>,
    settings: Vec<CauseId>,
    /// Changed methods that may have run while the program was loaded.
    in_loading: Vec<CauseId>,
    /// Causes that explain a part if no other cause does.
    last: Vec<CauseId>,
    /// By selector, the causes that add or remove a target of the message that leaves no context.
    silent_by_selector: HashMap<&'m str, BTreeSet<CauseId>>,
}

impl<'m> Causes<'m> {
    pub(crate) fn new(matched: &'m Matched<'m>) -> Causes<'m> {
        let mut causes = Causes {
            matched,
            list: Vec::new(),
            numbers: HashMap::new(),
            of_pair: Vec::new(),
            of_definition: Vec::new(),
            inputs: Vec::new(),
            settings: Vec::new(),
            in_loading: Vec::new(),
            last: Vec::new(),
            silent_by_selector: HashMap::new(),
        };
        causes.add_definitions();
        causes.add_pairs();
        causes.add_settings();
        causes.in_loading = causes.reached_while_loading();
        causes
    }

    fn add(&mut self, cause: Cause) -> CauseId {
        let list = &mut self.list;
        *self.numbers.entry(cause).or_insert_with_key(|cause| {
            list.push(cause.clone());
            list.len() - 1
        })
    }

    fn add_definitions(&mut self) {
        for change in &self.matched.definitions {
            let Some(definition) = change.latest() else {
                continue;
            };
            let old_name = change.old.map(|old| old.name.clone());
            let id = self.add(Cause {
                kind: match definition.kind {
                    DefinitionKind::Class => CauseKind::Class,
                    DefinitionKind::Method => CauseKind::Method,
                    DefinitionKind::Script => CauseKind::Script,
                },
                name: place_name(definition),
                old_name: old_name.filter(|_| matches!(change.fate, Fate::Renamed | Fate::Moved)),
                file: definition.file.clone(),
                line: definition.line,
                is_library: false,
                fate: change.fate,
            });
            self.of_definition.push(id);
            if change.is_silent() && change.is_of(DefinitionKind::Method) {
                for selector in change.selectors() {
                    let found = self.silent_by_selector.entry(selector);
                    found.or_default().insert(id);
                }
            }
            self.last.push(id);
        }
    }

    fn add_pairs(&mut self) {
        for (number, pair) in (0u32..).zip(&self.matched.pairs) {
            let id = match pair.definition {
                _ if !pair.fate.is_change() => None,
                Some(definition) => self.of_definition.get(definition).copied(),
                None => {
                    let method = self.matched.method(number);
                    let id = self.add(Cause {
                        kind: match method.class.is_empty() {
                            true => CauseKind::Script,
                            false => CauseKind::Method,
                        },
                        name: method.name.clone(),
                        old_name: pair.old_name.clone(),
                        file: method.file.clone(),
                        line: method.line,
                        is_library: method.is_library,
                        fate: pair.fate,
                    });
                    Some(id)
                }
            };
            self.of_pair.push(id);
        }
    }

    fn add_settings(&mut self) {
        let (old, new) = (self.matched.old, self.matched.new);
        for name in changed_inputs(old, new) {
            let id = self.add(setting(CauseKind::Input, &name));
            self.inputs.push(id);
        }
        let settings = [
            (
                old.arguments != new.arguments,
                CauseKind::Arguments,
                "the arguments",
            ),
            (old.seed != new.seed, CauseKind::Seed, "the seed"),
            (
                old.library != new.library,
                CauseKind::Library,
                "the library",
            ),
            (
                old.model != new.model,
                CauseKind::Model,
                "the counting model",
            ),
        ];
        for (is_other, kind, name) in settings {
            if is_other {
                let id = self.add(setting(kind, name));
                self.settings.push(id);
            }
        }
        if old.limits != new.limits {
            let id = self.add(setting(CauseKind::Limits, "the limits"));
            self.last.push(id);
        }
        if !self.matched.knows_definitions() {
            let unrecorded = "something that the recordings do not tell";
            let id = self.add(setting(CauseKind::Unrecorded, unrecorded));
            self.last.push(id);
        }
    }

    /// The cause that a method is, if it is one.
    pub(crate) fn of_pair(&self, pair: Option<u32>) -> Option<CauseId> {
        pair.and_then(|pair| self.of_pair.get(pair as usize).copied().flatten())
    }

    /// The causes that add or remove a target of messages with this selector, where the target has no context of its own.
    pub(crate) fn silent_for(&self, selector: &str) -> impl Iterator<Item = CauseId> {
        let found = self.silent_by_selector.get(selector);
        found.into_iter().flatten().copied().filter(|&id| {
            // The same messages find an edited body as before.
            self.list[id].fate != Fate::Edited
        })
    }

    /// What differs and can have had influence on a run without being seen to call anything, nothing certain left out.
    pub(crate) fn of_values(&mut self, old: &MeasuredRun, new: &MeasuredRun) -> Vec<CauseId> {
        let mut found: BTreeSet<CauseId> = BTreeSet::new();
        let ran = Ran::of(self.matched, old, new);
        found.extend(
            ran.pairs
                .iter()
                .filter_map(|&pair| self.of_pair(Some(pair))),
        );
        for (selector, silent) in &self.silent_by_selector {
            if ran.may_send(selector) {
                found.extend(silent);
            }
        }
        for (change, &id) in self.matched.definitions.iter().zip(&self.of_definition) {
            let is_shape = change.is_of(DefinitionKind::Class) && change.fate == Fate::Edited;
            if is_shape || change.is_of(DefinitionKind::Script) {
                found.insert(id);
            }
        }
        // A script's own run has the loading in it.
        if !old.name.is_empty() {
            found.extend(&self.in_loading);
        }
        found.extend(self.inputs.iter().chain(&self.settings));
        let is_stopped = [old, new].iter().any(|run| run.ending == Ending::Limit);
        if is_stopped && self.matched.old.limits != self.matched.new.limits {
            let id = self.add(setting(CauseKind::Limits, "the limits"));
            found.insert(id);
        }
        if !old.is_reproducible || !new.is_reproducible {
            let id = self.add(setting(CauseKind::Surroundings, "the clock or memory"));
            found.insert(id);
        }
        match found.is_empty() {
            true => self.last.clone(),
            false => found.into_iter().collect(),
        }
    }

    /// Changed methods that statements at top level, first values of class variables and `initialize` of classes lead to, by
    /// the messages that stand in methods of the program.
    fn reached_while_loading(&self) -> Vec<CauseId> {
        if self.matched.definitions.is_empty() {
            return Vec::new();
        }
        let sides = [self.matched.old, self.matched.new];
        let mut reached: HashSet<&str> = HashSet::new();
        for side in sides {
            let all = || side.definitions.iter().flatten();
            let mut by_selector: BTreeMap<&str, Vec<&Definition>> = BTreeMap::new();
            for definition in all() {
                if let Some((_, selector)) = definition.name.split_once(">>") {
                    by_selector.entry(selector).or_default().push(definition);
                }
            }
            let begins = |d: &&Definition| {
                d.kind == DefinitionKind::Script || d.name.ends_with(" class>>initialize")
            };
            let mut waiting: Vec<&Definition> = all().filter(begins).collect();
            let mut seen: HashSet<&str> = HashSet::new();
            while let Some(definition) = waiting.pop() {
                if !seen.insert(&definition.name) {
                    continue;
                }
                let sent = definition.sends.iter();
                let led_to = sent.filter_map(|selector| by_selector.get(selector.as_str()));
                waiting.extend(led_to.flatten());
            }
            reached.extend(seen);
        }
        let is_reached = |change: &DefinitionChange<'_>| {
            let mut versions = change.old.into_iter().chain(change.new);
            change.is_of(DefinitionKind::Method)
                && versions.any(|definition| reached.contains(definition.name.as_str()))
        };
        let changes = self.matched.definitions.iter().zip(&self.of_definition);
        changes
            .filter(|(change, _)| is_reached(change))
            .map(|(_, id)| *id)
            .collect()
    }

    /// The methods among the causes that ran.
    pub(crate) fn that_ran(&self, old: &MeasuredRun, new: &MeasuredRun) -> Vec<CauseId> {
        let before = old
            .methods
            .iter()
            .map(|m| self.matched.of_old[m.method as usize]);
        let after = new
            .methods
            .iter()
            .map(|m| self.matched.of_new[m.method as usize]);
        let causes = before
            .chain(after)
            .filter_map(|pair| self.of_pair(Some(pair)));
        causes.collect()
    }
}

/// The name of a definition in reports.
fn place_name(definition: &Definition) -> String {
    match definition.kind {
        DefinitionKind::Script if definition.name != definition.file => {
            format!("{}:{}", definition.file, definition.line)
        }
        _ => definition.name.clone(),
    }
}

fn setting(kind: CauseKind, name: &str) -> Cause {
    Cause {
        kind,
        name: name.to_string(),
        old_name: None,
        file: String::new(),
        line: 0,
        is_library: matches!(kind, CauseKind::Library | CauseKind::Model),
        fate: Fate::Edited,
    }
}

/// The methods that ran in a run on either side, and the messages that they may have sent.
struct Ran<'m> {
    pairs: BTreeSet<u32>,
    sends: HashSet<&'m str>,
    /// Whether it is not known what some of it sends, or the program sends a selector that only a value holds.
    may_send_anything: bool,
}

impl<'m> Ran<'m> {
    fn of(matched: &Matched<'m>, old: &MeasuredRun, new: &MeasuredRun) -> Ran<'m> {
        let mut ran = Ran {
            pairs: BTreeSet::new(),
            sends: DELIVERED.into(),
            may_send_anything: false,
        };
        let sides = [
            (old, matched.old, &matched.of_old),
            (new, matched.new, &matched.of_new),
        ];
        for (run, measurement, of) in sides {
            for counts in &run.methods {
                ran.pairs.insert(of[counts.method as usize]);
                let method = &measurement.methods[counts.method as usize];
                let Some(sends) = &method.sends else {
                    ran.may_send_anything = true;
                    continue;
                };
                let performs = |selector: &String| selector.starts_with("perform:");
                ran.may_send_anything |= !method.is_library && sends.iter().any(performs);
                ran.sends.extend(sends.iter().map(String::as_str));
            }
        }
        ran
    }

    fn may_send(&self, selector: &str) -> bool {
        self.may_send_anything || self.sends.contains(selector)
    }
}
