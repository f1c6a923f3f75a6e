//! How a source text is read. Callers choose a notation; it travels as data to the lexer and the resolver.

/// A way to read `.st` files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Notation {
    /// Scripts and packages of this language.
    #[default]
    Tally,
    /// Files of GNU Smalltalk, whose statements run one after the other.
    Gst,
}
