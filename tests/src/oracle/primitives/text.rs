//! Strings, symbols and characters.

use std::cmp::Ordering;

use super::answer::{Answer, Table};
use super::charge::{Charge, ELEMENT, NONE, SIMPLE, characters, elements, number_bytes};
use super::integer::radix;
use super::object::{basic_at, position};
use crate::oracle::machine::Machine;
use crate::oracle::names::name;
use crate::oracle::object::Data;
use crate::oracle::value::Value;

const EQUALITY: Charge = Charge::by(|m, a, _| {
    let alike = two(m, a).filter(|(x, y)| x.len() == y.len());
    let common = alike.map_or(0, |(x, y)| common_prefix(&x, &y));
    vec![("compared", common + 1)]
});

const ORDER: Charge = Charge::by(|m, a, _| {
    let common = two(m, a).map_or(0, |(x, y)| common_prefix(&x, &y));
    vec![("compared", common + 1)]
});

const ENDING: Charge = Charge::by(|m, a, _| vec![("compared", characters(m, a[1]) + 1)]);

/// Searches for a character from an index on; the answer is the index of the hit or 0.
const FOUND: Charge = Charge::by(|m, a, answer| vec![("compared", distance(m, a, answer))]);

/// The same for one of several characters.
const FOUND_ANY: Charge = Charge::by(|m, a, answer| vec![("scanned", distance(m, a, answer))]);

/// The whole string is searched for one character.
const COMPARED: Charge = Charge::by(|m, a, _| vec![("compared", characters(m, a[0]))]);

/// The same letters in another case.
const CASE: Charge = Charge::by(|m, a, _| vec![("moved", characters(m, a[0]))]);

/// Searches for a string.
const SEARCHED: Charge = Charge::by(|m, a, answer| {
    let needle = characters(m, a[1]);
    vec![("searched", distance(m, a, answer) + needle)]
});

const SCANNED: Charge = Charge::by(|m, a, _| vec![("scanned", characters(m, a[0]))]);

const JOINED: Charge = Charge::by(|m, a, answer| {
    vec![
        ("elements", elements(m, a[1])),
        ("moved", characters(m, answer)),
    ]
});

const CONVERTED: Charge = Charge::by(|m, a, _| vec![("converted", characters(m, a[0]))]);

/// The string of a Symbol; another one is its own.
const COPY_OF_SYMBOL: Charge = Charge::by(|m, a, _| match a[0] {
    Value::Symbol(_) => vec![("moved", characters(m, a[0]))],
    _ => Vec::new(),
});

const TRIMMED: Charge = Charge::by(|m, a, answer| {
    let (whole, kept) = (characters(m, a[0]), characters(m, answer));
    vec![("scanned", whole - kept + 2), ("moved", kept)]
});

const SPLIT: Charge = Charge::by(|m, a, _| {
    let count = characters(m, a[0]);
    vec![("scanned", count), ("moved", count)]
});

/// An integer that is read.
const READ: Charge = Charge::by(|m, a, answer| {
    let mut bill = number_bytes(m, answer);
    bill.push(("converted", characters(m, a[0])));
    bill.push(("radix", radix(m, answer)));
    bill
});

/// The Symbol of a String; a Symbol is its own.
const INTERNED: Charge = Charge::by(|m, a, _| match a[0] {
    Value::Symbol(_) => Vec::new(),
    _ => vec![("hashed", characters(m, a[0]))],
});

pub(super) const TABLE: Table = &[
    ("stringSize", SIMPLE, |m, a| {
        m.text_of(a[0])
            .map(|text| Value::Small(text.len() as i64))
            .into()
    }),
    ("stringAt", ELEMENT, |m, a| basic_at(m, a).into()),
    ("stringAtPut", ELEMENT, |m, a| at_put(m, a).into()),
    ("stringEqual", EQUALITY, |m, a| {
        let text = m.text_of(a[0]);
        text.map(|text| m.text_of(a[1]) == Some(text)).into()
    }),
    ("stringCompare", ORDER, |m, a| {
        two(m, a)
            .map(|(x, y)| Value::Small(x.cmp(&y) as i64))
            .into()
    }),
    ("stringLess", ORDER, |m, a| compare(m, a, Ordering::is_lt)),
    ("stringLessEqual", ORDER, |m, a| {
        compare(m, a, Ordering::is_le)
    }),
    ("stringGreater", ORDER, |m, a| {
        compare(m, a, Ordering::is_gt)
    }),
    ("stringGreaterEqual", ORDER, |m, a| {
        compare(m, a, Ordering::is_ge)
    }),
    ("stringStartsWith", ORDER, |m, a| {
        two(m, a).map(|(x, y)| x.starts_with(&y)).into()
    }),
    ("stringEndsWith", ENDING, |m, a| {
        two(m, a).map(|(x, y)| x.ends_with(&y)).into()
    }),
    ("stringIndexOf", FOUND, |m, a| index_of(m, a).into()),
    ("stringIndexOfAny", FOUND_ANY, |m, a| {
        index_where(m, a, |set, code| set.contains(&code)).into()
    }),
    ("stringIndexOfOther", FOUND_ANY, |m, a| {
        index_where(m, a, |set, code| !set.contains(&code)).into()
    }),
    ("stringFindString", SEARCHED, |m, a| {
        find_string(m, a).into()
    }),
    ("stringOccurrencesOf", COMPARED, |m, a| {
        let found = m.text_of(a[0]).zip(code(a[1]));
        let count = found.map(|(text, code)| text.into_iter().filter(|&c| c == code).count());
        count.map(|count| Value::Small(count as i64)).into()
    }),
    ("stringJoin", JOINED, |m, a| join(m, a).into()),
    ("stringPrintString", CONVERTED, |m, a| {
        let text = m
            .string_of(a[0])
            .map(|text| format!("'{}'", text.replace('\'', "''")));
        text.map(|text| m.make_string(&text)).into()
    }),
    ("stringAsString", COPY_OF_SYMBOL, |m, a| match a[0] {
        Value::Symbol(_) => {
            let text = m.text_of(a[0]).unwrap_or_default();
            Answer::Value(m.make_text(text))
        }
        _ => m.text_of(a[0]).map(|_| a[0]).into(),
    }),
    ("stringAsUppercase", CASE, |m, a| {
        in_case(m, a, |c| c.to_uppercase().collect())
    }),
    ("stringAsLowercase", CASE, |m, a| {
        in_case(m, a, |c| c.to_lowercase().collect())
    }),
    ("stringTrimBoth", TRIMMED, |m, a| trimmed(m, a, true)),
    ("stringTrimLeft", TRIMMED, |m, a| trimmed(m, a, false)),
    ("stringSubstrings", SPLIT, |m, a| substrings(m, a).into()),
    ("stringAsInteger", READ, |m, a| as_integer(m, a).into()),
    ("stringIsLiteralSymbol", SCANNED, |m, a| {
        m.string_of(a[0])
            .map(|text| argument_count(&text).is_some())
            .into()
    }),
    ("symbolFromString", INTERNED, |m, a| {
        m.string_of(a[0])
            .map(|text| Value::Symbol(name(&text)))
            .into()
    }),
    ("symbolPrintString", CONVERTED, |m, a| {
        symbol_print_string(m, a).into()
    }),
    ("symbolNumArgs", NONE, |_, a| {
        let text = a[0].as_symbol().map(|symbol| symbol.text());
        let count = text.map(|text| argument_count(&text).map_or(-1, |n| n as i64));
        count.map(Value::Small).into()
    }),
    ("characterValue", NONE, |_, a| {
        code(a[0]).map(|code| Value::Small(i64::from(code))).into()
    }),
    ("characterFromValue", NONE, |_, a| {
        let code = a[1].as_size().and_then(|n| u32::try_from(n).ok());
        let code = code.filter(|&code| code <= u32::from(char::MAX));
        code.map(Value::Character).into()
    }),
    ("characterLess", SIMPLE, |_, a| {
        codes(a).map(|(x, y)| x < y).into()
    }),
    ("characterLessEqual", SIMPLE, |_, a| {
        codes(a).map(|(x, y)| x <= y).into()
    }),
    ("characterGreater", SIMPLE, |_, a| {
        codes(a).map(|(x, y)| x > y).into()
    }),
    ("characterGreaterEqual", SIMPLE, |_, a| {
        codes(a).map(|(x, y)| x >= y).into()
    }),
    ("characterIsLetter", NONE, |_, a| {
        letter(a[0]).map(char::is_alphabetic).into()
    }),
    ("characterIsUppercase", NONE, |_, a| {
        letter(a[0]).map(char::is_uppercase).into()
    }),
    ("characterIsLowercase", NONE, |_, a| {
        letter(a[0]).map(char::is_lowercase).into()
    }),
    ("characterIsDigit", NONE, |_, a| {
        letter(a[0]).map(|c| c.is_ascii_digit()).into()
    }),
    ("characterIsSeparator", NONE, |_, a| {
        letter(a[0]).map(is_separator).into()
    }),
    ("characterAsUppercase", NONE, |_, a| {
        single(a[0], |c| c.to_uppercase().collect()).into()
    }),
    ("characterAsLowercase", NONE, |_, a| {
        single(a[0], |c| c.to_lowercase().collect()).into()
    }),
    ("characterDigitValue", NONE, |_, a| {
        let digit = letter(a[0]).map(|c| c.to_digit(36).map_or(-1, i64::from));
        digit.map(Value::Small).into()
    }),
    ("characterAsString", NONE, |m, a| {
        code(a[0]).map(|code| m.make_text(vec![code])).into()
    }),
    ("characterAsSymbol", NONE, |_, a| {
        letter(a[0])
            .map(|c| Value::Symbol(name(&c.to_string())))
            .into()
    }),
];

/// How many characters both begin with.
fn common_prefix(x: &[u32], y: &[u32]) -> u64 {
    x.iter()
        .zip(y)
        .take_while(|(one, other)| one == other)
        .count() as u64
}

/// Characters from the start index to the hit, or to the end.
fn distance(m: &Machine, a: &[Value], answer: Value) -> u64 {
    let start = position(a[2]).unwrap_or_default() as u64;
    let hit = answer.as_size().filter(|&hit| hit > 0);
    let end = hit.map_or(characters(m, a[0]), |hit| hit as u64);
    end.saturating_sub(start)
}

fn two(m: &Machine, a: &[Value]) -> Option<(Vec<u32>, Vec<u32>)> {
    Some((m.text_of(a[0])?, m.text_of(a[1])?))
}

fn compare(m: &mut Machine, a: &[Value], test: fn(Ordering) -> bool) -> Answer {
    two(m, a).map(|(x, y)| test(x.cmp(&y))).into()
}

fn at_put(m: &mut Machine, a: &[Value]) -> Option<Value> {
    let index = position(a[1])?;
    let code = code(a[2])?;
    let (string, wide) = (m.known.string, m.known.wide_string);
    let object = m.object_mut(a[0])?;
    let Data::Text(codes) = &mut object.data else {
        return None;
    };
    if index >= codes.len() {
        return None;
    }
    if code > 255 && object.class != wide {
        if object.class != string {
            return None;
        }
        object.class = wide;
    }
    codes[index] = code;
    Some(a[2])
}

fn index_of(m: &mut Machine, a: &[Value]) -> Option<Value> {
    let (text, wanted, start) = (m.text_of(a[0])?, code(a[1])?, position(a[2])?);
    let found = text.iter().skip(start).position(|&one| one == wanted);
    Some(Value::Small(found.map_or(0, |at| (at + start + 1) as i64)))
}

fn find_string(m: &mut Machine, a: &[Value]) -> Option<Value> {
    let ((text, needle), start) = (two(m, a)?, position(a[2])?);
    let mut places = start..(text.len() + 1).saturating_sub(needle.len());
    let found = places.find(|&index| text[index..].starts_with(&needle));
    let found = found.filter(|_| !needle.is_empty());
    Some(Value::Small(found.map_or(0, |index| index as i64 + 1)))
}

fn index_where(m: &Machine, a: &[Value], test: fn(&[u32], u32) -> bool) -> Option<Value> {
    let ((text, set), start) = (two(m, a)?, position(a[2])?);
    let found = (start..text.len()).find(|&index| test(&set, text[index]));
    Some(Value::Small(found.map_or(0, |index| index as i64 + 1)))
}

/// An Array's strings, with the receiver between them.
fn join(m: &mut Machine, a: &[Value]) -> Option<Value> {
    let between = m.text_of(a[0])?;
    let list = m.object(a[1]).filter(|list| list.class == m.known.array)?;
    let parts: Option<Vec<Vec<u32>>> = list.slots.iter().map(|&part| m.text_of(part)).collect();
    let joined = parts?.join(&between[..]);
    Some(m.make_text(joined))
}

fn in_case(m: &mut Machine, a: &[Value], convert: fn(char) -> String) -> Answer {
    let Some(text) = m.string_of(a[0]) else {
        return Answer::Declined;
    };
    let converted: String = text.chars().map(convert).collect();
    Answer::Value(match a[0] {
        Value::Symbol(_) => Value::Symbol(name(&converted)),
        _ => m.make_string(&converted),
    })
}

/// Takes separators away in front, and at the end too if `both`.
fn trimmed(m: &mut Machine, a: &[Value], both: bool) -> Answer {
    let text = m.string_of(a[0]).map(|text| match both {
        true => text.trim_matches(is_separator).to_string(),
        false => text.trim_start_matches(is_separator).to_string(),
    });
    text.map(|text| m.make_string(&text)).into()
}

fn substrings(m: &mut Machine, a: &[Value]) -> Option<Value> {
    let (text, separators) = two(m, a)?;
    let parts: Vec<Vec<u32>> = text
        .split(|code| separators.contains(code))
        .filter(|part| !part.is_empty())
        .map(<[u32]>::to_vec)
        .collect();
    let strings: Vec<Value> = parts.into_iter().map(|part| m.make_text(part)).collect();
    Some(m.make_array(&strings))
}

fn as_integer(m: &mut Machine, a: &[Value]) -> Option<Value> {
    let text = m.string_of(a[0])?;
    let base = a[1].as_size().filter(|base| (2..=36).contains(base))?;
    let digits = text.strip_prefix(['-', '+']).unwrap_or(&text);
    if digits.is_empty() || !digits.chars().all(|c| c.is_digit(base as u32)) {
        return None;
    }
    let integer = num_bigint::BigInt::parse_bytes(text.as_bytes(), base as u32)?;
    Some(m.integer(integer))
}

fn symbol_print_string(m: &mut Machine, a: &[Value]) -> Option<Value> {
    let text = a[0].as_symbol()?.text();
    let printed = match argument_count(&text) {
        Some(_) => format!("#{text}"),
        None => format!("#'{}'", text.replace('\'', "''")),
    };
    Some(m.make_string(&printed))
}

/// The number of arguments of a selector; `None` if the text is no selector.
fn argument_count(text: &str) -> Option<usize> {
    let is_word = |word: &str| {
        word.starts_with(|c: char| c.is_alphabetic() || c == '_')
            && word.chars().all(|c| c.is_alphanumeric() || c == '_')
    };
    if is_word(text) {
        return Some(0);
    }
    if let Some(words) = text.strip_suffix(':') {
        let count = words.split(':').count();
        return words.split(':').all(is_word).then_some(count);
    }
    let is_operator = |c: char| "+-*/\\~<>=@,%|&?!".contains(c);
    (!text.is_empty() && text.chars().all(is_operator)).then_some(1)
}

fn code(value: Value) -> Option<u32> {
    match value {
        Value::Character(code) => Some(code),
        _ => None,
    }
}

fn codes(a: &[Value]) -> Option<(u32, u32)> {
    code(a[0]).zip(code(a[1]))
}

fn letter(value: Value) -> Option<char> {
    code(value).and_then(char::from_u32)
}

fn is_separator(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\x0C' | '\r')
}

/// The mapped character; itself when the mapping is not one character.
fn single(value: Value, convert: fn(char) -> String) -> Option<Value> {
    let mapped = convert(letter(value)?);
    let mut characters = mapped.chars();
    Some(match (characters.next(), characters.next()) {
        (Some(only), None) => Value::Character(u32::from(only)),
        _ => value,
    })
}
