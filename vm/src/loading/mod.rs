//! From the compiler's units to classes, methods and linked code. The loader makes definitions without a send. The loop
//! executes scripts.

mod library;
mod link;
mod names;
mod recompiled;
mod redefinition;
mod reflection;
mod searching;
mod start;
mod traits;
mod wrappers;

use std::borrow::Cow;
use std::sync::Arc;

use crate::base::{ClassId, Known, MethodId, Stop, SymbolId, Value};
use crate::bytecode::{
    ClassDefinition, Code, Definition, GlobalRef, Kind, MethodDefinition, Unit, empty_code,
};
use crate::code::Target;
use crate::heap::Contents;
use crate::image::{Class, CodeCell, Global, Method, Origin};
use crate::machine::Vm;
use redefinition::Shape;

/// The class of traits.
const TRAIT: &str = "Trait";

impl Vm {
    pub(crate) fn reserve_known_classes(&mut self) {
        for &(id, _) in Known::ALL.iter().skip(1) {
            debug_assert_eq!(id.0 as usize, self.image.classes.len());
            let name = self.config.dialect.class_name(id);
            self.image.classes.push(Class::placeholder(name));
        }
        // The class objects' hidden slot 0 holds the class's number.
        for known in [Known::Behavior, Known::Class, Known::Metaclass] {
            self.image.classes[known as usize].ivars = Arc::from([String::new()]);
        }
    }

    // --- globals --------------------------------------------------------------------------------

    /// The binding's number, made if necessary.
    pub(crate) fn global(&mut self, reference: &GlobalRef) -> u32 {
        if let Some(&id) = self.image.global_ids.get(reference) {
            return id;
        }
        let id = self.image.globals.len() as u32;
        self.image.globals.push(Global {
            value: Value::NIL,
            defined: false,
        });
        let reference = Arc::new(reference.clone());
        self.image.references.push(Arc::clone(&reference));
        self.image.global_ids.insert(reference, id);
        self.check_memory();
        id
    }

    /// Sets a global variable.
    pub fn set_global(&mut self, name: &str, value: Value) {
        self.set_variable(&GlobalRef::Global(name.to_string()), value);
    }

    /// Sets the variable behind a reference: a global variable, a class variable, a variable of a session.
    pub fn set_variable(&mut self, reference: &GlobalRef, value: Value) {
        let id = self.global(reference) as usize;
        self.image.globals[id].value = value;
        self.image.globals[id].defined = true;
    }

    /// The value of the variable behind a reference; `None` if no code ever mentioned it.
    pub fn variable_value(&self, reference: &GlobalRef) -> Option<Value> {
        self.image.variable_value(reference)
    }

    /// The value of a global variable that has been set or defined.
    pub fn global_value(&self, name: &str) -> Option<Value> {
        self.image.global_value(name)
    }

    /// The names of all global variables and classes.
    pub fn global_names(&self) -> Vec<String> {
        self.image.global_names()
    }

    /// Whether some class has a method with this selector.
    pub fn implements(&self, selector: &str) -> bool {
        self.image.implements(selector)
    }

    /// The selectors of all methods.
    pub fn implemented_selectors(&self) -> Vec<String> {
        self.image.implemented_selectors()
    }

    // --- units ----------------------------------------------------------------------------------

    /// The method of a unit's `Evaluate`, in the scope that it was compiled for.
    pub(crate) fn add_evaluation(
        &mut self,
        unit: usize,
        class: Option<&str>,
        code: Code,
    ) -> MethodId {
        let class = class.and_then(|name| self.find_class(name));
        let holder = match class {
            Some(id) => self.class(id).other_side,
            None => Known::UndefinedObject.into(),
        };
        self.image.add_loose_method(unit, holder, Arc::new(code))
    }

    /// The replacement for a method of the machine's own message that a program has removed from the library. It ends
    /// the run.
    pub(crate) fn missing_method(&mut self, class: ClassId, selector: SymbolId) -> *const Target {
        let class = self.class(class).display_name();
        let text = self.symbol_text(selector);
        self.report_failure(&format!(
            "{class} has no method for #{text}, which the machine sends here"
        ));
        self.stop_at_next_poll(Stop::Failed);
        self.harmless_target()
    }

    /// A target that answers the receiver and reads nothing.
    pub(crate) fn harmless_target(&mut self) -> *const Target {
        let unit = self.image.units.len().saturating_sub(1);
        let code = Arc::new(empty_code("missing"));
        let method = self
            .image
            .add_loose_method(unit, Known::Object.into(), code);
        let id = self.link(method);
        &*self.code.targets[id.0 as usize]
    }

    /// Makes a definition of the unit.
    pub(crate) fn carry_out_definition(
        &mut self,
        unit: &Arc<Unit>,
        definition: &Definition,
    ) -> Result<(), String> {
        let number = (0..self.image.units.len())
            .rev()
            .find(|&number| Arc::ptr_eq(&self.image.units[number], unit))
            .ok_or("the unit was never added")?;
        match definition {
            Definition::Class(class) => {
                self.define_class(class)?;
                self.add_methods(number, &class.methods)
            }
            Definition::Extension {
                class,
                instance_variables,
                class_instance_variables,
                class_variables,
                methods,
                ..
            } => {
                let id = self.defined_class(class)?;
                self.extend_class(id, instance_variables, class_variables)?;
                let other = self.class(id).other_side;
                self.extend_class(other, class_instance_variables, &[])?;
                self.add_methods(number, methods)
            }
            Definition::Evaluation { .. } => Err("an evaluation defines nothing".to_string()),
        }
    }

    fn defined_class(&self, name: &str) -> Result<ClassId, String> {
        self.find_class(name)
            .ok_or_else(|| format!("there is no class {name}"))
    }

    fn add_methods(&mut self, unit: usize, methods: &[MethodDefinition]) -> Result<(), String> {
        for method in methods {
            let class = self.defined_class(&method.class)?;
            let holder = if method.class_side {
                self.class(class).other_side
            } else {
                class
            };
            self.install(
                unit,
                holder,
                &method.category,
                Arc::new(method.code.clone()),
            );
        }
        Ok(())
    }

    /// Puts a method into a class and replaces the one with its selector.
    pub(crate) fn install(
        &mut self,
        unit: usize,
        holder: ClassId,
        category: &str,
        code: Arc<Code>,
    ) -> MethodId {
        let selector = self.image.symbols.intern(&code.selector);
        let id = self.put_method(Method {
            selector,
            holder,
            unit,
            category: Cow::Owned(category.to_string()),
            code: CodeCell::ready(code),
            current: true,
            plain_source: None,
            origin: Origin::Own,
        });
        self.methods_changed(holder);
        id
    }

    /// Puts a method into its holder's dictionary.
    pub(crate) fn put_method(&mut self, method: Method) -> MethodId {
        let (selector, holder) = (method.selector, method.holder);
        let id = self.image.add_method(method);
        let class = &mut self.image.classes[holder.0 as usize];
        match class.methods.insert(selector, id) {
            Some(old) => self.image.methods[old.0 as usize].current = false,
            None => self.image.count_implementors([selector]),
        }
        if !self.image.loading_library {
            self.guard_against(id, selector);
            self.find_stores_of_new(id);
            self.image.check_equality(holder, selector);
        }
        self.flush_caches();
        id
    }

    // --- classes --------------------------------------------------------------------------------

    /// Whether a program cannot define a class of this name, because the machine relies on its own.
    pub fn relies_on_class(&self, name: &str) -> bool {
        let known = self.config.dialect.known_class(name);
        known.is_some_and(|id| self.class(id).defined)
    }

    /// Creates a class, or gives an existing one a new shape.
    pub(crate) fn define_class(&mut self, definition: &ClassDefinition) -> Result<ClassId, String> {
        let superclass = match &definition.superclass {
            Some(name) => Some(self.defined_class(name)?),
            None => None,
        };
        let known = self.config.dialect.known_class(&definition.name);
        if known.is_none() {
            self.take_name(&definition.name);
        }
        let id = match self.find_class(&definition.name).or(known) {
            Some(id) => id,
            None => self.image.new_class_id(&definition.name)?,
        };
        if superclass.is_some_and(|above| self.inherits(above, id)) && self.class(id).defined {
            return Err(format!("{} cannot inherit from itself", definition.name));
        }
        if let Some(above) = superclass.filter(|&above| self.class(above).is_trait) {
            let name = &self.class(above).name;
            return Err(format!("{name} is a trait and has no subclasses"));
        }
        if self.class(id).is_trait && !definition.is_trait && !self.class(id).users.is_empty() {
            return Err(format!("{} is a trait that others use", definition.name));
        }
        let uses = self.composition(&definition.traits)?;
        let class_uses = match &definition.class_traits {
            Some(uses) => self.composition(uses)?,
            None => self.image.class_sides(&uses),
        };
        self.image.check_composition(id, &uses)?;
        self.image
            .check_composition(self.class(id).other_side, &class_uses)?;
        let inherited_kind = superclass.map_or(Kind::Fixed, |id| self.class(id).kind);
        let layout = known.and_then(|id| self.config.dialect.layout(id));
        let kind = definition.kind.or(layout).unwrap_or(inherited_kind);
        let own = self
            .image
            .with_traits(superclass, &definition.instance_variables, &uses);
        if kind == Kind::Bytes && !(own.is_empty() && self.image.inherits_no_ivars(superclass)) {
            return Err(format!(
                "{} holds bytes and has no room for names",
                definition.name
            ));
        }
        if known.is_some() && self.class(id).defined && !self.image.loading_library {
            return Err(format!(
                "the machine relies on {} as it is",
                definition.name
            ));
        }
        let shape = Shape {
            superclass,
            own: &own,
            kind,
        };
        self.check_shape(id, &shape)?;
        let metaclass = self.metaclass_for(id, superclass, definition.is_trait)?;
        self.image.reparent(id, superclass);
        self.image.set_kind(id, kind);
        let class = &mut self.image.classes[id.0 as usize];
        class.defined = true;
        class.is_trait = definition.is_trait;
        class.class_variables = definition.class_variables.clone();
        class.pools = definition.pools.clone();
        if !definition.category.is_empty() {
            class.category = definition.category.clone();
        }
        if !definition.comment.is_empty() {
            class.comment = definition.comment.clone();
        }
        for name in &definition.class_variables {
            let (class, name) = (definition.name.clone(), name.clone());
            self.global(&GlobalRef::ClassVariable { class, name });
        }
        self.set_own_ivars(id, own);
        // A new definition adds to the class side and takes nothing away from it.
        let mut own = self.class(metaclass).own_ivars.clone();
        let more = definition
            .class_instance_variables
            .iter()
            .filter(|name| !own.contains(name));
        let more: Vec<String> = more.cloned().collect();
        own.extend(more);
        let above = self.class(metaclass).superclass;
        let own = self.image.with_traits(above, &own, &class_uses);
        self.set_own_ivars(metaclass, own);
        self.make_class_object(id, metaclass);
        let object = self.class_object(id);
        self.set_global(&definition.name, object);
        self.compose(id, uses);
        self.compose(metaclass, class_uses);
        self.flush_caches();
        Ok(id)
    }

    /// The class of traits, unless a program has given its name to something else.
    fn class_of_traits(&self) -> ClassId {
        let class = Known::Class.into();
        let found = self.find_class(TRAIT);
        found
            .filter(|&id| self.inherits(id, class))
            .unwrap_or(class)
    }

    /// The metaclass of a class, below the superclass's, made if necessary.
    fn metaclass_for(
        &mut self,
        id: ClassId,
        superclass: Option<ClassId>,
        is_trait: bool,
    ) -> Result<ClassId, String> {
        let mut metaclass = self.class(id).other_side;
        if metaclass == ClassId(0) {
            let name = self.class(id).name.clone();
            metaclass = self.image.new_class_id(&name)?;
            let row = &mut self.image.classes[metaclass.0 as usize];
            row.is_metaclass = true;
            row.defined = true;
            row.other_side = id;
            self.image.classes[id.0 as usize].other_side = metaclass;
        }
        let above = match superclass {
            Some(above) => self.class(above).other_side,
            None if is_trait => self.class_of_traits(),
            None => Known::Class.into(),
        };
        self.image.reparent(metaclass, Some(above));
        Ok(metaclass)
    }

    fn make_class_object(&mut self, id: ClassId, metaclass: ClassId) {
        if self.class_object(metaclass).is_nil() {
            let object = self.make_uncounted(Known::Metaclass.into(), Contents::Slots(1));
            self.heap
                .set_slot(object, 0, Value::int(i64::from(metaclass.0)));
            self.image.set_class_object(metaclass, object);
        }
        if self.class_object(id).is_nil() {
            let slots = self.class(metaclass).ivars.len().max(1);
            let object = self.make_uncounted(metaclass, Contents::Slots(slots));
            self.heap.set_slot(object, 0, Value::int(i64::from(id.0)));
            self.image.set_class_object(id, object);
        }
    }

    pub(crate) fn extend_class(
        &mut self,
        id: ClassId,
        ivars: &[String],
        class_variables: &[String],
    ) -> Result<(), String> {
        let class = self.class(id).clone();
        let mut own = class.own_ivars.clone();
        own.extend(
            ivars
                .iter()
                .filter(|name| !class.ivars.contains(name))
                .cloned(),
        );
        if own != class.own_ivars {
            self.change_variables(id, own)?;
        }
        for name in class_variables {
            let row = &mut self.image.classes[id.0 as usize];
            if !row.class_variables.contains(name) {
                row.class_variables.push(name.clone());
            }
            let (class, name) = (class.name.clone(), name.clone());
            self.global(&GlobalRef::ClassVariable { class, name });
        }
        Ok(())
    }

    /// Gives a class these instance variables of its own. Moves the values of its instances, and of its subclasses'
    /// instances, to their new slots. Links code again that refers to slots.
    pub(crate) fn set_own_ivars(&mut self, id: ClassId, own: Vec<String>) {
        let above = self.class(id).superclass;
        let mut ivars = above.map_or(Arc::default(), |above| Arc::clone(&self.class(above).ivars));
        // The hidden slot of class objects begins with Behavior.
        let is_hidden = |ivars: &[String]| ivars.first().is_some_and(String::is_empty);
        if is_hidden(&self.class(id).ivars) && !is_hidden(&ivars) {
            ivars = std::iter::once(&String::new())
                .chain(&*ivars)
                .cloned()
                .collect();
        }
        // A variable that is now inherited is no longer the class's own; its value stays.
        let own: Vec<String> = own
            .into_iter()
            .filter(|name| !ivars.contains(name))
            .collect();
        if !own.is_empty() {
            ivars = ivars.iter().chain(&own).cloned().collect();
        }
        let row = &mut self.image.classes[id.0 as usize];
        let old = std::mem::replace(&mut row.ivars, Arc::clone(&ivars));
        row.own_ivars = own;
        // A class that is being defined for the first time has neither instances nor code.
        if old != ivars && !self.class_object(id).is_nil() {
            self.migrate_instances(id, &old, &ivars);
            self.relink_methods_of(id);
        }
        for sub in self.class(id).subclasses.clone() {
            let own = self.class(sub).own_ivars.clone();
            self.set_own_ivars(sub, own);
        }
        self.variables_changed(id);
    }

    fn migrate_instances(&mut self, id: ClassId, old: &[String], new: &[String]) {
        if self.class(id).kind == Kind::Bytes {
            return;
        }
        // A dead object must not be mistaken for an instance of the old shape.
        self.collect_garbage();
        let instances = self.heap.objects_of(|class| class == id.0);
        if instances.is_empty() {
            return;
        }
        let start = self.run.handles.len();
        self.run.handles.extend(instances);
        let count = self.run.handles.len() - start;
        let mut pairs = Vec::new();
        for index in 0..count {
            let length = self.heap.slots(self.run.handles[start + index]).len();
            let (indexed, least) = match self.class(id).kind {
                // Methods that the class inherits no longer may still run, so an object never becomes smaller.
                Kind::Fixed => (0, length),
                _ => (length.saturating_sub(old.len()), 0),
            };
            let slots = (new.len() + indexed).max(least);
            let made = self.make_uncounted(id, Contents::Slots(slots));
            let from = self.run.handles[start + index];
            for (slot, name) in new.iter().enumerate() {
                if let Some(place) = old.iter().position(|n| n == name) {
                    let value = self.heap.slot(from, place);
                    self.heap.set_slot(made, slot, value);
                }
            }
            self.heap
                .copy_slots(from, old.len(), made, new.len(), indexed);
            self.heap.copy_hash(from, made);
            self.run.handles.push(made);
            pairs.push((start + index, self.run.handles.len() - 1));
        }
        let pairs: Vec<(Value, Value)> = pairs
            .into_iter()
            .map(|(a, b)| (self.run.handles[a], self.run.handles[b]))
            .collect();
        self.run.handles.truncate(start);
        self.replace_references(&pairs);
    }
}
