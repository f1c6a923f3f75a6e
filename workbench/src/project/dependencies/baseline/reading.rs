//! From the tree of a baseline's methods to what it says. Messages to the specification are followed, also through methods of
//! the class that get the specification as their argument.

use std::collections::{HashMap, HashSet};

use tally_compiler::ast::{
    Block, Body, Expr, ExprKind, File, Item, Literal, Member, Message, Method, Span, Statement,
};
use tally_compiler::diagnostic::line_column;

use super::{Baseline, BaselineFile, Group, PREFIX, Package, Project, Remark, RemarkKind};

/// The systems whose parts are read. Parts for single versions of Pharo exclude each other, so they are left out.
const SYSTEMS: [&str; 3] = ["common", "pharo", "tally"];
/// Messages that say nothing about what is loaded.
const NOTES: &[&str] = &[
    "author:",
    "blessing:",
    "className:",
    "customProjectAttributes:",
    "description:",
    "file:",
    "import:",
    "import:provides:",
    "loader:",
    "password:",
    "repositories:",
    "repository:username:password:",
    "supplyingAnswers:",
    "timestamp:",
    "username:",
    "version:",
    "versionString:",
];

/// Methods that are followed in a baseline. Each can follow several, so their number would have no other bound.
const MOST_METHODS: usize = 1_000;
/// Blocks and methods inside of each other that are followed.
const MOST_DEPTH: usize = 100;

/// The baseline of a class that one of the files defines.
pub(super) fn read(class: &str, files: &[BaselineFile]) -> Option<Baseline> {
    let parsed = files
        .iter()
        .map(|file| tally_compiler::parser::parse_file(&file.path, &file.text).0);
    let parsed: Vec<File> = parsed.collect();
    let methods = methods_of(class, &parsed)?;
    let mut reading = Reading {
        files,
        place: 0,
        methods: methods
            .iter()
            .map(|located| (located.method.selector.text.as_str(), *located))
            .collect(),
        active: Vec::new(),
        followed: 0,
        depth: 0,
        names: HashSet::new(),
        variables: HashMap::new(),
        baseline: Baseline {
            name: class.strip_prefix(PREFIX).unwrap_or(class).to_owned(),
            ..Baseline::default()
        },
    };
    let has_pragma = |located: &Located<'_>| {
        let mut pragmas = located.method.pragmas.iter();
        located.method.parameters.len() == 1 && pragmas.any(|pragma| pragma.selector == "baseline")
    };
    let mut entries: Vec<Located<'_>> = methods.into_iter().filter(has_pragma).collect();
    if entries.is_empty() {
        entries.extend(reading.methods.get("baseline:"));
    }
    for entry in entries {
        let parameters = entry.method.parameters.iter().map(|one| one.text.as_str());
        reading.names.extend(parameters);
        reading.method(entry);
    }
    Some(reading.baseline)
}

/// A method and the index of its file.
#[derive(Clone, Copy)]
struct Located<'f> {
    method: &'f Method,
    file: usize,
}

/// The methods of a class's instances, if one of the files defines it. In FileTree each method has a file.
fn methods_of<'f>(class: &str, files: &'f [File]) -> Option<Vec<Located<'f>>> {
    let mut is_defined = false;
    let mut methods = Vec::new();
    for (file, parsed) in files.iter().enumerate() {
        let mut add = |method| methods.push(Located { method, file });
        for item in &parsed.items {
            match item {
                Item::Class(definition) if definition.name.text == class => {
                    is_defined = true;
                    members_of(&definition.members).for_each(&mut add);
                }
                Item::Extend(extension) if extension.class.text == class => {
                    members_of(&extension.members).for_each(&mut add);
                }
                Item::Method(placed) if placed.class.text == class && !placed.class_side => {
                    add(&placed.method);
                }
                _ => {}
            }
        }
    }
    is_defined.then_some(methods)
}

/// The methods of the side of instances.
fn members_of(members: &[Member]) -> impl Iterator<Item = &Method> {
    members.iter().filter_map(|member| match member {
        Member::Method(method) => Some(method),
        Member::Placed(placed) if !placed.class_side => Some(&placed.method),
        _ => None,
    })
}

/// What a message to the specification is about.
#[derive(Clone, Copy)]
enum About {
    /// The baseline.
    Baseline,
    /// The package with this index.
    Package(usize),
    /// The project with this index.
    Project(usize),
}

struct Reading<'t> {
    files: &'t [BaselineFile],
    /// The index of the file that is being read.
    place: usize,
    methods: HashMap<&'t str, Located<'t>>,
    /// The methods that are being followed.
    active: Vec<&'t str>,
    /// How many were followed.
    followed: usize,
    /// How many blocks and methods inside of each other are being read.
    depth: usize,
    /// The names of the specification.
    names: HashSet<&'t str>,
    /// Variables whose values the text shows.
    variables: HashMap<&'t str, Literal>,
    baseline: Baseline,
}

impl<'t> Reading<'t> {
    fn method(&mut self, located: Located<'t>) {
        let Located { method, file } = located;
        self.followed += 1;
        self.active.push(&method.selector.text);
        let outer = std::mem::replace(&mut self.place, file);
        self.body(&method.body, About::Baseline);
        self.place = outer;
        self.active.pop();
    }

    fn block(&mut self, block: &'t Block, about: About) {
        let parameters = block.parameters.iter().map(|one| one.text.as_str());
        self.names.extend(parameters);
        self.body(&block.body, about);
    }

    fn body(&mut self, body: &'t Body, about: About) {
        self.depth += 1;
        for statement in &body.statements {
            let (Statement::Expression(expression)
            | Statement::Return {
                value: expression, ..
            }) = statement;
            if self.depth > MOST_DEPTH {
                let what = "this is nested too deeply to be read";
                self.remark(RemarkKind::NotRead, expression.span, what.to_owned());
            } else {
                self.statement(expression, about);
            }
        }
        self.depth -= 1;
    }

    fn statement(&mut self, expression: &'t Expr, about: About) {
        match &expression.kind {
            ExprKind::Assign { target, value } => match self.constant(value) {
                Some(literal) => {
                    self.variables.insert(&target.text, literal);
                }
                None => {
                    self.variables.remove(target.text.as_str());
                }
            },
            ExprKind::Send { receiver, message } => {
                self.sent(receiver, std::slice::from_ref(message), expression, about);
            }
            ExprKind::Cascade { receiver, messages } => {
                self.sent(receiver, messages, expression, about);
            }
            _ => {}
        }
    }

    fn sent(&mut self, receiver: &'t Expr, messages: &'t [Message], whole: &'t Expr, about: About) {
        match &receiver.kind {
            ExprKind::Variable(name) if self.names.contains(name.as_str()) => {
                for message in messages {
                    self.said(message, about);
                }
            }
            ExprKind::Variable(name) if name == "self" => {
                for message in messages {
                    self.own(message);
                }
            }
            // What does not mention the specification says nothing about it.
            _ if self.mentions(whole) => {
                let what = "what this statement says is known only when it runs";
                self.remark(RemarkKind::NotRead, whole.span, what.to_owned());
            }
            _ => {}
        }
    }

    /// A message to the baseline itself.
    fn own(&mut self, message: &'t Message) {
        if !message.arguments.iter().any(|one| self.mentions(one)) {
            return;
        }
        let selector = message.selector.as_str();
        let is_new = !self.active.contains(&selector) && self.followed < MOST_METHODS;
        let method = self.methods.get(selector).copied().filter(|_| is_new);
        let Some(located) = method else {
            let what = format!("`{selector}` of the baseline is not run");
            return self.remark(RemarkKind::NotRead, message.selector_span, what);
        };
        let outer = self.variables.clone();
        let parameters = located.method.parameters.iter();
        for (parameter, argument) in parameters.zip(&message.arguments) {
            let name = parameter.text.as_str();
            if self.is_it(argument) {
                self.names.insert(name);
            } else if let Some(literal) = self.constant(argument) {
                self.variables.insert(name, literal);
            } else {
                self.variables.remove(name);
            }
        }
        self.method(located);
        self.variables = outer;
    }

    /// A message to the specification.
    fn said(&mut self, message: &'t Message, about: About) {
        let selector = message.selector.as_str();
        match (about, selector, &message.arguments[..]) {
            (_, "for:do:", [systems, part]) => self.part_for(systems, part, about),
            (_, "preLoadDoIt:" | "postLoadDoIt:", _) => {
                let what = format!("`{selector}` is not run");
                self.remark(RemarkKind::NotRun, message.span, what);
            }
            (About::Package(index), "requires:" | "includes:", [names]) => {
                let names = self.names(names);
                if let Some(package) = self.baseline.packages.get_mut(index) {
                    match selector {
                        "requires:" => add(&mut package.requires, names),
                        _ => add(&mut package.includes, names),
                    }
                }
            }
            (About::Project(index), "loads:", [names]) => {
                let names = self.names(names);
                if let Some(project) = self.baseline.projects.get_mut(index) {
                    add(&mut project.loads, names);
                }
            }
            (About::Project(index), "repository:", [place]) => self.place(index, place),
            (_, "package:" | "package:with:" | "package:overrides:", [name, parts @ ..]) => {
                self.package(name, parts, selector);
            }
            (_, "group:with:" | "group:overrides:", [name, members]) => {
                self.group(name, members, selector);
            }
            (
                _,
                "baseline:"
                | "baseline:with:"
                | "baseline:overrides:"
                | "project:"
                | "project:with:"
                | "project:overrides:"
                | "configuration:with:",
                [name, parts @ ..],
            ) => self.project(name, name, parts),
            (_, "project:copyFrom:with:", [name, from, part]) => {
                self.project(name, from, std::slice::from_ref(part));
            }
            (_, "removePackage:" | "removeGroup:" | "removeProject:", [name]) => {
                self.remove(name, selector);
            }
            (_, "repository:", _) => {}
            (_, note, _) if NOTES.contains(&note) => {}
            _ => {
                let what = format!("`{selector}` is not known");
                self.remark(RemarkKind::NotRead, message.selector_span, what);
            }
        }
    }

    /// Where another baseline is.
    fn place(&mut self, index: usize, place: &'t Expr) {
        let Some(Literal::String(text)) = self.constant(place) else {
            let what = "where this baseline is, is computed";
            return self.remark(RemarkKind::Place, place.span, what.to_owned());
        };
        if let Some(project) = self.baseline.projects.get_mut(index) {
            project.repository = Some(text);
        }
    }

    fn part_for(&mut self, systems: &'t Expr, part: &'t Expr, about: About) {
        let Some(names) = self.list(systems) else {
            let what = "the systems for which this part holds are computed";
            return self.remark(RemarkKind::NoLiteral, systems.span, what.to_owned());
        };
        if !names.iter().any(|name| SYSTEMS.contains(&name.as_str())) {
            let what = format!("a part for {} alone", names.join(", "));
            return self.remark(RemarkKind::OtherSystem, systems.span, what);
        }
        self.part(part, about);
    }

    /// A block with messages to the specification. A version or a file's name in its place has no effect.
    fn part(&mut self, part: &'t Expr, about: About) {
        match &part.kind {
            ExprKind::Block(block) => self.block(block, about),
            _ if self.constant(part).is_some() => {}
            _ => self.no_literal(part),
        }
    }

    fn package(&mut self, name: &'t Expr, parts: &'t [Expr], selector: &str) {
        let Some(name) = self.text(name) else {
            return;
        };
        let packages = &mut self.baseline.packages;
        let known = packages.iter().position(|one| one.name == name);
        let index = known.unwrap_or_else(|| {
            packages.push(Package {
                name,
                ..Package::default()
            });
            packages.len() - 1
        });
        if selector == "package:overrides:" {
            packages[index].requires.clear();
            packages[index].includes.clear();
        }
        for part in parts {
            self.part(part, About::Package(index));
        }
    }

    fn group(&mut self, name: &'t Expr, members: &'t Expr, selector: &str) {
        let Some(name) = self.text(name) else {
            return;
        };
        let members = self.names(members);
        let groups = &mut self.baseline.groups;
        match groups.iter_mut().find(|one| one.name == name) {
            Some(group) if selector == "group:overrides:" => group.members = members,
            Some(group) => add(&mut group.members, members),
            None => groups.push(Group { name, members }),
        }
    }

    fn project(&mut self, name: &'t Expr, from: &'t Expr, parts: &'t [Expr]) {
        let (Some(name), Some(from)) = (self.text(name), self.text(from)) else {
            return;
        };
        let projects = &mut self.baseline.projects;
        let index = match projects.iter().position(|one| one.name == name) {
            Some(index) => index,
            None => {
                // A copy begins as what it is a copy of.
                let copied = projects.iter().find(|one| one.name == from).cloned();
                let copied = copied.unwrap_or_else(|| Project {
                    baseline: from,
                    ..Project::default()
                });
                projects.push(Project { name, ..copied });
                projects.len() - 1
            }
        };
        for part in parts {
            self.part(part, About::Project(index));
        }
    }

    fn remove(&mut self, name: &'t Expr, selector: &str) {
        let Some(name) = self.text(name) else {
            return;
        };
        match selector {
            "removePackage:" => self.baseline.packages.retain(|one| one.name != name),
            "removeGroup:" => self.baseline.groups.retain(|one| one.name != name),
            _ => self.baseline.projects.retain(|one| one.name != name),
        }
    }

    /// The text of a string or a symbol.
    fn text(&mut self, expression: &'t Expr) -> Option<String> {
        match self.constant(expression) {
            Some(Literal::String(text) | Literal::Symbol(text)) => Some(text),
            _ => {
                self.no_literal(expression);
                None
            }
        }
    }

    /// The names that are given by a string, a symbol or an array of them; none with a remark if they are computed.
    fn names(&mut self, expression: &'t Expr) -> Vec<String> {
        self.list(expression).unwrap_or_else(|| {
            self.no_literal(expression);
            Vec::new()
        })
    }

    fn list(&self, expression: &'t Expr) -> Option<Vec<String>> {
        let name = |literal: Literal| match literal {
            Literal::String(text) | Literal::Symbol(text) => Some(text),
            _ => None,
        };
        match self.constant(expression)? {
            Literal::Array(elements) => elements.into_iter().map(name).collect(),
            one => Some(vec![name(one)?]),
        }
    }

    /// The value of an expression, if the text shows it.
    fn constant(&self, expression: &'t Expr) -> Option<Literal> {
        match &expression.kind {
            ExprKind::Literal(literal) => Some(literal.clone()),
            ExprKind::Variable(name) => self.variables.get(name.as_str()).cloned(),
            ExprKind::Brace(elements) => {
                let elements = elements.iter().map(|one| self.constant(one));
                Some(Literal::Array(elements.collect::<Option<_>>()?))
            }
            _ => None,
        }
    }

    /// Whether an expression is the specification.
    fn is_it(&self, expression: &Expr) -> bool {
        matches!(&expression.kind, ExprKind::Variable(name) if self.names.contains(name.as_str()))
    }

    /// Whether the specification stands anywhere in an expression.
    fn mentions(&self, expression: &Expr) -> bool {
        let any = |messages: &[Message]| {
            let mut arguments = messages.iter().flat_map(|message| &message.arguments);
            arguments.any(|one| self.mentions(one))
        };
        match &expression.kind {
            ExprKind::Variable(_) => self.is_it(expression),
            ExprKind::Literal(_) | ExprKind::Error => false,
            ExprKind::Assign { value, .. } => self.mentions(value),
            ExprKind::Send { receiver, message } => {
                self.mentions(receiver) || any(std::slice::from_ref(message))
            }
            ExprKind::Cascade { receiver, messages } => self.mentions(receiver) || any(messages),
            ExprKind::Block(block) => {
                let mut statements = block.body.statements.iter();
                statements.any(|one| self.mentions(one.expression()))
            }
            ExprKind::Brace(elements) => elements.iter().any(|one| self.mentions(one)),
        }
    }

    fn no_literal(&mut self, expression: &Expr) {
        let what = "this is computed, so only a run could show it";
        self.remark(RemarkKind::NoLiteral, expression.span, what.to_owned());
    }

    fn remark(&mut self, kind: RemarkKind, span: Span, message: String) {
        let Some(file) = self.files.get(self.place) else {
            return;
        };
        let (line, column) = line_column(&file.text, span.start);
        let remark = Remark {
            kind,
            file: file.path.clone(),
            line,
            column,
            message,
        };
        // A method that is followed again says the same again.
        if !self.baseline.remarks.contains(&remark) {
            self.baseline.remarks.push(remark);
        }
    }
}

/// Adds the names that a list does not have.
fn add(list: &mut Vec<String>, names: Vec<String>) {
    for name in names {
        if !list.contains(&name) {
            list.push(name);
        }
    }
}
