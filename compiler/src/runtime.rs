//! The compiler's side of a running program: compiles single methods and expressions. The machine knows this side only
//! by its trait `SourceCompiler`. Whole files are compiled in `compile`.

use tally_vm::bytecode::Unit;
use tally_vm::{CompileFailure, Scope, SourceCompiler, Vm};

use crate::compile::{Compiled, compile_tree};
use crate::diagnostics::Diagnostic;
use crate::diagnostics::render::render;
use crate::emit::{self, ShortCuts};
use crate::environment::{Environment, MachineEnvironment};
use crate::resolve::{self, World};
use crate::syntax::ast::{File, Item, Name, PlacedMethod, Span, Statement};
use crate::syntax::{self, ast};

/// The compiler as a machine sees it.
#[derive(Clone, Copy, Debug, Default)]
pub struct RuntimeCompiler;

/// Gives a machine the compiler, so that its programs can make code while they run.
pub fn equip(vm: &mut Vm) {
    vm.set_compiler(std::sync::Arc::new(RuntimeCompiler));
}

impl SourceCompiler for RuntimeCompiler {
    fn compile_method(
        &self,
        vm: &Vm,
        scope: Scope<'_>,
        name: &str,
        source: &str,
    ) -> Result<Unit, CompileFailure> {
        outcome(
            compile_method(name, source, scope, &MachineEnvironment(vm)),
            name,
            source,
        )
    }

    fn compile_expression(
        &self,
        vm: &Vm,
        scope: Scope<'_>,
        name: &str,
        source: &str,
    ) -> Result<Unit, CompileFailure> {
        outcome(
            compile_expression(name, source, scope, &MachineEnvironment(vm)),
            name,
            source,
        )
    }
}

fn outcome(compiled: Compiled, name: &str, source: &str) -> Result<Unit, CompileFailure> {
    let Compiled {
        unit, diagnostics, ..
    } = compiled;
    if let Some(unit) = unit {
        return Ok(unit);
    }
    let errors: Vec<Diagnostic> = diagnostics
        .into_iter()
        .filter(Diagnostic::is_error)
        .collect();
    let first = errors.first();
    let place = first.map_or(0, |error| error.span.start as usize);
    let before = source.get(..place).unwrap_or_default();
    Err(CompileFailure {
        message: first.map_or_else(String::new, |error| error.message.clone()),
        details: render(&errors, name, source, false),
        position: before.chars().count() + 1,
    })
}

/// Compiles one method as a browser shows it: pattern, then body. The unit's only definition adds it to
/// the class.
pub fn compile_method(
    name: &str,
    source: &str,
    scope: Scope<'_>,
    environment: &dyn Environment,
) -> Compiled {
    let (method, diagnostics) = syntax::parse_method(source);
    let class = Name {
        text: scope.class.to_owned(),
        span: Span::default(),
    };
    let tree = File {
        items: vec![Item::Method(PlacedMethod {
            class,
            class_side: scope.class_side,
            method,
        })],
        ..File::default()
    };
    let mut world = World::new(environment);
    world.declare(0, name, &tree);
    let short_cuts = ShortCuts::all();
    compile_tree(
        &world,
        0,
        name,
        &source.into(),
        &tree,
        diagnostics,
        &short_cuts,
        None,
    )
}

/// Compiles temporaries and statements in the scope of a class. The unit's script answers the value of
/// the last one.
pub fn compile_expression(
    name: &str,
    source: &str,
    scope: Scope<'_>,
    environment: &dyn Environment,
) -> Compiled {
    let (mut body, mut diagnostics) = syntax::parse_body(source);
    answer_last(&mut body);
    let tree = File {
        items: vec![Item::Eval {
            body: body.clone(),
            span: whole(source),
        }],
        ..File::default()
    };
    let mut world = World::new(environment);
    world.declare(0, name, &tree);
    let place = (scope.class, scope.class_side);
    let (resolved, found) = resolve::resolve_evaluation(&world, name, place, &body, source, &tree);
    diagnostics.extend(found);
    diagnostics.sort_by_key(|diagnostic| (diagnostic.span.start, diagnostic.span.end));
    let unit = if diagnostics.iter().any(Diagnostic::is_error) {
        None
    } else {
        match emit::emit_file(name, &source.into(), resolved, &ShortCuts::all()) {
            Ok(unit) => Some(unit),
            Err(limits) => {
                diagnostics.extend(limits);
                None
            }
        }
    };
    Compiled {
        unit,
        diagnostics,
        left_out: Vec::new(),
    }
}

fn whole(source: &str) -> Span {
    Span {
        start: 0,
        end: u32::try_from(source.len()).unwrap_or(u32::MAX),
    }
}

/// Lets the last statement's value be the body's.
fn answer_last(body: &mut ast::Body) {
    let last = body.statements.pop();
    body.statements
        .extend(last.map(|statement| match statement {
            Statement::Expression(value) => {
                let span = value.span;
                Statement::Return { value, span }
            }
            other => other,
        }));
}
