//! The definitions of a text as their author wrote them, for tools that write them in another notation. Nothing is
//! resolved here, and what the machine ignores is kept.

use crate::diagnostics::Diagnostic;
use crate::syntax::ast::{self, Item, Literal, Member, Method, Name, Span, TraitChange, TraitUse};
use crate::syntax::tonel::ston::{Kind, Map, Value};
use crate::syntax::{chunk, filetree, parse_file, tally, tonel};

/// The definitions of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Description {
    /// The name of the package, if the text defines one.
    pub package: Option<String>,
    /// Classes and traits.
    pub classes: Vec<ClassDescription>,
    /// The methods of all classes.
    pub methods: Vec<MethodDescription>,
    /// Whether the text is of a package. A script has its methods in bracket syntax.
    pub of_package: bool,
    /// What is no definition: statements and values of class variables.
    pub others: Vec<Span>,
}

/// A class or a trait.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClassDescription {
    /// Its name.
    pub name: String,
    /// Its superclass; `None` for a root and for a trait.
    pub superclass: Option<String>,
    /// Whether it is a trait.
    pub is_trait: bool,
    /// The layout of its instances if it is not the usual one, in the words of Tonel.
    pub layout: Option<String>,
    /// The composition of its traits.
    pub traits: Option<String>,
    /// The composition of its class side.
    pub class_traits: Option<String>,
    /// The variables of instances, with the kinds of special slots.
    pub instance_variables: Vec<String>,
    /// The class variables.
    pub class_variables: Vec<String>,
    /// The pools.
    pub pools: Vec<String>,
    /// The variables of the class itself.
    pub class_instance_variables: Vec<String>,
    /// The category.
    pub category: Option<String>,
    /// The package.
    pub package: Option<String>,
    /// The tag inside the package.
    pub tag: Option<String>,
    /// The comment; empty if there is none.
    pub comment: String,
}

/// A method.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MethodDescription {
    /// The name of its class.
    pub class: String,
    /// Whether it is on the class side.
    pub class_side: bool,
    /// The selector.
    pub selector: String,
    /// The category; empty if there is none.
    pub category: String,
    /// The pattern and, in brackets, the body.
    pub text: String,
}

/// Describes a file, and answers what its parser reports.
pub fn describe(path: &str, source: &str) -> (Description, Vec<Diagnostic>) {
    let (tree, diagnostics) = parse_file(path, source);
    let place = filetree::place(path);
    let is_tonel = place.is_none() && tonel::begins(source);
    let mut describer = Describer {
        source,
        form: match () {
            () if place.is_some() => Form::Bare,
            () if !is_tonel && chunk::is_in(source) => Form::Chunks,
            () if is_tonel => Form::Brackets,
            () => Form::Indented,
        },
        found: Description {
            of_package: tree.of_package,
            ..Description::default()
        },
    };
    tree.items.iter().for_each(|item| describer.item(item));
    let mut found = describer.found;
    if place.is_none() && tonel::is_in(source) {
        for (map, is_package) in tonel::metadata(source) {
            match is_package {
                true => found.package = text_of(&map, "name"),
                false => as_written(&map, &mut found.classes),
            }
        }
    }
    (found, diagnostics)
}

/// Errors after which the borders of definitions may be wrong: of strings, comments and brackets, of patterns and
/// class bodies, of metadata, and of texts that are too large.
const BREAKING: [std::ops::RangeInclusive<u16>; 7] = [
    1..=2,
    11..=11,
    101..=103,
    120..=129,
    150..=163,
    190..=193,
    1000..=u16::MAX,
];

/// Whether the definitions of a text are known although it has this error. Such an error stands inside one method, or
/// concerns a value that is taken over as it is written.
pub fn is_harmless(error: &Diagnostic) -> bool {
    let number = error.code.get(1..).and_then(|digits| digits.parse().ok());
    number.is_some_and(|number: u16| !BREAKING.iter().any(|range| range.contains(&number)))
}

/// How methods are written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// Without brackets around the body.
    Bare,
    /// The same, with doubled bangs.
    Chunks,
    Brackets,
    /// In brackets, and probably in a body with an indent.
    Indented,
}

struct Describer<'s> {
    source: &'s str,
    form: Form,
    found: Description,
}

impl Describer<'_> {
    fn item(&mut self, item: &Item) {
        match item {
            Item::Class(class) => self.class(class),
            Item::Extend(extension) => {
                let name = unscoped(&extension.class.text).to_owned();
                self.methods(&name, extension.class_side, &extension.members);
            }
            Item::Method(placed) => self.placed(placed),
            Item::Statement(statement) => self.found.others.push(statement.expression().span),
            Item::Eval { span, .. } => self.found.others.push(*span),
            Item::Temporaries(_) => {}
        }
    }

    fn class(&mut self, class: &ast::ClassDefinition) {
        let name = unscoped(&class.name.text).to_owned();
        let superclass = unscoped(&class.superclass.text);
        let mut described = ClassDescription {
            superclass: (superclass != "nil").then(|| superclass.to_owned()),
            is_trait: class.is_trait,
            pools: texts(&class.pools),
            traits: composition(&class.traits),
            ..ClassDescription::default()
        };
        for member in &class.members {
            match member {
                Member::InstanceVariables(names) => {
                    described.instance_variables.extend(texts(names));
                }
                Member::ClassInstanceVariables(names) => {
                    described.class_instance_variables.extend(texts(names));
                }
                Member::ClassVariable { name, value } => {
                    described.class_variables.push(name.text.clone());
                    if !matches!(value.kind, ast::ExprKind::Literal(Literal::Nil)) {
                        self.found.others.push(value.span);
                    }
                }
                Member::Pragma(pragma) => property(&mut described, pragma),
                Member::Method(_) | Member::Placed(_) => {}
            }
        }
        described.class_traits = match &class.class_traits {
            Some(uses) => composition(uses),
            None => described.class_traits.or_else(|| {
                let sides = class.traits.iter();
                let sides = sides.map(|one| format!("{} classTrait", one.name.text));
                let sides: Vec<String> = sides.collect();
                (!sides.is_empty()).then(|| sides.join(" + "))
            }),
        };
        described.name.clone_from(&name);
        self.found.classes.push(described);
        self.methods(&name, false, &class.members);
    }

    fn methods(&mut self, class: &str, class_side: bool, members: &[Member]) {
        for member in members {
            match member {
                Member::Method(method) => self.method(class, class_side, method),
                Member::Placed(placed) => self.placed(placed),
                _ => {}
            }
        }
    }

    fn placed(&mut self, placed: &ast::PlacedMethod) {
        let class = unscoped(&placed.class.text);
        self.method(class, placed.class_side, &placed.method);
    }

    fn method(&mut self, class: &str, class_side: bool, method: &Method) {
        let pragma = || {
            method
                .pragmas
                .iter()
                .find(|one| one.selector == "category:")
        };
        let category = match (&method.category, pragma()) {
            (Some(category), _) => category.clone(),
            (None, Some(pragma)) => argument(pragma).unwrap_or_default().to_owned(),
            (None, None) => String::new(),
        };
        let span = method.span;
        let text = match self.form {
            Form::Bare | Form::Chunks => {
                let is_chunk = self.form == Form::Chunks;
                tally::in_brackets(&tally::text_in(self.source, span, is_chunk))
            }
            Form::Brackets => self.slice(span).to_owned(),
            Form::Indented => tally::outdented(self.source, span),
        };
        self.found.methods.push(MethodDescription {
            class: class.to_owned(),
            class_side,
            selector: method.selector.text.clone(),
            category,
            text,
        });
    }

    fn slice(&self, span: Span) -> &str {
        let text = self.source.get(span.start as usize..span.end as usize);
        text.unwrap_or_default()
    }
}

/// Takes a property of a class over that a pragma states.
fn property(class: &mut ClassDescription, pragma: &ast::Pragma) {
    let Some(text) = argument(pragma) else {
        return;
    };
    match pragma.selector.as_str() {
        "comment:" => text.clone_into(&mut class.comment),
        "category:" => class.category = Some(text.to_owned()),
        "package:" => class.package = Some(text.to_owned()),
        "uses:" => class.traits = Some(text.to_owned()),
        "classUses:" => class.class_traits = Some(text.to_owned()),
        "shape:" => {
            let layout = if text == "pointer" {
                "variable"
            } else {
                "bytes"
            };
            class.layout = Some(layout.to_owned());
        }
        _ => {}
    }
}

fn argument(pragma: &ast::Pragma) -> Option<&str> {
    match pragma.arguments.first()? {
        Literal::String(text) | Literal::Symbol(text) => Some(text),
        _ => None,
    }
}

/// Puts the values of the metadata in the place of those that the machine knows.
fn as_written(map: &Map, classes: &mut [ClassDescription]) {
    let name = text_of(map, "name");
    let Some(class) = classes
        .iter_mut()
        .find(|class| Some(&class.name) == name.as_ref())
    else {
        return;
    };
    class.layout = text_of(map, "type").filter(|layout| layout != "normal");
    for (key, variables) in [
        ("instVars", &mut class.instance_variables),
        ("classVars", &mut class.class_variables),
        ("classInstVars", &mut class.class_instance_variables),
    ] {
        if let Some(Kind::List(elements)) = map.get(key).map(|value| &value.kind) {
            let texts = elements.iter().filter_map(Value::text);
            *variables = texts.map(str::to_owned).collect();
        }
    }
    for (key, composition) in [
        ("traits", &mut class.traits),
        ("classTraits", &mut class.class_traits),
    ] {
        let written = text_of(map, key);
        *composition = written
            .or(composition.take())
            .filter(|text| text.trim() != "{}");
    }
    class.category = text_of(map, "category");
    class.package = text_of(map, "package");
    class.tag = text_of(map, "tag");
}

fn text_of(map: &Map, key: &str) -> Option<String> {
    map.get(key).and_then(Value::text).map(str::to_owned)
}

/// A composition as an expression; none if it is empty.
fn composition(uses: &[TraitUse]) -> Option<String> {
    let one = |one: &TraitUse| {
        let mut text = one.name.text.clone();
        if one.class_side {
            text.push_str(" classTrait");
        }
        for change in &one.changes {
            match change {
                TraitChange::Exclude(selector) => text.push_str(&format!(" - {{#{selector}}}")),
                TraitChange::Alias { alias, selector } => {
                    text.push_str(&format!(" @ {{#{alias} -> #{selector}}}"));
                }
            }
        }
        match one.changes.is_empty() {
            true => text,
            false => format!("({text})"),
        }
    };
    let texts: Vec<String> = uses.iter().map(one).collect();
    (!texts.is_empty()).then(|| texts.join(" + "))
}

fn texts(names: &[Name]) -> Vec<String> {
    names
        .iter()
        .map(|name| unscoped(&name.text).to_owned())
        .collect()
}

/// `Foo` of `Smalltalk.Foo`.
fn unscoped(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}
