//! The tree of a regular expression, and its text for the engine. Nothing is matched here.

use std::fmt::{self, Display, Formatter, Write};

/// A part of a regular expression.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Node {
    Character(char),
    /// One of several characters: a class in the engine's notation, brackets included.
    Class(String),
    Condition(Condition),
    Sequence(Vec<Node>),
    /// The first alternative that leads to a match.
    Choice(Vec<Node>),
    Repeat(Box<Node>, Bounds),
    Group(GroupKind, Box<Node>),
}

/// What a position must be. It takes no characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Condition {
    LineStart,
    LineEnd,
    WordBoundary,
    NoWordBoundary,
    WordStart,
    WordEnd,
}

/// How often a part may occur.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bounds {
    pub(super) least: u32,
    /// `None` for any number.
    pub(super) most: Option<u32>,
    /// Whether more occurrences are tried first.
    pub(super) is_greedy: bool,
}

/// What parentheses mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GroupKind {
    Capturing,
    Plain,
    Look(Look),
}

/// A condition on the text in front of a position or behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Look {
    pub(super) is_behind: bool,
    pub(super) is_negated: bool,
}

impl GroupKind {
    /// What stands behind the left parenthesis.
    pub(super) fn prefix(self) -> &'static str {
        match self {
            GroupKind::Capturing => "",
            GroupKind::Plain => "?:",
            GroupKind::Look(look) => match (look.is_behind, look.is_negated) {
                (false, false) => "?=",
                (false, true) => "?!",
                (true, false) => "?<=",
                (true, true) => "?<!",
            },
        }
    }
}

impl Node {
    /// The alternatives as one node.
    pub(super) fn choice(mut alternatives: Vec<Node>) -> Node {
        match alternatives.len() {
            1 => alternatives.remove(0),
            _ => Node::Choice(alternatives),
        }
    }

    /// Whether it can match no characters.
    pub(super) fn is_nullable(&self) -> bool {
        match self {
            Node::Character(_) | Node::Class(_) => false,
            Node::Condition(_) | Node::Group(GroupKind::Look(_), _) => true,
            Node::Sequence(parts) => parts.iter().all(Node::is_nullable),
            Node::Choice(parts) => parts.iter().any(Node::is_nullable),
            Node::Repeat(part, bounds) => bounds.least == 0 || part.is_nullable(),
            Node::Group(_, part) => part.is_nullable(),
        }
    }

    /// The number of characters that each match has; `None` if matches differ.
    pub(super) fn length(&self) -> Option<usize> {
        match self {
            Node::Character(_) | Node::Class(_) => Some(1),
            Node::Condition(_) | Node::Group(GroupKind::Look(_), _) => Some(0),
            Node::Sequence(parts) => parts
                .iter()
                .try_fold(0_usize, |sum, part| sum.checked_add(part.length()?)),
            Node::Choice(parts) => {
                let length = parts.first()?.length()?;
                let agrees = |part: &Node| part.length() == Some(length);
                parts.iter().all(agrees).then_some(length)
            }
            Node::Repeat(part, bounds) => {
                let count = bounds.most.filter(|&most| most == bounds.least)?;
                part.length()?.checked_mul(count as usize)
            }
            Node::Group(_, part) => part.length(),
        }
    }

    /// How many nodes there are, this one among them (counting model, 2.2: `regexSteps`).
    pub(super) fn count(&self) -> u64 {
        1 + self.parts().iter().map(Node::count).sum::<u64>()
    }

    /// Whether it looks at text that it does not match.
    pub(super) fn looks_around(&self) -> bool {
        matches!(self, Node::Group(GroupKind::Look(_), _))
            || self.parts().iter().any(Node::looks_around)
    }

    /// How many groups capture.
    pub(super) fn groups(&self) -> usize {
        let own = usize::from(matches!(self, Node::Group(GroupKind::Capturing, _)));
        own + self.parts().iter().map(Node::groups).sum::<usize>()
    }

    fn parts(&self) -> &[Node] {
        match self {
            Node::Character(_) | Node::Class(_) | Node::Condition(_) => &[],
            Node::Sequence(parts) | Node::Choice(parts) => parts,
            Node::Repeat(part, _) | Node::Group(_, part) => std::slice::from_ref(part),
        }
    }
}

impl Display for Node {
    /// The engine's notation.
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Node::Character(c) => write_literal(out, *c),
            Node::Class(class) => out.write_str(class),
            Node::Condition(condition) => out.write_str(condition.text()),
            Node::Sequence(parts) => parts.iter().try_for_each(|part| part.fmt(out)),
            Node::Choice(parts) => parts.iter().enumerate().try_for_each(|(index, part)| {
                out.write_str(if index > 0 { "|" } else { "" })?;
                part.fmt(out)
            }),
            Node::Repeat(part, bounds) => {
                part.fmt(out)?;
                bounds.fmt(out)
            }
            Node::Group(kind, part) => write!(out, "({}{part})", kind.prefix()),
        }
    }
}

impl Condition {
    fn text(self) -> &'static str {
        match self {
            Condition::LineStart => "^",
            Condition::LineEnd => "$",
            Condition::WordBoundary => r"\b",
            Condition::NoWordBoundary => r"\B",
            Condition::WordStart => r"\b{start}",
            Condition::WordEnd => r"\b{end}",
        }
    }
}

impl Display for Bounds {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        match (self.least, self.most) {
            (0, None) => out.write_char('*'),
            (1, None) => out.write_char('+'),
            (0, Some(1)) => out.write_char('?'),
            (least, None) => write!(out, "{{{least},}}"),
            (least, Some(most)) if least == most => write!(out, "{{{least}}}"),
            (least, Some(most)) => write!(out, "{{{least},{most}}}"),
        }?;
        out.write_str(if self.is_greedy { "" } else { "?" })
    }
}

/// A literal character, outside a class and inside.
pub(super) fn write_literal(out: &mut impl Write, c: char) -> fmt::Result {
    match c.is_ascii_alphanumeric() {
        true => out.write_char(c),
        false => write!(out, "\\x{{{:X}}}", u32::from(c)),
    }
}
