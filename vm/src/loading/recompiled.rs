//! Code that a running program compiles again and again. A text may compile to the same unit in the same class as
//! before. Then it gives the same method, so that a loop that compiles takes no more memory with each turn. Texts are
//! compiled each time, because their meaning can change; only the outcome is shared.
//!
//! Code with literal objects is never shared. Programs can change such objects, so each compilation has its own.

use std::sync::Arc;

use crate::base::{ClassId, MethodId};
use crate::bytecode::{Code, Literal, Unit};
use crate::machine::Vm;

impl Vm {
    /// Keeps the method of a unit in a class, if equal units may share it.
    pub(crate) fn keep_compiled(&mut self, class: ClassId, unit: &Arc<Unit>, id: MethodId) {
        if has_no_objects(self.method(id).code.get()) {
            let key = self.image.recompiled.key(class, unit);
            self.image.recompiled.methods.insert(key, id);
        }
        self.check_memory();
    }
}

fn has_no_objects(code: &Code) -> bool {
    code.literals.iter().all(|literal| match literal {
        Literal::Nil
        | Literal::True
        | Literal::False
        | Literal::Integer(_)
        | Literal::LargeInteger(_)
        | Literal::Float(_)
        | Literal::Character(_)
        | Literal::Symbol(_) => true,
        Literal::Fraction(..)
        | Literal::ScaledDecimal(..)
        | Literal::String(_)
        | Literal::Array(_)
        | Literal::ByteArray(_)
        | Literal::Binding(_) => false,
    })
}
