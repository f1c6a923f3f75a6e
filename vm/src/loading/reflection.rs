//! Reflection of a running program: it reads its own code, and it makes and removes code. A [`SourceCompiler`] takes
//! source text; the machine knows no more of the compiler. The primitives decide how objects show the results.

use std::sync::Arc;

use crate::base::{ClassId, Known, MethodId, SymbolId, Value};
use crate::bytecode::{Code, Definition, Unit};
use crate::heap::Contents;
use crate::machine::{CompileFailure, Scope, SourceCompiler, Vm};

/// The name under which an evaluated expression appears.
const EVALUATED: &str = "<evaluated>";

impl Vm {
    /// Lets programs compile code while they run.
    pub fn set_compiler(&mut self, compiler: Arc<dyn SourceCompiler>) {
        self.compilers.compiler = Some(compiler);
    }

    /// Compiles a method and adds it to the class; `None` without a compiler.
    pub(crate) fn compile_into(
        &mut self,
        class: ClassId,
        source: &str,
        category: &str,
    ) -> Option<Result<MethodId, CompileFailure>> {
        let compiler = self.compilers.compiler.clone()?;
        let name = format!("<compiled> {}", self.class(class).display_name());
        let unit = self.in_scope_of(class, |vm, scope| {
            compiler.compile_method(vm, scope, &name, source)
        });
        let unit = match unit {
            Ok(unit) => Arc::new(unit),
            Err(failure) => return Some(Err(failure)),
        };
        let Some((code, own_category)) = first_method(&unit) else {
            let message = "the text defines no method".to_string();
            return Some(Err(CompileFailure {
                details: message.clone(),
                message,
                position: 1,
            }));
        };
        let category = match category {
            "" => own_category,
            given => given.to_string(),
        };
        if let Some(method) = self.image.installed_before(class, &unit, &category) {
            return Some(Ok(method));
        }
        let number = self.image.add_unit(Arc::clone(&unit));
        let method = self.install(number, class, &category, Arc::new(code));
        self.image.methods[method.0 as usize].plain_source = Some(source.into());
        self.keep_compiled(class, &unit, method);
        Some(Ok(method))
    }

    /// Compiles an expression in the scope of a class, as a method that no class holds.
    pub(crate) fn compile_evaluation(
        &mut self,
        class: ClassId,
        source: &str,
    ) -> Option<Result<MethodId, CompileFailure>> {
        let compiler = self.compilers.compiler.clone()?;
        let unit = self.in_scope_of(class, |vm, scope| {
            compiler.compile_expression(vm, scope, EVALUATED, source)
        });
        let unit = match unit {
            Ok(unit) => Arc::new(unit),
            Err(failure) => return Some(Err(failure)),
        };
        if let Some(method) = self.image.method_of_equal_unit(class, &unit) {
            self.find_stores_of_new(method);
            return Some(Ok(method));
        }
        let code = Arc::new(unit.script.clone());
        let number = self.image.add_unit(Arc::clone(&unit));
        let method = self.image.add_loose_method(number, class, code);
        self.image.methods[method.0 as usize].plain_source = Some(source.into());
        self.keep_compiled(class, &unit, method);
        self.find_stores_of_new(method);
        Some(Ok(method))
    }

    fn in_scope_of<T>(&self, class: ClassId, run: impl FnOnce(&Vm, Scope<'_>) -> T) -> T {
        let row = self.class(class);
        let scope = Scope {
            class: &row.name,
            class_side: row.is_metaclass,
        };
        run(self, scope)
    }

    /// Adds a method's code to a class under a selector, which may differ from its own.
    pub(crate) fn add_method_to(
        &mut self,
        class: ClassId,
        selector: SymbolId,
        method: MethodId,
    ) -> MethodId {
        let row = self.method(method);
        let (unit, category) = (row.unit, row.category.clone());
        let plain_source = row.plain_source.clone();
        let mut code = row.code.get().clone();
        let text = self.symbol_text(selector);
        if text != code.selector {
            let selector = text.to_string();
            code = Arc::new(Code {
                selector,
                ..(*code).clone()
            });
        }
        let added = self.install(unit, class, &category, code);
        self.image.methods[added.0 as usize].plain_source = plain_source;
        added
    }

    /// Removes a method from a class. A method of the class's traits takes its place. Frames that run the removed
    /// method go on.
    pub(crate) fn remove_method(&mut self, class: ClassId, selector: SymbolId) -> bool {
        let removed = self.take_method_out(class, selector);
        if removed {
            self.flatten(class);
            self.methods_changed(class);
        }
        removed
    }

    /// Removes a method from a class and changes nothing else.
    pub(crate) fn take_method_out(&mut self, class: ClassId, selector: SymbolId) -> bool {
        let row = &mut self.image.classes[class.0 as usize];
        let Some(method) = row.methods.remove(selector) else {
            return false;
        };
        self.image.methods[method.0 as usize].current = false;
        if let Some(count) = self.image.implementors.get_mut(selector.0 as usize) {
            *count = count.saturating_sub(1);
        }
        self.guard_against_loss(class, selector);
        self.image.check_equality(class, selector);
        self.flush_caches();
        true
    }

    /// The object for a method; the same one each time.
    pub(crate) fn method_object(&mut self, method: MethodId) -> Value {
        if let Some(&place) = self.image.method_objects.get(&method) {
            return self.code.literals[place];
        }
        let slots = self.class(Known::CompiledMethod.into()).ivars.len().max(1);
        let before = self.allocations_now();
        let object = self.make(Known::CompiledMethod.into(), Contents::Slots(slots));
        self.forget_allocations_since(before);
        self.heap
            .set_slot(object, 0, Value::int(i64::from(method.0)));
        // Literals are roots, and the collector visits new ones.
        self.image
            .method_objects
            .insert(method, self.code.literals.len());
        self.code.literals.push(object);
        object
    }

    /// The method that an object represents.
    pub(crate) fn method_of_object(&self, value: Value) -> Option<MethodId> {
        let is_method =
            value.is_object() && self.inherits(self.class_of(value), Known::CompiledMethod.into());
        if !is_method {
            return None;
        }
        let number = self.heap.slots(value).first()?.as_int()?;
        let number = u32::try_from(number).ok()?;
        ((number as usize) < self.image.methods.len()).then_some(MethodId(number))
    }

    /// All instances of exactly this class, after a collection of everything.
    pub(crate) fn instances_of(&mut self, class: ClassId) -> Vec<Value> {
        self.forget_dead_obstacles();
        self.collect_garbage();
        self.heap.objects_of(|found| found == class.0)
    }

    /// Collects everything, and clears the indexed slots of the objects in an Array that hold the only references to an
    /// object. The Array holds objects with slots.
    pub(crate) fn clear_weak(&mut self, holders: Value) {
        let kept = self.run.handles.len();
        self.run.handles.push(holders);
        self.forget_dead_obstacles();
        self.collect_garbage();
        let list = self.run.handles[kept];
        let mut found = Vec::new();
        for index in 0..self.heap.slots(list).len() {
            let holder = self.heap.slot(list, index);
            let class = self.class_of(holder);
            found.push((holder, self.class(class).ivars.len()));
        }
        self.with_roots(|heap, roots| heap.clear_weak(&found, roots));
        self.run.handles.truncate(kept);
    }
}

/// The first method that a unit's definitions add.
fn first_method(unit: &Unit) -> Option<(Code, String)> {
    unit.definitions
        .iter()
        .find_map(|definition| match definition {
            Definition::Extension { methods, .. } => {
                let method = methods.first()?;
                Some((method.code.clone(), method.category.clone()))
            }
            _ => None,
        })
}
