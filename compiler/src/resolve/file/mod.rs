//! Resolves the items of one file: definitions with their methods, and the script that runs the statements in the order
//! of the text.

mod broken;
mod forgiving;
mod methods;
mod relations;
mod script;

pub(crate) use broken::{Parsed, leave_out};

use hashbrown::{HashMap, HashSet};
use tally_vm::bytecode::{ClassDefinition, GlobalRef, Span};

use super::context::Context;
use super::left_out::{LeftOut, LeftOutKind, method_name};
use super::session::Session;
use super::tree::{File, FileDefinition, Method, Routine, Statement};
use super::world::{World, unscoped};
use crate::diagnostics::Diagnostic;
use crate::syntax::ast::{self, Extension, Item, Member, Name, PlacedMethod};

/// A file that `world` knows already under the number `number`.
pub(crate) struct Task<'w, 'e> {
    pub(crate) world: &'w World<'e>,
    pub(crate) number: usize,
    pub(crate) name: &'w str,
    pub(crate) source: &'w str,
    pub(crate) tree: &'w ast::File,
    pub(crate) session: Option<&'w mut Session>,
    /// The errors that are known already, if definitions with errors are to be left out.
    pub(crate) forgiven: Option<&'w [Diagnostic]>,
}

/// The result of resolving a file.
pub(crate) struct Resolved {
    pub(crate) file: File,
    pub(crate) diagnostics: Vec<Diagnostic>,
    pub(crate) left_out: Vec<LeftOut>,
}

/// Resolves a file.
pub(crate) fn resolve_file(task: Task<'_, '_>) -> Resolved {
    let (tree, source) = (task.tree, task.source);
    let mut resolver = FileResolver::new(task);
    // Definitions first: methods do not see the script's variables, and the script needs only the
    // numbers of the definitions.
    let steps: Vec<Vec<Statement>> = tree.items.iter().map(|item| resolver.item(item)).collect();
    let script = resolver.script(tree, steps, source);
    let FileResolver {
        context,
        definitions,
        left_out,
        ..
    } = resolver;
    let mut diagnostics = context.diagnostics;
    diagnostics.sort_by_key(|diagnostic| (diagnostic.span.start, diagnostic.span.end));
    let file = File {
        script,
        definitions,
    };
    Resolved {
        file,
        diagnostics,
        left_out,
    }
}

struct FileResolver<'w, 'e> {
    context: Context<'w, 'e>,
    /// Whether the file is part of a package.
    of_package: bool,
    name: &'w str,
    definitions: Vec<FileDefinition>,
    /// The class of the placed methods directly before, which share one extension.
    placed: Option<String>,
    /// The errors that are known already, if definitions with errors are left out.
    forgiven: Option<&'w [Diagnostic]>,
    /// The known errors that are reasons for leaving a definition out, by index.
    attributed: HashSet<usize>,
    left_out: Vec<LeftOut>,
    /// The first error in a statement of the file.
    broken_statement: Option<Diagnostic>,
}

/// The members of a class body, sorted.
#[derive(Default)]
struct Contents {
    header: ClassDefinition,
    methods: Vec<Method>,
    /// The evaluations of initialisers.
    initialisers: Vec<(String, Routine)>,
}

impl<'w, 'e> FileResolver<'w, 'e> {
    fn new(task: Task<'w, 'e>) -> FileResolver<'w, 'e> {
        let of_package = task.tree.of_package;
        FileResolver {
            context: Context::new(
                task.world,
                task.number,
                task.source,
                task.tree,
                task.session,
            ),
            of_package,
            name: task.name,
            definitions: Vec::new(),
            placed: None,
            forgiven: task.forgiven,
            attributed: HashSet::new(),
            left_out: Vec::new(),
            broken_statement: None,
        }
    }
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
        let found = self.context.diagnostics.len();
        let broken = self.broken_header(class);
        let mut contents = self.header(class);
        if self.forgiven.is_some()
            && let Some(error) = broken.or_else(|| self.first_error(found))
        {
            self.leave_out(LeftOutKind::Class, contents.header.name, &error);
            self.attribute_class(class);
            return Vec::new();
        }
        self.methods(&mut contents, false, &class.members);
        let name = contents.header.name.clone();
        self.steps(&name, contents, |header, methods| FileDefinition::Class {
            header,
            methods,
        })
    }

    /// The definition of a class without its methods.
    fn header(&mut self, class: &ast::ClassDefinition) -> Contents {
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
        contents
    }

    /// A package may extend classes that the platform lacks. Such an extension is left out.
    fn is_left_out(&mut self, extension: &Extension) -> bool {
        let name = unscoped(&extension.class.text);
        let world = self.context.world;
        let reason = world.left_out(name);
        if !self.of_package || (world.is_class(name) && reason.is_none()) {
            return false;
        }
        let count = extension.members.len();
        let message = match reason {
            Some(reason) => format!("the class `{name}` is left out ({})", reason.code),
            None => format!("there is no class `{name}` to extend"),
        };
        let methods = if count == 1 { "method" } else { "methods" };
        let help = match self.context.world.nearest_name(name, &[]) {
            _ if reason.is_some() => format!("correct the definition of `{name}`"),
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
            self.attribute_members(&extension.members);
            return Vec::new();
        }
        let found = self.context.diagnostics.len();
        let broken = self.known_error(extension.span);
        let broken = broken.or_else(|| self.broken_member(&extension.members));
        self.check_class(name, extension.class.span);
        let mut contents = self.contents(
            name,
            extension.class_side,
            &extension.members,
            HashSet::new(),
        );
        contents.header.span = extension.span;
        if self.forgiven.is_some()
            && let Some(error) = broken.or_else(|| self.first_error(found))
        {
            self.leave_out(LeftOutKind::Extension, name.to_owned(), &error);
            self.attribute_members(&extension.members);
            return Vec::new();
        }
        self.methods(&mut contents, extension.class_side, &extension.members);
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
        let Some(method) = self.checked_placed(placed) else {
            return Vec::new();
        };
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

    /// A method with its class in front that is not the class around it. `None` if it is left out.
    fn checked_placed(&mut self, placed: &PlacedMethod) -> Option<Method> {
        let name = unscoped(&placed.class.text);
        let start = placed.class.span.start;
        let side = placed.class_side;
        if self.forgiven.is_some() && self.context.world.left_out(name).is_some() {
            // One entry for the class is enough.
            self.attribute(start, placed.method.span.end);
            let known = |one: &LeftOut| one.kind == LeftOutKind::Class && one.name == name;
            if !self.left_out.iter().any(known) {
                let (kind, span) = (LeftOutKind::Class, placed.class.span);
                let code = self
                    .context
                    .world
                    .left_out(name)
                    .map_or("E0208", |one| one.code);
                let name = name.to_owned();
                self.left_out.push(LeftOut {
                    kind,
                    name,
                    code,
                    span,
                });
            }
            return None;
        }
        let found = self.context.diagnostics.len();
        self.check_class(name, placed.class.span);
        if self.forgiven.is_some()
            && let Some(error) = self.first_error(found)
        {
            self.attribute(start, placed.method.span.end);
            let method = method_name(name, side, &placed.method.selector.text);
            self.leave_out(LeftOutKind::Method, method, &error);
            return None;
        }
        Some(self.method(name, side, &placed.method, start))
    }

    /// The members other than methods.
    fn contents(
        &mut self,
        class: &str,
        class_side: bool,
        members: &[Member],
        inherited: HashSet<String>,
    ) -> Contents {
        let mut contents = Contents::default();
        contents.header.name = class.to_owned();
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
                Member::Method(_) | Member::Placed(_) => {}
            }
        }
        contents
    }

    /// Adds the methods of a body.
    fn methods(&mut self, contents: &mut Contents, class_side: bool, members: &[Member]) {
        let class = contents.header.name.clone();
        let mut seen = HashMap::new();
        for member in members {
            let method = match member {
                Member::Method(method) => {
                    let start = method.span.start;
                    let is_new = self.is_new_method(&mut seen, &class, class_side, method);
                    is_new.then(|| self.method(&class, class_side, method, start))
                }
                Member::Placed(placed) if unscoped(&placed.class.text) == class => {
                    let (side, start) = (placed.class_side, placed.class.span.start);
                    let is_new = self.is_new_method(&mut seen, &class, side, &placed.method);
                    is_new.then(|| self.method(&class, side, &placed.method, start))
                }
                Member::Placed(placed) => self.checked_placed(placed),
                _ => None,
            };
            contents.methods.extend(method);
        }
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

    /// Whether the method is to be added: a second one of its selector is an error.
    fn is_new_method(
        &mut self,
        seen: &mut HashMap<(bool, String), Span>,
        class: &str,
        class_side: bool,
        method: &ast::Method,
    ) -> bool {
        let selector = &method.selector;
        let Some(first) = seen.insert((class_side, selector.text.clone()), selector.span) else {
            return true;
        };
        let message = format!("this class body defines `{}` twice", selector.text);
        let error = Diagnostic::error("E0205", selector.span, message)
            .labelled("defined again")
            .showing(first, "first defined here")
            .helping("remove one of the two");
        if self.forgiven.is_some() {
            let name = method_name(class, class_side, &selector.text);
            self.leave_out(LeftOutKind::Method, name, &error);
            self.attribute(method.span.start, method.span.end);
        }
        self.context.report(error);
        self.forgiven.is_none()
    }
}
