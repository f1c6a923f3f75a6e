//! Placeholder code for methods that have none.

use crate::bytecode::{Code, CodeKind, Op, Span, Word};

/// Code that answers its receiver.
pub(crate) fn empty_code(selector: &str) -> Code {
    Code {
        selector: selector.to_string(),
        kind: CodeKind::Method,
        argument_count: 0,
        register_count: 1,
        words: vec![Word::new(Op::Return, 0, 0, 0, 0).0],
        literals: Vec::new(),
        globals: Vec::new(),
        ivars: Vec::new(),
        sites: Vec::new(),
        blocks: Vec::new(),
        primitive: None,
        quick: None,
        answers_self: true,
        pragmas: Vec::new(),
        span: Span::default(),
        digest: 0,
    }
}
