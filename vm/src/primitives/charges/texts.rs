//! The charges of primitives on text.

use super::super::string_search::all_occurrences;
use super::super::text::{Text, text};
use super::{Bill, Charge};
use crate::base::Value;
use crate::counting::Work;
use crate::machine::Vm;
use crate::run::Args;

/// How many characters a string has.
pub(super) fn length(vm: &Vm, value: Value) -> Option<u64> {
    Some(text(vm, value)?.len() as u64)
}

/// How many characters two texts have in common at their beginnings. It counts no further than the limit on work
/// allows to compare.
fn common_prefix(vm: &Vm, a: &Text<'_>, b: &Text<'_>) -> u64 {
    let most = vm.affordable_length(Work::Compared);
    let common = match (a.narrow(), b.narrow()) {
        (Some(a), Some(b)) => common_bytes(&a[..a.len().min(most)], b),
        _ => {
            let pairs = a.codes().zip(b.codes()).take(most);
            pairs.take_while(|(a, b)| a == b).count()
        }
    };
    common as u64
}

/// The same of bytes, many at once.
fn common_bytes(a: &[u8], b: &[u8]) -> usize {
    const MANY: usize = 64;
    let whole = a.chunks(MANY).zip(b.chunks(MANY));
    let same = MANY * whole.take_while(|(a, b)| a == b).count();
    let same = same.min(a.len()).min(b.len());
    let rest = a[same..].iter().zip(&b[same..]);
    same + rest.take_while(|(a, b)| a == b).count()
}

/// The charge of a comparison for equality; 1 where one is no string.
pub(crate) fn comparison(vm: &Vm, left: Value, right: Value) -> Option<Bill> {
    let left_text = text(vm, left)?;
    let looked_at = match text(vm, right) {
        Some(right) if right.len() == left_text.len() => common_prefix(vm, &left_text, &right) + 1,
        _ => 1,
    };
    Some(Bill::of(Work::Compared, looked_at))
}

/// Equality.
pub(crate) const EQUALITY: Charge = Charge::before(
    "`compared` common prefix + 1 where sizes agree, 1 where they differ",
    |vm, args| comparison(vm, args.receiver(vm), args.at(vm, 0)),
);

/// Order, beginnings and ends.
pub(crate) const ORDER: Charge = Charge::before("`compared` common prefix + 1", |vm, args| {
    let (a, b) = (text(vm, args.receiver(vm))?, text(vm, args.at(vm, 0))?);
    Some(Bill::of(Work::Compared, common_prefix(vm, &a, &b) + 1))
});

/// The ends of strings.
pub(crate) const ENDING: Charge = Charge::before(
    "`compared` the characters of the argument + 1",
    |vm, args| {
        length(vm, args.receiver(vm))?;
        Some(Bill::of(Work::Compared, length(vm, args.at(vm, 0))? + 1))
    },
);

/// Hashes of strings.
pub(crate) const STRING_HASH: Charge = Charge::before("`hashed` the characters", |vm, args| {
    Some(Bill::of(Work::Hashed, length(vm, args.receiver(vm))?))
});

/// Symbols of strings.
pub(crate) const INTERNED: Charge =
    Charge::before("`hashed` the characters of a String", |vm, args| {
        let receiver = args.receiver(vm);
        let is_symbol = receiver.as_symbol().is_some();
        (!is_symbol).then_some(Bill::of(Work::Hashed, length(vm, receiver)?))
    });

/// What a character of source costs the compiler, in elements.
const COMPILED: u64 = 8;

/// Sources that are compiled.
pub(crate) const COMPILE: Charge =
    Charge::before("`elements` 8 a character of the source", |vm, args| {
        let characters = length(vm, args.at(vm, 0))?;
        Some(Bill::of(
            Work::Elements,
            characters.saturating_mul(COMPILED),
        ))
    });

/// Searches for one character, which look at many at once.
pub(crate) const FIND_ONE: Charge = Charge::after(
    "`compared` the distance to the hit or the end",
    |vm, args, answer| Some(Bill::of(Work::Compared, distance(vm, args, answer)?)),
);

/// The same over the whole receiver.
pub(crate) const COUNT_ONE: Charge = Charge::before("`compared` the characters", |vm, args| {
    Some(Bill::of(Work::Compared, length(vm, args.receiver(vm))?))
});

/// The whole receiver is looked at.
pub(crate) const SCAN: Charge = Charge::before("`scanned` the characters", |vm, args| {
    Some(Bill::of(Work::Scanned, length(vm, args.receiver(vm))?))
});

/// As a scan, and parts are copied.
pub(crate) const SPLIT: Charge =
    Charge::before("`scanned` the characters; `moved` as many", |vm, args| {
        let characters = length(vm, args.receiver(vm))?;
        Some(Bill::of(Work::Scanned, characters).and(Work::Moved, characters))
    });

/// The distance from the start index to the answered index, or to the end.
fn distance(vm: &Vm, args: Args, answer: Value) -> Option<u64> {
    let start = args.at(vm, 1).as_int()?;
    let last = match answer.as_int()? {
        0 => i64::try_from(length(vm, args.receiver(vm))?).ok()?,
        found => found,
    };
    u64::try_from(last - start + 1).ok()
}

/// Searches for characters of a set.
pub(crate) const FIND_ANY: Charge = Charge::after(
    "`scanned` the distance to the hit or the end",
    |vm, args, answer| Some(Bill::of(Work::Scanned, distance(vm, args, answer)?)),
);

/// Searches for strings.
pub(crate) const FIND_STRING: Charge = Charge::after(
    "`searched` the distance to the hit or the end + the characters of the needle",
    |vm, args, answer| {
        let needle = length(vm, args.at(vm, 0))?;
        let searched = distance(vm, args, answer).unwrap_or(0) + needle;
        Some(Bill::of(Work::Searched, searched))
    },
);

/// Searches for all occurrences.
pub(crate) const FIND_ALL: Charge = Charge {
    after: |_, _, answer| {
        let occurrences = u64::try_from(answer.as_int()?).ok()?;
        Some(Bill::of(Work::Elements, occurrences))
    },
    ..Charge::before(
        "`searched` the characters of both; `elements` the occurrences",
        |vm, args| Some(Bill::of(Work::Searched, both(vm, args)?)),
    )
};

/// The same with copies of the parts between them.
pub(crate) const REPLACE_ALL: Charge = Charge {
    after: |vm, args, answer| {
        let (whole, old) = (text(vm, args.receiver(vm))?, text(vm, args.at(vm, 0))?);
        let occurrences = all_occurrences(&whole, &old).len() as u64;
        let bill = Bill::of(Work::Elements, occurrences);
        Some(bill.and(Work::Moved, length(vm, answer)?))
    },
    ..Charge::before(
        "`searched` the characters of receiver and first argument; `elements` the occurrences; `moved` those of the result",
        |vm, args| Some(Bill::of(Work::Searched, both(vm, args)?)),
    )
};

/// The same with an Array of parts.
pub(crate) const SPLIT_ON: Charge = Charge::before(
    "`searched` the characters of both; `moved` those of the receiver",
    |vm, args| {
        let moved = length(vm, args.receiver(vm))?;
        Some(Bill::of(Work::Searched, both(vm, args)?).and(Work::Moved, moved))
    },
);

/// The characters of receiver and first argument.
fn both(vm: &Vm, args: Args) -> Option<u64> {
    Some(length(vm, args.receiver(vm))? + length(vm, args.at(vm, 0))?)
}

/// Blanks at the ends.
pub(crate) const TRIM: Charge = Charge::after(
    "`scanned` the characters left out + 2; `moved` those of the result",
    |vm, args, answer| {
        let (whole, kept) = (length(vm, args.receiver(vm))?, length(vm, answer)?);
        Some(Bill::of(Work::Scanned, whole - kept + 2).and(Work::Moved, kept))
    },
);

/// Joined strings.
pub(crate) const JOIN: Charge = Charge::after(
    "`elements` those of the Array; `moved` the characters of the result",
    |vm, args, answer| {
        let elements = vm.heap.slots(args.at(vm, 0)).len() as u64;
        Some(Bill::of(Work::Elements, elements).and(Work::Moved, length(vm, answer)?))
    },
);

/// Letters in the other case, which are mapped many at once.
pub(crate) const CASE: Charge = Charge::before("`moved` the characters", |vm, args| {
    Some(Bill::of(Work::Moved, length(vm, args.receiver(vm))?))
});

/// Other characters for each character.
pub(crate) const CONVERTED: Charge = Charge::before(
    "`converted` the characters or bytes of the receiver",
    |vm, args| {
        let receiver = args.receiver(vm);
        let size = match text(vm, receiver) {
            Some(text) => text.len(),
            None => super::objects::bytes_of(vm, receiver)? as usize,
        };
        Some(Bill::of(Work::Converted, size as u64))
    },
);

/// Strings of Symbols.
pub(crate) const COPY_OF_SYMBOL: Charge =
    Charge::before("`moved` the characters of a Symbol", |vm, args| {
        let receiver = args.receiver(vm);
        receiver.as_symbol()?;
        Some(Bill::of(Work::Moved, length(vm, receiver)?))
    });

/// Searches for regular expressions.
pub(crate) const REGEX_SEARCH: Charge = Charge::after(
    "`regexSteps` the characters that decide on each match, at most those up to the end of the string, × the nodes of the expression; \
     those of the matcher if the expression looks around itself",
    |vm, _, _| Some(Bill::of(Work::RegexSteps, vm.world.regexes.steps)),
);
