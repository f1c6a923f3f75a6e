//! Variables that outlive the text that made them, and the outcome of each message of a text.

use std::collections::BTreeSet;

use tally_vm::bytecode::GlobalRef;

use crate::syntax::ast::{Message, Span};

/// Stands where a class variable's class does.
const SESSION: &str = "<session>";

/// The binding of a session's variable.
pub fn variable(name: &str) -> GlobalRef {
    GlobalRef::ClassVariable {
        class: SESSION.to_string(),
        name: name.to_string(),
    }
}

/// A message of an input, and whether the compiler inlined it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageUse {
    /// Its selector.
    pub selector: String,
    /// The start of its selector.
    pub span: Span,
    /// Whether it became jumps; otherwise it is sent.
    pub inlined: bool,
}

/// The state that outlives an input.
#[derive(Clone, Debug, Default)]
pub struct Session {
    variables: BTreeSet<String>,
    messages: Vec<MessageUse>,
}

impl Session {
    /// Whether the session has a variable of this name.
    pub fn keeps(&self, name: &str) -> bool {
        self.variables.contains(name)
    }

    /// The session's variables, in the order of their names.
    pub fn variables(&self) -> impl Iterator<Item = &String> {
        self.variables.iter()
    }

    /// Makes a variable, which is nil, unless there is one of this name.
    pub fn keep(&mut self, name: &str) {
        self.variables.insert(name.to_string());
    }

    pub(crate) fn note_message(&mut self, message: &Message, inlined: bool) {
        self.messages.push(MessageUse {
            selector: message.selector.clone(),
            span: message.selector_span,
            inlined,
        });
    }

    /// The messages that were noted since the last time, in the order of the text.
    pub(crate) fn take_messages(&mut self) -> Vec<MessageUse> {
        let mut messages = std::mem::take(&mut self.messages);
        messages.sort_by_key(|message| message.span.start);
        messages
    }
}
