//! Matches the methods of one measurement with the methods of the other, and compares the other definitions of both
//! programs. A renamed or moved method is recognised by its compiled code, if only one method has such code.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::hash::Hash;

use serde::Serialize;
use tally_profiler::{Definition, DefinitionKind};

use crate::measurement::{MeasuredMethod, Measurement};

/// How a method or another definition differs between both sides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Fate {
    /// It is the same.
    #[default]
    Same,
    /// Its body is not known: it was imported.
    Unknown,
    /// Its text is another one and compiles to the same.
    Text,
    /// It compiles to something else.
    Edited,
    /// It was not there before.
    Added,
    /// It is not there any more.
    Removed,
    /// It has another selector.
    Renamed,
    /// It stands in another class.
    Moved,
}

impl Fate {
    /// Whether it may behave otherwise, or be found by other messages.
    pub fn is_change(self) -> bool {
        !matches!(self, Fate::Same | Fate::Unknown | Fate::Text)
    }

    /// A word for it; empty for `Same` and `Unknown`.
    pub fn word(self) -> &'static str {
        match self {
            Fate::Same | Fate::Unknown => "",
            Fate::Text => "text only",
            Fate::Edited => "edited",
            Fate::Added => "added",
            Fate::Removed => "removed",
            Fate::Renamed => "renamed",
            Fate::Moved => "moved",
        }
    }
}

/// A method of both measurements, or of one.
#[derive(Clone, Debug)]
pub(crate) struct Pair {
    pub(crate) old: Option<u32>,
    pub(crate) new: Option<u32>,
    pub(crate) fate: Fate,
    /// Its name before, if it was renamed or moved.
    pub(crate) old_name: Option<String>,
    /// The definition that differs, as an index, if one does.
    pub(crate) definition: Option<usize>,
}

/// Something that the two programs do not define alike.
#[derive(Clone, Debug)]
pub(crate) struct DefinitionChange<'m> {
    pub(crate) old: Option<&'m Definition>,
    pub(crate) new: Option<&'m Definition>,
    pub(crate) fate: Fate,
}

impl<'m> DefinitionChange<'m> {
    /// The definition as it is now, or as it was.
    pub(crate) fn latest(&self) -> Option<&'m Definition> {
        self.new.or(self.old)
    }

    pub(crate) fn is_of(&self, kind: DefinitionKind) -> bool {
        self.latest()
            .is_some_and(|definition| definition.kind == kind)
    }

    /// Whether one of its versions may be executed without a trace.
    pub(crate) fn is_silent(&self) -> bool {
        let mut versions = self.old.into_iter().chain(self.new);
        versions.any(|definition| definition.is_silent)
    }

    /// The selectors that it has or had.
    pub(crate) fn selectors(&self) -> impl Iterator<Item = &'m str> {
        let versions = self.old.into_iter().chain(self.new);
        versions.filter_map(|definition| definition.name.split_once(">>").map(|(_, s)| s))
    }
}

/// Two measurements with their methods in pairs.
pub(crate) struct Matched<'m> {
    pub(crate) old: &'m Measurement,
    pub(crate) new: &'m Measurement,
    pub(crate) pairs: Vec<Pair>,
    /// The pair of each method of the old measurement.
    pub(crate) of_old: Vec<u32>,
    /// The pair of each method of the new measurement.
    pub(crate) of_new: Vec<u32>,
    /// The definitions that differ; empty if definitions are not known on both sides.
    pub(crate) definitions: Vec<DefinitionChange<'m>>,
}

impl<'m> Matched<'m> {
    pub(crate) fn new(old: &'m Measurement, new: &'m Measurement) -> Matched<'m> {
        let defined = Defined::new(old, new);
        let mut matching = Matching::new(&old.methods, &new.methods);
        matching.match_names();
        matching.match_renamed(&defined.renamed);
        if !defined.is_known {
            let renamed = matching.renamed();
            matching.match_renamed(&renamed);
        }
        let mut matched = Matched {
            old,
            new,
            pairs: Vec::new(),
            of_old: vec![0; old.methods.len()],
            of_new: vec![0; new.methods.len()],
            definitions: Vec::new(),
        };
        for (old, new) in matching.finish() {
            let number = matched.pairs.len() as u32;
            if let Some(old) = old {
                matched.of_old[old as usize] = number;
            }
            if let Some(new) = new {
                matched.of_new[new as usize] = number;
            }
            let pair = matched.pair(old, new, &defined);
            matched.pairs.push(pair);
        }
        matched.definitions = defined.changes;
        matched
    }

    fn pair(&self, old: Option<u32>, new: Option<u32>, defined: &Defined<'_>) -> Pair {
        let before = old.map(|old| &self.old.methods[old as usize]);
        let after = new.map(|new| &self.new.methods[new as usize]);
        let (fate, old_name) = match (before, after) {
            (Some(_), Some(_)) if !self.old.unit.is_tally() => (Fate::Unknown, None),
            (Some(before), Some(after)) => both(before, after),
            (Some(one), None) => defined.fate_of(one, true, self.old.library != self.new.library),
            (None, Some(one)) => defined.fate_of(one, false, self.old.library != self.new.library),
            (None, None) => (Fate::Same, None),
        };
        let latest = after.or(before);
        Pair {
            old,
            new,
            fate,
            old_name,
            definition: latest.and_then(|method| defined.change_of(method, after.is_some())),
        }
    }

    /// The method as it is now, or as it was.
    pub(crate) fn method(&self, pair: u32) -> &'m MeasuredMethod {
        let pair = &self.pairs[pair as usize];
        match (pair.new, pair.old) {
            (Some(new), _) => &self.new.methods[new as usize],
            (None, Some(old)) => &self.old.methods[old as usize],
            (None, None) => unreachable!("a pair has a method"),
        }
    }

    /// Whether it is known on both sides what the programs define.
    pub(crate) fn knows_definitions(&self) -> bool {
        self.old.definitions.is_some() && self.new.definitions.is_some()
    }
}

/// The fate of a method that ran on both sides.
fn both(before: &MeasuredMethod, after: &MeasuredMethod) -> (Fate, Option<String>) {
    let is_same_name = before.name == after.name || before.class.is_empty();
    let is_same_code = match (before.code, after.code) {
        (Some(before), Some(after)) => before == after,
        _ => before.digest == after.digest,
    };
    let fate = match (is_same_name, is_same_code, before.digest == after.digest) {
        (true, true, true) => Fate::Same,
        (true, true, false) => Fate::Text,
        (true, false, _) => Fate::Edited,
        (false, ..) if before.class == after.class => Fate::Renamed,
        (false, ..) => Fate::Moved,
    };
    let old_name = (!is_same_name).then(|| before.name.clone());
    (fate, old_name)
}

/// The definitions of two programs.
struct Defined<'m> {
    is_known: bool,
    changes: Vec<DefinitionChange<'m>>,
    /// The change of each name, by the names that it has before and after.
    by_old: HashMap<(DefinitionKind, &'m str), usize>,
    by_new: HashMap<(DefinitionKind, &'m str), usize>,
    old: Index<'m>,
    new: Index<'m>,
    /// Names of methods before, by those after.
    renamed: Vec<(String, String)>,
}

/// Definitions by name, and by other keys.
#[derive(Default)]
struct Index<'m> {
    by_name: HashMap<(DefinitionKind, &'m str), &'m Definition>,
    /// By selector and compiled code, because a trait's methods stand in other classes than their own.
    by_selector: HashMap<(&'m str, u64), &'m Definition>,
    /// Statements and evaluations, by file and code.
    scripts: HashMap<(&'m str, u64), &'m Definition>,
}

impl<'m> Index<'m> {
    fn of(measurement: &'m Measurement) -> Index<'m> {
        let mut index = Index::default();
        for definition in measurement.definitions.iter().flatten() {
            let name = definition.name.as_str();
            index.by_name.insert((definition.kind, name), definition);
            if let Some((_, selector)) = name.split_once(">>") {
                let key = (selector, definition.code);
                index.by_selector.insert(key, definition);
            }
            if definition.kind == DefinitionKind::Script {
                let key = (definition.file.as_str(), definition.code);
                index.scripts.entry(key).or_insert(definition);
            }
        }
        index
    }

    /// The definition of a method that ran.
    fn find(&self, method: &MeasuredMethod) -> Option<&'m Definition> {
        if !method.class.is_empty() {
            let key = (DefinitionKind::Method, method.name.as_str());
            let by_code = || {
                let code = method.code?;
                self.by_selector.get(&(method.selector.as_str(), code))
            };
            return self.by_name.get(&key).or_else(by_code).copied();
        }
        let by_code = method
            .code
            .and_then(|code| self.scripts.get(&(method.file.as_str(), code)));
        let key = (DefinitionKind::Script, method.name.as_str());
        by_code.or_else(|| self.by_name.get(&key)).copied()
    }
}

impl<'m> Defined<'m> {
    fn new(old: &'m Measurement, new: &'m Measurement) -> Defined<'m> {
        let mut defined = Defined {
            is_known: old.definitions.is_some() && new.definitions.is_some(),
            changes: Vec::new(),
            by_old: HashMap::new(),
            by_new: HashMap::new(),
            old: Index::of(old),
            new: Index::of(new),
            renamed: Vec::new(),
        };
        if defined.is_known {
            defined.compare(old, new);
        }
        defined
    }

    fn compare(&mut self, old: &'m Measurement, new: &'m Measurement) {
        let mut removed = Vec::new();
        let mut added = Vec::new();
        for before in old.definitions.iter().flatten() {
            match self.new.by_name.get(&(before.kind, before.name.as_str())) {
                Some(after) if before.code == after.code => {}
                Some(after) if !is_evaluation(before) => {
                    self.add(Some(before), Some(after), Fate::Edited);
                }
                _ => removed.push(before),
            }
        }
        for after in new.definitions.iter().flatten() {
            let before = self.old.by_name.get(&(after.kind, after.name.as_str()));
            let is_paired = before.is_some_and(|b| !is_evaluation(b) || b.code == after.code);
            if !is_paired {
                added.push(after);
            }
        }
        self.pair_evaluations(&mut removed, &mut added);
        let pairs = renames(
            &removed
                .iter()
                .filter_map(|d| Named::of(d))
                .collect::<Vec<_>>(),
            &added
                .iter()
                .filter_map(|d| Named::of(d))
                .collect::<Vec<_>>(),
        );
        for (before, after) in &pairs {
            let of = |list: &[&'m Definition], name: &str| {
                let is_it = |d: &&&Definition| d.kind == DefinitionKind::Method && d.name == name;
                list.iter().find(is_it).copied()
            };
            let (old, new) = (of(&removed, before), of(&added, after));
            let class = |name: &str| name.split(">>").next().map(str::to_string);
            let fate = match class(before) == class(after) {
                true => Fate::Renamed,
                false => Fate::Moved,
            };
            self.add(old, new, fate);
            let is_of =
                |d: &&Definition, name: &str| d.kind == DefinitionKind::Method && d.name == name;
            removed.retain(|d| !is_of(d, before));
            added.retain(|d| !is_of(d, after));
        }
        self.renamed = pairs;
        for before in removed {
            self.add(Some(before), None, Fate::Removed);
        }
        for after in added {
            self.add(None, Some(after), Fate::Added);
        }
    }

    /// Evaluations have numbers for names, which shift. Equal evaluations of a file are skipped; the others are paired in
    /// order.
    fn pair_evaluations(
        &mut self,
        removed: &mut Vec<&'m Definition>,
        added: &mut Vec<&'m Definition>,
    ) {
        let mut left: Vec<&'m Definition> = Vec::new();
        for before in std::mem::take(removed) {
            let is_same = |d: &&Definition| d.file == before.file && d.code == before.code;
            match added.iter().position(|d| is_evaluation(d) && is_same(d)) {
                Some(place) if is_evaluation(before) => drop(added.remove(place)),
                _ => left.push(before),
            }
        }
        for before in left {
            let is_next = |d: &&Definition| is_evaluation(d) && d.file == before.file;
            match added.iter().position(is_next) {
                Some(place) if is_evaluation(before) => {
                    let after = added.remove(place);
                    self.add(Some(before), Some(after), Fate::Edited);
                }
                _ => removed.push(before),
            }
        }
    }

    fn add(&mut self, old: Option<&'m Definition>, new: Option<&'m Definition>, fate: Fate) {
        let number = self.changes.len();
        if let Some(old) = old {
            self.by_old.insert((old.kind, &old.name), number);
        }
        if let Some(new) = new {
            self.by_new.insert((new.kind, &new.name), number);
        }
        self.changes.push(DefinitionChange { old, new, fate });
    }

    /// The change of a method's definition.
    fn change_of(&self, method: &MeasuredMethod, is_new: bool) -> Option<usize> {
        let (index, changes) = match is_new {
            true => (&self.new, &self.by_new),
            false => (&self.old, &self.by_old),
        };
        let definition = index.find(method)?;
        let key = (definition.kind, definition.name.as_str());
        changes.get(&key).copied()
    }

    /// The fate of a method that ran on one side alone.
    fn fate_of(
        &self,
        method: &MeasuredMethod,
        is_old: bool,
        is_other_library: bool,
    ) -> (Fate, Option<String>) {
        let alone = match is_old {
            true => Fate::Removed,
            false => Fate::Added,
        };
        if method.is_library {
            return (if is_other_library { alone } else { Fate::Same }, None);
        }
        if !self.is_known {
            return (alone, None);
        }
        if let Some(change) = self.change_of(method, !is_old) {
            let change = &self.changes[change];
            let is_named_otherwise = matches!(change.fate, Fate::Renamed | Fate::Moved);
            let old_name = change.old.filter(|_| is_named_otherwise);
            return (change.fate, old_name.map(|old| old.name.clone()));
        }
        let (here, there) = match is_old {
            true => (&self.old, &self.new),
            false => (&self.new, &self.old),
        };
        let text = |one: &Definition, other: &Definition| match one.digest == other.digest {
            true => Fate::Same,
            false => Fate::Text,
        };
        if let (Some(one), Some(other)) = (here.find(method), there.find(method)) {
            return (text(one, other), None);
        }
        (alone, None)
    }
}

/// Whether a definition is an evaluation, which has a number for a name.
fn is_evaluation(definition: &Definition) -> bool {
    definition.kind == DefinitionKind::Script && definition.name != definition.file
}

/// A method's name in its parts, and its code.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Named<'m> {
    name: &'m str,
    class: &'m str,
    selector: &'m str,
    code: u64,
}

impl<'m> Named<'m> {
    fn of(definition: &'m Definition) -> Option<Named<'m>> {
        let (class, selector) = definition.name.split_once(">>")?;
        let named = Named {
            name: &definition.name,
            class,
            selector,
            code: definition.code,
        };
        (definition.kind == DefinitionKind::Method).then_some(named)
    }

    fn of_method(method: &'m MeasuredMethod) -> Option<Named<'m>> {
        let named = Named {
            name: &method.name,
            class: &method.class,
            selector: &method.selector,
            code: method.code?,
        };
        (!method.class.is_empty()).then_some(named)
    }
}

/// The names before and after of renamed methods. A rename is a removed method and an added method with the same code,
/// if no other pair fits as well.
fn renames(removed: &[Named<'_>], added: &[Named<'_>]) -> Vec<(String, String)> {
    let mut by_code: BTreeMap<u64, [Vec<&Named<'_>>; 2]> = BTreeMap::new();
    for (side, list) in [removed, added].into_iter().enumerate() {
        for named in list {
            by_code.entry(named.code).or_default()[side].push(named);
        }
    }
    let mut pairs = Vec::new();
    for [mut gone, mut new] in by_code.into_values() {
        let rules: [fn(&Named<'_>) -> String; 3] = [
            |named| named.selector.to_string(),
            |named| named.class.to_string(),
            |_| String::new(),
        ];
        for rule in rules {
            let only = |list: &[&Named<'_>]| {
                let mut counts: HashMap<String, usize> = HashMap::new();
                list.iter()
                    .for_each(|named| *counts.entry(rule(named)).or_default() += 1);
                counts.retain(|_, count| *count == 1);
                counts
            };
            let (once, once_new) = (only(&gone), only(&new));
            let mut paired: Vec<String> = once.into_keys().collect();
            paired.retain(|key| once_new.contains_key(key));
            paired.sort();
            for key in paired {
                let is_it = |named: &&&Named<'_>| rule(named) == key;
                if let (Some(before), Some(after)) =
                    (gone.iter().find(is_it), new.iter().find(is_it))
                {
                    pairs.push((before.name.to_string(), after.name.to_string()));
                }
                gone.retain(|named| rule(named) != key);
                new.retain(|named| rule(named) != key);
            }
        }
    }
    pairs
}

/// The matched methods of two measurements.
struct Matching<'m> {
    old: &'m [MeasuredMethod],
    new: &'m [MeasuredMethod],
    /// The other of each old method.
    found: Vec<Option<u32>>,
    is_taken: Vec<bool>,
}

impl<'m> Matching<'m> {
    fn new(old: &'m [MeasuredMethod], new: &'m [MeasuredMethod]) -> Matching<'m> {
        Matching {
            old,
            new,
            found: vec![None; old.len()],
            is_taken: vec![false; new.len()],
        }
    }

    /// Pairs those that are still alone and have the same key, in their order.
    fn match_by<K: Hash + Eq>(&mut self, key: impl Fn(&'m MeasuredMethod) -> Option<K>) {
        let mut waiting: HashMap<K, VecDeque<u32>> = HashMap::new();
        for (number, method) in (0u32..).zip(self.new) {
            if let (false, Some(key)) = (self.is_taken[number as usize], key(method)) {
                waiting.entry(key).or_default().push_back(number);
            }
        }
        for (method, found) in self.old.iter().zip(&mut self.found) {
            if found.is_some() {
                continue;
            }
            let next = key(method).and_then(|key| waiting.get_mut(&key)?.pop_front());
            if let Some(new) = next {
                *found = Some(new);
                self.is_taken[new as usize] = true;
            }
        }
    }

    fn match_names(&mut self) {
        let is_pseudo = |method: &MeasuredMethod| method.class.is_empty();
        self.match_by(|method| Some((&method.name, &method.file, method.digest, method.code)));
        self.match_by(|method| Some((&method.name, method.digest)));
        // Evaluations are named for their lines, which shift.
        self.match_by(|m| is_pseudo(m).then_some((&m.file, m.code?)));
        self.match_by(|method| Some(&method.name));
        self.match_by(|method| {
            is_pseudo(method).then_some((&method.file, method.name == method.file))
        });
    }

    fn match_renamed(&mut self, renamed: &[(String, String)]) {
        let after: HashMap<&str, &str> = renamed
            .iter()
            .map(|(old, new)| (old.as_str(), new.as_str()))
            .collect();
        let numbers: HashMap<&str, u32> = (0u32..)
            .zip(self.new)
            .filter(|(number, _)| !self.is_taken[*number as usize])
            .map(|(number, method)| (method.name.as_str(), number))
            .collect();
        for (method, found) in self.old.iter().zip(&mut self.found) {
            let name = after.get(method.name.as_str());
            let number = name.and_then(|name| numbers.get(name)).copied();
            if let (None, Some(number)) = (*found, number)
                && !self.is_taken[number as usize]
                && method.code == self.new[number as usize].code
            {
                *found = Some(number);
                self.is_taken[number as usize] = true;
            }
        }
    }

    /// The renamed methods, as far as the methods that ran show renames.
    fn renamed(&self) -> Vec<(String, String)> {
        let gone = self.old.iter().zip(&self.found);
        let gone = gone.filter(|(_, found)| found.is_none());
        let gone: Vec<_> = gone.filter_map(|(m, _)| Named::of_method(m)).collect();
        let new = self.new.iter().zip(&self.is_taken);
        let new = new.filter(|(_, is_taken)| !**is_taken);
        let new: Vec<_> = new.filter_map(|(m, _)| Named::of_method(m)).collect();
        renames(&gone, &new)
    }

    fn finish(self) -> Vec<(Option<u32>, Option<u32>)> {
        let olds = (0u32..).zip(self.found);
        let mut pairs: Vec<_> = olds.map(|(old, found)| (Some(old), found)).collect();
        let news = (0u32..).zip(self.is_taken);
        pairs.extend(
            news.filter(|(_, is_taken)| !is_taken)
                .map(|(new, _)| (None, Some(new))),
        );
        pairs.sort_by_key(|(old, new)| (Reverse(old.is_some()), *old, *new));
        pairs
    }
}
