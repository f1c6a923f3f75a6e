//! The library: its own source files, read and defined as the program's are. What it evaluates when it is built is
//! evaluated here too, and not counted.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use tally_compiler::ast::{self, Item, Statement};
use tally_compiler::parser;

use super::code::{Method, SourceFile};
use super::count::Tree;
use super::machine::process::Process;
use super::machine::{Ending, Machine};
use super::names::unscoped;
use super::value::Value;
use super::world::World;

thread_local! {
    static IMAGE: RefCell<Option<Machine>> = const { RefCell::new(None) };
}

/// A machine with the library in it, its counters at 0.
///
/// # Errors
/// A fault of the library, or a construct of the library that this interpreter cannot execute.
pub(crate) fn machine() -> Result<Machine, String> {
    IMAGE.with_borrow_mut(|image| {
        if image.is_none() {
            *image = Some(build()?);
        }
        image.clone().ok_or_else(|| "no library".to_string())
    })
}

struct Source {
    file: Rc<SourceFile>,
    tree: ast::File,
}

fn sources() -> Result<Vec<Source>, String> {
    let root = crate::root().join("stdlib");
    let mut sources = Vec::new();
    for path in crate::files_below(&root, "st").map_err(|error| error.to_string())? {
        let relative = path.strip_prefix(&root).unwrap_or(&path);
        // The files of a dialect extend the library of its own machines only.
        if relative.starts_with("dialects") {
            continue;
        }
        let name = format!(
            "<library>/{}",
            relative.to_string_lossy().replace('\\', "/")
        );
        let text = std::fs::read_to_string(&path).map_err(|error| error.to_string())?;
        let text = text.replace("\r\n", "\n");
        let (tree, _) = parser::parse(&text);
        let file = Rc::new(SourceFile { name, text });
        sources.push(Source { file, tree });
    }
    sources.sort_by(|a, b| a.file.name.cmp(&b.file.name));
    in_order(sources)
}

/// Superclasses first, then by name; files without a class last.
fn in_order(mut sources: Vec<Source>) -> Result<Vec<Source>, String> {
    let mut above: HashMap<String, String> = HashMap::new();
    for class in sources.iter().filter_map(|source| class_of(&source.tree)) {
        above.insert(
            class.name.text.clone(),
            unscoped(&class.superclass.text).to_string(),
        );
    }
    let depth = |source: &Source| {
        let mut at = class_of(&source.tree).map(|class| class.name.text.clone())?;
        let mut depth = 0;
        while let Some(superclass) = above.get(&at).filter(|_| depth <= above.len()) {
            depth += 1;
            at = superclass.clone();
        }
        Some(depth)
    };
    sources.sort_by_key(|source| depth(source).unwrap_or(usize::MAX));
    Ok(sources)
}

fn class_of(tree: &ast::File) -> Option<&ast::ClassDefinition> {
    tree.items.iter().find_map(|item| match item {
        Item::Class(class) => Some(class),
        _ => None,
    })
}

fn build() -> Result<Machine, String> {
    let sources = sources()?;
    let mut world = World::default();
    let mut values = Vec::new();
    for source in &sources {
        for item in source
            .tree
            .items
            .iter()
            .filter(|item| matches!(item, Item::Class(_)))
        {
            let found = world.define(item, &source.file)?;
            values.extend(found.into_iter().map(|one| (source.file.clone(), one)));
        }
    }
    world.tie_metaclasses();
    for source in &sources {
        for item in &source.tree.items {
            if matches!(item, Item::Extend(_) | Item::Method(_)) {
                world.define(item, &source.file)?;
            }
        }
    }
    let mut machine = Machine::new(world)?;
    machine.processes = vec![Process::new(40)];
    for (file, (class, variable, value)) in values {
        let span = value.span;
        let meta = machine.world.class(class).other_side;
        let body = ast::Body {
            temporaries: Vec::new(),
            statements: vec![Statement::Return { value, span }],
        };
        let routine = machine.world.resolve_body(Some(meta), &body, &[]);
        let piece = Method::piece(meta, span, &file, routine);
        let receiver = machine.class_object(Some(class));
        let value = run_piece(&mut machine, &piece, receiver)?;
        machine
            .world
            .class_variables
            .insert((class, variable), value);
    }
    for source in &sources {
        for item in &source.tree.items {
            if let Item::Eval { body, span } = item {
                let routine = machine.world.resolve_body(None, body, &[]);
                let holder = machine.known.undefined;
                let piece = Method::piece(holder, *span, &source.file, routine);
                run_piece(&mut machine, &piece, Value::Nil)?;
            }
        }
    }
    machine.tree = Tree::default();
    machine.out.clear();
    machine.next_frame = 1;
    Ok(machine)
}

fn run_piece(machine: &mut Machine, piece: &Rc<Method>, receiver: Value) -> Result<Value, String> {
    match machine.run(piece, receiver) {
        Ending::Finished => Ok(machine.result),
        other => Err(format!(
            "the library's {} ends as {other:?}",
            piece.file.name
        )),
    }
}
