//! The charges of streams.

use super::super::text::{CharacterSet, text};
use super::texts::length;
use super::{Bill, Charge};
use crate::base::{Known, Value};
use crate::counting::Work;
use crate::machine::Vm;
use crate::run::Args;

/// How many separators come next in a stream over text. The collection, the position and the end are its first variables.
fn separators_ahead(vm: &Vm, args: Args) -> Option<u64> {
    let stream = args.receiver(vm);
    let variables = stream.is_object().then(|| vm.heap.slots(stream))?;
    let &[collection, position, end, ..] = variables else {
        return None;
    };
    let is_text = vm.is_a(collection, Known::String) || vm.is_a(collection, Known::WideString);
    let characters = is_text.then(|| text(vm, collection))??;
    let place = |value: Value| usize::try_from(value.as_int()?).ok();
    let (position, end) = (place(position)?, place(end)?);
    if position > end || end > characters.len() {
        return None;
    }
    let codes = (position..end).filter_map(|index| characters.code(index));
    let near = codes.take(vm.affordable_length(Work::Scanned));
    let separators = near.take_while(|&code| CharacterSet::SEPARATORS.has(code));
    Some(separators.count() as u64)
}

/// Blanks that are skipped.
pub(crate) const SKIP_BLANKS: Charge =
    Charge::before("`scanned` the characters skipped + 1", |vm, args| {
        Some(Bill::of(Work::Scanned, separators_ahead(vm, args)? + 1))
    });

/// Characters that are skipped, and whose number is answered.
pub(crate) const SKIP: Charge =
    Charge::after("`scanned` the characters skipped + 1", |_, _, answer| {
        let skipped = u64::try_from(answer.as_int()?).ok()?;
        Some(Bill::of(Work::Scanned, skipped + 1))
    });

/// Characters that are taken.
pub(crate) const TAKE: Charge = Charge::after(
    "`scanned` the characters of a String that is the result, + 1; `moved` as many",
    |vm, _, answer| {
        let taken = length(vm, answer)?;
        Some(Bill::of(Work::Scanned, taken + 1).and(Work::Moved, taken))
    },
);

/// Elements that are written.
pub(crate) const WRITE: Charge = Charge::after(
    "`moved` the size of the argument; 8 a slot",
    |vm, args, _| super::objects::moved(vm, args.at(vm, 0)),
);
