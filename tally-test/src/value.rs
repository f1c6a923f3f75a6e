//! Values of both languages: what an expression answers as a value of Rust, and values of Rust as literals in Smalltalk.

use tally_vm::Vm;
use tally_workbench::testing::discovery::elements;

/// How deep Arrays in Arrays are translated, and how many elements in all. An Array may hold itself.
const MOST_DEPTH: usize = 64;
const MOST_ELEMENTS: usize = 1 << 20;

/// The value of an expression, or an argument of a message.
///
/// It can be compared with values of Rust, and made of them:
///
/// ```
/// use tally_test::{Session, Value};
///
/// let mut session = Session::new()?;
/// assert_eq!(session.eval("6 * 7")?.value, 42);
/// assert_eq!(session.eval("'a', 'b'")?.value, "ab");
/// assert_eq!(session.eval("#(1 $a) reversed")?.value, Value::Array(vec!['a'.into(), 1.into()]));
/// assert_eq!(session.eval("3 @ 4")?.value, Value::Object("a Point".to_string()));
/// assert_eq!(session.eval("(3 @ 4) printString")?.value, "(3@4)");
/// # Ok::<(), tally_test::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// `nil`
    Nil,
    /// `true` or `false`
    Boolean(bool),
    /// An integer of at most 128 bits.
    Integer(i128),
    /// A Float.
    Float(f64),
    /// A Character.
    Character(char),
    /// A String.
    String(String),
    /// A Symbol.
    Symbol(String),
    /// An Array.
    Array(Vec<Value>),
    /// Any other object, named after its class. Let the expression send `printString` or an accessor to see more.
    Object(String),
}

impl Value {
    /// The value of Rust for an object.
    pub(crate) fn of(vm: &Vm, value: tally_vm::Value) -> Value {
        let mut left = MOST_ELEMENTS;
        translated(vm, value, MOST_DEPTH, &mut left)
    }

    /// The expression that makes this value; `None` for an object that has no literal.
    pub(crate) fn literal(&self) -> Option<String> {
        Some(match self {
            Value::Nil => "nil".to_string(),
            Value::Boolean(boolean) => boolean.to_string(),
            Value::Integer(integer) => integer.to_string(),
            Value::Float(float) => float_literal(*float),
            Value::Character(character) => format!("(Character value: {})", u32::from(*character)),
            Value::String(text) => quoted(text),
            Value::Symbol(text) => symbol(text),
            Value::Array(elements) => {
                let elements: Option<Vec<String>> = elements.iter().map(Value::literal).collect();
                format!("{{{}}}", elements?.join(". "))
            }
            Value::Object(_) => return None,
        })
    }
}

fn translated(vm: &Vm, value: tally_vm::Value, depth: usize, left: &mut usize) -> Value {
    if value.is_nil() {
        return Value::Nil;
    }
    if let Some(boolean) = value.as_bool() {
        return Value::Boolean(boolean);
    }
    if let Some(character) = value.as_character().and_then(char::from_u32) {
        return Value::Character(character);
    }
    let class = vm.class(vm.class_of(value)).display_name();
    if let Some(text) = vm.text_of(value) {
        return match value.as_symbol() {
            Some(_) => Value::Symbol(text),
            None => Value::String(text),
        };
    }
    if let Some(integer) = vm.integer_of(value).and_then(|it| i128::try_from(it).ok()) {
        return Value::Integer(integer);
    }
    if let Some(float) = vm.float_of(value) {
        return Value::Float(float);
    }
    if class == "Array" && depth > 0 {
        let found = elements(vm, value);
        if let Some(rest) = left.checked_sub(found.len()) {
            *left = rest;
            let each = found.into_iter();
            let values = each.map(|element| translated(vm, element, depth - 1, left));
            return Value::Array(values.collect());
        }
    }
    let article = match class.chars().next() {
        Some('A' | 'E' | 'I' | 'O' | 'U') => "an",
        _ => "a",
    };
    Value::Object(format!("{article} {class}"))
}

/// A literal string.
pub(crate) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// A literal symbol.
pub(crate) fn symbol(text: &str) -> String {
    format!("#{}", quoted(text))
}

/// A Float in Smalltalk has a point, with a digit before and behind it.
fn float_literal(float: f64) -> String {
    if float.is_nan() {
        return "Float nan".to_string();
    }
    if float.is_infinite() {
        return match float > 0.0 {
            true => "Float infinity".to_string(),
            false => "Float negativeInfinity".to_string(),
        };
    }
    let text = format!("{float:?}");
    match text.split_once('e') {
        Some((mantissa, exponent)) if !mantissa.contains('.') => format!("{mantissa}.0e{exponent}"),
        _ => text,
    }
}

/// Values made of values of Rust, and compared with them.
macro_rules! integers {
    ($($of:ty)*) => { $(
        impl From<$of> for Value {
            fn from(integer: $of) -> Value {
                Value::Integer(i128::from(integer))
            }
        }

        impl PartialEq<$of> for Value {
            fn eq(&self, other: &$of) -> bool {
                matches!(self, Value::Integer(integer) if *integer == i128::from(*other))
            }
        }
    )* };
}

integers!(i8 i16 i32 i64 i128 u8 u16 u32 u64);

impl From<bool> for Value {
    fn from(boolean: bool) -> Value {
        Value::Boolean(boolean)
    }
}

impl From<f64> for Value {
    fn from(float: f64) -> Value {
        Value::Float(float)
    }
}

impl From<char> for Value {
    fn from(character: char) -> Value {
        Value::Character(character)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Value {
        Value::String(text.to_string())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Value {
        Value::String(text)
    }
}

impl PartialEq<bool> for Value {
    fn eq(&self, other: &bool) -> bool {
        matches!(self, Value::Boolean(boolean) if boolean == other)
    }
}

impl PartialEq<f64> for Value {
    fn eq(&self, other: &f64) -> bool {
        matches!(self, Value::Float(float) if float == other)
    }
}

impl PartialEq<char> for Value {
    fn eq(&self, other: &char) -> bool {
        matches!(self, Value::Character(character) if character == other)
    }
}

/// A Symbol is not equal to a text.
impl PartialEq<&str> for Value {
    fn eq(&self, other: &&str) -> bool {
        matches!(self, Value::String(text) if text == other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_are_written_as_floats() {
        let texts = [1.5, -0.0, 1e300, 2.5e-9, f64::INFINITY, f64::NAN].map(float_literal);
        let expected = [
            "1.5",
            "-0.0",
            "1.0e300",
            "2.5e-9",
            "Float infinity",
            "Float nan",
        ];
        assert_eq!(texts, expected);
    }

    #[test]
    fn objects_have_no_literal() {
        let point = Value::Object("a Point".to_string());
        assert_eq!(Value::Array(vec![point]).literal(), None);
        let text = Value::Array(vec!["it's".into(), Value::Nil]).literal();
        assert_eq!(text.as_deref(), Some("{'it''s'. nil}"));
    }
}
