//! The comment of a method: the first comment in its source text that stands before its first statement. The parser
//! drops comments, so this module finds them between the tokens.

use crate::syntax;
use crate::syntax::ast::{Item, Member, Method, Span, Statement};
use crate::syntax::tally::lexer;

/// The text in front of a class member, so that it can be read alone.
const BEFORE: &str = "Object extend [ ";
const BEHIND: &str = "\n]";

/// A method's comment without its quotes, its lines moved to the left. The source stands in a class body or is shown by
/// a browser.
pub fn method_comment(source: &str) -> Option<String> {
    let code = statements_begin(source).unwrap_or(source.len());
    let mut gap = 0;
    for lexeme in lexer::lex(source).lexemes {
        let span = lexeme.span;
        if let Some(comment) = comment_in(source.get(gap..span.start as usize)?) {
            return Some(comment);
        }
        gap = span.end as usize;
        if gap > code {
            return None;
        }
    }
    comment_in(source.get(gap..)?)
}

/// A method's message pattern, `at: index put: value`.
pub fn method_pattern(source: &str) -> Option<String> {
    let (method, shift) = read(source)?;
    let end = method
        .parameters
        .last()
        .unwrap_or(&method.selector)
        .span
        .end as usize;
    let start = method.selector.span.start as usize;
    let words = source.get(start.checked_sub(shift)?..end.checked_sub(shift)?)?;
    Some(words.split_whitespace().collect::<Vec<_>>().join(" "))
}

fn statements_begin(source: &str) -> Option<usize> {
    let (method, shift) = read(source)?;
    let span = match method.body.statements.first()? {
        Statement::Expression(expr) => expr.span,
        Statement::Return { span, .. } => *span,
    };
    (span.start as usize).checked_sub(shift)
}

/// The method, and the difference between its offsets and the offsets in `source`.
fn read(source: &str) -> Option<(Method, usize)> {
    let (file, errors) = syntax::parse(&format!("{BEFORE}{source}{BEHIND}"));
    let members = file.items.into_iter().next().and_then(|item| match item {
        Item::Extend(extension) => Some(extension.members),
        _ => None,
    });
    let found = members.and_then(|members| match members.into_iter().next()? {
        Member::Method(method) => Some(method),
        Member::Placed(placed) => Some(placed.method),
        _ => None,
    });
    match found.filter(|_| errors.is_empty()) {
        Some(method) => Some((method, BEFORE.len())),
        None => {
            let (method, errors) = syntax::parse_method(source);
            let is_method = errors.is_empty() && method.selector.span != Span::default();
            is_method.then_some((method, 0))
        }
    }
}

/// The first comment of a text without tokens.
fn comment_in(gap: &str) -> Option<String> {
    let mut rest = gap[gap.find('"')? + 1..].chars().peekable();
    let mut text = String::new();
    loop {
        match rest.next()? {
            '"' if rest.next_if_eq(&'"').is_some() => text.push('"'),
            '"' => break,
            other => text.push(other),
        }
    }
    Some(moved_left(&text))
}

/// The text without the indentation that all its lines but the first share.
fn moved_left(text: &str) -> String {
    let lines = || text.lines().skip(1).filter(|line| !line.trim().is_empty());
    let indentation = |line: &str| line.len() - line.trim_start_matches([' ', '\t']).len();
    let shared = lines().map(indentation).min().unwrap_or(0);
    let mut moved = String::new();
    for (number, line) in text.trim().lines().enumerate() {
        let line = if number == 0 {
            line
        } else {
            line.get(shared..).unwrap_or("")
        };
        moved.push_str(line.trim_end());
        moved.push('\n');
    }
    moved.trim_end().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_comment_stands_before_the_first_statement() {
        let comment = |source: &str| method_comment(source);
        assert_eq!(comment("foo [ ^3 \"no\" ]"), None);
        assert_eq!(
            comment("foo [ \"a \"\"b\"\"\" ^3 ]"),
            Some("a \"b\"".into())
        );
        assert_eq!(
            comment("foo: a [ <x> | t | \"c\n      d\n        e\" t := a ]"),
            Some("c\nd\n  e".into())
        );
        assert_eq!(comment("foo\n\t\"c\"\n\t^3"), Some("c".into()));
        assert_eq!(comment("foo [ \"c\" ]"), Some("c".into()));
        assert_eq!(comment("Foo class >> foo [ \"c\" ]"), Some("c".into()));
        assert_eq!(comment("foo [ ^'\"' ]"), None);
        assert_eq!(comment("foo [ \""), None);
        assert_eq!(comment(""), None);
        assert_eq!(comment("foo [ ^$\" ]"), None);
    }

    #[test]
    fn the_pattern_has_the_names_of_the_arguments() {
        let pattern = |source: &str| method_pattern(source);
        assert_eq!(
            pattern("at: i\n  put: v [ ^v ]"),
            Some("at: i put: v".into())
        );
        assert_eq!(pattern("size [ ]"), Some("size".into()));
        assert_eq!(pattern("+ other\n\t^other"), Some("+ other".into()));
    }
}
