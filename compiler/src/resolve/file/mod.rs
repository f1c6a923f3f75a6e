//! Resolves the items of one file: definitions with their methods, and the script that runs the statements in the order
//! of the text.

mod methods;

use std::path::Path;

use hashbrown::{HashMap, HashSet};
use tally_vm::bytecode::{ClassDefinition, CodeKind, GlobalRef, Span, TraitUse};

use super::context::{Context, check_order};
use super::routine::{Ended, RoutineResolver};
use super::session::Session;
use super::tree::{File, FileDefinition, Method, Routine, Scope, Statement};
use super::variables::Role;
use super::world::{World, unscoped};
use crate::diagnostics::Diagnostic;
use crate::syntax::ast::{self, Body, Extension, Item, Member, Name, PlacedMethod};

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

/// A class that two files define which are no packages: the later definition replaces the variables and adds methods.
fn defined_in_two_files(name: &str, span: Span, first: &str) -> Diagnostic {
    let message = format!("two files define the class `{name}`");
    Diagnostic::warning("W0315", span, message)
        .labelled("again")
        .helping(format!(
            "{first} defines it, too; rename it, or add methods by `{name} extend [ … ]`"
        ))
}

/// Resolves a file that `world` knows already under the number `number`.
pub(crate) fn resolve_file(
    world: &World<'_>,
    number: usize,
    name: &str,
    source: &str,
    tree: &ast::File,
    session: Option<&mut Session>,
) -> (File, Vec<Diagnostic>) {
    let mut resolver = FileResolver {
        context: Context::new(world, number, source, tree.of_package, session),
        of_package: tree.of_package,
        name,
        definitions: Vec::new(),
        placed: None,
    };
    // Definitions first: methods do not see the script's variables, and the script needs only the
    // numbers of the definitions.
    let steps: Vec<Vec<Statement>> = tree.items.iter().map(|item| resolver.item(item)).collect();
    let script = resolver.script(tree, steps, source);
    let FileResolver {
        context,
        definitions,
        ..
    } = resolver;
    let mut diagnostics = context.diagnostics;
    diagnostics.sort_by_key(|diagnostic| (diagnostic.span.start, diagnostic.span.end));
    (
        File {
            script,
            definitions,
        },
        diagnostics,
    )
}

struct FileResolver<'w, 'e> {
    context: Context<'w, 'e>,
    /// Whether the file is part of a package.
    of_package: bool,
    name: &'w str,
    definitions: Vec<FileDefinition>,
    /// The class of the placed methods directly before, which share one extension.
    placed: Option<String>,
}

/// The members of a class body, sorted.
#[derive(Default)]
struct Contents {
    header: ClassDefinition,
    methods: Vec<Method>,
    /// The evaluations of initialisers.
    initialisers: Vec<(String, Routine)>,
}

impl FileResolver<'_, '_> {
    /// The script's statements for an item. Statements of the text give none here; they come later.
    fn item(&mut self, item: &Item) -> Vec<Statement> {
        let placed = self.placed.take();
        match item {
            Item::Temporaries(_) | Item::Statement(_) => Vec::new(),
            Item::Class(class) => self.class(class),
            Item::Extend(extension) => self.extension(extension),
            Item::Method(method) => self.placed_method(method, placed),
            Item::Eval { body, span } => vec![self.eval(body, *span)],
        }
    }

    fn define(&mut self, definition: FileDefinition) -> u32 {
        self.definitions.push(definition);
        (self.definitions.len() - 1) as u32
    }

    fn class(&mut self, class: &ast::ClassDefinition) -> Vec<Statement> {
        let name = unscoped(&class.name.text);
        let superclass = Some(unscoped(&class.superclass.text)).filter(|name| *name != "nil");
        let is_circle = self.check_circle(class, name, superclass);
        if let Some(superclass) = superclass.filter(|_| !is_circle) {
            self.check_class(superclass, class.superclass.span);
        }
        self.check_relations(class, name, superclass);
        let inherited = self.context.world.inherited_variables(superclass);
        let mut contents = self.contents(name, false, &class.members, inherited);
        contents.header.superclass = superclass.map(str::to_owned);
        contents.header.is_trait = class.is_trait;
        let own = self.uses(&class.traits);
        contents.header.traits.extend(own);
        if let Some(uses) = &class.class_traits {
            contents.header.class_traits = Some(self.uses(uses));
        }
        contents.header.pools = self.pools(&class.pools);
        contents.header.span = class.span;
        self.steps(name, contents, |header, methods| FileDefinition::Class {
            header,
            methods,
        })
    }

    /// Reports definitions that the machine could not make, such as traits in the place of classes, and two definitions
    /// of a class.
    fn check_relations(
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
        if let Some(file) = world.other_definition(name, position) {
            let span = class.name.span;
            if self.of_package {
                self.context
                    .report(defined_again(name, span, file, self.name));
            } else if file != self.name {
                self.context.report(defined_in_two_files(name, span, file));
            }
        }
        if world.relies_on(name) && !self.of_package {
            let message = format!("the machine relies on `{name}` as it is");
            self.context.report(
                Diagnostic::error("E0217", class.name.span, message)
                    .labelled("a class of the library")
                    .helping(format!(
                        "choose another name, or add methods by `{name} extend [ … ]`"
                    )),
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

    /// Reports a class that inherits from itself: in scripts, where definitions run in their order, one of the circle.
    fn check_circle(
        &mut self,
        class: &ast::ClassDefinition,
        name: &str,
        superclass: Option<&str>,
    ) -> bool {
        let world = self.context.world;
        let Some(way) = world.circle(name).filter(|_| !world.is_open) else {
            return false;
        };
        if !self.of_package {
            if way.get(1).map(String::as_str) != superclass {
                return false;
            }
            if way.iter().min().map(String::as_str) != Some(name) {
                return true;
            }
        }
        let message = format!("`{name}` inherits from itself");
        self.context.report(
            Diagnostic::error("E0212", class.superclass.span, message)
                .labelled("this way leads back")
                .helping(format!("the way is {}", way.join(", "))),
        );
        !self.of_package
    }

    /// The existing traits of a composition.
    fn uses(&mut self, uses: &[ast::TraitUse]) -> Vec<TraitUse> {
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

    fn pools(&mut self, pools: &[Name]) -> Vec<String> {
        for pool in pools {
            self.check_class(unscoped(&pool.text), pool.span);
        }
        let names = pools.iter().map(|pool| unscoped(&pool.text).to_owned());
        names.collect()
    }

    /// A package may extend classes that the platform lacks. Such an extension is left out.
    fn is_left_out(&mut self, extension: &Extension) -> bool {
        let name = unscoped(&extension.class.text);
        if !self.of_package || self.context.world.is_class(name) {
            return false;
        }
        let count = extension.members.len();
        let message = format!("there is no class `{name}` to extend");
        let methods = if count == 1 { "method" } else { "methods" };
        let help = match self.context.world.nearest_name(name, &[]) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("load the package that defines `{name}`"),
        };
        self.context.report(
            Diagnostic::warning("W0312", extension.class.span, message)
                .labelled(format!("{count} {methods} left out"))
                .helping(help),
        );
        true
    }

    fn extension(&mut self, extension: &Extension) -> Vec<Statement> {
        let name = unscoped(&extension.class.text);
        if self.is_left_out(extension) {
            return Vec::new();
        }
        self.check_class(name, extension.class.span);
        let mut contents = self.contents(
            name,
            extension.class_side,
            &extension.members,
            HashSet::new(),
        );
        contents.header.span = extension.span;
        self.steps(name, contents, |header, methods| {
            FileDefinition::Extension { header, methods }
        })
    }

    /// The definition, then the initialisers of its class variables.
    fn steps(
        &mut self,
        class: &str,
        contents: Contents,
        define: impl FnOnce(ClassDefinition, Vec<Method>) -> FileDefinition,
    ) -> Vec<Statement> {
        let definition = define(contents.header, contents.methods);
        let mut steps = vec![Statement::Define(self.define(definition))];
        for (variable, routine) in contents.initialisers {
            let class = class.to_owned();
            let evaluation = FileDefinition::Evaluation {
                class: Some(class.clone()),
                routine,
            };
            steps.push(Statement::Evaluate {
                definition: self.define(evaluation),
                receiver: Some(GlobalRef::Global(class.clone())),
                store: Some(GlobalRef::ClassVariable {
                    class,
                    name: variable,
                }),
            });
        }
        steps
    }

    fn placed_method(&mut self, placed: &PlacedMethod, before: Option<String>) -> Vec<Statement> {
        let name = unscoped(&placed.class.text);
        self.check_class(name, placed.class.span);
        let method = self.method(name, placed.class_side, &placed.method);
        self.placed = Some(name.to_owned());
        if before.as_deref() == Some(name)
            && let Some(FileDefinition::Extension { methods, .. }) = self.definitions.last_mut()
        {
            methods.push(method);
            return Vec::new();
        }
        let header = ClassDefinition {
            name: name.to_owned(),
            span: placed.class.span,
            ..ClassDefinition::default()
        };
        let definition = FileDefinition::Extension {
            header,
            methods: vec![method],
        };
        vec![Statement::Define(self.define(definition))]
    }

    fn eval(&mut self, body: &Body, span: Span) -> Statement {
        let mut resolver = RoutineResolver::new(&mut self.context, None, true);
        let body = resolver.making_body(body);
        let selector = self.name.to_owned();
        let routine = resolver.finish(selector, CodeKind::Script, span, Vec::new(), body);
        let definition = self.define(FileDefinition::Evaluation {
            class: None,
            routine,
        });
        Statement::Evaluate {
            definition,
            receiver: None,
            store: None,
        }
    }

    /// The class of a definition or an extension has to exist when the definition is made.
    fn check_class(&mut self, name: &str, span: Span) {
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

    fn contents(
        &mut self,
        class: &str,
        class_side: bool,
        members: &[Member],
        inherited: HashSet<String>,
    ) -> Contents {
        let mut contents = Contents::default();
        contents.header.name = class.to_owned();
        let mut methods_seen = HashMap::new();
        for member in members {
            match member {
                Member::InstanceVariables(names) => {
                    let header = &mut contents.header;
                    let (variables, inherited) = if class_side {
                        (&mut header.class_instance_variables, &HashSet::new())
                    } else {
                        (&mut header.instance_variables, &inherited)
                    };
                    self.add_variables(variables, names, inherited);
                }
                Member::ClassInstanceVariables(names) => {
                    let variables = &mut contents.header.class_instance_variables;
                    self.add_variables(variables, names, &HashSet::new());
                }
                Member::ClassVariable { name, value } => {
                    let variables = &mut contents.header.class_variables;
                    self.add_variables(variables, std::slice::from_ref(name), &HashSet::new());
                    if !matches!(value.kind, ast::ExprKind::Literal(ast::Literal::Nil)) {
                        let routine = self.initialiser(class, value);
                        contents.initialisers.push((name.text.clone(), routine));
                    }
                }
                Member::Pragma(pragma) => self.class_pragma(&mut contents.header, pragma),
                Member::Method(method) => {
                    self.check_new_method(&mut methods_seen, class_side, &method.selector);
                    contents
                        .methods
                        .push(self.method(class, class_side, method));
                }
                Member::Placed(placed) => {
                    let name = unscoped(&placed.class.text);
                    if name == class {
                        let selector = &placed.method.selector;
                        self.check_new_method(&mut methods_seen, placed.class_side, selector);
                    } else {
                        self.check_class(name, placed.class.span);
                    }
                    contents
                        .methods
                        .push(self.method(name, placed.class_side, &placed.method));
                }
            }
        }
        contents
    }

    fn add_variables(
        &mut self,
        variables: &mut Vec<String>,
        names: &[Name],
        inherited: &HashSet<String>,
    ) {
        for name in names {
            if variables.contains(&name.text) || inherited.contains(&name.text) {
                let message = format!("the class has a variable `{}` already", name.text);
                let error = Diagnostic::error("E0210", name.span, message).labelled("again");
                self.context
                    .report(error.helping("remove it, or rename it"));
            } else {
                variables.push(name.text.clone());
            }
        }
    }

    fn check_new_method(
        &mut self,
        seen: &mut HashMap<(bool, String), Span>,
        class_side: bool,
        selector: &Name,
    ) {
        let first = seen.insert((class_side, selector.text.clone()), selector.span);
        if let Some(first) = first {
            let message = format!("this class body defines `{}` twice", selector.text);
            self.context.report(
                Diagnostic::error("E0205", selector.span, message)
                    .labelled("defined again")
                    .showing(first, "first defined here")
                    .helping("remove one of the two"),
            );
        }
    }

    fn script(&mut self, tree: &ast::File, steps: Vec<Vec<Statement>>, source: &str) -> Routine {
        let mut resolver = RoutineResolver::new(&mut self.context, None, true);
        resolver.is_script = true;
        let mut statements = Vec::new();
        let mut ended = Ended::No;
        let last = tree.items.len().saturating_sub(1);
        for (index, (item, steps)) in tree.items.iter().zip(steps).enumerate() {
            statements.extend(steps);
            match item {
                Item::Temporaries(names) if resolver.keeps_variables() => {
                    names.iter().for_each(|name| resolver.keep(&name.text));
                }
                Item::Temporaries(names) => {
                    let mut new = Vec::new();
                    for name in names {
                        if let Some(first) = resolver.declared_at(&name.text) {
                            resolver.context.report(declared_again(name, first));
                        } else {
                            new.push(resolver.declare(name, Role::Temporary));
                        }
                    }
                    statements.push(Statement::Declare(new));
                }
                Item::Statement(statement) => {
                    // The last item's value may be the file's.
                    if index < last {
                        resolver.check_unused(statement);
                    }
                    if ended == Ended::Unreported {
                        resolver.unreachable(statement);
                    }
                    ended = ended.next(matches!(statement, ast::Statement::Return { .. }));
                    let resolved = resolver.statement(statement);
                    let made = resolver.take_made();
                    if !made.is_empty() {
                        statements.push(Statement::Declare(made));
                    }
                    statements.push(resolved);
                }
                _ => {}
            }
        }
        let body = Scope {
            temporaries: Vec::new(),
            statements,
        };
        let span = Span {
            start: 0,
            end: u32::try_from(source.len()).unwrap_or(u32::MAX),
        };
        resolver.finish(
            self.name.to_owned(),
            CodeKind::Script,
            span,
            Vec::new(),
            body,
        )
    }
}

/// Scripts that are typed bit by bit declare a variable again; it stays the same variable.
fn declared_again(name: &Name, first: Span) -> Diagnostic {
    let message = format!("`{}` is declared already", name.text);
    Diagnostic::warning("W0306", name.span, message)
        .labelled("declared again; it keeps its value")
        .showing(first, "first declared here")
        .helping("remove the second declaration")
}
