//! Changes of existing classes. This module decides what may change while instances live and methods run. It also makes
//! the changes that are no definitions: variables, names, removal. The loader gives instances their new shape.

use std::sync::Arc;

use crate::base::{ClassId, Known, Value};
use crate::bytecode::is_name;
use crate::bytecode::{GlobalRef, Kind};
use crate::machine::Vm;
use crate::world::SourcePlace;

/// A class's shape according to a definition.
pub(crate) struct Shape<'a> {
    pub(crate) superclass: Option<ClassId>,
    pub(crate) own: &'a [String],
    pub(crate) kind: Kind,
}

impl Vm {
    /// Whether a class may take this shape, given its subclasses and the existing instances.
    pub(crate) fn check_shape(&mut self, id: ClassId, shape: &Shape<'_>) -> Result<(), String> {
        let inherited = shape
            .superclass
            .map_or(&[][..], |above| &*self.class(above).ivars);
        for (place, variable) in shape.own.iter().enumerate() {
            if inherited.contains(variable)
                || shape.own.iter().take(place).any(|own| own == variable)
            {
                let name = self.class(id).display_name();
                return Err(format!("{name} would have two variables {variable}"));
            }
        }
        let is_new = self.class_object(id).is_nil();
        if is_new || self.image.loading_library {
            return Ok(());
        }
        let mut all = [inherited, shape.own].concat();
        // The hidden slot of class objects begins with Behavior.
        let is_hidden = |ivars: &[String]| ivars.first().is_some_and(String::is_empty);
        if is_hidden(&self.class(id).ivars) && !is_hidden(inherited) {
            all.insert(0, String::new());
        }
        let differs = *self.class(id).ivars != *all;
        let named = |names: &[String]| names.iter().any(|name| !name.is_empty());
        if differs {
            self.image.relied_on(id)?;
        }
        let below = self.image.and_below(id);
        for &sub in &below[1..] {
            let row = self.class(sub);
            if row.kind == Kind::Bytes && named(&all) {
                let sub = row.display_name();
                return Err(format!("{sub} holds bytes and has no room for names"));
            }
        }
        self.check_kind(&below, shape.kind)?;
        self.check_move(&below, shape.superclass, &all)
    }

    /// Instances that hold bytes cannot change to hold objects, and elements cannot vanish.
    fn check_kind(&mut self, below: &[ClassId], kind: Kind) -> Result<(), String> {
        let old = self.class(below[0]).kind;
        if old == kind {
            return Ok(());
        }
        self.image.relied_on(below[0])?;
        for &id in below {
            if self.class(id).kind != old {
                continue;
            }
            if kind == Kind::Bytes && !self.class(id).ivars.is_empty() {
                let name = self.class(id).display_name();
                return Err(format!("{name} would hold bytes and has no room for names"));
            }
            let keeps = (old, kind) == (Kind::Fixed, Kind::Pointers);
            if !keeps && !self.instances_of(id).is_empty() {
                let name = self.class(id).display_name();
                return Err(format!("instances of {name} cannot change their layout"));
            }
        }
        Ok(())
    }

    /// Methods that a class inherits no longer may still run on an instance. Every variable that they use must keep a
    /// slot.
    fn check_move(
        &mut self,
        below: &[ClassId],
        superclass: Option<ClassId>,
        all: &[String],
    ) -> Result<(), String> {
        let row = self.class(below[0]);
        let loses = row.superclass != superclass && row.ivars.iter().any(|v| !all.contains(v));
        if !loses {
            return Ok(());
        }
        for &id in below {
            if self.class(id).kind == Kind::Pointers && !self.instances_of(id).is_empty() {
                let name = self.class(id).display_name();
                return Err(format!(
                    "instances of {name} with indexed variables cannot lose inherited ones"
                ));
            }
        }
        Ok(())
    }

    /// Gives a class, or a class side, these instance variables of its own.
    pub(crate) fn change_variables(&mut self, id: ClassId, own: Vec<String>) -> Result<(), String> {
        if let Some(wrong) = own.iter().find(|name| !is_name(name)) {
            return Err(format!("{wrong} is no name of a variable"));
        }
        let row = self.class(id);
        if row.kind == Kind::Bytes && !own.is_empty() {
            let name = row.display_name();
            return Err(format!("{name} holds bytes and has no room for names"));
        }
        let shape = Shape {
            superclass: row.superclass,
            kind: row.kind,
            own: &own,
        };
        self.check_shape(id, &shape)?;
        self.set_own_ivars(id, own);
        self.flush_caches();
        Ok(())
    }

    pub(crate) fn declare_class_variable(&mut self, id: ClassId, name: &str) -> Result<(), String> {
        if self.class(id).is_metaclass {
            return Err("a class side has no class variables".to_string());
        }
        if !is_name(name) {
            return Err(format!("{name} is no name of a variable"));
        }
        let class = self.class(id).name.clone();
        let row = &mut self.image.classes[id.0 as usize];
        if !row.class_variables.iter().any(|other| other == name) {
            row.class_variables.push(name.to_string());
        }
        let name = name.to_string();
        self.global(&GlobalRef::ClassVariable { class, name });
        Ok(())
    }

    /// Gives a class a new name. Code that mentions the class still refers to it.
    pub(crate) fn rename_class(&mut self, id: ClassId, new: &str) -> Result<(), String> {
        let row = self.class(id);
        let (old, object, other) = (row.name.clone(), self.class_object(id), row.other_side);
        if old == new {
            return Ok(());
        }
        if row.is_metaclass {
            return Err("a class side has no name of its own".to_string());
        }
        if Known::ALL.iter().any(|&(known, _)| known == id) {
            return Err(format!("the machine relies on {old} as it is"));
        }
        if !is_name(new) {
            return Err(format!("{new} is no name of a class"));
        }
        if self.global_value(new).is_some() {
            return Err(format!("there is a global {new} already"));
        }
        for side in [id, other] {
            self.image.classes[side.0 as usize].name = new.to_string();
        }
        let renamed = |reference: &GlobalRef| match reference {
            GlobalRef::Global(name) if *name == old => Some(GlobalRef::Global(new.to_string())),
            GlobalRef::ClassVariable { class, name } if *class == old => {
                Some(GlobalRef::ClassVariable {
                    class: new.to_string(),
                    name: name.clone(),
                })
            }
            _ => None,
        };
        self.image.rename_in_code(&renamed);
        self.image.rename_globals(&renamed);
        self.set_global(new, object);
        Ok(())
    }

    /// Takes a class out of the system: it is no global any more, and no subclass of its superclass.
    /// Instances, and classes below it, stay as they are.
    pub(crate) fn remove_class(&mut self, id: ClassId) -> Result<(), String> {
        let row = self.class(id);
        let (name, object, other) = (row.name.clone(), self.class_object(id), row.other_side);
        if row.is_metaclass {
            return Err("a class side goes with its class".to_string());
        }
        self.image.relied_on(id)?;
        for side in [id, other] {
            if let Some(above) = self.class(side).superclass {
                let row = &mut self.image.classes[above.0 as usize];
                row.subclasses.retain(|&sub| sub != side);
            }
        }
        let is_here = self.find_class(&name) == Some(id);
        let reference = GlobalRef::Global(name.clone());
        if let Some(&place) = self.image.global_ids.get(&reference).filter(|_| is_here) {
            debug_assert_eq!(self.image.globals[place as usize].value, object);
            self.image.globals[place as usize].value = Value::NIL;
            self.image.globals[place as usize].defined = false;
        }
        for index in 0..self.image.globals.len() {
            let is_variable = matches!(
                &*self.image.references[index],
                GlobalRef::ClassVariable { class, .. } if *class == name
            );
            if is_variable && is_here {
                // A later class of the name begins with variables of its own.
                let old = std::mem::replace(
                    &mut self.image.references[index],
                    Arc::new(crate::image::nameless()),
                );
                self.image.global_ids.remove(&*old);
            }
        }
        self.flush_caches();
        Ok(())
    }

    /// The start of a method.
    pub(crate) fn method_place(&self, id: crate::base::MethodId) -> SourcePlace {
        self.source_place(id, self.method(id).code.get().span.start)
    }
}
