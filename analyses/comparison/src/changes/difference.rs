//! The differences between two versions of a program's units. Compiled code is compared without locations in the text, so
//! that an edited comment is no change.

use std::collections::{BTreeMap, BTreeSet};

use tally_vm::bytecode::{
    ClassDefinition, Code, Definition, GlobalRef, Kind, Op, Span, TraitUse, Unit, Word,
};

use super::{Changes, Side};

/// The properties of a class that decide the layout of its instances and the lookup of messages to them.
#[derive(Clone, Debug, PartialEq)]
enum Shape {
    Defined {
        superclass: Option<String>,
        kind: Option<Kind>,
        instance_variables: Vec<String>,
        class_instance_variables: Vec<String>,
        class_variables: Vec<String>,
        pools: Vec<String>,
        is_trait: bool,
        traits: Vec<TraitUse>,
        class_traits: Option<Vec<TraitUse>>,
    },
    Extended {
        instance_variables: Vec<String>,
        class_instance_variables: Vec<String>,
        class_variables: Vec<String>,
    },
}

impl Shape {
    fn of(definition: &ClassDefinition) -> Shape {
        Shape::Defined {
            superclass: definition.superclass.clone(),
            kind: definition.kind,
            instance_variables: definition.instance_variables.clone(),
            class_instance_variables: definition.class_instance_variables.clone(),
            class_variables: definition.class_variables.clone(),
            pools: definition.pools.clone(),
            is_trait: definition.is_trait,
            traits: definition.traits.clone(),
            class_traits: definition.class_traits.clone(),
        }
    }

    /// The classes and traits that a class takes its methods from.
    fn above(&self) -> Vec<&str> {
        match self {
            Shape::Defined {
                superclass,
                traits,
                class_traits,
                ..
            } => {
                let used = traits.iter().chain(class_traits.iter().flatten());
                let used = used.map(|part| part.name.as_str());
                superclass.as_deref().into_iter().chain(used).collect()
            }
            Shape::Extended { .. } => Vec::new(),
        }
    }

    /// An extension by methods alone changes no shape.
    fn is_empty(&self) -> bool {
        match self {
            Shape::Defined { .. } => false,
            Shape::Extended {
                instance_variables,
                class_instance_variables,
                class_variables,
            } => {
                instance_variables.is_empty()
                    && class_instance_variables.is_empty()
                    && class_variables.is_empty()
            }
        }
    }
}

/// A version of a program.
#[derive(Default)]
struct Version {
    /// Scripts and their evaluations, in order, without the definitions that they carry out.
    scripts: Vec<Code>,
    /// In the order in which they take effect.
    shapes: BTreeMap<String, Vec<Shape>>,
    /// The last definition is in effect, but the program decides the order of definitions.
    methods: BTreeMap<(Side, String), Vec<Code>>,
}

impl Version {
    fn of<'u>(units: impl IntoIterator<Item = &'u Unit>) -> Version {
        let mut version = Version::default();
        for unit in units {
            version.scripts.push(script(&unit.script));
            for definition in &unit.definitions {
                version.define(definition);
            }
        }
        version.scripts.retain(does_something);
        version
    }

    fn define(&mut self, definition: &Definition) {
        let (class, shape, methods) = match definition {
            Definition::Class(class) => (&class.name, Shape::of(class), &class.methods),
            Definition::Extension {
                class,
                instance_variables,
                class_instance_variables,
                class_variables,
                methods,
                ..
            } => {
                let shape = Shape::Extended {
                    instance_variables: instance_variables.clone(),
                    class_instance_variables: class_instance_variables.clone(),
                    class_variables: class_variables.clone(),
                };
                (class, shape, methods)
            }
            Definition::Evaluation { code, .. } => {
                self.scripts.push(without_places(code));
                return;
            }
        };
        if !shape.is_empty() {
            self.shapes.entry(class.clone()).or_default().push(shape);
        }
        for method in methods {
            let side = Side {
                class: method.class.clone(),
                is_class_side: method.class_side,
            };
            let key = (side, method.code.selector.clone());
            let codes = self.methods.entry(key).or_default();
            codes.push(without_places(&method.code));
        }
    }

    /// Classes that the program itself defines.
    fn defined(&self) -> impl Iterator<Item = &String> {
        let is_definition = |shapes: &&Vec<Shape>| {
            shapes
                .iter()
                .any(|shape| matches!(shape, Shape::Defined { .. }))
        };
        let defined = self.shapes.iter();
        defined
            .filter(move |(_, shapes)| is_definition(shapes))
            .map(|(name, _)| name)
    }
}

/// The code without the places in the text that it stands at.
fn without_places(code: &Code) -> Code {
    let mut code = code.clone();
    code.span = Span::default();
    code.digest = 0;
    for site in &mut code.sites {
        site.span = Span::default();
        site.selector_span = Span::default();
    }
    for block in &mut code.blocks {
        block.span = Span::default();
    }
    code
}

/// The same of a script, without the definitions that stand in it and their numbers.
fn script(code: &Code) -> Code {
    let mut code = without_places(code);
    code.selector = String::new();
    let mut words = Vec::with_capacity(code.words.len());
    let mut at = 0;
    while let Some(&word) = code.words.get(at) {
        let op = Word(word).op();
        let width = op.map_or(1, Op::width);
        let end = (at + width).min(code.words.len());
        match op {
            Some(Op::Define) => {}
            Some(op @ Op::Evaluate) => {
                let whole = Word(word);
                words.push(Word::new(op, whole.a(), whole.b(), whole.c(), 0).0);
                words.extend(&code.words[at + 1..end]);
            }
            _ => words.extend(&code.words[at..end]),
        }
        at = end;
    }
    code.words = words;
    code
}

/// Whether a script does more than to define.
fn does_something(code: &Code) -> bool {
    let is_nothing = |op: Op| matches!(op, Op::LoadNil | Op::Return | Op::Move);
    !code.sites.is_empty()
        || !code.blocks.is_empty()
        || !code
            .words
            .iter()
            .all(|&word| Word(word).op().is_some_and(is_nothing))
}

impl Changes {
    /// The differences between two versions of a program, each given by its units in the order of loading.
    pub fn between<'u>(
        old: impl IntoIterator<Item = &'u Unit>,
        new: impl IntoIterator<Item = &'u Unit>,
    ) -> Changes {
        let (old, new) = (Version::of(old), Version::of(new));
        let mut changes = Changes {
            below: below(&old, &new),
            ..Changes::default()
        };
        if old.scripts != new.scripts {
            let why = "statements at top level, or first values of class variables, differ";
            changes.everything = Some(why.to_string());
        }
        changes.compare_shapes(&old, &new);
        changes.compare_methods(&old, &new);
        changes
    }

    fn compare_shapes(&mut self, old: &Version, new: &Version) {
        let names: BTreeSet<&String> = old.shapes.keys().chain(new.shapes.keys()).collect();
        for name in names {
            if old.shapes.get(name) != new.shapes.get(name) {
                self.classes.insert(name.clone());
            }
        }
        // Another shape of a class of the library can be met anywhere.
        let foreign = self
            .classes
            .iter()
            .find(|name| !self.below.contains_key(*name));
        if let Some(name) = foreign {
            self.everything = Some(format!(
                "variables of {name}, a class of the library, differ"
            ));
        }
    }

    fn compare_methods(&mut self, old: &Version, new: &Version) {
        let (then, now): (BTreeSet<_>, BTreeSet<_>) =
            (old.defined().collect(), new.defined().collect());
        // A name may mean another thing now, or nothing any more.
        let renamed: BTreeSet<&str> = then
            .symmetric_difference(&now)
            .map(|name| name.as_str())
            .collect();
        let keys: BTreeSet<_> = old.methods.keys().chain(new.methods.keys()).collect();
        for key in keys {
            let codes = [old.methods.get(key), new.methods.get(key)];
            let mentions =
                |codes: &&Vec<Code>| codes.iter().any(|code| names_one_of(code, &renamed));
            if codes[0] == codes[1] && !codes[0].is_some_and(|codes| mentions(&codes)) {
                continue;
            }
            let (side, selector) = key;
            if is_trait(old, &side.class) || is_trait(new, &side.class) {
                // Those who use it may call the method something else.
                self.classes.insert(side.class.clone());
            }
            if self.may_end_short_cuts(side, selector) {
                let class = &side.class;
                self.everything = Some(format!(
                    "{class}>>{selector} differs, for which there are short cuts"
                ));
            }
            let has_pragma = |codes: &Vec<Code>| codes.iter().any(|code| !code.pragmas.is_empty());
            if codes.into_iter().flatten().any(has_pragma) {
                self.pragmas.insert(side.class.clone());
            }
            self.methods
                .entry(selector.clone())
                .or_default()
                .insert(side.clone());
        }
    }
}

impl Changes {
    /// Sends that are short-cut are not looked up. Identity is short-cut for every receiver, the other selectors for
    /// receivers of the library.
    fn may_end_short_cuts(&self, side: &Side, selector: &str) -> bool {
        let is_identity = ["==", "~~"].contains(&selector);
        tally_vm::is_short_cut(selector) && (is_identity || !self.below.contains_key(&side.class))
    }
}

fn names_one_of(code: &Code, names: &BTreeSet<&str>) -> bool {
    code.globals.iter().any(|global| match global {
        GlobalRef::Global(name) => names.contains(name.as_str()),
        GlobalRef::ClassVariable { class, .. } => names.contains(class.as_str()),
    })
}

fn is_trait(version: &Version, class: &str) -> bool {
    let shapes = version.shapes.get(class).into_iter().flatten();
    shapes
        .into_iter()
        .any(|shape| matches!(shape, Shape::Defined { is_trait: true, .. }))
}

/// For each class or trait that one of the versions defines, all that get methods from it in one of them, itself
/// included.
fn below(old: &Version, new: &Version) -> BTreeMap<String, BTreeSet<String>> {
    let mut direct: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (name, shapes) in old.shapes.iter().chain(&new.shapes) {
        for above in shapes.iter().flat_map(Shape::above) {
            direct.entry(above).or_default().insert(name);
        }
    }
    let all = |name: &String| {
        let mut found: BTreeSet<String> = BTreeSet::new();
        let mut waiting = vec![name.as_str()];
        while let Some(next) = waiting.pop() {
            if found.insert(next.to_string()) {
                waiting.extend(direct.get(next).into_iter().flatten());
            }
        }
        (name.clone(), found)
    };
    old.defined().chain(new.defined()).map(all).collect()
}
