//! Explanations of differences between pairs of random programs, which the test runs. The parts add up for the whole,
//! each run and each method. Every named cause was edited. Every edited method that ran is named. Nothing is left
//! unexplained.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot be set up has nothing better to do"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

mod measured;

use measured::measured;
use proptest::prelude::*;
use tally_comparison::explanation::{Explained, Explanation, Ratio, explain};
use tally_comparison::{Measurement, difference};

const CLASSES: [&str; 4] = ["Base", "Left", "Right", "Other"];
/// Methods of each layer call those of later layers only.
const LAYERS: usize = 7;
const QUICK: usize = 3;

/// A statement of a method.
#[derive(Clone, Debug)]
enum Statement {
    /// A number of sends.
    Sends(u8),
    /// A message to itself.
    Call(u8),
    /// A message as often as a quick method says.
    Repeat(u8, u8),
    /// A message from a block that the library evaluates.
    Each(u8, u8),
    /// A message whose selector is a value.
    Perform(u8),
    /// A message to another class's object.
    Other(u8),
    /// Something is left behind.
    Store(u8),
    /// As many repetitions as was left behind.
    Stored(u8),
    /// A recursion so deep.
    Down(u8),
}

/// A program: bodies of methods by class and selector.
type Bodies = BTreeMap<(String, String), Vec<Statement>>;

#[derive(Clone, Debug)]
struct Program {
    methods: Bodies,
    quick: BTreeMap<(String, String), u8>,
    names: [String; LAYERS],
}

/// A change of a program.
#[derive(Clone, Debug)]
enum Edit {
    /// Another statement in front of a method's.
    Insert(u8, Statement),
    /// A statement of a method less.
    Remove(u8, u8),
    /// Another number in a quick method.
    Number(u8, u8),
    /// Another name for a layer's methods.
    Rename(u8),
    /// A method goes to another class.
    Move(u8, u8),
    /// A class gets a method of its own for a layer.
    Override(u8, u8, Statement),
    /// A method less, if its class inherits another.
    Delete(u8),
    /// A quick method of its own for a class.
    OverrideNumber(u8, u8, u8),
}

fn statement() -> impl Strategy<Value = Statement> {
    let layer = 0..LAYERS as u8;
    let quick = 0..QUICK as u8;
    prop_oneof![
        3 => (1u8..6).prop_map(Statement::Sends),
        4 => layer.clone().prop_map(Statement::Call),
        2 => (quick.clone(), layer.clone()).prop_map(|(q, l)| Statement::Repeat(q, l)),
        2 => (1u8..4, layer.clone()).prop_map(|(n, l)| Statement::Each(n, l)),
        1 => layer.clone().prop_map(Statement::Perform),
        2 => layer.clone().prop_map(Statement::Other),
        1 => (0u8..5).prop_map(Statement::Store),
        1 => layer.prop_map(Statement::Stored),
        1 => (0u8..6).prop_map(Statement::Down),
    ]
}

fn program() -> impl Strategy<Value = Program> {
    let body = || prop::collection::vec(statement(), 0..4);
    let base = prop::collection::vec(body(), LAYERS);
    let overrides = prop::collection::vec((1usize..4, 0usize..LAYERS, body()), 0..6);
    let quick = prop::collection::vec(0u8..4, QUICK);
    (base, overrides, quick).prop_map(|(base, overrides, quick)| {
        let names = std::array::from_fn(|layer| format!("m{layer}"));
        let mut methods = Bodies::new();
        for (layer, body) in base.into_iter().enumerate() {
            methods.insert(("Base".to_string(), format!("m{layer}")), body);
        }
        for (class, layer, body) in overrides {
            methods.insert((CLASSES[class].to_string(), format!("m{layer}")), body);
        }
        let quick = quick.into_iter().enumerate();
        let quick = quick.map(|(n, value)| (("Base".to_string(), format!("q{n}")), value));
        Program {
            methods,
            quick: quick.collect(),
            names,
        }
    })
}

fn edit() -> impl Strategy<Value = Edit> {
    prop_oneof![
        4 => (any::<u8>(), statement()).prop_map(|(m, s)| Edit::Insert(m, s)),
        2 => (any::<u8>(), any::<u8>()).prop_map(|(m, n)| Edit::Remove(m, n)),
        2 => (0..QUICK as u8, 0u8..5).prop_map(|(q, n)| Edit::Number(q, n)),
        1 => (0..LAYERS as u8).prop_map(Edit::Rename),
        1 => (any::<u8>(), 0u8..4).prop_map(|(m, c)| Edit::Move(m, c)),
        1 => (1u8..4, 0..LAYERS as u8, statement()).prop_map(|(c, l, s)| Edit::Override(c, l, s)),
        1 => any::<u8>().prop_map(Edit::Delete),
        1 => (1u8..4, 0..QUICK as u8, 0u8..5).prop_map(|(c, q, n)| Edit::OverrideNumber(c, q, n)),
    ]
}

impl Program {
    fn key(&self, number: u8) -> Option<(String, String)> {
        let place = usize::from(number).checked_rem(self.methods.len())?;
        self.methods.keys().nth(place).cloned()
    }

    fn apply(&mut self, edit: &Edit) {
        match edit {
            Edit::Insert(method, statement) => {
                let key = self.key(*method);
                let body = key.and_then(|key| self.methods.get_mut(&key));
                body.unwrap().insert(0, statement.clone());
            }
            Edit::Remove(method, statement) => {
                let body = self.key(*method).and_then(|key| self.methods.get_mut(&key));
                let body = body.unwrap();
                if !body.is_empty() {
                    body.remove(usize::from(*statement) % body.len());
                }
            }
            Edit::Number(quick, value) => {
                self.quick
                    .insert(("Base".to_string(), format!("q{quick}")), *value);
            }
            Edit::Rename(layer) => {
                let layer = usize::from(*layer);
                let renamed = format!("{}x", self.names[layer]);
                let old = std::mem::replace(&mut self.names[layer], renamed.clone());
                let methods = std::mem::take(&mut self.methods).into_iter();
                self.methods = methods
                    .map(|((class, selector), body)| match selector == old {
                        true => ((class, renamed.clone()), body),
                        false => ((class, selector), body),
                    })
                    .collect();
            }
            Edit::Move(method, class) => {
                let key = self.key(*method).unwrap();
                let class = CLASSES[usize::from(*class)].to_string();
                let new = (class, key.1.clone());
                if !self.methods.contains_key(&new) && key.0 != "Base" {
                    let body = self.methods.remove(&key).unwrap();
                    self.methods.insert(new, body);
                }
            }
            Edit::Override(class, layer, statement) => {
                let class = CLASSES[usize::from(*class)].to_string();
                let key = (class, self.names[usize::from(*layer)].clone());
                self.methods.insert(key, vec![statement.clone()]);
            }
            Edit::Delete(method) => {
                let key = self.key(*method).unwrap();
                if key.0 != "Base" {
                    self.methods.remove(&key);
                }
            }
            Edit::OverrideNumber(class, quick, value) => {
                let class = CLASSES[usize::from(*class)].to_string();
                self.quick.insert((class, format!("q{quick}")), *value);
            }
        }
    }

    /// A method of a later layer, which a method of this layer may call.
    fn later(&self, selector: &str, layer: u8) -> Option<&str> {
        let own = self.names.iter().position(|name| name == selector).unwrap();
        let later = &self.names[own + 1..];
        let place = usize::from(layer).checked_rem(later.len())?;
        Some(&later[place])
    }

    fn body(&self, selector: &str, body: &[Statement]) -> String {
        let mut text = String::new();
        for statement in body {
            let later = |layer: &u8| self.later(selector, *layer);
            let sentence = match statement {
                Statement::Sends(count) => Some("3 + 4. ".repeat(usize::from(*count))),
                Statement::Call(layer) => later(layer).map(|name| format!("self {name}. ")),
                Statement::Repeat(quick, layer) => later(layer)
                    .map(|name| format!("1 to: self q{quick} do: [ :i | self {name} ]. ")),
                Statement::Each(count, layer) => later(layer)
                    .map(|name| format!("(Array new: {count}) do: [ :x | self {name} ]. ")),
                Statement::Perform(layer) => {
                    later(layer).map(|name| format!("self perform: #{name}. "))
                }
                Statement::Other(layer) => later(layer).map(|name| format!("Other new {name}. ")),
                Statement::Store(value) => Some(format!("Smalltalk at: #Left0 put: {value}. ")),
                Statement::Stored(layer) => later(layer)
                    .map(|name| format!("1 to: (Smalltalk at: #Left0) do: [ :i | self {name} ]. ")),
                Statement::Down(depth) => Some(format!("self down: {depth}. ")),
            };
            text.push_str(&sentence.unwrap_or_default());
        }
        text
    }

    /// Every method's text by its name.
    fn texts(&self) -> BTreeMap<String, String> {
        let mut texts = BTreeMap::new();
        for ((class, selector), body) in &self.methods {
            texts.insert(format!("{class}>>{selector}"), self.body(selector, body));
        }
        for ((class, selector), value) in &self.quick {
            texts.insert(format!("{class}>>{selector}"), format!("^{value}"));
        }
        let down = "n = 0 ifFalse: [ self down: n - 1 ]";
        texts.insert("Base>>down:".to_string(), down.to_string());
        texts
    }

    fn text(&self) -> String {
        let mut text =
            "Object subclass: Base [ ]\nBase subclass: Left [ ]\nLeft subclass: Right [ ]\n\
                        Base subclass: Other [ ]\n"
                .to_string();
        for (name, body) in self.texts() {
            let (class, selector) = name.split_once(">>").unwrap();
            let argument = if selector.ends_with(':') { " n" } else { "" };
            let _ = writeln!(text, "{class} extend [ {selector}{argument} [ {body} ] ]");
        }
        text
    }
}

/// The runs of a program; its first layers' names may have changed.
fn runs(program: &Program) -> Vec<String> {
    let [first, second, third, ..] = &program.names;
    let start = "Smalltalk at: #Left0 put: 1.";
    vec![
        format!("{start} Base new {first}. Right new {second}"),
        format!("{start} Right new {first}"),
        format!("{start} Left new {first}. Left new {third}"),
        "3 + 4".to_string(),
    ]
}

fn sum(explained: &Explained) -> Ratio {
    let parts = explained.parts.iter();
    parts.fold(Ratio::default(), |sum, part| sum.plus(&part.part))
}

fn adds_up(explained: &Explained, what: &str) {
    assert_eq!(
        sum(explained),
        Ratio::from(explained.difference),
        "{what} of {explained:#?}"
    );
    for part in &explained.parts {
        let ways = part.ways.iter();
        let sum = ways.fold(Ratio::default(), |sum, way| sum.plus(&way.part));
        assert_eq!(sum, part.part);
    }
}

/// What holds for every explanation: the parts add up, everywhere.
fn check(old: &Measurement, new: &Measurement) -> Explanation {
    let explanation = explain(old, new);
    let told = difference(old, new);
    assert_eq!(explanation.whole.difference, told.sends_difference());
    adds_up(&explanation.whole, "the whole");
    for run in &told.runs {
        match explanation.of_run(&run.name) {
            Some(explained) => {
                assert_eq!(explained.difference, run.sends_difference());
                adds_up(explained, &run.name);
            }
            None => assert_eq!(run.sends_difference(), 0),
        }
    }
    for method in &told.methods {
        match explanation.of_method(&method.name) {
            Some(explained) => {
                assert_eq!(
                    explained.own.difference,
                    method.own_difference(),
                    "{}",
                    method.name
                );
                assert_eq!(
                    explained.total.difference,
                    method.total_difference(),
                    "{}",
                    method.name
                );
                adds_up(&explained.own, "own");
                adds_up(&explained.total, "total");
            }
            None => assert_eq!((method.own_difference(), method.total_difference()), (0, 0)),
        }
    }
    explanation
}

/// The names that differ between two programs.
fn edited(old: &Program, new: &Program) -> BTreeSet<String> {
    let (old, new) = (old.texts(), new.texts());
    let names = old.keys().chain(new.keys());
    names
        .filter(|name| old.get(*name) != new.get(*name))
        .cloned()
        .collect()
}

/// The names of the causes of some parts, before and after.
fn named(explained: &Explained) -> Vec<[Option<String>; 2]> {
    let causes = explained.parts.iter().flat_map(|part| &part.causes);
    causes
        .map(|cause| [Some(cause.name.clone()), cause.old_name.clone()])
        .collect()
}

fn holds(old: &Program, new: &Program) {
    let (before, after) = (runs(old), runs(new));
    let texts = |runs: &[String]| {
        runs.iter()
            .map(String::as_str)
            .collect::<Vec<_>>()
            .join("\n")
    };
    let (old_text, new_text) = (old.text(), new.text());
    let measure = |text: &str, runs: &[String]| {
        measured(text, &runs.iter().map(String::as_str).collect::<Vec<_>>())
    };
    let (old_side, new_side) = (measure(&old_text, &before), measure(&new_text, &after));
    let explanation = check(&old_side, &new_side);
    let context = || {
        format!(
            "{old_text}{}\n----\n{new_text}{}\n{explanation:#?}",
            texts(&before),
            texts(&after)
        )
    };
    let edited = edited(old, new);
    assert!(!explanation.is_unexplained(), "{}", context());
    let all = std::iter::once(&explanation.whole).chain(&explanation.runs);
    let methods = explanation.methods.iter().flat_map(|m| [&m.own, &m.total]);
    for explained in all.chain(methods) {
        for names in named(explained) {
            let is_edited = names
                .iter()
                .flatten()
                .any(|name| edited.contains(name) || name.starts_with("<run>"));
            assert!(is_edited, "{names:?} was not edited: {}", context());
        }
    }
    let listed: BTreeSet<String> = named(&explanation.whole)
        .into_iter()
        .flatten()
        .flatten()
        .collect();
    for side in [&old_side, &new_side] {
        for method in &side.methods {
            let has_to_be = edited.contains(&method.name);
            assert!(
                !has_to_be || listed.contains(&method.name),
                "{}: {}",
                method.name,
                context()
            );
        }
    }
    if edited.is_empty() {
        assert_eq!(old_side, new_side);
        assert_eq!(explanation, Explanation::default());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn edits_are_found_and_the_parts_add_up(old in program(), edits in prop::collection::vec(edit(), 0..5)) {
        let mut new = old.clone();
        edits.iter().for_each(|edit| new.apply(edit));
        holds(&old, &new);
        holds(&new, &old);
    }

    #[test]
    fn one_edit_has_all_of_it(old in program(), edit in edit()) {
        let mut new = old.clone();
        new.apply(&edit);
        holds(&old, &new);
    }

    /// Programs that have nothing to do with each other.
    #[test]
    fn other_programs_are_explained_too(old in program(), new in program()) {
        holds(&old, &new);
    }
}
