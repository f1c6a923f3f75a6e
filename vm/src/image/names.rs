//! What can be a name.

/// Whether the word can be the name of a variable or a class.
pub(crate) fn is_name(word: &str) -> bool {
    let mut chars = word.chars();
    let starts = chars.next().is_some_and(|c| c.is_alphabetic() || c == '_');
    starts && chars.all(|c| c.is_alphanumeric() || c == '_')
}
