//! Reads the regular expressions of Smalltalk's Regex package. Nothing is matched here.
//!
//! Common constructs keep their meaning: `| ( ) * + ? {m,n} [ ] ^ $`, and `\w \W \d \D \s \S \b \B`.
//!
//! These constructs are Smalltalk's alone. `\<` and `\>` are the beginning and the end of a word. `\e` is the escape
//! character. `:isVowel:` is a character that answers true to the message; a few messages are known. `[:alpha:]` uses
//! the character classes of Smalltalk. `.` is every character except the one with the code 0. A backslash makes every
//! other character stand for itself.
//!
//! These constructs come from other dialects: `(?:…)`, `(?=…)`, `(?!…)`, `(?<=…)`, `(?<!…)` and the reluctant
//! `*?`, `+?`, `??`, `{m,n}?`.

use super::tree::{Bounds, Condition, GroupKind, Look, Node, write_literal};

/// The greatest depth of nested groups; the engine has a limit of the same kind.
const MOST_NESTED: usize = 40;

/// The greatest count in `{m,n}`.
const MOST_REPEATED: u32 = 10_000;

/// Why a text is no regular expression.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct SyntaxError {
    pub(crate) message: String,
    /// Index of the character, from 1 on; one more than there are at the end.
    pub(crate) position: usize,
}

pub(super) fn translate(source: &str) -> Result<Node, SyntaxError> {
    let source: Vec<char> = source.chars().collect();
    let mut translator = Translator {
        source: &source,
        at: 0,
        nesting: 0,
    };
    let tree = translator.alternatives()?;
    match translator.peek() {
        None => Ok(tree),
        Some(_) => translator.fail("there is no ( for this )"),
    }
}

struct Translator<'a> {
    source: &'a [char],
    at: usize,
    nesting: usize,
}

impl Translator<'_> {
    fn peek(&self) -> Option<char> {
        self.source.get(self.at).copied()
    }

    fn next(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += 1;
        Some(next)
    }

    fn skip(&mut self, text: &str) -> bool {
        let length = text.chars().count();
        let found = (self.source.get(self.at..self.at + length))
            .is_some_and(|part| part.iter().copied().eq(text.chars()));
        self.at += if found { length } else { 0 };
        found
    }

    fn fail<T>(&self, message: &str) -> Result<T, SyntaxError> {
        self.fail_at(self.at, message)
    }

    fn fail_at<T>(&self, at: usize, message: &str) -> Result<T, SyntaxError> {
        Err(SyntaxError {
            message: message.to_string(),
            position: at + 1,
        })
    }

    fn alternatives(&mut self) -> Result<Node, SyntaxError> {
        let mut alternatives = Vec::new();
        loop {
            let mut parts = Vec::new();
            while self.peek().is_some_and(|c| c != '|' && c != ')') {
                parts.push(self.piece()?);
            }
            alternatives.push(match parts.pop() {
                Some(part) if parts.is_empty() => part,
                last => {
                    parts.extend(last);
                    Node::Sequence(parts)
                }
            });
            if !self.skip("|") {
                return Ok(Node::choice(alternatives));
            }
        }
    }

    /// An atom and how often it may occur. What can match no characters must not be repeated.
    fn piece(&mut self) -> Result<Node, SyntaxError> {
        let atom = self.atom()?;
        let at = self.at;
        let (least, most) = match self.peek() {
            Some('*') => (0, None),
            Some('+') => (1, None),
            Some('?') => (0, Some(1)),
            Some('{') => self.bounds()?,
            _ => return Ok(atom),
        };
        // Bounds were skipped already.
        self.at = self.at.max(at + 1);
        if atom.is_nullable() {
            return self.fail_at(
                at,
                "what stands before this can match no characters (nullable closure)",
            );
        }
        let bounds = Bounds {
            least,
            most,
            is_greedy: !self.skip("?"),
        };
        Ok(Node::Repeat(Box::new(atom), bounds))
    }

    /// `{m}`, `{m,}`, `{,n}` or `{m,n}`.
    fn bounds(&mut self) -> Result<(u32, Option<u32>), SyntaxError> {
        let start = self.at;
        self.at += 1;
        let least = self.number()?;
        let has_comma = self.skip(",");
        let most = if has_comma { self.number()? } else { least };
        if !self.skip("}") {
            return self.fail("a number, a comma or } is expected");
        }
        if least.is_none() && most.is_none() {
            return self.fail_at(start, "there is no number between { and }");
        }
        let least = least.unwrap_or(0);
        if most.is_some_and(|most| most < least) {
            return self.fail_at(start, "the second number is less than the first");
        }
        Ok((least, most))
    }

    fn number(&mut self) -> Result<Option<u32>, SyntaxError> {
        let start = self.at;
        let mut number = None;
        while let Some(digit) = self.peek().and_then(|c| c.to_digit(10)) {
            self.at += 1;
            let value = number.unwrap_or(0_u32) * 10 + digit;
            if value > MOST_REPEATED {
                return self.fail_at(start, "the number is too large");
            }
            number = Some(value);
        }
        Ok(number)
    }

    fn atom(&mut self) -> Result<Node, SyntaxError> {
        let start = self.at;
        let Some(first) = self.next() else {
            return Ok(Node::Sequence(Vec::new()));
        };
        Ok(match first {
            '*' | '+' | '?' => {
                return self.fail_at(
                    start,
                    "there is nothing before this to be repeated (nullable closure)",
                );
            }
            '(' => self.group(start)?,
            '[' => Node::Class(self.set(start)?),
            ':' => self.predicate(start)?,
            '.' => Node::Class(r"[^\x00]".to_string()),
            '^' => Node::Condition(Condition::LineStart),
            '$' => Node::Condition(Condition::LineEnd),
            '\\' => self.escaped(start)?,
            _ => Node::Character(first),
        })
    }

    fn group(&mut self, start: usize) -> Result<Node, SyntaxError> {
        let kind = self.group_kind()?;
        if self.nesting == MOST_NESTED {
            return self.fail_at(start, "the groups are nested too deeply");
        }
        self.nesting += 1;
        let inside = self.alternatives()?;
        self.nesting -= 1;
        if !self.skip(")") {
            return self.fail_at(start, "there is no ) for this (");
        }
        Ok(Node::Group(kind, Box::new(inside)))
    }

    fn group_kind(&mut self) -> Result<GroupKind, SyntaxError> {
        if self.peek() != Some('?') {
            return Ok(GroupKind::Capturing);
        }
        let look = |is_behind, is_negated| {
            GroupKind::Look(Look {
                is_behind,
                is_negated,
            })
        };
        let kinds = [
            GroupKind::Plain,
            look(false, false),
            look(false, true),
            look(true, false),
            look(true, true),
        ];
        match kinds.into_iter().find(|kind| self.skip(kind.prefix())) {
            Some(kind) => Ok(kind),
            None => self.fail("a group may begin with ?:, ?=, ?!, ?<= or ?<!"),
        }
    }

    fn escaped(&mut self, start: usize) -> Result<Node, SyntaxError> {
        let Some(letter) = self.next() else {
            return self.fail_at(start, "nothing follows the backslash (bad quotation)");
        };
        let condition = match letter {
            'b' => Some(Condition::WordBoundary),
            'B' => Some(Condition::NoWordBoundary),
            '<' => Some(Condition::WordStart),
            '>' => Some(Condition::WordEnd),
            _ => None,
        };
        Ok(match (condition, class_letter(letter)) {
            (Some(condition), _) => Node::Condition(condition),
            (None, Some(class)) => Node::Class(format!("[{class}]")),
            (None, None) => Node::Character(control_letter(letter)),
        })
    }

    /// `:isVowel:` or `:^isVowel:`, outside brackets.
    fn predicate(&mut self, start: usize) -> Result<Node, SyntaxError> {
        let negated = self.skip("^");
        let Some(name) = self.up_to_colon() else {
            return self.fail_at(
                start,
                "there is no : at the end of this message (no terminating \":\")",
            );
        };
        let Some(class) = message_class(&name) else {
            return self.fail_at(
                start,
                "this message is not known to regular expressions (invalid predicate selector)",
            );
        };
        let negation = if negated { "^" } else { "" };
        Ok(Node::Class(format!("[{negation}[{class}]]")))
    }

    fn up_to_colon(&mut self) -> Option<String> {
        let length = self.source.get(self.at..)?.iter().position(|&c| c == ':')?;
        let name = self.source.get(self.at..self.at + length)?.iter().collect();
        self.at += length + 1;
        Some(name)
    }

    /// The inside of brackets. Nested brackets mean themselves when they are paired.
    fn set(&mut self, start: usize) -> Result<String, SyntaxError> {
        let mut set = String::from("[");
        if self.skip("^") {
            set.push('^');
        }
        let first = self.at;
        let mut nesting = 0;
        loop {
            let at = self.at;
            let Some(letter) = self.next() else {
                return self.fail_at(start, "there is no ] for this [ (no terminating \"]\")");
            };
            match letter {
                ']' if nesting == 0 && at > first => break,
                '[' if self.peek() == Some(':') => {
                    set.push_str(&self.named_class(at)?);
                    continue;
                }
                '\\' if self.peek().and_then(class_letter).is_some() => {
                    let class = self.next().and_then(class_letter).unwrap_or_default();
                    set.push_str(&format!("[{class}]"));
                    continue;
                }
                '-' if at > first && self.peek() != Some(']') => {
                    return self.fail_at(at, "nothing stands before this - (invalid range)");
                }
                '[' => nesting += 1,
                ']' if nesting > 0 => nesting -= 1,
                _ => {}
            }
            self.range(letter, at, &mut set)?;
        }
        set.push(']');
        Ok(set)
    }

    /// A character of a set, or a range that begins with it.
    fn range(&mut self, letter: char, at: usize, set: &mut String) -> Result<(), SyntaxError> {
        let low = self.set_letter(letter)?;
        push_literal(set, low);
        let is_range =
            self.peek() == Some('-') && self.source.get(self.at + 1).is_some_and(|&c| c != ']');
        if !is_range {
            return Ok(());
        }
        self.at += 1;
        let Some(letter) = self.next() else {
            return Ok(());
        };
        let high = self.set_letter(letter)?;
        if high < low {
            return self.fail_at(at, "the range ends before it begins (bad character range)");
        }
        set.push('-');
        push_literal(set, high);
        Ok(())
    }

    fn set_letter(&mut self, letter: char) -> Result<char, SyntaxError> {
        if letter != '\\' {
            return Ok(letter);
        }
        match self.next() {
            Some(letter) => Ok(control_letter(letter)),
            None => self.fail("nothing follows the backslash (bad backslash escape)"),
        }
    }

    /// `[:alpha:]`, inside brackets.
    fn named_class(&mut self, start: usize) -> Result<String, SyntaxError> {
        self.at += 1;
        let class = (self.up_to_colon())
            .and_then(|name| named_class(&name).or_else(|| message_class(&name)));
        let Some(class) = class.filter(|_| self.skip("]")) else {
            return self.fail_at(
                start,
                "there is no such character class (bad character class name)",
            );
        };
        Ok(format!("[{class}]"))
    }
}

fn push_literal(set: &mut String, c: char) {
    // A String takes everything.
    let _ = write_literal(set, c);
}

/// The meaning of a letter behind a backslash that names no class.
fn control_letter(letter: char) -> char {
    match letter {
        'e' => '\u{1B}',
        'n' => '\n',
        'r' => '\r',
        'f' => '\u{C}',
        't' => '\t',
        _ => letter,
    }
}

const LETTERS: &str = r"\p{Alphabetic}";

const SEPARATORS: &str = r" \t\n\x0C\r";

/// The inside of a set for a letter behind a backslash.
fn class_letter(letter: char) -> Option<&'static str> {
    Some(match letter {
        'w' => r"\p{Alphabetic}0-9_",
        'W' => r"^\p{Alphabetic}0-9_",
        'd' => "0-9",
        'D' => "^0-9",
        's' => SEPARATORS,
        'S' => r"^ \t\n\x0C\r",
        _ => return None,
    })
}

/// The inside of a set for a name between `[:` and `:]`.
fn named_class(name: &str) -> Option<&'static str> {
    Some(match name {
        "alnum" => r"\p{Alphabetic}0-9",
        "alpha" => LETTERS,
        "cntrl" => r"\x00-\x1F",
        "digit" => "0-9",
        "graph" | "print" => r"^\x00-\x1F",
        "lower" => r"\p{Lowercase}",
        "punct" => r#".,!?;:"'\-()`"#,
        "space" => SEPARATORS,
        "upper" => r"\p{Uppercase}",
        "xdigit" => "0-9A-Fa-f",
        _ => return None,
    })
}

/// The inside of a set for a message that characters answer with a boolean.
fn message_class(selector: &str) -> Option<&'static str> {
    Some(match selector {
        "isAlphaNumeric" => r"\p{Alphabetic}0-9",
        "isLetter" => LETTERS,
        "isDigit" | "isDecimalDigit" => "0-9",
        "isSeparator" | "isSpace" => SEPARATORS,
        "isVowel" => "aeiouAEIOU",
        "isUppercase" => r"\p{Uppercase}",
        "isLowercase" => r"\p{Lowercase}",
        "isPunctuation" => r".,:;!\?",
        "isSpecial" => r"+\-/\\*~<>=@,%|\&?!",
        "isControlCharacter" => r"\x00-\x1F\x7F-\x9F",
        "isAscii" => r"\x00-\x7F",
        "isOctetCharacter" => r"\x00-\xFF",
        "isCharacter" => r"\x00-\x{10FFFF}",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pattern(source: &str) -> String {
        translate(source).expect(source).to_string()
    }

    #[test]
    fn what_is_common_stays() {
        for same in [
            "ab|c",
            "(a)(b(c))",
            "a*b+c?",
            "a{2}b{2,}c{2,3}",
            "^a$",
            r"\ba\B",
            "[a-z0-9]",
            "(?:a)(?=b)(?!c)",
            "a*?",
        ] {
            assert_eq!(pattern(same), same);
        }
        assert_eq!(pattern("a{,3}"), "a{0,3}");
        assert_eq!(translate("(a)(?:b)(c)").map(|tree| tree.groups()), Ok(2));
    }

    #[test]
    fn what_is_smalltalks_is_translated() {
        for (source, expected) in [
            (".", r"[^\x00]"),
            (r"\<a\>", r"\b{start}a\b{end}"),
            (r"\d\S", r"[0-9][^ \t\n\x0C\r]"),
            (r"\.\n\q", r"\x{2E}\x{A}q"),
            ("{é}", r"\x{7B}\x{E9}\x{7D}"),
            (":isVowel:", "[[aeiouAEIOU]]"),
            (":^isVowel:", "[^[aeiouAEIOU]]"),
            ("[^[:digit:]_]", r"[^[0-9]\x{5F}]"),
            (r"[]a]", r"[\x{5D}a]"),
            (r"[a[b]c]", r"[a\x{5B}b\x{5D}c]"),
            (r"[-a-]", r"[\x{2D}a\x{2D}]"),
            (r"[\w\-\\]", r"[[\p{Alphabetic}0-9_]\x{2D}\x{5C}]"),
        ] {
            assert_eq!(pattern(source), expected, "{source}");
        }
    }

    #[test]
    fn faults_are_placed() {
        for (source, position) in [
            ("*a", 1),
            ("a**", 3),
            ("(a", 1),
            ("a)", 2),
            ("[a", 1),
            ("[]", 1),
            ("[z-a]", 2),
            ("[[:foo:]]", 2),
            (":foo:", 1),
            (":isVowel", 1),
            ("a\\", 2),
            ("[\\", 3),
            ("a{3,2}", 2),
            ("a{}", 2),
            ("a{1", 4),
            ("a{99999}", 3),
            ("^*", 2),
            ("(a*)*", 5),
            ("(a|)+", 5),
            ("(?=a)*", 6),
            ("[a-b-c]", 5),
            ("(?<n>a)", 2),
        ] {
            assert_eq!(
                translate(source).map_err(|e| e.position),
                Err(position),
                "{source}"
            );
        }
        let deep = "(".repeat(100_000);
        assert_eq!(
            translate(&deep).map_err(|e| e.position),
            Err(MOST_NESTED + 1)
        );
    }
}
