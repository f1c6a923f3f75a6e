//! Streams on collections, whose first variables are collection, position, limit of reading and limit of writing.

use super::answer::Table;
use super::charge::{Charge, NONE, indexed_bytes};
use crate::oracle::machine::Machine;
use crate::oracle::object::Data;
use crate::oracle::value::Value;

/// Separators that are skipped.
const SKIPPED_BLANKS: Charge = Charge {
    operands: |m, a| match rest(m, a[0], false) {
        Some(rest) => vec![("scanned", run(&rest, is_separator) as u64 + 1)],
        None => Vec::new(),
    },
    ..NONE
};

/// Characters that are skipped; the answer is how many.
const SKIPPED: Charge = Charge::by(|_, _, answer| {
    let skipped = answer.as_size().unwrap_or_default();
    vec![("scanned", skipped as u64 + 1)]
});

/// Characters that are taken.
const TAKEN: Charge = Charge::by(|m, _, answer| match m.text_of(answer) {
    Some(taken) => {
        let count = taken.len() as u64;
        vec![("scanned", count + 1), ("moved", count)]
    }
    None => Vec::new(),
});

/// Elements that are written.
const WRITTEN: Charge = Charge::by(|m, a, _| vec![("moved", indexed_bytes(m, a[1]))]);

pub(super) const TABLE: Table = &[
    ("streamAtEnd", NONE, |m, a| {
        place(m, a[0], 2)
            .map(|(_, position, limit)| position >= limit)
            .into()
    }),
    ("streamNext", NONE, |m, a| {
        let found = element(m, a[0]);
        if let Some(Some(_)) = found {
            advance(m, a[0], 1);
        }
        found.map(|one| one.unwrap_or(Value::Nil)).into()
    }),
    ("streamPeek", NONE, |m, a| {
        element(m, a[0]).map(|one| one.unwrap_or(Value::Nil)).into()
    }),
    ("streamPeekFor", NONE, |m, a| match element(m, a[0]) {
        Some(None) => Some(false).into(),
        Some(Some(Value::Character(code))) => {
            let is_next = a[1] == Value::Character(code);
            if is_next && rest(m, a[0], true).is_some() {
                advance(m, a[0], 1);
            }
            rest(m, a[0], true).map(|_| is_next).into()
        }
        _ => None::<bool>.into(),
    }),
    ("streamSkipSeparators", SKIPPED_BLANKS, |m, a| {
        let skipped = rest(m, a[0], false).map(|rest| run(&rest, is_separator));
        if let Some(count) = skipped {
            advance(m, a[0], count);
        }
        skipped.map(|_| a[0]).into()
    }),
    ("streamSkipIn", SKIPPED, |m, a| {
        let found = rest_and_set(m, a).map(|(rest, set)| run(&rest, |code| set.contains(&code)));
        if let Some(count) = found {
            advance(m, a[0], count);
        }
        found.map(|count| Value::Small(count as i64)).into()
    }),
    ("streamNextIn", TAKEN, |m, a| take(m, a, true, false).into()),
    ("streamNextOutside", TAKEN, |m, a| {
        take(m, a, false, false).into()
    }),
    ("streamUpToAnyOf", TAKEN, |m, a| {
        take(m, a, false, true).into()
    }),
    ("streamNextLine", TAKEN, |m, a| next_line(m, a[0]).into()),
    ("streamNextPut", NONE, |m, a| next_put(m, a).into()),
    ("streamNextPutAll", WRITTEN, |m, a| {
        next_put_all(m, a).into()
    }),
];

/// Collection, position and a limit.
fn place(m: &Machine, stream: Value, limit: usize) -> Option<(Value, usize, usize)> {
    let slots = &m.object(stream)?.slots;
    Some((
        *slots.first()?,
        slots.get(1)?.as_size()?,
        slots.get(limit)?.as_size()?,
    ))
}

fn advance(m: &mut Machine, stream: Value, count: usize) {
    if let Some(position) = m.slot(stream, 1).as_size() {
        m.set_slot(stream, 1, Value::Small((position + count) as i64));
    }
}

/// Whether the collection is one of the library's own classes, to which alone the primitives apply.
fn is_plain(m: &Machine, collection: Value) -> bool {
    let Some(object) = m.object(collection) else {
        return false;
    };
    let known = &m.known;
    let plain = [known.string, known.wide_string, known.array, known.bytes];
    plain.contains(&object.class)
}

/// The next element, if there is one, of a stream that the primitives apply to.
fn element(m: &Machine, stream: Value) -> Option<Option<Value>> {
    let (collection, position, limit) = place(m, stream, 2)?;
    if position >= limit {
        return Some(None);
    }
    if !is_plain(m, collection) {
        return None;
    }
    let object = m.object(collection)?;
    let found = match &object.data {
        Data::Text(codes) => Value::Character(*codes.get(position)?),
        Data::Bytes(bytes) => Value::Small(i64::from(*bytes.get(position)?)),
        _ => *object.slots.get(position)?,
    };
    Some(Some(found))
}

/// The characters between position and limit; `may_be_short` lets the limit lie behind the collection.
fn rest(m: &Machine, stream: Value, may_be_short: bool) -> Option<Vec<char>> {
    let (collection, position, limit) = place(m, stream, 2)?;
    if !is_plain(m, collection) {
        return None;
    }
    let Data::Text(codes) = &m.object(collection)?.data else {
        return None;
    };
    let is_inside = position <= limit && limit <= codes.len();
    if !is_inside && !may_be_short {
        return None;
    }
    let between = codes.iter().take(limit).skip(position);
    between.map(|&code| char::from_u32(code)).collect()
}

fn rest_and_set(m: &Machine, a: &[Value]) -> Option<(Vec<char>, Vec<char>)> {
    let set: Option<Vec<char>> = m.text_of(a[1])?.into_iter().map(char::from_u32).collect();
    Some((rest(m, a[0], false)?, set?))
}

fn is_separator(one: char) -> bool {
    " \t\n\u{c}\r".contains(one)
}

/// How many characters in front are such.
fn run(rest: &[char], test: impl Fn(char) -> bool) -> usize {
    rest.iter().take_while(|&&one| test(one)).count()
}

fn make(m: &mut Machine, letters: &[char]) -> Value {
    m.make_text(letters.iter().map(|&one| u32::from(one)).collect())
}

fn take(m: &mut Machine, a: &[Value], inside: bool, over: bool) -> Option<Value> {
    let (rest, set) = rest_and_set(m, a)?;
    let count = run(&rest, |one| set.contains(&one) == inside);
    let taken = make(m, &rest[..count]);
    advance(m, a[0], count + usize::from(over && count < rest.len()));
    Some(taken)
}

fn next_line(m: &mut Machine, stream: Value) -> Option<Value> {
    let (_, position, limit) = place(m, stream, 2)?;
    if position >= limit {
        return Some(Value::Nil);
    }
    let rest = rest(m, stream, false)?;
    let count = run(&rest, |one| one != '\r' && one != '\n');
    let end = match &rest[count..] {
        ['\r', '\n', ..] => 2,
        [] => 0,
        _ => 1,
    };
    let line = make(m, &rest[..count]);
    advance(m, stream, count + end);
    Some(line)
}

fn next_put(m: &mut Machine, a: &[Value]) -> Option<Value> {
    let (collection, position, limit) = place(m, a[0], 3)?;
    if position >= limit || !is_plain(m, collection) {
        return None;
    }
    let wide = m.known.wide_string;
    let object = m.object_mut(collection)?;
    match (&mut object.data, a[1]) {
        (Data::Text(codes), Value::Character(code)) if code < 256 || object.class == wide => {
            *codes.get_mut(position)? = code;
        }
        (Data::Bytes(bytes), Value::Small(byte)) => {
            *bytes.get_mut(position)? = u8::try_from(byte).ok()?;
        }
        (Data::Text(_) | Data::Bytes(_), _) => return None,
        (_, value) => *object.slots.get_mut(position)? = value,
    }
    advance(m, a[0], 1);
    Some(a[1])
}

fn next_put_all(m: &mut Machine, a: &[Value]) -> Option<Value> {
    let (collection, start, limit) = place(m, a[0], 3)?;
    let is_same =
        m.object(a[1]).map(|object| object.class) == m.object(collection).map(|o| o.class);
    let is_symbol = a[1].as_symbol().is_some();
    if !is_plain(m, collection) || !(is_symbol || is_same) {
        return None;
    }
    let (string, text) = (m.known.string, m.text_of(a[1]));
    let source = m.object(a[1]).cloned();
    let object = m.object_mut(collection)?;
    let count = match &mut object.data {
        Data::Text(codes) => {
            // Symbols beyond ASCII, and wide strings, are left to the method's body.
            let most = if is_symbol { 128 } else { 256 };
            let text = text.filter(|text| text.iter().all(|&code| code < most))?;
            if object.class != string || start + text.len() > limit {
                return None;
            }
            let end = start + text.len();
            codes.get_mut(start..end)?.copy_from_slice(&text);
            text.len()
        }
        Data::Bytes(bytes) => {
            let Data::Bytes(source) = source?.data else {
                return None;
            };
            let end = Some(start + source.len()).filter(|&end| end <= limit)?;
            bytes.get_mut(start..end)?.copy_from_slice(&source);
            source.len()
        }
        _ => {
            let source = source?.slots;
            let end = Some(start + source.len()).filter(|&end| end <= limit)?;
            object.slots.get_mut(start..end)?.copy_from_slice(&source);
            source.len()
        }
    };
    advance(m, a[0], count);
    Some(a[1])
}
