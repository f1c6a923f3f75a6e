//! Primitives of Characters. Classification and case follow Unicode, by the standard library. Case mappings to several
//! characters are not made.

use super::integer::character as character_from;
use super::text::hash_value;
use super::{Answer, Primitive, rows};
use crate::base::{Value, mix};
use crate::machine::Vm;
use crate::run::Args;
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};

rows! {
    "characterValue"(0) open leaf => value, "Any Character: its code point.";
    "characterHash"(0) open leaf => hash, "Any Character: from its code point.";
    "characterFromValue"(1) open leaf => from_value, "The class and a code point: the Character.";
    "characterLess"(1) open leaf => |vm, args| compare(vm, args, |a, b| a < b),
        "Two Characters, by code point.", ALWAYS_SIMPLE;
    "characterLessEqual"(1) open leaf => |vm, args| compare(vm, args, |a, b| a <= b),
        "Two Characters, by code point.", ALWAYS_SIMPLE;
    "characterGreater"(1) open leaf => |vm, args| compare(vm, args, |a, b| a > b),
        "Two Characters, by code point.", ALWAYS_SIMPLE;
    "characterGreaterEqual"(1) open leaf => |vm, args| compare(vm, args, |a, b| a >= b),
        "Two Characters, by code point.", ALWAYS_SIMPLE;
    "characterIsLetter"(0) open leaf => |vm, args| test(vm, args, char::is_alphabetic),
        "Any Character: whether Unicode holds it alphabetic.";
    "characterIsUppercase"(0) open leaf => |vm, args| test(vm, args, char::is_uppercase), "Any Character.";
    "characterIsLowercase"(0) open leaf => |vm, args| test(vm, args, char::is_lowercase), "Any Character.";
    "characterIsDigit"(0) open leaf => |vm, args| test(vm, args, |c| c.is_ascii_digit()),
        "Any Character: whether it is one of 0 to 9.";
    "characterIsSeparator"(0) open leaf => |vm, args| test(vm, args, |c| is_separator(u32::from(c))),
        "Any Character: space, tab, line feed, form feed, carriage return.";
    "characterAsUppercase"(0) open leaf => |vm, args| mapped(vm, args, uppercase),
        "Any Character: itself when the mapping is not one character.";
    "characterAsLowercase"(0) open leaf => |vm, args| mapped(vm, args, lowercase),
        "Any Character: itself when the mapping is not one character.";
    "characterDigitValue"(0) open leaf => digit_value,
        "Any Character: 0 to 35 for digits and Latin letters, else -1.";
    "characterGeneralCategory"(0) open leaf => general_category,
        "Any Character: the number of its general category, by the order of the short names: 0 for Cc to 29 for Zs.";
    "characterAsString"(0) open allocates => as_string, "Any Character: a String of it alone.";
    "characterAsSymbol"(0) open leaf => as_symbol, "Any Character: the Symbol of it alone.";
}

fn hash(vm: &mut Vm, args: Args) -> Option<Value> {
    receiver(vm, args).map(|code| hash_value(mix(u64::from(code))))
}

fn receiver(vm: &Vm, args: Args) -> Option<u32> {
    args.receiver(vm).as_character()
}

fn value(vm: &mut Vm, args: Args) -> Option<Value> {
    receiver(vm, args).map(|code| Value::int(i64::from(code)))
}

fn from_value(vm: &mut Vm, args: Args) -> Option<Value> {
    character_from(args.at(vm, 0))
}

fn compare(vm: &mut Vm, args: Args, order: fn(u32, u32) -> bool) -> Option<Value> {
    let other = args.at(vm, 0).as_character()?;
    receiver(vm, args).map(|code| Value::bool(order(code, other)))
}

fn test(vm: &mut Vm, args: Args, test: fn(char) -> bool) -> Option<Value> {
    let code = receiver(vm, args)?;
    Some(Value::bool(char::from_u32(code).is_some_and(test)))
}

pub(super) fn is_separator(code: u32) -> bool {
    matches!(code, 32 | 9 | 10 | 12 | 13)
}

fn mapped(vm: &mut Vm, args: Args, mapping: fn(u32) -> u32) -> Option<Value> {
    receiver(vm, args).map(|code| Value::character(mapping(code)))
}

/// The upper-case character, or the same if that takes more than one.
pub(super) fn uppercase(code: u32) -> u32 {
    char::from_u32(code)
        .and_then(|c| only(c.to_uppercase()))
        .unwrap_or(code)
}

/// The lower-case character, or the same if that takes more than one.
pub(super) fn lowercase(code: u32) -> u32 {
    char::from_u32(code)
        .and_then(|c| only(c.to_lowercase()))
        .unwrap_or(code)
}

fn only(mut mapping: impl Iterator<Item = char>) -> Option<u32> {
    let first = mapping.next()?;
    mapping.next().is_none().then_some(u32::from(first))
}

fn digit_value(vm: &mut Vm, args: Args) -> Option<Value> {
    let digit = digit(receiver(vm, args)?).map_or(-1, i64::from);
    Some(Value::int(digit))
}

/// The value of a character as a digit.
pub(super) fn digit(code: u32) -> Option<u32> {
    char::from_u32(code)?.to_digit(36)
}

fn general_category(vm: &mut Vm, args: Args) -> Option<Value> {
    // Of all codes, the surrogates alone are no `char`.
    let category = char::from_u32(receiver(vm, args)?)
        .map_or(GeneralCategory::Surrogate, char::general_category);
    Some(Value::int(category_number(category)))
}

/// The place of the category's short name in the order of all short names.
fn category_number(category: GeneralCategory) -> i64 {
    match category {
        GeneralCategory::Control => 0,
        GeneralCategory::Format => 1,
        GeneralCategory::Unassigned => 2,
        GeneralCategory::PrivateUse => 3,
        GeneralCategory::Surrogate => 4,
        GeneralCategory::LowercaseLetter => 5,
        GeneralCategory::ModifierLetter => 6,
        GeneralCategory::OtherLetter => 7,
        GeneralCategory::TitlecaseLetter => 8,
        GeneralCategory::UppercaseLetter => 9,
        GeneralCategory::SpacingMark => 10,
        GeneralCategory::EnclosingMark => 11,
        GeneralCategory::NonspacingMark => 12,
        GeneralCategory::DecimalNumber => 13,
        GeneralCategory::LetterNumber => 14,
        GeneralCategory::OtherNumber => 15,
        GeneralCategory::ConnectorPunctuation => 16,
        GeneralCategory::DashPunctuation => 17,
        GeneralCategory::ClosePunctuation => 18,
        GeneralCategory::FinalPunctuation => 19,
        GeneralCategory::InitialPunctuation => 20,
        GeneralCategory::OtherPunctuation => 21,
        GeneralCategory::OpenPunctuation => 22,
        GeneralCategory::CurrencySymbol => 23,
        GeneralCategory::ModifierSymbol => 24,
        GeneralCategory::MathSymbol => 25,
        GeneralCategory::OtherSymbol => 26,
        GeneralCategory::LineSeparator => 27,
        GeneralCategory::ParagraphSeparator => 28,
        GeneralCategory::SpaceSeparator => 29,
    }
}

fn as_string(vm: &mut Vm, args: Args) -> Option<Value> {
    let code = receiver(vm, args)?;
    Some(vm.make_string_of_codes(&[code]))
}

fn as_symbol(vm: &mut Vm, args: Args) -> Option<Value> {
    let character = char::from_u32(receiver(vm, args)?).unwrap_or(char::REPLACEMENT_CHARACTER);
    Some(vm.symbol(character.encode_utf8(&mut [0; 4])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_mappings_of_several_characters_are_not_made() {
        assert_eq!(uppercase(u32::from('ß')), u32::from('ß'));
        assert_eq!(uppercase(u32::from('é')), u32::from('É'));
        assert_eq!(uppercase(u32::from('ÿ')), u32::from('Ÿ'));
        assert_eq!(lowercase(u32::from('Σ')), u32::from('σ'));
    }

    #[test]
    fn digits_go_to_thirty_five() {
        assert_eq!(digit(u32::from('z')), Some(35));
        assert_eq!(digit(u32::from('A')), Some(10));
        assert_eq!(digit(u32::from('é')), None);
    }
}
