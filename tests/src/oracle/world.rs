//! Classes, methods and globals, and the effects of definitions in a file.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::rc::Rc;

use tally_compiler::ast::{
    self, Body, ClassDefinition, Expr, ExprKind, Item, Literal, Member, PlacedMethod, Pragma, Span,
    Statement,
};

use super::names::{Name, name};
use super::node::{N, Node};
use super::primitives::{self, PrimitiveFunction};
use super::resolve::{Resolver, unscoped};
use super::value::{Data, Object, ObjectId, Value};

/// A class's place in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct ClassId(pub(crate) u32);

/// What the instances of a class hold beside named variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Fixed,
    Pointers,
    Bytes,
}

/// A class or a metaclass.
#[derive(Clone, Debug)]
pub(crate) struct Class {
    pub(crate) name: Rc<str>,
    pub(crate) superclass: Option<ClassId>,
    pub(crate) is_meta: bool,
    /// The metaclass of a class, the class of a metaclass.
    pub(crate) other_side: ClassId,
    pub(crate) own_fields: Vec<Name>,
    pub(crate) fields: Vec<Name>,
    pub(crate) shape: Shape,
    pub(crate) methods: HashMap<Name, Rc<Method>>,
    /// Selectors in the order of their definition.
    pub(crate) selectors: Vec<Name>,
    pub(crate) class_variables: Vec<Name>,
    pub(crate) pools: Vec<Name>,
    pub(crate) object: ObjectId,
    pub(crate) subclasses: Vec<ClassId>,
    pub(crate) category: Rc<str>,
    pub(crate) comment: Rc<str>,
}

/// What a method's frame pragma says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FrameKind {
    Ordinary,
    Ensure,
    Curtailed,
    Handler,
    Handling,
    Signal,
    Silent,
}

/// A file's text, for line numbers.
#[derive(Debug)]
pub(crate) struct SourceFile {
    pub(crate) name: String,
    pub(crate) text: String,
}

impl SourceFile {
    pub(crate) fn slice(&self, span: Span) -> &str {
        let (start, end) = (span.start as usize, span.end as usize);
        self.text.get(start..end).unwrap_or_default()
    }

    /// Line and column of a byte, from 1, in characters.
    pub(crate) fn place(&self, offset: u32) -> (usize, usize) {
        let before = self.text.get(..offset as usize).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        (line, before[start..].chars().count() + 1)
    }
}

/// Where a method's code comes from.
#[derive(Debug)]
pub(crate) enum Code {
    Method(ast::Method),
    /// An `Eval`, an initialiser or a compiled expression, already resolved.
    Resolved,
}

/// What a quick method does (counting model, 1).
#[derive(Clone, Debug)]
pub(crate) enum Quick {
    Receiver,
    Value(N),
    Load(usize),
    Store(usize),
}

/// Code ready to be executed.
#[derive(Debug)]
pub(crate) struct Routine {
    pub(crate) parameters: usize,
    pub(crate) slots: usize,
    pub(crate) body: N,
    pub(crate) quick: Option<Quick>,
}

/// A method, or a piece of a script.
#[derive(Debug)]
pub(crate) struct Method {
    /// `Class>>selector`, or the file's name.
    pub(crate) name: Rc<str>,
    pub(crate) holder: ClassId,
    pub(crate) selector: Name,
    /// The key of its counts: its name and its text.
    pub(crate) key: Name,
    pub(crate) file: Rc<SourceFile>,
    pub(crate) span: Span,
    pub(crate) code: Code,
    pub(crate) primitive: Option<(&'static str, PrimitiveFunction)>,
    /// A primitive that this interpreter does not know.
    pub(crate) unknown_primitive: Option<String>,
    pub(crate) frame: FrameKind,
    pub(crate) routine: OnceCell<Rc<Routine>>,
}

/// Classes and globals; what programs change is copied when a machine is.
#[derive(Clone, Debug, Default)]
pub(crate) struct World {
    pub(crate) classes: Vec<Rc<Class>>,
    /// Globals that are defined.
    pub(crate) globals: HashMap<Name, Value>,
    pub(crate) class_names: HashMap<Name, ClassId>,
    pub(crate) class_variables: HashMap<(ClassId, Name), Value>,
    pub(crate) objects: Vec<Object>,
    /// Whether anything changed that a lookup depends on.
    pub(crate) lookups: HashMap<(ClassId, Name), Option<Rc<Method>>>,
}

impl World {
    pub(crate) fn class(&self, id: ClassId) -> &Class {
        &self.classes[id.0 as usize]
    }

    pub(crate) fn class_mut(&mut self, id: ClassId) -> &mut Class {
        Rc::make_mut(&mut self.classes[id.0 as usize])
    }

    pub(crate) fn find_class(&self, text: &str) -> Option<ClassId> {
        self.class_names.get(&name(text)).copied()
    }

    /// The slot of an instance variable.
    pub(crate) fn field(&self, class: ClassId, of: Name) -> Option<usize> {
        self.class(class).fields.iter().position(|one| *one == of)
    }

    /// The class or pool that declares a class variable which the class's code sees.
    pub(crate) fn class_variable_owner(&self, class: ClassId, of: Name) -> Option<ClassId> {
        let mut at = Some(self.instance_side(class));
        while let Some(id) = at {
            let row = self.class(id);
            if row.class_variables.contains(&of) {
                return Some(id);
            }
            for pool in &row.pools {
                let pool = self.class_names.get(pool).copied();
                let found = pool.filter(|&pool| self.class(pool).class_variables.contains(&of));
                if found.is_some() {
                    return found;
                }
            }
            at = row.superclass;
        }
        None
    }

    /// The class itself, or the class that a metaclass is of.
    pub(crate) fn instance_side(&self, class: ClassId) -> ClassId {
        let row = self.class(class);
        if row.is_meta { row.other_side } else { class }
    }

    pub(crate) fn inherits(&self, class: ClassId, from: ClassId) -> bool {
        let mut at = Some(class);
        while let Some(id) = at {
            if id == from {
                return true;
            }
            at = self.class(id).superclass;
        }
        false
    }

    /// The method that instances of the class answer a message with.
    pub(crate) fn lookup(&mut self, class: ClassId, selector: Name) -> Option<Rc<Method>> {
        if let Some(found) = self.lookups.get(&(class, selector)) {
            return found.clone();
        }
        let mut at = Some(class);
        let mut found = None;
        while let Some(id) = at {
            let row = self.class(id);
            if let Some(method) = row.methods.get(&selector) {
                found = Some(method.clone());
                break;
            }
            at = row.superclass;
        }
        self.lookups.insert((class, selector), found.clone());
        found
    }

    pub(crate) fn display_name(&self, class: ClassId) -> String {
        let row = self.class(class);
        if row.is_meta {
            format!("{} class", self.class(row.other_side).name)
        } else {
            row.name.to_string()
        }
    }

    fn new_class_object(&mut self, meta: ClassId, of: ClassId) -> ObjectId {
        self.objects.push(Object {
            class: meta,
            hash: 0,
            slots: Vec::new(),
            data: Data::Class(of),
        });
        ObjectId(self.objects.len() as u32 - 1)
    }

    /// Makes a class with its metaclass, or gives one that is there another superclass and other variables.
    pub(crate) fn define_class(
        &mut self,
        text: &str,
        superclass: Option<ClassId>,
        fields: &[Name],
        shape: Option<Shape>,
    ) -> ClassId {
        self.lookups.clear();
        let inherited = superclass.map(|id| self.class(id).shape);
        let shape = shape.or(inherited).unwrap_or(Shape::Fixed);
        let id = match self.find_class(text) {
            Some(id) => id,
            None => self.add_class(text, superclass),
        };
        let above = superclass.map_or_else(Vec::new, |id| self.class(id).fields.clone());
        let old = self.class(id).superclass;
        if let Some(old) = old {
            self.class_mut(old).subclasses.retain(|one| *one != id);
        }
        if let Some(superclass) = superclass {
            self.class_mut(superclass).subclasses.push(id);
        }
        let meta = self.class(id).other_side;
        let row = self.class_mut(id);
        row.superclass = superclass;
        row.own_fields = fields.to_vec();
        row.fields = above;
        row.fields.extend(fields);
        row.shape = shape;
        let meta_above = match superclass {
            Some(superclass) => Some(self.class(superclass).other_side),
            None => self.find_class("Class"),
        };
        self.class_mut(meta).superclass = meta_above;
        self.class_fields_changed(id);
        id
    }

    fn add_class(&mut self, text: &str, superclass: Option<ClassId>) -> ClassId {
        let id = ClassId(self.classes.len() as u32);
        let meta = ClassId(id.0 + 1);
        let object = self.new_class_object(meta, id);
        let metaclass = self.find_class("Metaclass").unwrap_or(id);
        let meta_object = self.new_class_object(metaclass, meta);
        let row = |is_meta: bool, other_side, object| Class {
            name: text.into(),
            superclass,
            is_meta,
            other_side,
            own_fields: Vec::new(),
            fields: Vec::new(),
            shape: Shape::Fixed,
            methods: HashMap::new(),
            selectors: Vec::new(),
            class_variables: Vec::new(),
            pools: Vec::new(),
            object,
            subclasses: Vec::new(),
            category: "".into(),
            comment: "".into(),
        };
        self.classes.push(Rc::new(row(false, meta, object)));
        self.classes.push(Rc::new(row(true, id, meta_object)));
        self.class_names.insert(name(text), id);
        self.globals.insert(name(text), Value::Object(object));
        id
    }

    /// Gives the class's object room for the class side's variables.
    fn class_fields_changed(&mut self, id: ClassId) {
        let meta = self.class(id).other_side;
        let mut fields = match self.class(meta).superclass {
            Some(above) if above != meta => self.class(above).fields.clone(),
            _ => Vec::new(),
        };
        fields.extend(&self.class(meta).own_fields);
        let object = self.class(id).object;
        self.objects[object.0 as usize]
            .slots
            .resize(fields.len(), Value::Nil);
        self.class_mut(meta).fields = fields;
    }

    /// Once all classes of the library are there: metaclasses of roots are below Class, and all of them are
    /// instances of Metaclass.
    pub(crate) fn tie_metaclasses(&mut self) {
        let class = self.find_class("Class");
        let metaclass = self.find_class("Metaclass");
        for number in (0..self.classes.len()).map(|n| ClassId(n as u32)) {
            if self.class(number).is_meta {
                let instance = self.class(number).other_side;
                if self.class(instance).superclass.is_none() {
                    self.class_mut(number).superclass = class;
                }
                let object = self.class(number).object;
                if let Some(metaclass) = metaclass {
                    self.objects[object.0 as usize].class = metaclass;
                }
            } else {
                self.class_fields_changed(number);
            }
        }
        self.lookups.clear();
    }

    /// Puts a method into its class.
    pub(crate) fn add_method(&mut self, method: Rc<Method>) {
        self.lookups.clear();
        let row = self.class_mut(method.holder);
        if !row.methods.contains_key(&method.selector) {
            row.selectors.push(method.selector);
        }
        row.methods.insert(method.selector, method);
    }

    pub(crate) fn remove_method(&mut self, class: ClassId, selector: Name) {
        self.lookups.clear();
        let row = self.class_mut(class);
        row.methods.remove(&selector);
        row.selectors.retain(|one| *one != selector);
    }

    /// A method of a class from its tree.
    pub(crate) fn new_method(
        &self,
        holder: ClassId,
        tree: &ast::Method,
        file: &Rc<SourceFile>,
    ) -> Rc<Method> {
        let selector = name(&tree.selector.text);
        let text = format!("{}>>{}", self.display_name(holder), tree.selector.text);
        let key = name(&format!("{text}\u{0}{}", file.slice(tree.span)));
        let primitive = primitive_name(&tree.pragmas);
        let known = primitive.and_then(primitives::find);
        Rc::new(Method {
            name: text.into(),
            holder,
            selector,
            key,
            file: file.clone(),
            span: tree.span,
            code: Code::Method(tree.clone()),
            unknown_primitive: primitive.filter(|_| known.is_none()).map(str::to_string),
            primitive: known,
            frame: frame_kind(&tree.pragmas),
            routine: OnceCell::new(),
        })
    }

    /// A piece of a script as a method of no selector; its receiver is of that class.
    pub(crate) fn new_piece(
        holder: ClassId,
        span: Span,
        file: &Rc<SourceFile>,
        routine: Routine,
    ) -> Rc<Method> {
        let key = name(&format!("{}\u{0}{}", file.name, file.slice(span)));
        Rc::new(Method {
            name: file.name.as_str().into(),
            holder,
            selector: name(""),
            key,
            file: file.clone(),
            span,
            code: Code::Resolved,
            primitive: None,
            unknown_primitive: None,
            frame: FrameKind::Ordinary,
            routine: OnceCell::from(Rc::new(routine)),
        })
    }

    /// The method's code, resolved at the first use.
    pub(crate) fn routine(&self, method: &Method) -> Rc<Routine> {
        let make = || Rc::new(self.resolve_method(method));
        method.routine.get_or_init(make).clone()
    }

    fn resolve_method(&self, method: &Method) -> Routine {
        let Code::Method(tree) = &method.code else {
            return Routine {
                parameters: 0,
                slots: 0,
                body: Rc::new(Node::Constant(Value::Nil)),
                quick: None,
            };
        };
        let mut resolver = Resolver::new(self, Some(method.holder), false, &[]);
        resolver.open(tree.parameters.iter());
        let body = resolver.body(&tree.body);
        let slots = resolver.close();
        let is_special =
            primitive_name(&tree.pragmas).is_some() || method.frame != FrameKind::Ordinary;
        let quick = if is_special {
            None
        } else {
            quick(&body, tree.parameters.len())
        };
        Routine {
            parameters: tree.parameters.len(),
            slots,
            body,
            quick,
        }
    }

    /// Code outside of classes, or the initial value of a class variable.
    pub(crate) fn resolve_body(
        &self,
        class: Option<ClassId>,
        body: &Body,
        foreseen: &[Name],
    ) -> Routine {
        let mut resolver = Resolver::new(self, class, true, foreseen);
        resolver.open(std::iter::empty());
        let body = resolver.body(body);
        Routine {
            parameters: 0,
            slots: resolver.close(),
            body,
            quick: None,
        }
    }

    /// A file's script: its statements and definitions in the order of the text.
    pub(crate) fn resolve_script(
        &self,
        tree: &ast::File,
        file: &Rc<SourceFile>,
        holder: ClassId,
    ) -> Routine {
        let foreseen = foreseen(tree);
        let mut resolver = Resolver::new(self, None, true, &foreseen);
        resolver.open(std::iter::empty());
        let mut steps: Vec<N> = Vec::new();
        for item in &tree.items {
            match item {
                Item::Temporaries(names) => resolver.declare(names),
                Item::Statement(statement) => steps.push(resolver.statement(statement)),
                Item::Eval { body, span } => {
                    let routine = self.resolve_body(None, body, &foreseen);
                    let piece = World::new_piece(holder, *span, file, routine);
                    steps.push(Rc::new(Node::Evaluate(piece, None)));
                }
                _ => steps.push(Rc::new(Node::Define(Rc::new(item.clone())))),
            }
        }
        Routine {
            parameters: 0,
            slots: resolver.close(),
            body: Rc::new(Node::Statements(steps)),
            quick: None,
        }
    }

    /// Carries out a definition; answers the initial values of class variables, to be evaluated next.
    pub(crate) fn define(
        &mut self,
        item: &Item,
        file: &Rc<SourceFile>,
    ) -> Result<Vec<(ClassId, Name, Expr)>, String> {
        match item {
            Item::Class(class) => self.define_from_tree(class, file),
            Item::Extend(extension) => {
                let id = self.class_named(&extension.class.text)?;
                self.members(id, extension.class_side, &extension.members, file)
            }
            Item::Method(placed) => {
                self.placed(placed, file)?;
                Ok(Vec::new())
            }
            _ => Ok(Vec::new()),
        }
    }

    fn class_named(&self, text: &str) -> Result<ClassId, String> {
        let text = unscoped(text);
        self.find_class(text)
            .ok_or_else(|| format!("there is no class {text}"))
    }

    fn define_from_tree(
        &mut self,
        class: &ClassDefinition,
        file: &Rc<SourceFile>,
    ) -> Result<Vec<(ClassId, Name, Expr)>, String> {
        let superclass = match unscoped(&class.superclass.text) {
            "nil" => None,
            text => Some(self.class_named(text)?),
        };
        if class.is_trait || !class.traits.is_empty() || class.class_traits.is_some() {
            return Err("traits".to_string());
        }
        let mut fields = Vec::new();
        let mut shape = None;
        for member in &class.members {
            match member {
                Member::InstanceVariables(names) => {
                    fields.extend(names.iter().map(|n| name(&n.text)))
                }
                Member::Pragma(pragma) if pragma.selector == "shape:" => shape = shape_of(pragma),
                _ => {}
            }
        }
        let id = self.define_class(unscoped(&class.name.text), superclass, &fields, shape);
        self.class_mut(id).pools = class
            .pools
            .iter()
            .map(|one| name(unscoped(&one.text)))
            .collect();
        self.members(id, false, &class.members, file)
    }

    fn members(
        &mut self,
        id: ClassId,
        class_side: bool,
        members: &[Member],
        file: &Rc<SourceFile>,
    ) -> Result<Vec<(ClassId, Name, Expr)>, String> {
        let mut values = Vec::new();
        let meta = self.class(id).other_side;
        for member in members {
            match member {
                Member::InstanceVariables(names) if class_side => self.add_class_fields(id, names),
                Member::ClassInstanceVariables(names) => self.add_class_fields(id, names),
                Member::ClassVariable {
                    name: variable,
                    value,
                } => {
                    let variable = name(&variable.text);
                    self.class_mut(id).class_variables.push(variable);
                    self.class_variables
                        .entry((id, variable))
                        .or_insert(Value::Nil);
                    if !matches!(value.kind, ExprKind::Literal(Literal::Nil)) {
                        values.push((id, variable, value.clone()));
                    }
                }
                Member::Pragma(pragma) => self.class_pragma(id, pragma),
                Member::Method(method) => {
                    let holder = if class_side { meta } else { id };
                    let method = self.new_method(holder, method, file);
                    self.add_method(method);
                }
                Member::Placed(placed) => self.placed(placed, file)?,
                Member::InstanceVariables(_) => {}
            }
        }
        Ok(values)
    }

    fn class_pragma(&mut self, id: ClassId, pragma: &Pragma) {
        if let [Literal::String(text)] = pragma.arguments.as_slice() {
            match pragma.selector.as_str() {
                "category:" => self.class_mut(id).category = text.as_str().into(),
                "comment:" => self.class_mut(id).comment = text.as_str().into(),
                _ => {}
            }
        }
    }

    fn add_class_fields(&mut self, id: ClassId, names: &[ast::Name]) {
        let meta = self.class(id).other_side;
        let names = names.iter().map(|one| name(&one.text));
        self.class_mut(meta).own_fields.extend(names);
        self.class_fields_changed(id);
    }

    fn placed(&mut self, placed: &PlacedMethod, file: &Rc<SourceFile>) -> Result<(), String> {
        let mut holder = self.class_named(&placed.class.text)?;
        if placed.class_side {
            holder = self.class(holder).other_side;
        }
        let method = self.new_method(holder, &placed.method, file);
        self.add_method(method);
        Ok(())
    }
}

/// Names of the classes that a file defines, by syntax or by message, and of globals that it puts.
fn foreseen(tree: &ast::File) -> Vec<Name> {
    let mut found = Vec::new();
    for item in &tree.items {
        match item {
            Item::Class(class) => found.push(name(unscoped(&class.name.text))),
            Item::Statement(Statement::Expression(expr)) => {
                if let ExprKind::Send { message, .. } = &expr.kind
                    && let Some(ExprKind::Literal(Literal::Symbol(text))) =
                        message.arguments.first().map(|one| &one.kind)
                    && (message.selector == "at:put:" || message.selector.starts_with("subclass:"))
                {
                    found.push(name(text));
                }
            }
            _ => {}
        }
    }
    found
}

fn primitive_name(pragmas: &[Pragma]) -> Option<&str> {
    pragmas
        .iter()
        .find_map(|pragma| match pragma.arguments.as_slice() {
            [Literal::Symbol(name)] if pragma.selector == "primitive:" => Some(name.as_str()),
            _ => None,
        })
}

fn frame_kind(pragmas: &[Pragma]) -> FrameKind {
    let word = pragmas
        .iter()
        .find_map(|pragma| match pragma.arguments.as_slice() {
            [Literal::Symbol(word)] if pragma.selector == "frame:" => Some(word.as_str()),
            _ => None,
        });
    match word {
        Some("ensure") => FrameKind::Ensure,
        Some("curtailed") => FrameKind::Curtailed,
        Some("handler") => FrameKind::Handler,
        Some("handling") => FrameKind::Handling,
        Some("signal") => FrameKind::Signal,
        Some("silent" | "machinery") => FrameKind::Silent,
        _ => FrameKind::Ordinary,
    }
}

fn shape_of(pragma: &Pragma) -> Option<Shape> {
    match pragma.arguments.as_slice() {
        [Literal::Symbol(word)] if word == "pointer" => Some(Shape::Pointers),
        [Literal::Symbol(word)] if word == "byte" => Some(Shape::Bytes),
        _ => None,
    }
}

/// A method is quick when its body is `^self`, `^literal`, `^ivar` or `ivar := arg`.
fn quick(body: &N, parameters: usize) -> Option<Quick> {
    let Node::Statements(statements) = &**body else {
        return None;
    };
    match statements.as_slice() {
        [] => Some(Quick::Receiver),
        [only] => match &**only {
            Node::Return(value) => match &**value {
                Node::Receiver => Some(Quick::Receiver),
                Node::Constant(_) | Node::Literal(..) => Some(Quick::Value(value.clone())),
                Node::Field(slot) => Some(Quick::Load(*slot)),
                _ => None,
            },
            Node::SetField(slot, value) if parameters == 1 => match &**value {
                Node::Local(place) if place.slot == 0 => Some(Quick::Store(*slot)),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    }
}
