//! Classes, methods and globals. The effects of definitions in a file are in `definitions`.

mod definitions;

use std::collections::HashMap;
use std::rc::Rc;

use super::code::Method;
use super::names::{Name, name};
use super::object::{Data, Object};
use super::value::{ClassId, ObjectId, Value};

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
}
