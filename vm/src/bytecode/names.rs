//! The characters of names: letters and digits of all scripts, as Unicode defines them for identifiers, and `_`.

/// Whether a name may begin with the character.
pub fn starts_name(c: char) -> bool {
    c == '_' || unicode_ident::is_xid_start(c)
}

/// Whether the character may stand in a name.
pub fn continues_name(c: char) -> bool {
    // The underscore is among them.
    unicode_ident::is_xid_continue(c)
}

/// Whether the word is a name.
pub fn is_name(word: &str) -> bool {
    word.starts_with(starts_name) && word.chars().all(continues_name)
}

/// The length of the name that a text begins with; 0 if it begins with none.
pub fn name_length(text: &str) -> usize {
    match text.starts_with(starts_name) {
        true => text.find(|c| !continues_name(c)).unwrap_or(text.len()),
        false => 0,
    }
}
