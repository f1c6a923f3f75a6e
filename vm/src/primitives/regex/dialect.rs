//! Translates the regular expressions of Smalltalk's Regex package into those of the engine. Nothing is matched here.
//!
//! Common constructs keep their meaning: `| ( ) * + ? {m,n} [ ] ^ $`, and `\w \W \d \D \s \S \b \B`.
//!
//! These constructs are Smalltalk's alone. `\<` and `\>` are the beginning and the end of a word. `\e` is the escape
//! character. `:isVowel:` is a character that answers true to the message; a few messages are known. `[:alpha:]` uses
//! the character classes of Smalltalk. `.` is every character except the one with the code 0. A backslash makes every
//! other character stand for itself.
//!
//! These constructs of the engine are let through: `(?:…)`, `(?=…)`, `(?!…)`, `(?<=…)`, `(?<!…)` and the reluctant
//! `*?`, `+?`, `??`, `{m,n}?`.

/// The greatest depth of nested groups; the engine has a limit of the same kind.
const MOST_NESTED: usize = 40;

/// The greatest count in `{m,n}`.
const MOST_REPEATED: u32 = 10_000;

/// A regular expression of the engine.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Translated {
    pub(super) pattern: String,
    /// Groups that capture, the whole not among them.
    pub(super) groups: usize,
}

/// Why there is none.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct SyntaxError {
    pub(super) message: String,
    /// Index of the character, from 1 on; one more than there are at the end.
    pub(super) position: usize,
}

pub(super) fn translate(source: &str) -> Result<Translated, SyntaxError> {
    let source: Vec<char> = source.chars().collect();
    let mut translator = Translator {
        source: &source,
        at: 0,
        pattern: String::new(),
        groups: 0,
        nesting: 0,
    };
    translator.alternatives()?;
    match translator.peek() {
        None => Ok(Translated {
            pattern: translator.pattern,
            groups: translator.groups,
        }),
        Some(_) => translator.fail("there is no ( for this )"),
    }
}

struct Translator<'a> {
    source: &'a [char],
    at: usize,
    pattern: String,
    groups: usize,
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

    /// Answers whether the alternatives can match no characters.
    fn alternatives(&mut self) -> Result<bool, SyntaxError> {
        let mut nullable = false;
        loop {
            let mut branch_is_nullable = true;
            while self.peek().is_some_and(|c| c != '|' && c != ')') {
                branch_is_nullable &= self.piece()?;
            }
            nullable |= branch_is_nullable;
            if !self.skip("|") {
                return Ok(nullable);
            }
            self.pattern.push('|');
        }
    }

    /// An atom and how often it may occur. Answers whether that can match no characters, which forbids
    /// to repeat it.
    fn piece(&mut self) -> Result<bool, SyntaxError> {
        let is_nullable = self.atom()?;
        let at = self.at;
        let can_be_absent = match self.peek() {
            Some(mark @ ('*' | '+' | '?')) => {
                self.at += 1;
                self.pattern.push(mark);
                mark != '+'
            }
            Some('{') => self.bounds()?,
            _ => return Ok(is_nullable),
        };
        if is_nullable {
            return self.fail_at(
                at,
                "what stands before this can match no characters (nullable closure)",
            );
        }
        if self.skip("?") {
            self.pattern.push('?');
        }
        Ok(can_be_absent)
    }

    /// `{m}`, `{m,}`, `{,n}` or `{m,n}`. Answers whether none is enough.
    fn bounds(&mut self) -> Result<bool, SyntaxError> {
        let start = self.at;
        self.at += 1;
        let least = self.number()?;
        let most = if self.skip(",") {
            self.number()?
        } else {
            least
        };
        if !self.skip("}") {
            return self.fail("a number, a comma or } is expected");
        }
        let is_exact = least.is_some()
            && self
                .source
                .get(start..self.at)
                .is_some_and(|part| !part.contains(&','));
        if least.is_none() && most.is_none() {
            return self.fail_at(start, "there is no number between { and }");
        }
        if most.is_some_and(|most| most < least.unwrap_or(0)) {
            return self.fail_at(start, "the second number is less than the first");
        }
        let bounds = match (least, most) {
            (Some(least), _) if is_exact => format!("{{{least}}}"),
            (least, Some(most)) => format!("{{{},{most}}}", least.unwrap_or(0)),
            (least, None) => format!("{{{},}}", least.unwrap_or(0)),
        };
        self.pattern.push_str(&bounds);
        Ok(least.unwrap_or(0) == 0)
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

    /// Reads an atom and answers whether it can match no characters.
    fn atom(&mut self) -> Result<bool, SyntaxError> {
        let start = self.at;
        let Some(first) = self.next() else {
            return Ok(true);
        };
        match first {
            '*' | '+' | '?' => {
                return self.fail_at(
                    start,
                    "there is nothing before this to be repeated (nullable closure)",
                );
            }
            '(' => return self.group(start),
            '[' => self.set(start)?,
            ':' => self.predicate(start)?,
            '.' => self.pattern.push_str(r"[^\x00]"),
            '^' | '$' => {
                self.pattern.push(first);
                return Ok(true);
            }
            '\\' => return self.escaped(start),
            _ => push_literal(&mut self.pattern, first),
        }
        Ok(false)
    }

    fn group(&mut self, start: usize) -> Result<bool, SyntaxError> {
        const KINDS: &[&str] = &["?:", "?=", "?!", "?<=", "?<!"];
        let kind = KINDS.iter().find(|kind| self.skip(kind));
        if kind.is_none() && self.peek() == Some('?') {
            return self.fail("a group may begin with ?:, ?=, ?!, ?<= or ?<!");
        }
        if self.nesting == MOST_NESTED {
            return self.fail_at(start, "the groups are nested too deeply");
        }
        self.pattern.push('(');
        self.pattern.push_str(kind.unwrap_or(&""));
        self.groups += usize::from(kind.is_none());
        self.nesting += 1;
        let is_nullable = self.alternatives()?;
        self.nesting -= 1;
        if !self.skip(")") {
            return self.fail_at(start, "there is no ) for this (");
        }
        self.pattern.push(')');
        Ok(is_nullable || !matches!(kind, None | Some(&"?:")))
    }

    fn escaped(&mut self, start: usize) -> Result<bool, SyntaxError> {
        let Some(letter) = self.next() else {
            return self.fail_at(start, "nothing follows the backslash (bad quotation)");
        };
        let condition = match letter {
            'b' => Some(r"\b"),
            'B' => Some(r"\B"),
            '<' => Some(r"\b{start}"),
            '>' => Some(r"\b{end}"),
            _ => None,
        };
        if let Some(condition) = condition {
            self.pattern.push_str(condition);
            return Ok(true);
        }
        match class_letter(letter) {
            Some(class) => self.pattern.push_str(&format!("[{class}]")),
            None => push_literal(&mut self.pattern, control_letter(letter)),
        }
        Ok(false)
    }

    /// `:isVowel:` or `:^isVowel:`, outside brackets.
    fn predicate(&mut self, start: usize) -> Result<(), SyntaxError> {
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
        self.pattern.push_str(&format!("[{negation}[{class}]]"));
        Ok(())
    }

    fn up_to_colon(&mut self) -> Option<String> {
        let length = self.source.get(self.at..)?.iter().position(|&c| c == ':')?;
        let name = self.source.get(self.at..self.at + length)?.iter().collect();
        self.at += length + 1;
        Some(name)
    }

    /// The inside of brackets. Nested brackets mean themselves when they are paired.
    fn set(&mut self, start: usize) -> Result<(), SyntaxError> {
        self.pattern.push('[');
        if self.skip("^") {
            self.pattern.push('^');
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
                    self.named_class(at)?;
                    continue;
                }
                '\\' if self.peek().and_then(class_letter).is_some() => {
                    let class = self.next().and_then(class_letter).unwrap_or_default();
                    self.pattern.push_str(&format!("[{class}]"));
                    continue;
                }
                '-' if at > first && self.peek() != Some(']') => {
                    return self.fail_at(at, "nothing stands before this - (invalid range)");
                }
                '[' => nesting += 1,
                ']' if nesting > 0 => nesting -= 1,
                _ => {}
            }
            self.range(letter, at)?;
        }
        self.pattern.push(']');
        Ok(())
    }

    /// A character of a set, or a range that begins with it.
    fn range(&mut self, letter: char, at: usize) -> Result<(), SyntaxError> {
        let low = self.set_letter(letter)?;
        push_literal(&mut self.pattern, low);
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
        self.pattern.push('-');
        push_literal(&mut self.pattern, high);
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
    fn named_class(&mut self, start: usize) -> Result<(), SyntaxError> {
        self.at += 1;
        let class = (self.up_to_colon())
            .and_then(|name| named_class(&name).or_else(|| message_class(&name)));
        let Some(class) = class.filter(|_| self.skip("]")) else {
            return self.fail_at(
                start,
                "there is no such character class (bad character class name)",
            );
        };
        self.pattern.push_str(&format!("[{class}]"));
        Ok(())
    }
}

/// A literal character, outside a set and inside.
fn push_literal(pattern: &mut String, c: char) {
    match c.is_ascii_alphanumeric() {
        true => pattern.push(c),
        false => pattern.push_str(&format!("\\x{{{:X}}}", u32::from(c))),
    }
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
        translate(source).expect(source).pattern
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
        assert_eq!(translate("(a)(?:b)(c)").map(|t| t.groups), Ok(2));
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
