//! The classes that a definition names: whether they exist and suit it.

use std::path::Path;

use tally_vm::bytecode::{Span, TraitUse};

use super::FileResolver;
use crate::diagnostics::Diagnostic;
use crate::resolve::context::check_order;
use crate::resolve::world::unscoped;
use crate::syntax::ast::{self, Name};

/// A class that two files of a load define. Two packages may define it, and the later one wins, because packages may
/// have been split. In one package it is a mistake.
fn defined_again(name: &str, span: Span, first: &str, this: &str) -> Diagnostic {
    if Path::new(first).parent() == Path::new(this).parent() {
        let message = format!("the class `{name}` is defined twice");
        return Diagnostic::error("E0213", span, message)
            .labelled("again")
            .helping(format!(
                "it is defined in {first}, too; remove one of the two"
            ));
    }
    let message = format!("two packages define the class `{name}`");
    Diagnostic::warning("W0315", span, message)
        .labelled("again")
        .helping(format!(
            "{first} defines it, too; what is loaded last counts"
        ))
}

impl FileResolver<'_, '_> {
    /// Reports definitions that the machine could not make: circles, traits in the place of classes, and, in a package,
    /// two definitions of a class.
    pub(super) fn check_relations(
        &mut self,
        class: &ast::ClassDefinition,
        name: &str,
        superclass: Option<&str>,
    ) {
        let world = self.context.world;
        if world.is_open {
            return;
        }
        let position = (self.context.file, class.name.span.start);
        if let Some(file) = world
            .other_definition(name, position)
            .filter(|_| self.of_package)
        {
            self.context
                .report(defined_again(name, class.name.span, file, self.name));
        }
        if let Some(way) = world.circle(name).filter(|_| self.of_package) {
            let message = format!("`{name}` inherits from itself");
            self.context.report(
                Diagnostic::error("E0212", class.superclass.span, message)
                    .labelled("this way leads back")
                    .helping(format!("the way is {}", way.join(", "))),
            );
        }
        if world.uses_itself(name) {
            let place = class
                .traits
                .first()
                .map_or(class.name.span, |one| one.name.span);
            let message = format!("the trait `{name}` uses itself");
            self.context.report(
                Diagnostic::error("E0214", place, message)
                    .labelled("this composition leads back")
                    .helping("take it out of one of the compositions"),
            );
        }
        if let Some(superclass) = superclass.filter(|above| world.is_trait(above)) {
            let message = format!("`{superclass}` is a trait and has no subclasses");
            self.context.report(
                Diagnostic::error("E0215", class.superclass.span, message)
                    .labelled("expected a class")
                    .helping(format!("use the trait: `#traits : '{superclass}'`")),
            );
        }
    }

    /// The existing traits of a composition.
    pub(super) fn uses(&mut self, uses: &[ast::TraitUse]) -> Vec<TraitUse> {
        for one in uses {
            let (name, span) = (&one.name.text, one.name.span);
            self.check_class(name, span);
            let world = self.context.world;
            if world.is_class(name) && !world.is_trait(name) {
                let message = format!("`{name}` is a class and no trait");
                self.context.report(
                    Diagnostic::error("E0215", span, message)
                        .labelled("expected a trait")
                        .helping("a trait is defined by `Trait { … }` or `Trait named: #T`"),
                );
            }
        }
        let converted = uses.iter().map(|one| TraitUse {
            name: one.name.text.clone(),
            class_side: one.class_side,
            changes: one.changes.clone(),
        });
        converted.collect()
    }

    /// The existing pools. In a package, the variables of other pools are undefined names.
    pub(super) fn pools(&mut self, pools: &[Name]) -> Vec<String> {
        let mut names = Vec::new();
        for pool in pools {
            let name = unscoped(&pool.text);
            let world = self.context.world;
            if self.of_package && (!world.is_class(name) || world.left_out(name).is_some()) {
                let message = format!("there is no class `{name}`, which is to be a pool");
                let warning = Diagnostic::warning("W0313", pool.span, message);
                self.context
                    .report(warning.labelled("its variables are nil"));
                continue;
            }
            self.check_class(name, pool.span);
            names.push(name.to_owned());
        }
        names
    }

    /// The class of a definition or an extension has to exist when the definition is made.
    pub(super) fn check_class(&mut self, name: &str, span: Span) {
        if let Some(reason) = self.context.world.left_out(name) {
            let message = format!("the class `{name}` is left out");
            let error = Diagnostic::error(reason.code, span, message).labelled("left out");
            return self
                .context
                .report(error.noting(format!("{}: {}", reason.code, reason.message)));
        }
        if self.context.world.is_class(name) {
            return check_order(&mut self.context, name, span);
        }
        let help = match self.context.world.nearest_name(name, &[]) {
            _ if self.context.world.is_open => {
                "a superclass is loaded before the class; is its file on the class path?".to_owned()
            }
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("define it first: `Object subclass: {name} [ … ]`"),
        };
        let message = format!("there is no class `{name}`");
        self.context.report(
            Diagnostic::error("E0208", span, message)
                .labelled("unknown class")
                .helping(help),
        );
    }
}
