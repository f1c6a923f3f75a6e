//! The effects of definitions in a file: classes and methods from their trees.

use std::cell::OnceCell;
use std::rc::Rc;

use tally_compiler::ast::{
    self, ClassDefinition, Expr, ExprKind, Item, Literal, Member, PlacedMethod, Pragma,
};

use super::{Shape, World};
use crate::oracle::code::{Code, FrameKind, Method, SourceFile};
use crate::oracle::names::{Name, name, unscoped};
use crate::oracle::value::{ClassId, Value};

impl World {
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
        Rc::new(Method {
            name: text.into(),
            holder,
            selector,
            key,
            file: file.clone(),
            span: tree.span,
            code: Code::Method(tree.clone()),
            primitive: primitive_name(&tree.pragmas).map(Rc::from),
            frame: frame_kind(&tree.pragmas),
            routine: OnceCell::new(),
        })
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
