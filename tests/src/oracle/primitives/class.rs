//! Classes: making instances, reflection, compiling while the program runs.

use std::rc::Rc;

use tally_compiler::parser;

use super::answer::{Answer, Request, Table};
use super::charge::{COMPILE, LIST, MADE, NONE};
use crate::oracle::code::{Method, SourceFile};
use crate::oracle::machine::Machine;
use crate::oracle::names::name;
use crate::oracle::object::Data;
use crate::oracle::value::ClassId;
use crate::oracle::value::Value;
use crate::oracle::world::Shape;

pub(super) const TABLE: Table = &[
    ("behaviorBasicNew", NONE, |m, a| basic_new(m, a).into()),
    ("behaviorBasicNewSize", MADE, |m, a| {
        new_size(m, a, None).into()
    }),
    ("behaviorNewSizeWithAll", MADE, |m, a| {
        new_size(m, a, Some(a[2])).into()
    }),
    ("behaviorName", NONE, |m, a| {
        m.as_class(a[0])
            .map(|class| match m.world.class(class) {
                row if row.is_meta => Value::Nil,
                row => Value::Symbol(name(&row.name)),
            })
            .into()
    }),
    ("behaviorSuperclass", NONE, |m, a| {
        let class = m
            .as_class(a[0])
            .map(|class| m.world.class(class).superclass);
        class.map(|above| m.class_object(above)).into()
    }),
    ("behaviorInheritsFrom", NONE, |m, a| {
        match m.as_class(a[0]).zip(m.as_class(a[1])) {
            Some((class, above)) => Some(class != above && m.world.inherits(class, above)).into(),
            None => Some(false).filter(|_| m.as_class(a[1]).is_some()).into(),
        }
    }),
    ("behaviorIncludesSelector", NONE, |m, a| {
        let found = m.as_class(a[0]).zip(a[1].as_symbol());
        found
            .map(|(class, one)| m.world.class(class).methods.contains_key(&one))
            .into()
    }),
    ("behaviorCanUnderstand", NONE, |m, a| {
        let found = m.as_class(a[0]).zip(a[1].as_symbol());
        found
            .map(|(class, one)| m.world.lookup(class, one).is_some())
            .into()
    }),
    ("behaviorSelectors", LIST, |m, a| {
        let class = m.as_class(a[0]);
        let names = class.map(|class| m.world.class(class).selectors.clone());
        names
            .map(|names| {
                let symbols: Vec<Value> = names.into_iter().map(Value::Symbol).collect();
                m.make_array(&symbols)
            })
            .into()
    }),
    ("behaviorInstVarNames", LIST, |m, a| {
        let class = m.as_class(a[0]);
        let names = class.map(|class| m.world.class(class).own_fields.clone());
        names
            .map(|names| {
                let strings: Vec<Value> =
                    names.iter().map(|one| m.make_string(&one.text())).collect();
                m.make_array(&strings)
            })
            .into()
    }),
    ("behaviorSubclasses", LIST, |m, a| {
        let class = m.as_class(a[0]);
        let below = class.map(|class| m.world.class(class).subclasses.clone());
        below
            .map(|below| {
                let objects: Vec<Value> = below
                    .into_iter()
                    .map(|one| m.class_object(Some(one)))
                    .collect();
                m.make_array(&objects)
            })
            .into()
    }),
    ("behaviorCategory", NONE, |m, a| {
        let text = m
            .as_class(a[0])
            .map(|class| m.world.class(class).category.clone());
        text.map(|text| m.make_string(&text)).into()
    }),
    ("behaviorComment", NONE, |m, a| {
        let text = m
            .as_class(a[0])
            .map(|class| m.world.class(class).comment.clone());
        text.map(|text| m.make_string(&text)).into()
    }),
    ("behaviorKind", NONE, |m, a| {
        m.as_class(a[0])
            .map(|class| match m.world.class(class).shape {
                Shape::Fixed => "fixed",
                Shape::Pointers => "pointers",
                Shape::Bytes => "bytes",
            })
            .map(|word| Value::Symbol(name(word)))
            .into()
    }),
    ("behaviorIsMeta", NONE, |m, a| {
        m.as_class(a[0])
            .map(|class| m.world.class(class).is_meta)
            .into()
    }),
    ("behaviorIsTrait", NONE, |m, a| {
        m.as_class(a[0]).map(|_| false).into()
    }),
    ("metaclassSoleInstance", NONE, |m, a| {
        let class = m
            .as_class(a[0])
            .filter(|class| m.world.class(*class).is_meta);
        class
            .map(|class| m.class_object(Some(m.world.class(class).other_side)))
            .into()
    }),
    ("classDefine", NONE, |m, a| define(m, a).into()),
    ("behaviorCompile", COMPILE, |m, a| compile(m, a).into()),
    ("behaviorMethodAt", NONE, |m, a| {
        let found = m.as_class(a[0]).zip(a[1].as_symbol());
        let method = found.and_then(|(class, one)| m.world.class(class).methods.get(&one).cloned());
        method.map(|method| method_object(m, method)).into()
    }),
    ("behaviorLookupSelector", NONE, |m, a| {
        let found = m.as_class(a[0]).zip(a[1].as_symbol());
        found
            .map(|(class, one)| match m.world.lookup(class, one) {
                Some(method) => method_object(m, method),
                None => Value::Nil,
            })
            .into()
    }),
    ("behaviorRemoveSelector", NONE, |m, a| {
        let found = m.as_class(a[0]).zip(a[1].as_symbol());
        let found = found.filter(|(class, one)| m.world.class(*class).methods.contains_key(one));
        found
            .map(|(class, one)| {
                m.world.remove_method(class, one);
                a[0]
            })
            .into()
    }),
    ("behaviorCompileExpression", COMPILE, |m, a| {
        compile_expression(m, a).into()
    }),
    ("methodSelector", NONE, |m, a| {
        method(m, a[0])
            .map(|method| Value::Symbol(method.selector))
            .into()
    }),
    ("methodClass", NONE, |m, a| {
        method(m, a[0])
            .map(|method| m.class_object(Some(method.holder)))
            .into()
    }),
    ("methodNumArgs", NONE, |m, a| {
        let count = method(m, a[0]).map(|method| m.world.routine(&method).parameters);
        count.map(|count| Value::Small(count as i64)).into()
    }),
    ("methodValue", NONE, |m, a| value_of_method(m, a)),
];

fn is_closed(m: &Machine, class: ClassId) -> bool {
    let known = &m.known;
    let closed = [
        known.small,
        known.large_positive,
        known.large_negative,
        known.float,
        known.character,
        known.symbol,
        known.undefined,
        known.yes,
        known.no,
        known.block,
        known.method,
    ];
    let named = ["Metaclass", "Behavior", "Class"];
    closed.contains(&class)
        || m.world.class(class).is_meta
        || named
            .iter()
            .any(|text| m.world.find_class(text) == Some(class))
}

fn basic_new(m: &mut Machine, a: &[Value]) -> Option<Value> {
    let class = m.as_class(a[0]).filter(|class| !is_closed(m, *class))?;
    Some(match m.world.class(class).shape {
        Shape::Fixed | Shape::Pointers => m.make_instance(class, 0),
        Shape::Bytes => empty_bytes(m, class, 0, None)?,
    })
}

fn new_size(m: &mut Machine, a: &[Value], filling: Option<Value>) -> Option<Value> {
    let class = m.as_class(a[0]).filter(|class| !is_closed(m, *class))?;
    let size = a[1].as_size().filter(|&size| size < 1 << 24)?;
    match m.world.class(class).shape {
        Shape::Fixed => None,
        Shape::Bytes => empty_bytes(m, class, size, filling),
        Shape::Pointers => {
            let made = m.make_instance(class, size);
            if let Some(filling) = filling {
                let named = m.named_slots(made)?;
                m.object_mut(made)?.slots[named..].fill(filling);
            }
            Some(made)
        }
    }
}

/// A string or byte object of that size.
fn empty_bytes(
    m: &mut Machine,
    class: ClassId,
    size: usize,
    filling: Option<Value>,
) -> Option<Value> {
    let is_text = m.world.inherits(class, m.known.string);
    if is_text {
        let code = match filling {
            None => 0,
            Some(Value::Character(code)) => code,
            Some(_) => return None,
        };
        return Some(m.make_text_of(class, vec![code; size]));
    }
    let byte = match filling {
        None => 0,
        Some(value) => value.as_small().and_then(|n| u8::try_from(n).ok())?,
    };
    Some(m.make_bytes(class, vec![byte; size]))
}

fn define(m: &mut Machine, a: &[Value]) -> Option<Value> {
    let superclass = match a[0] {
        Value::Nil => None,
        value => Some(
            m.as_class(value)
                .filter(|class| !m.world.class(*class).is_meta)?,
        ),
    };
    let text = m.string_of(a[1])?;
    let words = |m: &Machine, value: Value| -> Option<Vec<_>> {
        Some(m.string_of(value)?.split_whitespace().map(name).collect())
    };
    let fields = words(m, a[2])?;
    let variables = words(m, a[3])?;
    let shape = match m.string_of(a[5])?.as_str() {
        "fixed" => None,
        "pointers" => Some(Shape::Pointers),
        _ => Some(Shape::Bytes),
    };
    if m.world.find_class(&text).is_some() {
        m.unsupported("a class defined again");
    }
    let class = m.world.define_class(&text, superclass, &fields, shape);
    for variable in variables {
        m.world.class_mut(class).class_variables.push(variable);
        m.world
            .class_variables
            .insert((class, variable), Value::Nil);
    }
    Some(m.class_object(Some(class)))
}

/// Compiles a method. The source text is a file of its own.
fn compile(m: &mut Machine, a: &[Value]) -> Option<Value> {
    let class = m.as_class(a[0])?;
    let source = m.string_of(a[1])?;
    let (tree, diagnostics) = parser::parse_method(&source);
    if diagnostics.iter().any(|one| one.is_error()) {
        m.unsupported("an error of the compiler");
        return None;
    }
    let file = Rc::new(SourceFile {
        name: String::new(),
        text: source,
    });
    let method = m.world.new_method(class, &tree, &file);
    m.world.add_method(method.clone());
    Some(method_object(m, method))
}

fn compile_expression(m: &mut Machine, a: &[Value]) -> Option<Value> {
    let source = m.string_of(a[1])?;
    let (mut body, diagnostics) = parser::parse_body(&source);
    if diagnostics.iter().any(|one| one.is_error()) {
        m.unsupported("an error of the compiler");
        return None;
    }
    // The value is the last statement's.
    if let Some(last) = body.statements.pop() {
        body.statements.push(match last {
            tally_compiler::ast::Statement::Expression(value) => {
                let span = value.span;
                tally_compiler::ast::Statement::Return { value, span }
            }
            other => other,
        });
    }
    let end = source.len() as u32;
    let file = Rc::new(SourceFile {
        name: "expression".to_string(),
        text: source,
    });
    let routine = m.world.resolve_body(None, &body, &[]);
    let span = tally_compiler::ast::Span { start: 0, end };
    let holder = m.known.undefined;
    let method = Method::piece(holder, span, &file, routine);
    Some(method_object(m, method))
}

/// The object that stands for a method; the machine's own, not counted.
fn method_object(m: &mut Machine, method: Rc<Method>) -> Value {
    let class = m.known.method;
    let fields = m.world.class(class).fields.len();
    m.new_object(class, fields, Data::Method(method))
}

fn method(m: &Machine, value: Value) -> Option<Rc<Method>> {
    match &m.object(value)?.data {
        Data::Method(method) => Some(method.clone()),
        _ => None,
    }
}

fn value_of_method(m: &mut Machine, a: &[Value]) -> Answer {
    let found = method(m, a[0]).zip(m.array_of(a[2]));
    let Some((method, arguments)) = found else {
        return Answer::Declined;
    };
    if m.world.routine(&method).parameters != arguments.len() {
        return Answer::Declined;
    }
    Answer::Request(Request::Invoke(method, a[1], arguments))
}
