//! From resolved trees to bytecode. Every name is settled when this stage begins. The stage chooses registers, windows
//! and instructions, and reports when a limit of the format is exceeded.
//!
//! `function` emits one function, `control` its inlined control messages, `blocks` its real blocks. `assembler` holds
//! words, labels and registers. `tables` holds the entries that instructions refer to.

mod assembler;
mod blocks;
mod control;
mod function;
mod sends;
mod tables;

pub(crate) use sends::ShortCuts;

use std::sync::Arc;

use tally_vm::bytecode::{
    BlockCode, ClassDefinition, Code, CodeKind, Definition, MethodDefinition, Quick, Span, Unit,
};

use crate::diagnostics::Diagnostic;
use crate::resolve::tree::{
    Captured, Expr, File, FileDefinition, Function, Method, Node, Routine, Statement, Target,
    VariableId,
};
use assembler::Limit;
use tables::Tables;

/// The unit of a resolved file, or the limits that it exceeds.
pub(crate) fn emit_file(
    name: &str,
    source: &Arc<str>,
    file: File,
    short_cuts: &ShortCuts,
) -> Result<Unit, Vec<Diagnostic>> {
    let mut emitter = FileEmitter {
        source,
        short_cuts,
        diagnostics: Vec::new(),
    };
    let script = emitter.code(file.script);
    let definitions = file
        .definitions
        .into_iter()
        .map(|definition| emitter.definition(definition))
        .collect();
    if !emitter.diagnostics.is_empty() {
        return Err(emitter.diagnostics);
    }
    Ok(Unit {
        name: name.to_owned(),
        source: Arc::clone(source),
        script,
        definitions,
    })
}

struct FileEmitter<'s> {
    source: &'s str,
    short_cuts: &'s ShortCuts,
    diagnostics: Vec<Diagnostic>,
}

impl FileEmitter<'_> {
    fn definition(&mut self, definition: FileDefinition) -> Definition {
        match definition {
            FileDefinition::Class { header, methods } => {
                let methods = self.methods(methods);
                Definition::Class(ClassDefinition { methods, ..header })
            }
            FileDefinition::Extension { header, methods } => Definition::Extension {
                class: header.name,
                instance_variables: header.instance_variables,
                class_instance_variables: header.class_instance_variables,
                class_variables: header.class_variables,
                methods: self.methods(methods),
                span: header.span,
            },
            FileDefinition::Evaluation { class, routine } => Definition::Evaluation {
                class,
                code: self.code(routine),
            },
        }
    }

    fn methods(&mut self, methods: Vec<Method>) -> Vec<MethodDefinition> {
        methods
            .into_iter()
            .map(|method| MethodDefinition {
                class: method.class,
                class_side: method.class_side,
                category: method.category,
                code: self.code(method.routine),
            })
            .collect()
    }

    fn code(&mut self, routine: Routine) -> Code {
        let mut tables = Tables::default();
        let mut bodies = Vec::with_capacity(routine.functions.len());
        for index in 0..routine.functions.len() {
            match function::emit(&routine, index, &mut tables, self.short_cuts) {
                Ok(body) => bodies.push(body),
                Err(limit) => {
                    self.exceeded(&limit, routine.functions[index].span);
                    bodies.push(function::Body::default());
                }
            }
        }
        let quick = quick(&routine, &mut tables);
        let mut bodies = bodies.into_iter().zip(&routine.functions);
        let own = bodies.next().map(|(body, _)| body).unwrap_or_default();
        let blocks = bodies
            .map(|(body, function)| BlockCode {
                argument_count: body.argument_count,
                register_count: body.register_count,
                words: body.words,
                returns_home: function.returns_home,
                receiver: captured_receiver(function),
                span: function.span,
            })
            .collect();
        Code {
            selector: routine.selector,
            kind: routine.kind,
            argument_count: own.argument_count,
            register_count: own.register_count,
            words: own.words,
            literals: tables.literals,
            globals: tables.globals,
            ivars: tables.ivars,
            sites: tables.sites,
            blocks,
            primitive: routine.primitive,
            quick,
            answers_self: !tables.answers_others,
            pragmas: routine.pragmas,
            span: routine.span,
            digest: digest(text(self.source, routine.span)),
        }
    }

    fn exceeded(&mut self, limit: &Limit, span: Span) {
        let message = format!("too many {} for one method or block", limit.what);
        self.diagnostics.push(
            Diagnostic::error("E0209", span, message)
                .labelled(format!("the limit is {}", limit.most))
                .helping("split it into smaller ones"),
        );
    }
}

/// The counting model's quick methods: they answer, or set one variable, and need no frame.
fn quick(routine: &Routine, tables: &mut Tables) -> Option<Quick> {
    let special = routine.primitive.is_some() || routine.frame.is_some();
    if special || routine.kind != CodeKind::Method {
        return None;
    }
    let function = routine.functions.first()?;
    match function.body.statements.as_slice() {
        [] => Some(Quick::ReturnSelf),
        [Statement::Return(value)] => match &value.node {
            Node::Receiver => Some(Quick::ReturnSelf),
            Node::Literal(literal) => {
                // The method has no other literal; one that its code loads is there already.
                if tables.literals.is_empty() {
                    tables.literal(literal);
                }
                Some(Quick::ReturnLiteral(0))
            }
            Node::InstanceVariable(name) => Some(Quick::ReturnIvar(tables.ivar(name))),
            _ => None,
        },
        [
            Statement::Expression(Expr {
                node: Node::Assign(target, value),
                ..
            }),
        ] => match (target, &value.node, function.parameters.as_slice()) {
            (Target::InstanceVariable(name), Node::Local(variable), [only]) if variable == only => {
                Some(Quick::StoreIvar(tables.ivar(name)))
            }
            _ => None,
        },
        _ => None,
    }
}

/// The place of the receiver among the values that a block captures.
fn captured_receiver(function: &Function) -> Option<u16> {
    let place = function
        .captures
        .iter()
        .position(|captured| *captured == Captured::Receiver)?;
    u16::try_from(place).ok()
}

/// Index of a variable in its routine's list.
fn index(id: VariableId) -> usize {
    id.0 as usize
}

fn text(source: &str, span: Span) -> &str {
    source
        .get(span.start as usize..span.end as usize)
        .unwrap_or_default()
}

/// 64-bit FNV-1a, with line ends of one byte.
fn digest(text: &str) -> u64 {
    let mut digest = 0xCBF2_9CE4_8422_2325_u64;
    let mut bytes = text.bytes().peekable();
    while let Some(byte) = bytes.next() {
        if byte == b'\r' && bytes.peek() == Some(&b'\n') {
            continue;
        }
        digest = (digest ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3);
    }
    digest
}
