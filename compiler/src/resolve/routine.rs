//! Resolves one routine: scopes, variables, captures, statements and expressions. `inline` decides which control
//! messages are inlined, and `file` walks the items of a file.
//!
//! The walk recurses as deep as the tree is. The function for one kind of node is never inlined into the walk.
//! Otherwise each level would need the stack space of all kinds together.

use std::rc::Rc;

use hashbrown::HashMap;
use tally_vm::bytecode::{CodeKind, GlobalRef, Literal, Span};

use super::nearest::nearest;
use super::session::{self, Session};
use super::tree::{
    Captured, Cascade, Expr, Function, FunctionId, Message, Node, Routine, Scope, Send, Statement,
    Target, Variable, VariableId,
};
use super::variables::{Notes, Role, Walk, index};
use super::world::{ClassScope, World, unscoped};
use crate::diagnostics::Diagnostic;
use crate::syntax::ast::{self, ExprKind, Name};

/// Names that are variables in the grammar and belong to the language.
const RESERVED: [&str; 6] = ["self", "super", "thisContext", "nil", "true", "false"];

/// The class that a routine is compiled in.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place<'a> {
    pub(super) class: &'a str,
    pub(super) class_side: bool,
}

/// The context that all routines share.
pub(super) struct Context<'w, 'e> {
    pub(super) world: &'w World<'e>,
    /// The number of the file.
    pub(super) file: usize,
    /// Whether the file is part of a package: then an unknown name is nil, and warned of.
    pub(super) of_package: bool,
    pub(super) diagnostics: Vec<Diagnostic>,
    /// The session that the text belongs to, if it is typed bit by bit.
    pub(super) session: Option<&'w mut Session>,
    scopes: HashMap<(String, bool), Rc<ClassScope>>,
}

impl<'w, 'e> Context<'w, 'e> {
    pub(super) fn new(
        world: &'w World<'e>,
        file: usize,
        of_package: bool,
        session: Option<&'w mut Session>,
    ) -> Context<'w, 'e> {
        Context {
            world,
            file,
            of_package,
            diagnostics: Vec::new(),
            session,
            scopes: HashMap::new(),
        }
    }

    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        crate::diagnostics::bounds::keep(&mut self.diagnostics, diagnostic);
    }

    fn class_scope(&mut self, place: Option<Place<'_>>) -> Rc<ClassScope> {
        let Some(place) = place else {
            return Rc::default();
        };
        let key = (place.class.to_owned(), place.class_side);
        let scope = self.scopes.entry(key);
        scope
            .or_insert_with(|| self.world.class_scope(place.class, place.class_side))
            .clone()
    }

    /// Reports an unknown name with the nearest known one.
    pub(super) fn unknown(&mut self, name: &str, span: Span, others: &[&str], advice: String) {
        let help = match self.world.nearest_name(name, others) {
            Some(near) => format!("did you mean `{near}`?"),
            None => advice,
        };
        let message = format!("nothing here is called `{name}`");
        let diagnostic = if self.of_package {
            Diagnostic::warning("W0313", span, message).labelled("unknown name; it is nil")
        } else {
            Diagnostic::error("E0201", span, message).labelled("unknown name")
        };
        self.report(diagnostic.helping(help));
    }
}

/// A function that is being walked.
#[derive(Debug)]
struct Level {
    id: FunctionId,
    captures: Vec<Captured>,
    returns_home: bool,
    receiver_uses: u32,
}

/// The names of one scope.
#[derive(Debug, Default)]
struct Names {
    names: HashMap<String, VariableId>,
}

/// Whether a `^` has ended a list of statements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    No,
    /// The next statement is the first that is not reached.
    Unreported,
    Reported,
}

impl Ended {
    /// The state behind one more statement, which `ends` the list if it is a `^`.
    pub(super) fn next(self, ends: bool) -> Ended {
        match self {
            Ended::No if ends => Ended::Unreported,
            Ended::No => Ended::No,
            _ => Ended::Reported,
        }
    }
}

/// The meaning of a name.
enum Found {
    Local(VariableId),
    InstanceVariable,
    Global(GlobalRef),
    Unknown,
}

/// The walk through one routine.
pub(super) struct RoutineResolver<'r, 'w, 'e> {
    pub(super) context: &'r mut Context<'w, 'e>,
    in_class: bool,
    class_scope: Rc<ClassScope>,
    variables: Vec<Notes>,
    functions: Vec<Function>,
    levels: Vec<Level>,
    scopes: Vec<Names>,
    pub(super) walk: Walk,
    /// Whether an assignment makes a variable of an unknown name.
    makes_variables: bool,
    /// Whether the routine is a file's script.
    pub(super) is_script: bool,
    /// Whether the machine reads the temporaries, as in a method with a mark record of its own kind. Such temporaries
    /// are nil from the start, and none counts as unused.
    pub(super) machine_reads: bool,
    /// Variables that assignments of the current statement made.
    made: Vec<VariableId>,
}

impl<'r, 'w, 'e> RoutineResolver<'r, 'w, 'e> {
    /// A routine in the scope of a class, or outside of all classes.
    pub(super) fn new(
        context: &'r mut Context<'w, 'e>,
        place: Option<Place<'_>>,
        makes_variables: bool,
    ) -> RoutineResolver<'r, 'w, 'e> {
        let class_scope = context.class_scope(place);
        let mut resolver = RoutineResolver {
            context,
            in_class: place.is_some(),
            class_scope,
            variables: Vec::new(),
            functions: Vec::new(),
            levels: Vec::new(),
            scopes: vec![Names::default()],
            walk: Walk::default(),
            makes_variables,
            is_script: false,
            machine_reads: false,
            made: Vec::new(),
        };
        resolver.open_function();
        resolver
    }

    /// The resolved routine; the pragmas are the caller's to add.
    pub(super) fn finish(
        mut self,
        selector: String,
        kind: CodeKind,
        span: Span,
        parameters: Vec<VariableId>,
        body: Scope,
    ) -> Routine {
        self.close_names();
        self.close_function(parameters, body, span);
        let mut variables: Vec<Variable> = self.variables.iter().map(Notes::settle).collect();
        for variable in &mut variables {
            variable.starts_nil |= self.machine_reads;
        }
        Routine {
            selector,
            kind,
            variables,
            functions: self.functions,
            pragmas: Vec::new(),
            primitive: None,
            frame: None,
            span,
        }
    }

    fn open_function(&mut self) -> FunctionId {
        let id = FunctionId(self.functions.len() as u32);
        self.functions.push(Function::default());
        self.levels.push(Level {
            id,
            captures: Vec::new(),
            returns_home: false,
            receiver_uses: 0,
        });
        id
    }

    fn close_function(&mut self, parameters: Vec<VariableId>, body: Scope, span: Span) {
        let Some(level) = self.levels.pop() else {
            return;
        };
        self.functions[level.id.0 as usize] = Function {
            parameters,
            body,
            captures: level.captures,
            returns_home: level.returns_home,
            receiver_uses: level.receiver_uses,
            span,
        };
    }

    pub(super) fn open_names(&mut self) {
        self.scopes.push(Names::default());
    }

    pub(super) fn close_names(&mut self) {
        let Some(closed) = self.scopes.pop() else {
            return;
        };
        if self.machine_reads || self.context.world.is_open {
            return;
        }
        let mut unused: Vec<&Notes> = closed
            .names
            .values()
            .map(|id| &self.variables[index(*id)])
            .filter(|notes| notes.role == Role::Temporary && !notes.is_read)
            .collect();
        unused.sort_by_key(|notes| notes.span.start);
        for notes in unused {
            let (message, label) = if notes.is_unused() {
                (
                    format!("the temporary `{}` is never used", notes.name),
                    "never used",
                )
            } else {
                (
                    format!("the temporary `{}` is never read", notes.name),
                    "assigned, never read",
                )
            };
            let warning = Diagnostic::warning("W0301", notes.span, message).labelled(label);
            self.context
                .diagnostics
                .push(warning.helping("remove it, or use it"));
        }
    }

    fn this_level(&self) -> usize {
        self.levels.len() - 1
    }

    /// Declares a variable in the innermost scope.
    pub(super) fn declare(&mut self, name: &Name, role: Role) -> VariableId {
        let id = VariableId(self.variables.len() as u32);
        let owner = self.levels[self.this_level()].id;
        self.variables
            .push(Notes::new(&name.text, name.span, role, owner, &self.walk));
        self.check_declaration(name, role);
        let innermost = self.scopes.len() - 1;
        self.scopes[innermost].names.insert(name.text.clone(), id);
        id
    }

    /// Where the outermost scope declares the name.
    pub(super) fn declared_at(&self, name: &str) -> Option<Span> {
        let id = self.scopes.first()?.names.get(name)?;
        Some(self.variables[index(*id)].span)
    }

    /// Reports a declaration that is wrong, or that hides a different one.
    fn check_declaration(&mut self, name: &Name, role: Role) {
        let text = &name.text;
        if RESERVED.contains(&text.as_str()) && !self.context.world.is_open {
            let message = format!("`{text}` can not be the name of a variable");
            let error = Diagnostic::error("E0203", name.span, message).labelled("a reserved word");
            return self.context.report(error.helping("choose another name"));
        }
        let innermost = self.scopes.len() - 1;
        if let Some(first) = self.scopes[innermost].names.get(text) {
            let first = self.variables[index(*first)].span;
            let message = format!("`{text}` is declared twice in one scope");
            let error = Diagnostic::error("E0204", name.span, message)
                .labelled("declared again")
                .showing(first, "first declared here");
            return self
                .context
                .report(error.helping("remove one of the two, or rename it"));
        }
        if self.context.world.is_open {
            return;
        }
        let hidden = match self.find(text) {
            Found::Local(id) => Some((
                Some(self.variables[index(id)].span),
                "a variable of an outer scope",
            )),
            Found::InstanceVariable => Some((None, "an instance variable")),
            Found::Global(GlobalRef::ClassVariable { .. }) if self.in_class => {
                Some((None, "a class variable"))
            }
            Found::Global(GlobalRef::ClassVariable { .. }) => {
                Some((None, "a variable of the session"))
            }
            Found::Global(_) => Some((None, "a global")),
            Found::Unknown => None,
        };
        if let Some((place, what)) = hidden.filter(|_| role != Role::Undeclared) {
            let message = format!("`{text}` hides {what} of the same name");
            let mut warning = Diagnostic::warning("W0302", name.span, message)
                .labelled("hides the other")
                .helping("rename it if the other is meant");
            if let Some(place) = place {
                warning = warning.showing(place, "the other is declared here");
            }
            self.context.report(warning);
        }
    }

    fn find(&self, name: &str) -> Found {
        for scope in self.scopes.iter().rev() {
            if let Some(id) = scope.names.get(name) {
                return Found::Local(*id);
            }
        }
        if self.class_scope.instance_variables.contains(name) {
            return Found::InstanceVariable;
        }
        if let Some(class) = self.class_scope.class_variables.get(name) {
            let (class, name) = (class.clone(), name.to_owned());
            return Found::Global(GlobalRef::ClassVariable { class, name });
        }
        let global = unscoped(name);
        if self.context.world.is_global(global) {
            return Found::Global(GlobalRef::Global(global.to_owned()));
        }
        match self.session() {
            Some(session) if session.keeps(name) => Found::Global(session::variable(name)),
            _ => Found::Unknown,
        }
    }

    /// The session whose variables are visible here; `None` inside classes.
    fn session(&self) -> Option<&Session> {
        self.context.session.as_deref().filter(|_| !self.in_class)
    }

    /// Makes the variable reachable for the running function; answers whether it is captured.
    fn reach(&mut self, id: VariableId) -> bool {
        let owner = self.variables[index(id)].owner;
        let mut captured = false;
        for level in self.levels.iter_mut().rev() {
            if level.id == owner {
                break;
            }
            captured = true;
            if !level.captures.contains(&Captured::Variable(id)) {
                level.captures.push(Captured::Variable(id));
            }
        }
        captured
    }

    /// Makes the receiver reachable for the running function.
    fn reach_receiver(&mut self) {
        let innermost = self.this_level();
        for (depth, level) in self.levels.iter_mut().enumerate().rev() {
            let known = depth == 0 || level.captures.contains(&Captured::Receiver);
            if !known {
                level.captures.push(Captured::Receiver);
            }
            // An outer function uses the receiver when it makes the block that captures it.
            if depth == innermost || !known {
                level.receiver_uses += 1;
            }
        }
    }

    /// The statements of a body, in a scope that is open already.
    pub(super) fn body(&mut self, body: &ast::Body) -> Scope {
        let temporaries = body
            .temporaries
            .iter()
            .map(|name| self.declare(name, Role::Temporary))
            .collect();
        let mut statements = Vec::with_capacity(body.statements.len());
        let mut ended = Ended::No;
        for statement in &body.statements {
            let resolved = self.statement(statement);
            let ends = matches!(resolved, Statement::Return(_));
            match ended {
                Ended::No => statements.push(resolved),
                Ended::Unreported => self.unreachable(statement),
                Ended::Reported => {}
            }
            ended = ended.next(ends);
        }
        Scope {
            temporaries,
            statements,
        }
    }

    /// Warns of a statement behind a `^`.
    pub(super) fn unreachable(&mut self, statement: &ast::Statement) {
        let span = match statement {
            ast::Statement::Expression(expr) => expr.span,
            ast::Statement::Return { span, .. } => *span,
        };
        self.context.report(
            Diagnostic::warning("W0305", span, "this statement is never reached")
                .labelled("behind a `^`")
                .helping("remove it, or the `^` before it"),
        );
    }

    /// The body of an `Eval`, an initialiser or a script's statement, which may make variables.
    pub(super) fn making_body(&mut self, body: &ast::Body) -> Scope {
        let mut scope = self.body(body);
        scope.temporaries.append(&mut self.made);
        scope
    }

    /// The variables that assignments made since the last time.
    pub(super) fn take_made(&mut self) -> Vec<VariableId> {
        std::mem::take(&mut self.made)
    }

    pub(super) fn statement(&mut self, statement: &ast::Statement) -> Statement {
        match statement {
            ast::Statement::Expression(expr) => Statement::Expression(self.expr(expr)),
            ast::Statement::Return { value, .. } => {
                let value = self.expr(value);
                if self.levels.len() > 1 {
                    for level in &mut self.levels {
                        level.returns_home = true;
                    }
                }
                Statement::Return(value)
            }
        }
    }

    pub(super) fn expr(&mut self, expr: &ast::Expr) -> Expr {
        let first = self.walk.moment + 1;
        let node = match &expr.kind {
            ExprKind::Literal(value) => self.literal(value, expr.span),
            ExprKind::Variable(name) => self.variable(name, expr.span),
            ExprKind::Assign { target, value } => self.assign(target, value),
            ExprKind::Send { receiver, message } => match self.inlined(receiver, message) {
                Some(node) => {
                    self.note_message(message, true);
                    node
                }
                None => self.send(receiver, message),
            },
            ExprKind::Cascade { receiver, messages } => self.cascade(receiver, messages),
            ExprKind::Block(block) => self.block(block, expr.span),
            ExprKind::Brace(elements) => {
                Node::Brace(elements.iter().map(|element| self.expr(element)).collect())
            }
            ExprKind::Error => Node::Literal(Literal::Nil),
        };
        Expr {
            node,
            moments: (first, self.walk.moment + 1),
        }
    }

    #[inline(never)]
    fn literal(&mut self, literal: &ast::Literal, span: Span) -> Node {
        if let ast::Literal::Binding(name) = literal
            && !self.context.world.is_global(unscoped(name))
        {
            let advice = "a binding names a global or a class".to_owned();
            self.context.unknown(name, span, &[], advice);
        }
        Node::Literal(convert(literal))
    }

    #[inline(never)]
    fn variable(&mut self, name: &str, span: Span) -> Node {
        match name {
            "self" => {
                self.reach_receiver();
                return Node::Receiver;
            }
            "super" if self.context.world.is_open => {
                self.reach_receiver();
                return Node::Receiver;
            }
            "super" => {
                let message = "`super` can only receive a message";
                self.context.report(
                    Diagnostic::error("E0206", span, message)
                        .labelled("not a receiver here")
                        .helping("write `self`: the object is the same"),
                );
                return Node::Receiver;
            }
            "thisContext" => {
                self.reach_receiver();
                return Node::Context;
            }
            _ => {}
        }
        match self.find(name) {
            Found::Local(id) => {
                let captured = self.reach(id);
                self.variables[index(id)].read(captured, &self.walk);
                Node::Local(id)
            }
            Found::InstanceVariable => {
                self.reach_receiver();
                Node::InstanceVariable(name.to_owned())
            }
            Found::Global(global) => {
                self.check_defined_before(&global, span);
                Node::Global(global)
            }
            Found::Unknown if self.context.world.is_open => {
                self.reach_receiver();
                Node::LateGlobal(GlobalRef::Global(name.to_owned()))
            }
            Found::Unknown => {
                self.unknown(name, span);
                if self.context.of_package {
                    return Node::Global(GlobalRef::Global(unscoped(name).to_owned()));
                }
                Node::Literal(Literal::Nil)
            }
        }
    }

    /// Outside of classes the text runs from the top to the bottom, so a global is nil before its definition.
    fn check_defined_before(&mut self, global: &GlobalRef, span: Span) {
        let GlobalRef::Global(name) = global else {
            return;
        };
        if self.in_class {
            return;
        }
        check_order(self.context, name, span);
    }

    fn unknown(&mut self, name: &str, span: Span) {
        let session = self.session().into_iter();
        let kept: Vec<String> = session.flat_map(Session::variables).cloned().collect();
        let own: Vec<&str> = self
            .scopes
            .iter()
            .flat_map(|scope| scope.names.keys())
            .chain(&self.class_scope.instance_variables)
            .chain(self.class_scope.class_variables.keys())
            .chain(&kept)
            .map(String::as_str)
            .chain(["self", "super", "nil", "true", "false"])
            .collect();
        let is_class_like = name.starts_with(char::is_uppercase);
        let advice = if is_class_like {
            format!("define the class `{name}`, or load the file that does")
        } else if self.makes_variables {
            format!("assign `{name}` before it is used")
        } else {
            format!("declare it: `| {name} |`")
        };
        self.context.unknown(name, span, &own, advice);
    }

    #[inline(never)]
    fn assign(&mut self, target: &Name, value: &ast::Expr) -> Node {
        if matches!(value.kind, ExprKind::Block(_)) {
            self.know_early(target);
        }
        let value = Box::new(self.expr(value));
        match self.target(target) {
            Some(target) => Node::Assign(target, value),
            None => Node::Literal(Literal::Nil),
        }
    }

    /// A block that is assigned to a new variable of a script may call itself by that name.
    fn know_early(&mut self, name: &Name) {
        if !matches!(self.find(&name.text), Found::Unknown)
            || RESERVED.contains(&name.text.as_str())
        {
            return;
        }
        if self.keeps_variables() {
            self.keep(&name.text);
        } else if self.makes_variables {
            self.make_variable(name);
        }
    }

    fn target(&mut self, name: &Name) -> Option<Target> {
        let open = self.context.world.is_open;
        if RESERVED.contains(&name.text.as_str()) && !open {
            return self.refuse(name, "E0203", "a reserved word");
        }
        match self.find(&name.text) {
            Found::Local(id) if self.variables[index(id)].role == Role::Argument => {
                self.refuse(name, "E0202", "an argument")
            }
            Found::Local(id) => Some(self.assign_local(id)),
            Found::InstanceVariable => {
                self.reach_receiver();
                Some(Target::InstanceVariable(name.text.clone()))
            }
            Found::Global(_) | Found::Unknown if open => {
                self.no_variable(name);
                None
            }
            Found::Global(GlobalRef::Global(global)) if self.context.world.is_class(&global) => {
                self.refuse(name, "E0203", "a class")
            }
            Found::Global(global) => Some(Target::Global(global)),
            Found::Unknown if self.keeps_variables() => {
                self.keep(&name.text);
                Some(Target::Global(session::variable(&name.text)))
            }
            Found::Unknown if self.makes_variables => {
                let id = self.make_variable(name);
                Some(self.assign_local(id))
            }
            Found::Unknown => {
                self.unknown(&name.text, name.span);
                let global = GlobalRef::Global(unscoped(&name.text).to_owned());
                self.context.of_package.then_some(Target::Global(global))
            }
        }
    }

    /// In an open world a global can be anything, and none can be assigned.
    #[inline(never)]
    fn no_variable(&mut self, name: &Name) {
        let text = &name.text;
        // The parser complained of the reserved words.
        if RESERVED.contains(&text.as_str()) && text != "thisContext" {
            return;
        }
        let fields = &self.class_scope.instance_variables;
        let locals = self.scopes.iter().flat_map(|scope| scope.names.keys());
        let help = match nearest(text, locals.chain(fields).map(String::as_str)) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("declare it: `| {text} |`"),
        };
        let message = format!("`{text}` is no variable of the method and no field of the class");
        self.context.report(
            Diagnostic::error("E0201", name.span, message)
                .labelled("cannot be assigned")
                .helping(help),
        );
    }

    fn refuse(&mut self, name: &Name, code: &'static str, what: &str) -> Option<Target> {
        let message = format!("`{}` can not be assigned", name.text);
        let error = Diagnostic::error(code, name.span, message).labelled(what);
        self.context
            .report(error.helping("assign to a temporary: `| copy |`"));
        None
    }

    fn assign_local(&mut self, id: VariableId) -> Target {
        let captured = self.reach(id);
        self.variables[index(id)].assign(captured, &mut self.walk);
        Target::Local(id)
    }

    /// Whether variables that are made here outlive the text.
    pub(super) fn keeps_variables(&self) -> bool {
        self.is_script && self.context.session.is_some()
    }

    /// Makes a variable of the session.
    pub(super) fn keep(&mut self, name: &str) {
        if let Some(session) = &mut self.context.session {
            session.keep(name);
        }
    }

    /// An assignment at the top level of a script makes a variable of the whole script.
    fn make_variable(&mut self, name: &Name) -> VariableId {
        let id = VariableId(self.variables.len() as u32);
        let owner = self.levels[0].id;
        self.variables.push(Notes::new(
            &name.text,
            name.span,
            Role::Undeclared,
            owner,
            &self.walk,
        ));
        self.scopes[0].names.insert(name.text.clone(), id);
        self.made.push(id);
        id
    }

    /// The receiver of a message, and whether it is `super`.
    fn receiver(&mut self, receiver: &ast::Expr) -> (Expr, bool) {
        if !is_super(receiver) {
            return (self.expr(receiver), false);
        }
        if !self.in_class {
            self.super_outside(receiver.span);
        }
        self.reach_receiver();
        let moments = (self.walk.moment + 1, self.walk.moment + 1);
        (
            Expr {
                node: Node::Receiver,
                moments,
            },
            true,
        )
    }

    #[inline(never)]
    fn super_outside(&mut self, span: Span) {
        let message = "`super` means nothing outside of a class";
        self.context.report(
            Diagnostic::error("E0206", span, message)
                .labelled("no class around it")
                .helping("name the object that the message is for"),
        );
    }

    #[inline(never)]
    fn send(&mut self, receiver: &ast::Expr, message: &ast::Message) -> Node {
        let start = receiver.span.start.min(message.span.start);
        let (receiver, to_super) = self.receiver(receiver);
        let message = self.message(start, message);
        Node::Send(Box::new(Send {
            receiver,
            to_super,
            message,
        }))
    }

    /// The messages of a cascade are never inlined: with several messages to one receiver there is
    /// nothing to gain, and each counts as a send.
    #[inline(never)]
    fn cascade(&mut self, receiver: &ast::Expr, messages: &[ast::Message]) -> Node {
        let start = receiver.span.start;
        let (receiver, to_super) = self.receiver(receiver);
        let messages = messages
            .iter()
            .map(|message| self.message(start, message))
            .collect();
        Node::Cascade(Box::new(Cascade {
            receiver,
            to_super,
            messages,
        }))
    }

    fn message(&mut self, start: u32, message: &ast::Message) -> Message {
        self.check_selector(message);
        self.note_message(message, false);
        Message {
            selector: message.selector.clone(),
            arguments: message
                .arguments
                .iter()
                .map(|argument| self.expr(argument))
                .collect(),
            span: Span {
                start,
                end: message.span.end,
            },
            selector_span: message.selector_span,
        }
    }

    /// Notes for the session what happens to the value of a message outside of classes.
    #[inline(never)]
    fn note_message(&mut self, message: &ast::Message, inlined: bool) {
        if let Some(session) = self.context.session.as_mut().filter(|_| !self.in_class) {
            session.note_message(message, inlined);
        }
    }

    #[inline(never)]
    fn check_selector(&mut self, message: &ast::Message) {
        let (selector, message_span) = (&message.selector, message.selector_span);
        if self.context.world.is_open || self.context.world.understands(selector) {
            return;
        }
        if RESERVED.contains(&selector.as_str()) && !self.context.of_package {
            let message = format!("`{selector}` is not a message");
            return self.context.report(
                Diagnostic::error("E0113", message_span, message)
                    .labelled("two expressions without anything between them")
                    .helping(format!("is a period missing before `{selector}`?")),
            );
        }
        let text = format!("no class implements `{selector}`");
        let help = match self.context.world.nearest_selector(selector) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "the receiver will get `doesNotUnderstand:`".to_owned(),
        };
        self.context.report(
            Diagnostic::warning("W0303", message.selector_span, text)
                .labelled("no class understands this")
                .helping(help),
        );
    }

    #[inline(never)]
    fn block(&mut self, block: &ast::Block, span: Span) -> Node {
        let id = self.open_function();
        self.open_names();
        self.walk.enter_region();
        let parameters = block
            .parameters
            .iter()
            .map(|name| self.declare(name, Role::Argument))
            .collect();
        let body = self.body(&block.body);
        self.walk.regions.pop();
        self.close_names();
        self.close_function(parameters, body, span);
        Node::Block(id)
    }
}

/// Warns of a global that a file uses above its definition, in code that runs as the file is read.
pub(super) fn check_order(context: &mut Context<'_, '_>, name: &str, span: Span) {
    let Some((file, defined)) = context.world.defined_at(name) else {
        return;
    };
    if file != context.file || defined <= span.start {
        return;
    }
    let place = Span {
        start: defined,
        end: defined + name.len() as u32,
    };
    let message = format!("`{name}` is used before it is defined");
    context.report(
        Diagnostic::warning("W0304", span, message)
            .labelled("nil when this runs")
            .showing(place, "defined here")
            .helping("move the definition up"),
    );
}

pub(super) fn is_super(expr: &ast::Expr) -> bool {
    matches!(&expr.kind, ExprKind::Variable(name) if name == "super")
}

/// The machine's literal for a literal of the text.
pub(super) fn convert(literal: &ast::Literal) -> Literal {
    match literal {
        ast::Literal::Nil => Literal::Nil,
        ast::Literal::True => Literal::True,
        ast::Literal::False => Literal::False,
        ast::Literal::Integer(digits) => match digits.parse() {
            Ok(value) => Literal::Integer(value),
            Err(_) => Literal::LargeInteger(digits.clone()),
        },
        ast::Literal::Float(value) => Literal::Float(*value),
        ast::Literal::Fraction(numerator, denominator) => {
            Literal::Fraction(numerator.clone(), denominator.clone())
        }
        ast::Literal::ScaledDecimal(numerator, denominator, scale) => {
            Literal::ScaledDecimal(numerator.clone(), denominator.clone(), *scale)
        }
        ast::Literal::Character(code) => Literal::Character(*code),
        ast::Literal::String(text) => Literal::String(text.clone()),
        ast::Literal::Symbol(text) => Literal::Symbol(text.clone()),
        ast::Literal::Array(elements) => Literal::Array(elements.iter().map(convert).collect()),
        ast::Literal::ByteArray(bytes) => Literal::ByteArray(bytes.clone()),
        ast::Literal::Binding(name) => Literal::Binding(unscoped(name).to_owned()),
    }
}
