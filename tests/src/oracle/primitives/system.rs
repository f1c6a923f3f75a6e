//! Globals, output, and a script's access to the outside world.

use super::answer::{Answer, Request, Table};
use crate::oracle::machine::{Ending, Machine};
use crate::oracle::value::Value;

pub(super) const TABLE: Table = &[
    ("systemGlobalAt", |m, a| {
        let found = a[1].as_symbol().and_then(|one| m.world.globals.get(&one));
        found.copied().into()
    }),
    ("systemGlobalAtPut", |m, a| match a[1].as_symbol() {
        Some(one) => {
            m.world.globals.insert(one, a[2]);
            Answer::Value(a[2])
        }
        None => Answer::Declined,
    }),
    ("systemIncludesGlobal", |m, a| {
        a[1].as_symbol()
            .map(|one| m.world.globals.contains_key(&one))
            .into()
    }),
    ("systemArguments", |m, _| {
        let arguments = m.arguments.clone();
        let strings: Vec<Value> = arguments.iter().map(|one| m.make_string(one)).collect();
        Some(m.make_array(&strings)).into()
    }),
    ("systemMillisecondClock", |_, _| {
        Some(Value::Small(0)).into()
    }),
    ("systemMicrosecondClock", |_, _| {
        Some(Value::Small(0)).into()
    }),
    ("systemExit", |m, a| {
        let code = a[1].as_small().filter(|n| (0..=255).contains(n));
        let _ = m;
        code.map(|_| Request::Stop(Ending::Exited)).into()
    }),
    ("stdoutWrite", |m, a| write(m, a)),
    ("stderrWrite", |m, a| m.text_of(a[1]).map(|_| a[0]).into()),
    ("stdoutFlush", |_, a| Some(a[0]).into()),
];

fn write(m: &mut Machine, a: &[Value]) -> Answer {
    match m.string_of(a[1]) {
        Some(text) => {
            m.out.push_str(&text);
            Answer::Value(a[0])
        }
        None => Answer::Declined,
    }
}
