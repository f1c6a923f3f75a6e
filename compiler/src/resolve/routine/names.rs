//! Names in a routine: their declaration, their meaning, and assignments to them.

use tally_vm::bytecode::{GlobalRef, Literal, Span};

use super::{RESERVED, RoutineResolver};
use crate::diagnostics::Diagnostic;
use crate::foreign;
use crate::resolve::context::{Place, check_order};
use crate::resolve::left_out::use_of_class;
use crate::resolve::nearest::nearest;
use crate::resolve::session::{self, Session};
use crate::resolve::tree::{Node, Target, VariableId};
use crate::resolve::variables::{Notes, Role, index};
use crate::resolve::world::unscoped;
use crate::syntax::ast::{self, ExprKind, Name};

/// The meaning of a name.
enum Found {
    Local(VariableId),
    InstanceVariable,
    Global(GlobalRef),
    Unknown,
}

impl RoutineResolver<'_, '_, '_> {
    /// Declares a variable in the innermost scope.
    pub(in crate::resolve) fn declare(&mut self, name: &Name, role: Role) -> VariableId {
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
    pub(in crate::resolve) fn declared_at(&self, name: &str) -> Option<Span> {
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

    #[inline(never)]
    pub(super) fn variable(&mut self, name: &str, span: Span) -> Node {
        match name {
            "self" => {
                self.reach_receiver();
                return Node::Receiver;
            }
            // Pharo reads it as the receiver.
            "super" if self.context.world.is_open || self.context.of_package => {
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
                if let Some(node) = self.left_out(&global, span) {
                    return node;
                }
                self.check_defined_before(&global, span);
                Node::Global(global)
            }
            Found::Unknown if self.context.world.is_open => {
                self.reach_receiver();
                Node::LateGlobal(GlobalRef::Global(name.to_owned()))
            }
            Found::Unknown if self.context.mentions_declare && self.makes(name) => {
                self.make_by_mention(name, span)
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

    /// The signal in place of a class that is left out.
    fn left_out(&self, global: &GlobalRef, span: Span) -> Option<Node> {
        let GlobalRef::Global(name) = global else {
            return None;
        };
        let reason = self.context.world.left_out(name)?;
        Some(use_of_class(name, reason, span, self.walk.moment + 1))
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

    /// Whether nothing has this name.
    pub(super) fn is_unknown(&self, name: &str) -> bool {
        !RESERVED.contains(&name) && matches!(self.find(name), Found::Unknown)
    }

    /// Whether something has this name, or a variable that is being assigned will have it.
    pub(super) fn is_variable(&self, name: &str) -> bool {
        let is_target = self.targets.iter().any(|target| target == name);
        (is_target && self.makes_variables) || !self.is_unknown(name)
    }

    /// Whether the name is that of a variable of the object, and nothing hides it.
    pub(super) fn is_instance_variable(&self, name: &str) -> bool {
        matches!(self.find(name), Found::InstanceVariable)
    }

    /// Whether the name is that of a variable that can be assigned.
    pub(super) fn is_assignable(&self, name: &str) -> bool {
        match self.find(name) {
            Found::Local(id) => self.variables[index(id)].role != Role::Argument,
            Found::InstanceVariable => true,
            Found::Global(GlobalRef::Global(global)) => !self.context.world.is_class(&global),
            Found::Global(_) => true,
            Found::Unknown => !RESERVED.contains(&name),
        }
    }

    /// Whether the name is that of a global, and nothing hides it.
    pub(super) fn is_global(&self, name: &str) -> bool {
        matches!(self.find(name), Found::Global(_))
    }

    /// Takes a name as known from now on, because another error explains it.
    pub(super) fn know(&mut self, name: &Name) {
        self.unknown_names.insert(name.text.clone());
    }

    fn unknown(&mut self, name: &str, span: Span) {
        if !self.context.of_package && !self.unknown_names.insert(name.to_owned()) {
            return;
        }
        if let Some(help) = self.foreign_statement(name, span) {
            let error = foreign::reserved_elsewhere(name, span, help);
            return self.context.report(error);
        }
        if self.of_instances(name, span) {
            return;
        }
        if let Some((span, text)) = self.comment_before(name, span) {
            let message = "text in double quotes is a comment, not a string";
            return self.context.report(
                Diagnostic::error("E0201", span, message)
                    .labelled("no object stands here")
                    .helping(format!("a string has single quotes: `'{text}' {name}`")),
            );
        }
        if let Some(help) = self.probable_meaning(name, span) {
            return self.context.unknown_with(name, span, help);
        }
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

    /// Reports a variable of the instances in a method of the class.
    fn of_instances(&mut self, name: &str, span: Span) -> bool {
        let Some(class) = self.class_side_of.clone() else {
            return false;
        };
        let place = Place {
            class: &class,
            class_side: false,
        };
        let scope = self.context.class_scope(Some(place));
        if !scope.instance_variables.contains(name) || self.context.of_package {
            return false;
        }
        let message = format!("`{name}` is a variable of the instances of {class}");
        self.context.report(
            Diagnostic::error("E0201", span, message)
                .labelled("a method of the class has no such variable")
                .helping(format!(
                    "make an instance and let it assign: `^self new {name}: …`, with a method `{name}: anObject [ {name} := anObject ]`"
                )),
        );
        true
    }

    /// How to write a statement that begins with a word of another language, if it does: the next word is no message.
    fn foreign_statement(&self, name: &str, span: Span) -> Option<&'static str> {
        let help = foreign::statement(name)?;
        let rest = self.context.source.get(span.end as usize..)?;
        let rest = rest.trim_start_matches([' ', '\t']);
        let end = rest.find(|next: char| !next.is_alphanumeric() && next != '_');
        let (word, behind) = rest.split_at(end.unwrap_or(rest.len()));
        let is_foreign = match word {
            _ if is_never_a_name(name) && !word.is_empty() => true,
            "" => matches!(name, "return" | "break" | "continue"),
            _ if behind.starts_with(':') => false,
            _ => !self.context.world.understands(word),
        };
        (is_foreign && !self.context.of_package).then_some(help)
    }

    /// The comment on the line before an unknown name that is a message: probably the receiver.
    fn comment_before(&self, name: &str, span: Span) -> Option<(Span, &str)> {
        let source = self.context.source;
        let before = source.get(..span.start as usize)?;
        let line = before.rfind('\n').map_or(0, |at| at + 1);
        let inner = before.trim_end().strip_suffix('"')?;
        let open = inner.rfind('"').filter(|&open| open >= line)?;
        let span = Span {
            start: open as u32,
            end: inner.len() as u32 + 1,
        };
        self.context
            .world
            .understands(name)
            .then_some((span, &inner[open + 1..]))
    }

    /// The remedy for an unknown name that is probably something else than a misspelt variable.
    fn probable_meaning(&self, name: &str, span: Span) -> Option<String> {
        if let Some(help) = foreign::object(name) {
            return Some(help.to_owned());
        }
        let source = self.context.source;
        let before = source.get(..span.start as usize)?.trim_end();
        let behind = source.get(span.end as usize..)?.trim_start();
        if let Some(path) = before
            .strip_suffix('.')
            .filter(|_| before.len() == span.start as usize)
        {
            let is_part = |part: char| part.is_alphanumeric() || part == '_';
            let first = &path[path.trim_end_matches(is_part).len()..];
            if first == "self" && matches!(self.find(name), Found::InstanceVariable) {
                return Some(format!("an instance variable is named alone: `{name}`"));
            }
            if first.starts_with(|first: char| first.is_alphabetic() || first == '_') {
                return Some(format!(
                    "a message is sent with a blank before it: `{first} {name}`"
                ));
            }
        }
        let starts = before.is_empty() || before.ends_with(['.', '[', '|', '"']);
        if starts && behind.starts_with('=') && !behind.starts_with("==") {
            return Some(format!("`=` compares; to assign write `{name} := …`"));
        }
        if let Some(class) = self.class_scope.methods.get(name) {
            return Some(format!(
                "`{name}` is a method of `{class}`: send it, as in `self {name}`"
            ));
        }
        None
    }

    #[inline(never)]
    pub(super) fn assign(&mut self, target: &Name, value: &ast::Expr) -> Node {
        if matches!(value.kind, ExprKind::Block(_)) {
            self.know_early(target);
        }
        self.check_assigned(target, value);
        self.targets.push(target.text.clone());
        let value = Box::new(self.expr(value));
        self.targets.pop();
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
    pub(in crate::resolve) fn keeps_variables(&self) -> bool {
        self.is_script && self.context.session.is_some()
    }

    /// Whether a mention of the unknown name may make a variable here. A capitalised name is that of a global.
    fn makes(&self, name: &str) -> bool {
        self.makes_variables && !name.starts_with(char::is_uppercase)
    }

    /// Makes a variable, which is nil, and reads it.
    fn make_by_mention(&mut self, name: &str, span: Span) -> Node {
        if self.keeps_variables() {
            self.keep(name);
            return Node::Global(session::variable(name));
        }
        let id = self.make_variable(&Name {
            text: name.to_owned(),
            span,
        });
        let captured = self.reach(id);
        self.variables[index(id)].read(captured, &self.walk);
        Node::Local(id)
    }

    /// Makes a variable of the session.
    pub(in crate::resolve) fn keep(&mut self, name: &str) {
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
}

/// Words that are no names in any program, though they could be.
fn is_never_a_name(word: &str) -> bool {
    matches!(
        word,
        "return"
            | "let"
            | "var"
            | "const"
            | "import"
            | "def"
            | "fn"
            | "func"
            | "function"
            | "elif"
            | "if"
            | "else"
            | "while"
            | "for"
            | "foreach"
            | "int"
            | "lambda"
            | "print"
            | "println"
            | "puts"
            | "echo"
            | "try"
            | "throw"
            | "raise"
    )
}
