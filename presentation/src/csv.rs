//! Tables as CSV (RFC 4180). Fields that a spreadsheet would take for formulas are made harmless.

use csv::{Terminator, Writer, WriterBuilder};

/// Rows of fields.
#[derive(Debug)]
pub struct Csv(Writer<Vec<u8>>);

impl Csv {
    /// No rows; each will end as the standard says.
    pub fn new() -> Csv {
        Csv::ending_with(Terminator::CRLF)
    }

    /// No rows; each will end with a line feed alone, as in files of Unix.
    pub fn unix() -> Csv {
        Csv::ending_with(Terminator::Any(b'\n'))
    }

    fn ending_with(terminator: Terminator) -> Csv {
        let mut builder = WriterBuilder::new();
        builder.terminator(terminator).flexible(true);
        Csv(builder.from_writer(Vec::new()))
    }

    /// Adds a row.
    pub fn row<F: AsRef<[u8]>>(&mut self, fields: impl IntoIterator<Item = F>) {
        // Rows of any length are allowed, and memory takes all of them.
        let _ = self.0.write_record(fields);
    }

    /// The text of the rows.
    pub fn finish(self) -> String {
        let bytes = self.0.into_inner().unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

impl Default for Csv {
    fn default() -> Csv {
        Csv::new()
    }
}

/// A text as a field that spreadsheets take for a text: one that begins as a formula does gets an apostrophe in front. A number with
/// its sign is no formula.
pub fn text_field(text: &str) -> String {
    let is_of_number = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',' | ' ' | '%');
    let rest = text.strip_prefix(['+', '-']);
    let is_number = rest.is_some_and(|rest| rest.chars().all(is_of_number));
    let is_formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']) && !is_number;
    match is_formula {
        true => format!("'{text}"),
        false => text.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_quoted_where_they_have_to_be() {
        let mut csv = Csv::new();
        csv.row(["a", "b,c", "say \"x\"", "two\nlines", ""]);
        csv.row(["1"]);
        assert_eq!(
            csv.finish(),
            "a,\"b,c\",\"say \"\"x\"\"\",\"two\nlines\",\r\n1\r\n"
        );
    }

    #[test]
    fn no_text_is_a_formula() {
        for (text, field) in [
            ("=1+2", "'=1+2"),
            ("+1+A1", "'+1+A1"),
            ("+12.3 %", "+12.3 %"),
            ("-1", "-1"),
            ("-a.st", "'-a.st"),
            ("@x", "'@x"),
            ("\tx", "'\tx"),
            ("\rx", "\"'\rx\""),
            ("=\"a\"", "\"'=\"\"a\"\"\""),
            ("a=b", "a=b"),
            ("", ""),
        ] {
            let mut csv = Csv::unix();
            csv.row([text_field(text).as_str(), "."]);
            assert_eq!(csv.finish(), format!("{field},.\n"));
        }
    }
}
