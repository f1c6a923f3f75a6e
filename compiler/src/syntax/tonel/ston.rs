//! The notation of Tonel's metadata: maps, lists, strings, symbols and words, each with its location. This module reads
//! only the forms that can stand in metadata. `header` knows the meaning of the keys. JSON is the same notation with
//! other strings.

use crate::diagnostics::Diagnostic;
use crate::syntax::ast::Span;

/// How deep lists and maps may nest.
const MOST_NESTING: usize = 100;

/// A value and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Value {
    pub(crate) kind: Kind,
    pub(crate) span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Kind {
    /// `'text'` or `#symbol`: both spellings mean the same in metadata.
    Text(String),
    /// `[ a, b ]`
    List(Vec<Value>),
    /// `{ #key : value }`
    Map(Map),
    /// A number, `true`, `false`, `nil`.
    Other,
}

/// Keys and values in the order of the text.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Map {
    pub(crate) entries: Vec<(Value, Value)>,
    /// From the opening to the closing brace.
    pub(crate) span: Span,
}

impl Map {
    /// The value of a key.
    pub(crate) fn get(&self, key: &str) -> Option<&Value> {
        let is_key = |entry: &&(Value, Value)| entry.0.text() == Some(key);
        self.entries.iter().find(is_key).map(|(_, value)| value)
    }
}

impl Value {
    /// The text of a string or a symbol.
    pub(crate) fn text(&self) -> Option<&str> {
        match &self.kind {
            Kind::Text(text) => Some(text),
            _ => None,
        }
    }
}

/// Reads the map whose brace stands at `start`. The second result is the end of reading: behind the map, or where it
/// became unreadable.
pub(super) fn map(source: &str, start: usize) -> (Result<Map, Box<Diagnostic>>, usize) {
    let mut reader = Reader::new(source, start);
    let map = reader.map();
    (map, reader.position)
}

/// Reads the JSON object whose brace stands at `start`, and answers it as [`map`] does.
pub(crate) fn json(source: &str, start: usize) -> (Result<Map, Box<Diagnostic>>, usize) {
    let mut reader = Reader::new(source, start);
    reader.is_json = true;
    let map = reader.map();
    (map, reader.position)
}

/// Whether a map with at least one key begins at `start`. A brace array whose first element is a keyword symbol looks
/// the same; the caller knows from the location which of the two it is.
pub(super) fn opens_map(source: &str, start: usize) -> bool {
    let mut reader = Reader::new(source, start + 1);
    reader.skip_blanks();
    let key = matches!(reader.peek(), Some(b'#')) && reader.value().is_ok();
    reader.skip_blanks();
    key && reader.peek() == Some(b':') && !reader.rest().starts_with(":=")
}

struct Reader<'s> {
    source: &'s str,
    position: usize,
    depth: usize,
    is_json: bool,
}

impl<'s> Reader<'s> {
    fn new(source: &'s str, position: usize) -> Reader<'s> {
        Reader {
            source,
            position,
            depth: 0,
            is_json: false,
        }
    }

    fn rest(&self) -> &'s str {
        &self.source[self.position..]
    }

    fn peek(&self) -> Option<u8> {
        self.source.as_bytes().get(self.position).copied()
    }

    fn skip_blanks(&mut self) {
        let rest = self.rest();
        self.position += rest.len() - rest.trim_start().len();
    }

    fn span_from(&self, start: usize) -> Span {
        Span {
            start: start as u32,
            end: self.position as u32,
        }
    }

    /// The place of the next character.
    fn here(&self) -> Span {
        let length = self.rest().chars().next().map_or(0, char::len_utf8);
        Span {
            start: self.position as u32,
            end: (self.position + length) as u32,
        }
    }

    fn unexpected<T>(&self, code: &'static str, label: &str) -> Result<T, Box<Diagnostic>> {
        let message = match self.rest().chars().next() {
            None => "the text ends inside of the metadata".to_owned(),
            Some(found) if found.is_control() => {
                format!(
                    "the control character U+{:04X} cannot stand here",
                    u32::from(found)
                )
            }
            Some(found) => format!("`{found}` cannot stand here in metadata"),
        };
        let diagnostic = Diagnostic::error(code, self.here(), message).labelled(label);
        Err(Box::new(diagnostic.helping(match self.is_json {
            true => {
                "properties are written `{ \"key\" : \"value\", \"other\" : [ \"a\", \"b\" ] }`"
            }
            false => "metadata are written `{ #key : 'value', #other : [ 'a', 'b' ] }`",
        })))
    }

    fn nest(&mut self) -> Result<(), Box<Diagnostic>> {
        self.depth += 1;
        if self.depth <= MOST_NESTING {
            return Ok(());
        }
        let message = "the metadata nest too deeply";
        Err(Box::new(
            Diagnostic::error("E0190", self.here(), message)
                .labelled(format!("more than {MOST_NESTING} levels")),
        ))
    }

    fn map(&mut self) -> Result<Map, Box<Diagnostic>> {
        let start = self.position;
        self.position += 1;
        self.nest()?;
        let mut entries: Vec<(Value, Value)> = Vec::new();
        loop {
            self.skip_blanks();
            if self.peek() == Some(b'}') {
                break;
            }
            let key = self.key(start)?;
            self.skip_blanks();
            if self.peek() != Some(b':') {
                return self.unexpected("E0152", "expected `:` behind the key");
            }
            self.position += 1;
            self.skip_blanks();
            let value = self.value()?;
            if let Some((first, _)) = entries.iter().find(|(other, _)| other.kind == key.kind) {
                let message = format!("the key `{}` is there twice", key.text().unwrap_or(""));
                return Err(Box::new(
                    Diagnostic::error("E0154", key.span, message)
                        .labelled("again")
                        .showing(first.span, "first here")
                        .helping("remove one of the two"),
                ));
            }
            entries.push((key, value));
            self.separator(b'}', start)?;
        }
        self.position += 1;
        self.depth -= 1;
        Ok(Map {
            entries,
            span: self.span_from(start),
        })
    }

    fn key(&mut self, open: usize) -> Result<Value, Box<Diagnostic>> {
        match self.peek() {
            Some(b'#' | b'\'' | b'"') => {
                let key = self.value()?;
                match key.kind {
                    Kind::Text(_) => Ok(key),
                    _ => self.unexpected("E0151", "expected a key such as `#name`"),
                }
            }
            None => self.unclosed(open, "{", "}"),
            Some(_) => self.unexpected("E0151", "expected a key such as `#name`, or `}`"),
        }
    }

    fn unclosed<T>(&self, open: usize, opener: &str, closer: &str) -> Result<T, Box<Diagnostic>> {
        let span = Span {
            start: open as u32,
            end: open as u32 + 1,
        };
        let message = format!("this `{opener}` is never closed");
        Err(Box::new(
            Diagnostic::error("E0153", span, message)
                .labelled("opened here")
                .helping(format!("close it with `{closer}`")),
        ))
    }

    /// The comma behind an element; the closing bracket stays for the caller.
    fn separator(&mut self, closer: u8, open: usize) -> Result<(), Box<Diagnostic>> {
        self.skip_blanks();
        match self.peek() {
            Some(b',') => {
                self.position += 1;
                Ok(())
            }
            Some(found) if found == closer => Ok(()),
            None if closer == b'}' => self.unclosed(open, "{", "}"),
            None => self.unclosed(open, "[", "]"),
            Some(_) if closer == b'}' => self.unexpected("E0155", "expected `,` or `}`"),
            Some(_) => self.unexpected("E0155", "expected `,` or `]`"),
        }
    }

    fn value(&mut self) -> Result<Value, Box<Diagnostic>> {
        let start = self.position;
        let kind = match self.peek() {
            Some(b'\'') => Kind::Text(self.string('\'')?),
            Some(b'"') if self.is_json => Kind::Text(self.string('"')?),
            Some(b'#') => Kind::Text(self.symbol()?),
            Some(b'[') => Kind::List(self.list()?),
            Some(b'{') => Kind::Map(self.map()?),
            Some(byte) if byte.is_ascii_alphanumeric() || byte == b'-' => self.word()?,
            _ => return self.unexpected("E0156", "expected a value"),
        };
        Ok(Value {
            kind,
            span: self.span_from(start),
        })
    }

    fn list(&mut self) -> Result<Vec<Value>, Box<Diagnostic>> {
        let start = self.position;
        self.position += 1;
        self.nest()?;
        let mut elements = Vec::new();
        loop {
            self.skip_blanks();
            match self.peek() {
                Some(b']') => break,
                None => return self.unclosed(start, "[", "]"),
                Some(_) => elements.push(self.value()?),
            }
            self.separator(b']', start)?;
        }
        self.position += 1;
        self.depth -= 1;
        Ok(elements)
    }

    /// A string; a backslash lets quotes, backslashes and control characters stand in it, and so does, as
    /// in Smalltalk, a quote that is doubled.
    fn string(&mut self, quote: char) -> Result<String, Box<Diagnostic>> {
        let start = self.position;
        self.position += 1;
        let mut text = String::new();
        while let Some(next) = self.rest().chars().next() {
            self.position += next.len_utf8();
            match next {
                '\'' if quote == '\'' && self.peek() == Some(b'\'') => {
                    self.position += 1;
                    text.push('\'');
                }
                end if end == quote => return Ok(text),
                '\\' => text.push(self.escaped()?),
                other => text.push(other),
            }
        }
        let span = Span {
            start: start as u32,
            end: start as u32 + 1,
        };
        Err(Box::new(
            Diagnostic::error("E0157", span, "the string in the metadata is never closed")
                .labelled("the string starts here")
                .helping("close it with `'`; inside of a string a quote is written `\\'`"),
        ))
    }

    fn escaped(&mut self) -> Result<char, Box<Diagnostic>> {
        let start = self.position - 1;
        let escaped = self.rest().chars().next();
        self.position += escaped.map_or(0, char::len_utf8);
        Ok(match escaped {
            Some('b') => '\u{8}',
            Some('n') => '\n',
            Some('f') => '\u{c}',
            Some('t') => '\t',
            Some('r') => '\r',
            Some(quoted @ ('\'' | '"' | '\\' | '/')) => quoted,
            Some('u') => {
                let digits = self.rest().get(..4);
                let code = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
                match code.and_then(char::from_u32) {
                    Some(found) => {
                        self.position += 4;
                        found
                    }
                    None => return Err(self.no_escape(start)),
                }
            }
            _ => return Err(self.no_escape(start)),
        })
    }

    fn no_escape(&self, start: usize) -> Box<Diagnostic> {
        let message = "this stands for no character";
        Box::new(
            Diagnostic::error("E0158", self.span_from(start), message)
                .labelled("unknown escape")
                .helping("known are \\\\ \\' \\\" \\/ \\b \\f \\n \\r \\t \\u0041"),
        )
    }

    fn symbol(&mut self) -> Result<String, Box<Diagnostic>> {
        self.position += 1;
        if self.peek() == Some(b'\'') {
            return self.string('\'');
        }
        let part = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-./:".contains(byte);
        let bytes = self.rest().as_bytes();
        let mut length = bytes.iter().take_while(|byte| part(byte)).count();
        // The colon behind a key belongs to the map. The colons in `#at:put:` belong to the symbol.
        if length > 0 && bytes[length - 1] == b':' && !bytes[..length - 1].contains(&b':') {
            length -= 1;
        }
        if length == 0 {
            return self.unexpected("E0156", "expected a symbol such as `#name`");
        }
        let text = self.rest()[..length].to_owned();
        self.position += length;
        Ok(text)
    }

    /// A number or one of the words that mean an object; a class's name in front of a list or a map is
    /// read over.
    fn word(&mut self) -> Result<Kind, Box<Diagnostic>> {
        let part = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-+./".contains(byte);
        let rest = self.rest();
        let length = rest.bytes().take_while(|byte| part(byte)).count();
        let word = &rest[..length];
        let number = word
            .trim_start_matches('-')
            .starts_with(|c: char| c.is_ascii_digit());
        if number || matches!(word, "true" | "false" | "nil" | "null") {
            self.position += length;
            return Ok(Kind::Other);
        }
        let behind = rest[length..].trim_start();
        if behind.starts_with(['[', '{']) && word.starts_with(|c: char| c.is_ascii_uppercase()) {
            self.position += rest.len() - behind.len();
            return Ok(self.value()?.kind);
        }
        self.unexpected("E0156", "expected a value")
    }
}
