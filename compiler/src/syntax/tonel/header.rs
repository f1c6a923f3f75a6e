//! The meaning of the keys of a definition's metadata.

use super::scan::{Found, Keyword};
use super::ston::{Kind, Map, Value};
use crate::diagnostics::Diagnostic;
use crate::syntax::ast::{
    ClassDefinition, Expr, ExprKind, Literal, Member, Name, Pragma, Span, TraitUse,
};
use crate::syntax::traits;
use tally_vm::bytecode::is_name;

/// A definition that was understood.
pub(super) enum Definition {
    Class(Box<ClassDefinition>),
    Extension(Name),
    Package,
}

/// Keys that mean something to other tools only.
const IGNORED: [&str; 10] = [
    "name",
    "superclass",
    "instVars",
    "classVars",
    "classInstVars",
    "category",
    "package",
    "tag",
    "type",
    "traits",
];
const IGNORED_TOO: [&str; 5] = [
    "classTraits",
    "pools",
    "poolDictionaries",
    "instvars",
    "comment",
];

/// Understands a definition, or reports why not.
pub(super) fn definition(found: &Found, diagnostics: &mut Vec<Diagnostic>) -> Option<Definition> {
    let map = found.map.as_ref()?;
    let mut reader = Reader {
        map,
        at: found.span,
        diagnostics,
    };
    match found.keyword {
        Keyword::Package => reader.name("name").map(|_| Definition::Package),
        Keyword::Extension => {
            let mut name = reader.class_name("name")?;
            // An extension may name its side as well. The suffix is dropped, because each method names its side itself.
            for side in [" class", " classSide", " classTrait"] {
                if let Some(class) = name.text.strip_suffix(side) {
                    name.text = class.to_owned();
                    break;
                }
            }
            Some(Definition::Extension(name))
        }
        Keyword::Class | Keyword::Trait => {
            let class = reader.class(found)?;
            Some(Definition::Class(Box::new(class)))
        }
    }
}

struct Reader<'m> {
    map: &'m Map,
    at: Span,
    diagnostics: &'m mut Vec<Diagnostic>,
}

impl Reader<'_> {
    fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// The text of a key that has to be there.
    fn name(&mut self, key: &str) -> Option<Name> {
        let Some(value) = self.map.get(key) else {
            let message = format!("the metadata have no `#{key}`");
            self.report(
                Diagnostic::error("E0163", self.at, message)
                    .labelled("in this definition")
                    .helping(format!("add `#{key} : '…'`")),
            );
            return None;
        };
        match value.text() {
            Some(text) if !text.is_empty() => Some(name(text, value.span)),
            _ => {
                self.bad_value(key, value.span, "a name, such as `'Object'`");
                None
            }
        }
    }

    fn class_name(&mut self, key: &str) -> Option<Name> {
        let name = self.name(key)?;
        let class = name.text.split(' ').next().unwrap_or_default();
        if !is_name(class) {
            self.bad_value(
                key,
                name.span,
                "the name of a class: letters, digits and `_`",
            );
            return None;
        }
        Some(name)
    }

    fn bad_value(&mut self, key: &str, span: Span, expected: &str) {
        let message = format!("this cannot be the value of `#{key}`");
        self.report(
            Diagnostic::error("E0164", span, message).labelled(format!("expected {expected}")),
        );
    }

    fn class(&mut self, found: &Found) -> Option<ClassDefinition> {
        self.check_keys();
        let is_trait = found.keyword == Keyword::Trait;
        let name = self.class_name("name")?;
        if !is_name(&name.text) {
            self.bad_value(
                "name",
                name.span,
                "the name of a class: letters, digits and `_`",
            );
            return None;
        }
        let superclass = if is_trait {
            self::name("nil", name.span)
        } else {
            self.superclass()?
        };
        let mut members = vec![Member::InstanceVariables(self.variables("instVars"))];
        members.push(Member::ClassInstanceVariables(
            self.variables("classInstVars"),
        ));
        for variable in self.variables("classVars") {
            let value = Expr::new(ExprKind::Literal(Literal::Nil), variable.span);
            members.push(Member::ClassVariable {
                name: variable,
                value,
            });
        }
        self.shape(&mut members);
        self.category(&mut members);
        if let Some(comment) = &found.comment {
            members.push(pragma("comment:", comment, found.span));
        }
        let pools = ["pools", "poolDictionaries"]
            .map(|key| self.variables(key))
            .concat();
        Some(ClassDefinition {
            name,
            superclass,
            is_trait,
            traits: self.composition("traits").unwrap_or_default(),
            class_traits: self.composition("classTraits"),
            pools,
            members,
            span: found.span,
        })
    }

    fn superclass(&mut self) -> Option<Name> {
        match self.map.get("superclass") {
            Some(Value {
                kind: Kind::Other,
                span,
            }) => Some(name("nil", *span)),
            _ => self.class_name("superclass"),
        }
    }

    fn check_keys(&mut self) {
        for (key, _) in &self.map.entries {
            let text = key.text().unwrap_or_default();
            if !IGNORED.contains(&text) && !IGNORED_TOO.contains(&text) {
                let message = format!("the key `#{text}` means nothing here");
                let warning = Diagnostic::warning("W0310", key.span, message);
                self.diagnostics.push(warning.labelled("is read over"));
            }
        }
    }

    /// The names in a list of strings or symbols. A slot of a special kind is `'#name => Kind'`.
    fn variables(&mut self, key: &str) -> Vec<Name> {
        let Some(value) = self.map.get(key) else {
            return Vec::new();
        };
        let Kind::List(elements) = &value.kind else {
            self.bad_value(key, value.span, "a list, such as `[ 'a', 'b' ]`");
            return Vec::new();
        };
        let mut names = Vec::new();
        for element in elements {
            let text = element.text().unwrap_or_default();
            let (word, kind) = match text.split_once("=>") {
                Some((word, kind)) => (word.trim().trim_start_matches('#'), Some(kind.trim())),
                None => (text.trim_start_matches('#'), None),
            };
            if !is_name(word) {
                self.bad_value(key, element.span, "names of variables");
                continue;
            }
            if let Some(kind) = kind.filter(|kind| *kind != "InstanceVariableSlot") {
                self.special_slot(word, kind, element.span);
            }
            names.push(name(word, element.span));
        }
        names
    }

    fn special_slot(&mut self, word: &str, kind: &str, span: Span) {
        let message = format!("`{word}` is an ordinary variable here");
        self.report(
            Diagnostic::warning("W0311", span, message)
                .labelled(format!("slots of the kind `{kind}` are not known")),
        );
    }

    fn shape(&mut self, members: &mut Vec<Member>) {
        let Some(value) = self.map.get("type") else {
            return;
        };
        let shape = match value.text().unwrap_or_default() {
            "normal" | "FixedLayout" => return,
            "variable" | "VariableLayout" => "pointer",
            "bytes" | "ByteLayout" => "byte",
            other @ ("weak" | "words" | "doubleBytes" | "doubleWords" | "ephemeron"
            | "WeakLayout" | "WordLayout" | "DoubleByteLayout" | "DoubleWordLayout"
            | "EphemeronLayout") => {
                let message = format!("instances hold objects; the type `#{other}` holds none");
                let warning = Diagnostic::warning("W0311", value.span, message);
                self.report(warning.labelled("this layout is not known"));
                "pointer"
            }
            other @ ("immediate" | "compiledMethod") => {
                let message = format!("a class cannot have the layout `#{other}`");
                self.report(
                    Diagnostic::error("E0165", value.span, message)
                        .labelled("only the machine makes such objects"),
                );
                return;
            }
            _ => {
                self.report(
                    Diagnostic::error("E0165", value.span, "there is no such layout")
                        .labelled("expected `#normal`, `#variable` or `#bytes`"),
                );
                return;
            }
        };
        members.push(pragma("shape:", shape, value.span));
    }

    /// `#category`, or a package and, inside of it, a tag.
    fn category(&mut self, members: &mut Vec<Member>) {
        let text = |key: &str| self.map.get(key).and_then(Value::text);
        let category = match (text("category"), text("package"), text("tag")) {
            (Some(category), ..) => category.to_owned(),
            (None, Some(package), Some(tag)) => format!("{package}-{tag}"),
            (None, Some(package), None) => package.to_owned(),
            _ => return,
        };
        members.push(pragma("category:", &category, self.at));
    }

    /// A composition of traits, which stands in a string, or is a list of names.
    fn composition(&mut self, key: &str) -> Option<Vec<TraitUse>> {
        let value = self.map.get(key)?;
        let text = match &value.kind {
            Kind::Text(text) => text.clone(),
            Kind::List(elements) => {
                let names = elements.iter().map(|element| element.text().unwrap_or("?"));
                format!("{{ {} }}", names.collect::<Vec<_>>().join(". "))
            }
            Kind::Map(_) | Kind::Other => {
                self.bad_value(key, value.span, "traits, such as `'TFoo + TBar'`");
                return None;
            }
        };
        match traits::read(&text, value.span) {
            Ok(uses) => Some(uses),
            Err(diagnostic) => {
                self.report(*diagnostic);
                None
            }
        }
    }
}

fn name(text: &str, span: Span) -> Name {
    Name {
        text: text.to_owned(),
        span,
    }
}

fn pragma(selector: &str, argument: &str, span: Span) -> Member {
    Member::Pragma(Pragma {
        selector: selector.to_owned(),
        arguments: vec![Literal::String(argument.to_owned())],
        span,
    })
}
