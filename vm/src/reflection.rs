//! What a running program learns of its own code, and how it makes and removes code. Source text is
//! handed to a [`SourceCompiler`], which the machine does not know otherwise; how objects show
//! all this is the business of the primitives.

use std::sync::Arc;

use crate::bytecode::{Code, Definition, GlobalRef, Op, Unit, instructions};
use crate::class::{ClassId, Known, MethodId};
use crate::heap::Contents;
use crate::value::{SymbolId, Value};
use crate::vm::Vm;

/// The class in whose scope code is compiled.
#[derive(Clone, Copy, Debug)]
pub struct Scope<'a> {
    /// The class's name.
    pub class: &'a str,
    /// Whether the code belongs to the class side.
    pub class_side: bool,
}

/// Why a text could not be compiled.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CompileFailure {
    /// The first error in a few words.
    pub message: String,
    /// All errors with their places, for people.
    pub details: String,
    /// The character at which the first error stands, counted from 1.
    pub position: usize,
}

/// Who compiles what a running program wants compiled.
pub trait SourceCompiler: Send + Sync {
    /// Compiles a method: message pattern, then body. The unit's first definition extends the class by
    /// it.
    ///
    /// # Errors
    /// Why it does not compile.
    fn compile_method(
        &self,
        vm: &Vm,
        scope: Scope<'_>,
        name: &str,
        source: &str,
    ) -> Result<Unit, CompileFailure>;

    /// Compiles temporaries and statements. The unit's script answers the value of the last one.
    ///
    /// # Errors
    /// Why they do not compile.
    fn compile_expression(
        &self,
        vm: &Vm,
        scope: Scope<'_>,
        name: &str,
        source: &str,
    ) -> Result<Unit, CompileFailure>;
}

/// The name under which an evaluated expression appears.
const EVALUATED: &str = "<evaluated>";

/// Which accesses to instance variables are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    Read,
    Written,
}

impl Vm {
    /// Lets programs compile code while they run.
    pub fn set_compiler(&mut self, compiler: Arc<dyn SourceCompiler>) {
        self.compiler = Some(compiler);
    }

    /// Compiles a method and adds it to the class; `None` without a compiler.
    pub(crate) fn compile_into(
        &mut self,
        class: ClassId,
        source: &str,
        category: &str,
    ) -> Option<Result<MethodId, CompileFailure>> {
        let compiler = self.compiler.clone()?;
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
        if let Some(method) = self.installed_before(class, &unit, &category) {
            return Some(Ok(method));
        }
        let number = self.add_unit(Arc::clone(&unit));
        let method = self.install(number, class, &category, Arc::new(code));
        self.methods[method.0 as usize].plain_source = Some(source.into());
        self.keep_compiled(class, &unit, method);
        Some(Ok(method))
    }

    /// The method that the class has already of an equal unit and in the same category.
    fn installed_before(&self, class: ClassId, unit: &Unit, category: &str) -> Option<MethodId> {
        let id = self.method_of_equal_unit(class, unit)?;
        let method = self.method(id);
        let stands = self.class(class).methods.get(method.selector) == Some(id);
        (stands && category == method.category).then_some(id)
    }

    /// Compiles an expression in the scope of a class, as a method that no class holds.
    pub(crate) fn compile_evaluation(
        &mut self,
        class: ClassId,
        source: &str,
    ) -> Option<Result<MethodId, CompileFailure>> {
        let compiler = self.compiler.clone()?;
        let unit = self.in_scope_of(class, |vm, scope| {
            compiler.compile_expression(vm, scope, EVALUATED, source)
        });
        let unit = match unit {
            Ok(unit) => Arc::new(unit),
            Err(failure) => return Some(Err(failure)),
        };
        if let Some(method) = self.method_of_equal_unit(class, &unit) {
            return Some(Ok(method));
        }
        let code = Arc::new(unit.script.clone());
        let number = self.add_unit(Arc::clone(&unit));
        let method = self.add_loose_method(number, class, code);
        self.methods[method.0 as usize].plain_source = Some(source.into());
        self.keep_compiled(class, &unit, method);
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

    /// Adds a method's code to a class under a selector, which may be another than its own.
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
        self.methods[added.0 as usize].plain_source = plain_source;
        added
    }

    /// Takes a method out of a class, and lets what the class's traits have take its place. Frames that run it
    /// go on.
    pub(crate) fn remove_method(&mut self, class: ClassId, selector: SymbolId) -> bool {
        let removed = self.take_method_out(class, selector);
        if removed {
            self.flatten(class);
            self.methods_changed(class);
        }
        removed
    }

    /// Takes a method out of a class and looks at nothing else.
    pub(crate) fn take_method_out(&mut self, class: ClassId, selector: SymbolId) -> bool {
        let row = &mut self.classes[class.0 as usize];
        let Some(method) = row.methods.remove(selector) else {
            return false;
        };
        self.methods[method.0 as usize].current = false;
        if let Some(count) = self.implementors.get_mut(selector.0 as usize) {
            *count = count.saturating_sub(1);
        }
        self.guard_against_loss(class, selector);
        self.check_equality(class, selector);
        self.flush_caches();
        true
    }

    /// The object that stands for a method; the same one each time.
    pub(crate) fn method_object(&mut self, method: MethodId) -> Value {
        if let Some(&place) = self.method_objects.get(&method) {
            return self.literals[place];
        }
        let slots = self.class(Known::CompiledMethod.into()).ivars.len().max(1);
        let before = self.allocations_now();
        let object = self.make(Known::CompiledMethod.into(), Contents::Slots(slots));
        self.forget_allocations_since(before);
        self.heap
            .set_slot(object, 0, Value::int(i64::from(method.0)));
        // Literals are roots, and the collector looks at new ones.
        self.method_objects.insert(method, self.literals.len());
        self.literals.push(object);
        object
    }

    /// The method that an object stands for.
    pub(crate) fn method_of_object(&self, value: Value) -> Option<MethodId> {
        let is_method =
            value.is_object() && self.inherits(self.class_of(value), Known::CompiledMethod.into());
        if !is_method {
            return None;
        }
        let number = self.heap.slots(value).first()?.as_int()?;
        let number = u32::try_from(number).ok()?;
        ((number as usize) < self.methods.len()).then_some(MethodId(number))
    }

    /// The method's source as a browser shows it: pattern, then body without brackets.
    pub(crate) fn method_source(&self, id: MethodId) -> String {
        let method = self.method(id);
        if let Some(plain) = &method.plain_source {
            return plain.to_string();
        }
        without_brackets(&self.method_text(id))
    }

    /// The selectors that the method sends, each once, in the order of the text. Control messages that are
    /// compiled inline are none.
    pub(crate) fn sent_selectors(&self, id: MethodId) -> Vec<String> {
        let code = self.method(id).code.get();
        let mut sent: Vec<String> = Vec::new();
        for site in &code.sites {
            if !sent.contains(&site.selector) {
                sent.push(site.selector.clone());
            }
        }
        sent
    }

    /// The instance variables that the method, its blocks included, reads or assigns.
    pub(crate) fn accessed_variables(&self, id: MethodId, access: Access) -> Vec<String> {
        let code = self.method(id).code.get();
        let wanted = match access {
            Access::Read => Op::LoadIvar,
            Access::Written => Op::StoreIvar,
        };
        let mut found: Vec<String> = Vec::new();
        let bodies = std::iter::once(&code.words).chain(code.blocks.iter().map(|b| &b.words));
        for words in bodies {
            for access in instructions(words) {
                let name = (access.op == wanted)
                    .then(|| code.ivars.get(access.word.imm() as usize))
                    .flatten();
                if let Some(name) = name.filter(|name| !found.contains(name)) {
                    found.push(name.clone());
                }
            }
        }
        found
    }

    /// The globals and class variables that the method names.
    pub(crate) fn named_globals(&self, id: MethodId) -> Vec<String> {
        let code = self.method(id).code.get();
        let name = |global: &GlobalRef| match global {
            GlobalRef::Global(name) | GlobalRef::ClassVariable { name, .. } => name.clone(),
        };
        code.globals.iter().map(name).collect()
    }

    /// Whether the method can run with any receiver: it reads nothing of one and asks nothing of
    /// its class.
    pub(crate) fn suits_any_receiver(&self, id: MethodId) -> bool {
        let code = self.method(id).code.get();
        let mut bodies = std::iter::once(&code.words).chain(code.blocks.iter().map(|b| &b.words));
        let sends_super =
            bodies.any(|words| instructions(words).any(|found| found.op == Op::SuperSend));
        code.ivars.is_empty() && code.primitive.is_none() && !sends_super
    }

    /// All instances of exactly this class, after a collection of everything.
    pub(crate) fn instances_of(&mut self, class: ClassId) -> Vec<Value> {
        self.collect_garbage();
        self.heap.objects_of(|found| found == class.0)
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

/// A method in brackets as pattern and body.
fn without_brackets(text: &str) -> String {
    let Some(open) = opening_bracket(text) else {
        return text.to_string();
    };
    let pattern = text[..open].trim_end();
    let inside = text[open + 1..].trim_end();
    let body = without_end_blanks(inside.strip_suffix(']').unwrap_or(inside));
    let first_line = body.split('\n').next().unwrap_or_default();
    if first_line.trim().is_empty() {
        format!("{pattern}{body}")
    } else {
        format!("{pattern}\n    {}", body.trim_start())
    }
}

/// The text without blanks at its end, but for the one of `$ `, which is a character.
fn without_end_blanks(text: &str) -> &str {
    let short = text.trim_end();
    match text[short.len()..].chars().next() {
        Some(blank) if short.ends_with('$') => &text[..short.len() + blank.len_utf8()],
        _ => short,
    }
}

/// Where the bracket behind the pattern stands; comments may come before it.
fn opening_bracket(text: &str) -> Option<usize> {
    let mut in_comment = false;
    text.char_indices().find_map(|(place, char)| {
        in_comment ^= char == '"';
        (char == '[' && !in_comment).then_some(place)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_method_loses_its_brackets_and_keeps_its_lines() {
        assert_eq!(without_brackets("norm [ ^x abs ]"), "norm\n    ^x abs");
        assert_eq!(
            without_brackets("at: i \"[\" [\n\t| a |\n\t^[a] value\n]"),
            "at: i \"[\"\n\t| a |\n\t^[a] value"
        );
        assert_eq!(without_brackets("+ other []"), "+ other");
        assert_eq!(without_brackets("space [ ^$  ]"), "space\n    ^$ ");
    }
}
