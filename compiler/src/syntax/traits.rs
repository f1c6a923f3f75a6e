//! Trait compositions: `TFoo + (TBar - {#x}) @ {#alias -> #selector}`, as expressions of the text or in strings. This
//! module does not know which traits exist.

use super::tally::{self, is_class_side};
use crate::diagnostics::Diagnostic;
use crate::syntax::ast::{
    Expr, ExprKind, Item, Literal, Message, Name, Span, Statement, TraitChange, TraitUse,
};

/// Reads a composition that stands in a string. All its diagnostics point to `place`.
pub(crate) fn read(text: &str, place: Span) -> Result<Vec<TraitUse>, Box<Diagnostic>> {
    if text.trim().is_empty() {
        return Ok(Vec::new());
    }
    let (file, diagnostics) = tally::parse(text);
    let uses = match &file.items[..] {
        [Item::Statement(Statement::Expression(expr))]
            if !diagnostics.iter().any(Diagnostic::is_error) =>
        {
            composition(expr)
        }
        _ => None,
    };
    match uses {
        Some(mut uses) => {
            uses.iter_mut().for_each(|one| one.name.span = place);
            Ok(uses)
        }
        None => Err(not_understood(place)),
    }
}

/// The diagnostic of an expression that is no composition.
pub(crate) fn not_understood(place: Span) -> Box<Diagnostic> {
    let message = "this is no composition of traits";
    Box::new(
        Diagnostic::error("E0166", place, message)
            .labelled("not understood")
            .helping(
                "a composition is written `TFoo + (TBar - {#without}) @ {#alias -> #selector}`",
            ),
    )
}

/// The traits of an expression; none if it is no composition. An exclusion or an alias behind several
/// traits concerns each of them.
pub(crate) fn composition(expr: &Expr) -> Option<Vec<TraitUse>> {
    match &expr.kind {
        ExprKind::Variable(name) => Some(vec![TraitUse {
            name: Name {
                text: name.rsplit('.').next().unwrap_or(name).to_owned(),
                span: expr.span,
            },
            class_side: false,
            changes: Vec::new(),
        }]),
        ExprKind::Brace(elements) => all(elements),
        ExprKind::Literal(Literal::Array(elements)) if elements.is_empty() => Some(Vec::new()),
        ExprKind::Send { receiver, message } => {
            let uses = composition(receiver)?;
            changed(uses, message)
        }
        _ => None,
    }
}

fn all(elements: &[Expr]) -> Option<Vec<TraitUse>> {
    let mut uses = Vec::new();
    for element in elements {
        uses.extend(composition(element)?);
    }
    Some(uses)
}

fn changed(mut uses: Vec<TraitUse>, message: &Message) -> Option<Vec<TraitUse>> {
    let Some(argument) = message.arguments.first() else {
        if !is_class_side(&message.selector) {
            return None;
        }
        uses.iter_mut().for_each(|one| one.class_side = true);
        return Some(uses);
    };
    let changes = match message.selector.as_str() {
        "+" | "," => {
            uses.extend(composition(argument)?);
            return Some(uses);
        }
        "-" => exclusions(argument)?,
        "@" => aliases(argument)?,
        _ => return None,
    };
    for one in &mut uses {
        one.changes.extend(changes.iter().cloned());
    }
    Some(uses)
}

fn exclusions(expr: &Expr) -> Option<Vec<TraitChange>> {
    let excluded = |text: &str| TraitChange::Exclude(text.to_owned());
    match &expr.kind {
        ExprKind::Literal(Literal::Symbol(text)) => Some(vec![excluded(text)]),
        ExprKind::Literal(Literal::Array(elements)) => elements
            .iter()
            .map(|element| match element {
                Literal::Symbol(text) | Literal::String(text) => Some(excluded(text)),
                _ => None,
            })
            .collect(),
        ExprKind::Brace(elements) => elements
            .iter()
            .map(|element| symbol(element).map(excluded))
            .collect(),
        _ => None,
    }
}

fn aliases(expr: &Expr) -> Option<Vec<TraitChange>> {
    match &expr.kind {
        ExprKind::Brace(elements) => elements.iter().map(alias).collect(),
        ExprKind::Literal(Literal::Array(elements)) if elements.is_empty() => Some(Vec::new()),
        _ => alias(expr).map(|one| vec![one]),
    }
}

fn alias(expr: &Expr) -> Option<TraitChange> {
    let ExprKind::Send { receiver, message } = &expr.kind else {
        return None;
    };
    let (alias, selector) = (symbol(receiver)?, symbol(message.arguments.first()?)?);
    (message.selector == "->").then(|| TraitChange::Alias {
        alias: alias.to_owned(),
        selector: selector.to_owned(),
    })
}

fn symbol(expr: &Expr) -> Option<&str> {
    match &expr.kind {
        ExprKind::Literal(Literal::Symbol(text) | Literal::String(text)) => Some(text),
        _ => None,
    }
}
