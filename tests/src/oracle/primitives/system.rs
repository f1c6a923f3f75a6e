//! Globals, output, and a script's access to the outside world.

use super::answer::{Answer, Request, Table};
use super::charge::{Charge, LIST, NONE, characters};
use crate::oracle::machine::{Ending, Machine};
use crate::oracle::value::Value;

/// Text that is written.
const OUTPUT: Charge = Charge::by(|m, a, _| vec![("fileBytes", characters(m, a[1]))]);

pub(super) const TABLE: Table = &[
    ("systemGlobalAt", NONE, |m, a| {
        let found = a[1].as_symbol().and_then(|one| m.world.globals.get(&one));
        found.copied().into()
    }),
    ("systemGlobalAtPut", NONE, |m, a| match a[1].as_symbol() {
        Some(one) => {
            m.world.globals.insert(one, a[2]);
            Answer::Value(a[2])
        }
        None => Answer::Declined,
    }),
    ("systemIncludesGlobal", NONE, |m, a| {
        a[1].as_symbol()
            .map(|one| m.world.globals.contains_key(&one))
            .into()
    }),
    ("systemArguments", LIST, |m, _| {
        let arguments = m.arguments.clone();
        let strings: Vec<Value> = arguments.iter().map(|one| m.make_string(one)).collect();
        Some(m.make_array(&strings)).into()
    }),
    ("systemMillisecondClock", NONE, |_, _| {
        Some(Value::Small(0)).into()
    }),
    ("systemMicrosecondClock", NONE, |_, _| {
        Some(Value::Small(0)).into()
    }),
    ("systemExit", NONE, |m, a| {
        let code = a[1].as_small().filter(|n| (0..=255).contains(n));
        let _ = m;
        code.map(|_| Request::Stop(Ending::Exited)).into()
    }),
    ("stdoutWrite", OUTPUT, |m, a| write(m, a)),
    ("stderrWrite", OUTPUT, |m, a| {
        m.text_of(a[1]).map(|_| a[0]).into()
    }),
    ("stdoutFlush", NONE, |_, a| Some(a[0]).into()),
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
