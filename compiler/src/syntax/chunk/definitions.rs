//! Messages of a file-out that define a class, its variables or its comment. Their arguments are literals, so the
//! definition is known before the file runs.

use crate::diagnostics::Diagnostic;
use crate::syntax::ast::{
    ClassDefinition, Expr, ExprKind, Literal, Member, Message, Name, Pragma, Span, TraitUse,
};
use crate::syntax::tally::is_class_side;
use crate::syntax::traits;

/// What a statement of a file-out defines.
pub(super) enum Definition {
    Class(Box<ClassDefinition>),
    /// Something about a class that is defined elsewhere in the file.
    Parts {
        class: Name,
        class_traits: Option<Vec<TraitUse>>,
        members: Vec<Member>,
    },
}

/// Understands a statement as a definition; `None` if it is to be run.
pub(super) fn definition(expr: &Expr, diagnostics: &mut Vec<Diagnostic>) -> Option<Definition> {
    let (receiver, messages) = parts(expr)?;
    if let [only] = &messages[..]
        && let Some(definition) = about(receiver, only)
    {
        return Some(definition);
    }
    let mut reader = Reader {
        class: ClassDefinition {
            span: expr.span,
            ..ClassDefinition::default()
        },
        package: None,
        tag: None,
        at: expr.span,
        diagnostics: Vec::new(),
    };
    reader.class(receiver, &messages)?;
    diagnostics.append(&mut reader.diagnostics);
    Some(Definition::Class(Box::new(reader.finished())))
}

/// The receiver and the messages of a statement.
fn parts(expr: &Expr) -> Option<(&Expr, Vec<&Message>)> {
    match &expr.kind {
        ExprKind::Send { receiver, message } => Some((receiver, vec![message])),
        ExprKind::Cascade { receiver, messages } => Some((receiver, messages.iter().collect())),
        _ => None,
    }
}

/// `Foo comment: '…'`, `Foo class instanceVariableNames: 'a'`, `Foo class uses: T instanceVariableNames: ''`
fn about(receiver: &Expr, message: &Message) -> Option<Definition> {
    let (class, class_side) = class_of(receiver)?;
    if message.arguments.is_empty() {
        return None;
    }
    let mut members = Vec::new();
    let mut class_traits = None;
    for (keyword, argument) in keywords(message) {
        match keyword {
            "comment:" if !class_side => {
                let text = text_of(argument)?;
                members.push(pragma("comment:", text, argument.span));
            }
            "instanceVariableNames:" | "slots:" if class_side => {
                members.push(Member::ClassInstanceVariables(names_of(argument)?));
            }
            "uses:" | "traits:" if class_side => class_traits = traits::composition(argument),
            _ => return None,
        }
    }
    Some(Definition::Parts {
        class,
        class_traits,
        members,
    })
}

/// The class that a message is about, and whether it is about the class side.
fn class_of(expr: &Expr) -> Option<(Name, bool)> {
    match &expr.kind {
        ExprKind::Variable(text) => Some((name(text, expr.span), false)),
        ExprKind::Send { receiver, message } if is_class_side(&message.selector) => {
            let (class, is_side) = class_of(receiver)?;
            (!is_side).then_some((class, true))
        }
        _ => None,
    }
}

struct Reader {
    class: ClassDefinition,
    package: Option<String>,
    tag: Option<String>,
    at: Span,
    diagnostics: Vec<Diagnostic>,
}

impl Reader {
    fn class(&mut self, receiver: &Expr, messages: &[&Message]) -> Option<()> {
        // `Object << #Foo` is the receiver of the parts.
        let (superclass, begun) = match &receiver.kind {
            ExprKind::Send { receiver, message } if message.selector == "<<" => {
                self.class.name = symbol(message.arguments.first()?)?;
                (&**receiver, true)
            }
            _ => (receiver, false),
        };
        self.class.superclass = match &superclass.kind {
            ExprKind::Variable(text) => name(text, superclass.span),
            ExprKind::Literal(Literal::Nil) => name("nil", superclass.span),
            _ => return None,
        };
        if !begun && messages.len() > 1 {
            return None;
        }
        let mut is_first = !begun;
        for message in messages {
            for (keyword, argument) in keywords(message) {
                match is_first {
                    true => self.first(keyword, argument)?,
                    false => self.part(keyword, argument)?,
                }
                is_first = false;
            }
            if message.arguments.is_empty() {
                return None;
            }
        }
        if begun && self.class.superclass.text == "Trait" {
            self.class.is_trait = true;
        }
        if self.class.is_trait {
            self.class.superclass = name("nil", self.class.name.span);
        }
        Some(())
    }

    /// The keyword that names the class and its layout.
    fn first(&mut self, keyword: &str, argument: &Expr) -> Option<()> {
        if keyword == "named:" {
            self.class.is_trait = self.class.superclass.text == "Trait";
            self.class.name = symbol(argument)?;
            return self.class.is_trait.then_some(());
        }
        let layout = match keyword {
            "subclass:" => "",
            "variableSubclass:" => "VariableLayout",
            "variableByteSubclass:" => "ByteLayout",
            "weakSubclass:" => "WeakLayout",
            "ephemeronSubclass:" => "EphemeronLayout",
            "variableWordSubclass:" => "WordLayout",
            "variableDoubleByteSubclass:" => "DoubleByteLayout",
            "variableDoubleWordSubclass:" => "DoubleWordLayout",
            "immediateSubclass:" => "ImmediateLayout",
            _ => return None,
        };
        self.class.name = symbol(argument)?;
        self.layout(layout, argument.span);
        Some(())
    }

    fn part(&mut self, keyword: &str, argument: &Expr) -> Option<()> {
        match keyword {
            "instanceVariableNames:" | "slots:" => {
                let names = self.slots(argument)?;
                self.class.members.push(Member::InstanceVariables(names));
            }
            "classInstanceVariableNames:" => {
                let names = self.slots(argument)?;
                let member = Member::ClassInstanceVariables(names);
                self.class.members.push(member);
            }
            "classVariableNames:" | "classVariables:" | "sharedVariables:" => {
                for variable in names_of(argument)? {
                    let value = Expr::new(ExprKind::Literal(Literal::Nil), variable.span);
                    let name = variable;
                    self.class
                        .members
                        .push(Member::ClassVariable { name, value });
                }
            }
            "poolDictionaries:" | "sharedPools:" => self.class.pools = names_of(argument)?,
            "category:" | "package:" => self.package = Some(text_of(argument)?.to_owned()),
            "tag:" => self.tag = Some(text_of(argument)?.to_owned()),
            "uses:" | "traits:" => self.class.traits = traits::composition(argument)?,
            "classTraits:" => self.class.class_traits = Some(traits::composition(argument)?),
            "layout:" => match &argument.kind {
                ExprKind::Variable(layout) => self.layout(layout, argument.span),
                _ => return None,
            },
            _ => return None,
        }
        Some(())
    }

    /// The names of instance variables. Slots of other kinds are `#name => Kind`.
    fn slots(&mut self, expr: &Expr) -> Option<Vec<Name>> {
        let ExprKind::Brace(elements) = &expr.kind else {
            return names_of(expr);
        };
        let mut names = Vec::new();
        for element in elements {
            match &element.kind {
                ExprKind::Send { receiver, message } if message.selector == "=>" => {
                    let name = symbol(receiver)?;
                    let message = format!("`{}` is an ordinary variable here", name.text);
                    self.diagnostics.push(
                        Diagnostic::warning("W0311", element.span, message)
                            .labelled("slots of this kind are not known"),
                    );
                    names.push(name);
                }
                _ => names.push(symbol(element)?),
            }
        }
        Some(names)
    }

    fn layout(&mut self, layout: &str, span: Span) {
        let shape = match layout {
            "" | "FixedLayout" => return,
            "VariableLayout" => "pointer",
            "ByteLayout" => "byte",
            "ImmediateLayout" | "CompiledMethodLayout" => {
                let message = format!("a class cannot have the layout `{layout}`");
                self.diagnostics.push(
                    Diagnostic::error("E0165", span, message)
                        .labelled("only the machine makes such objects"),
                );
                return;
            }
            other => {
                let message = format!("instances hold objects; the layout `{other}` holds none");
                let warning = Diagnostic::warning("W0311", span, message);
                self.diagnostics
                    .push(warning.labelled("this layout is not known"));
                "pointer"
            }
        };
        self.class.members.push(pragma("shape:", shape, span));
    }

    fn finished(mut self) -> ClassDefinition {
        let category = match (self.package, self.tag) {
            (Some(package), Some(tag)) if !tag.is_empty() => format!("{package}-{tag}"),
            (Some(package), _) => package,
            (None, _) => return self.class,
        };
        self.class
            .members
            .push(pragma("category:", &category, self.at));
        self.class
    }
}

/// The keywords of a message with their arguments.
fn keywords(message: &Message) -> impl Iterator<Item = (&str, &Expr)> {
    let keywords = message.selector.split_inclusive(':');
    keywords.zip(&message.arguments)
}

fn name(text: &str, span: Span) -> Name {
    Name {
        text: text.to_owned(),
        span,
    }
}

pub(super) fn pragma(selector: &str, argument: &str, span: Span) -> Member {
    Member::Pragma(Pragma {
        selector: selector.to_owned(),
        arguments: vec![Literal::String(argument.to_owned())],
        span,
    })
}

fn text_of(expr: &Expr) -> Option<&str> {
    match &expr.kind {
        ExprKind::Literal(Literal::String(text) | Literal::Symbol(text)) => Some(text),
        _ => None,
    }
}

/// The name that a symbol or a string spells.
fn symbol(expr: &Expr) -> Option<Name> {
    text_of(expr)
        .filter(|text| is_name(text))
        .map(|text| name(text, expr.span))
}

fn is_name(text: &str) -> bool {
    let is_first = |first: char| first.is_alphabetic() || first == '_';
    let is_part = |part: char| part.is_alphanumeric() || part == '_';
    text.starts_with(is_first) && text.chars().all(is_part)
}

/// The names in `'a b'`, `#(a b)` or `{ #a. #b }`. Pools may be spelled as classes.
fn names_of(expr: &Expr) -> Option<Vec<Name>> {
    let span = expr.span;
    let checked = |text: &str| is_name(text).then(|| name(text, span));
    match &expr.kind {
        ExprKind::Literal(Literal::String(text)) => text.split_whitespace().map(checked).collect(),
        ExprKind::Literal(Literal::Array(elements)) => elements
            .iter()
            .map(|element| match element {
                Literal::Symbol(text) | Literal::String(text) => checked(text),
                _ => None,
            })
            .collect(),
        ExprKind::Brace(elements) => elements
            .iter()
            .map(|element| match &element.kind {
                ExprKind::Variable(text) => Some(name(text, element.span)),
                _ => symbol(element),
            })
            .collect(),
        _ => None,
    }
}
