//! Rules for syntax of other languages: statements that begin with a word of theirs, calls with parentheses, ends of
//! statements by a semicolon, elements in brackets.

use super::situation::Situation;
use crate::diagnostics::Diagnostic;
use crate::foreign::{self, reserved_elsewhere, without_colon};
use crate::syntax::ast::Span;
use crate::syntax::lines::is_first_on_line;
use crate::syntax::token::{Entry, Token, pattern_length};

/// Characters of an argument that a help repeats.
const MOST_REPEATED: usize = 24;

/// Places of a name that are looked at.
const MOST_PLACES: usize = 100;

/// `let x = 3;`, `class Foo { }`, `import math`
pub(super) fn statement(situation: &Situation<'_, '_>) -> Option<Diagnostic> {
    let start = situation.statement_start();
    let Some(Token::Identifier(word)) = situation.at(start) else {
        return None;
    };
    let help = foreign::statement(word)?;
    let next = situation.at(start + 1)?;
    let is_foreign = start < situation.index
        && (next.starts_operand() || matches!(next, Token::Colon | Token::Bang(_)));
    is_foreign.then(|| reserved_elsewhere(word, situation.span_of(start), help))
}

/// `x := not (3 > 4)`, `double := lambda x: x * 2`: the word stands inside of the statement.
pub(super) fn operand(situation: &Situation<'_, '_>) -> Option<Diagnostic> {
    let from = situation.statement_start();
    (from..situation.index)
        .rev()
        .find_map(|index| match situation.at(index)? {
            Token::Identifier(word @ ("not" | "new" | "lambda" | "function")) => {
                let starts = index == from
                    || situation
                        .at(index - 1)
                        .is_some_and(|before| !before.ends_operand());
                let help = foreign::statement(word).filter(|_| starts)?;
                Some(reserved_elsewhere(word, situation.span_of(index), help))
            }
            _ => None,
        })
}

/// `i++`, `++i`
pub(super) fn step(situation: &Situation<'_, '_>) -> Option<Diagnostic> {
    let is_step = |token: Option<Token<'_>>| matches!(token, Some(Token::Binary("++" | "--")));
    let begins = |token: Token<'_>| token.starts_operand();
    let ends = |token: Token<'_>| token.ends_operand();
    let span = if is_step(situation.previous()) && !situation.token().is_some_and(begins) {
        situation.previous_span()
    } else if is_step(situation.token()) && !situation.previous().is_some_and(ends) {
        situation.span()
    } else {
        return None;
    };
    let operator = situation.text(span);
    let help = foreign::message(operator)?;
    Some(reserved_elsewhere(operator, span, help))
}

/// `(!found) ifTrue: [ … ]`, `x := !found`: a mark that negates. At the top level it ends the unit.
pub(super) fn negation(situation: &Situation<'_, '_>) -> Option<Diagnostic> {
    if situation.previous().is_some_and(Token::ends_operand) {
        return None;
    }
    let span = match situation.token() {
        Some(Token::Bang(_)) => situation.span(),
        Some(_) => return None,
        None => {
            let end = situation.span().end as usize;
            let rest = situation.source.get(end..)?;
            let start = situation.source.len() - rest.trim_start().len();
            let operand = situation.source[start..].strip_prefix('!')?;
            if operand.starts_with(char::is_whitespace) || operand.is_empty() {
                return None;
            }
            Span {
                start: start as u32,
                end: start as u32 + 1,
            }
        }
    };
    let help = foreign::statement("not")?;
    Some(reserved_elsewhere(situation.text(span), span, help))
}

/// `def area [ ^0 ]`, `public area [ ^0 ]`: a method whose pattern is behind a word of another language.
pub(super) fn method(situation: &Situation<'_, '_>) -> Option<Diagnostic> {
    let is_word = |index: usize| matches!(situation.at(index), Some(Token::Identifier(word)) if foreign::begins_method(word));
    let Some(Token::Identifier(word)) = situation.at(0).filter(|_| is_word(0)) else {
        return None;
    };
    let from = (0..situation.lexemes.len()).find(|&index| !is_word(index))?;
    let rest = &situation.lexemes[from..];
    let length = pattern_length(rest)?;
    let text = |first: usize, last: usize| {
        situation.text(Span {
            start: situation.span_of(first).start,
            end: situation.span_of(last).end,
        })
    };
    let pattern = match situation.at(from + length)? {
        Token::LeftParen => sent("", text(from, from), &situation.arguments_in(from + length)),
        _ => text(from, from + length - 1).to_owned(),
    };
    let help = format!(
        "a method begins with its pattern: `{} [ … ]`",
        pattern.trim()
    );
    Some(reserved_elsewhere(word, situation.span_of(0), &help))
}

/// `foo(3, 4)`, `list.append(3)`
pub(super) fn call(situation: &Situation<'_, '_>) -> Option<Diagnostic> {
    let open = situation.span();
    let name = situation.previous_span();
    if situation.token() != Some(Token::LeftParen) || open.start != name.end {
        return None;
    }
    let (Token::Identifier(_) | Token::Scoped(_)) = situation.previous()? else {
        return None;
    };
    // The dots may have been read as periods between statements.
    let before = situation.source.get(..name.end as usize)?;
    let is_part = |part: char| part.is_alphanumeric() || matches!(part, '_' | '.');
    let path = &before[before.trim_end_matches(is_part).len()..];
    let begins_line = is_first_on_line(situation.source, name.start as usize);
    if let Some(help) = foreign::statement(path).filter(|_| begins_line) {
        return Some(reserved_elsewhere(path, name, help));
    }
    let arguments = situation.arguments_in(situation.index);
    let help = match path.rsplit_once('.') {
        Some((receiver, selector)) => foreign::message(selector)
            .or_else(|| foreign::message(&format!("{selector}:")))
            .map_or_else(
                || format!("write `{}`", sent(receiver, selector, &arguments)),
                str::to_owned,
            ),
        None => call_of_name(situation, path, &arguments),
    };
    let span = Span {
        start: name.end - path.len() as u32,
        end: open.end,
    };
    Some(
        Diagnostic::error("E0136", span, "a message is sent without parentheses")
            .labelled("this is a call as in other languages")
            .noting("a message is `receiver name`, or `receiver name: argument with: argument`")
            .helping(help),
    )
}

/// What to write for a call of a function: there are none, so the name may be that of a message, a block or a class.
fn call_of_name(situation: &Situation<'_, '_>, name: &str, arguments: &[&str]) -> String {
    let before = situation.index.checked_sub(2);
    // A name that begins a line begins a statement: a period is missing before it.
    let begins_line = is_first_on_line(situation.source, situation.previous_span().start as usize);
    let receiver =
        before.filter(|&at| !begins_line && situation.at(at).is_some_and(Token::ends_operand));
    if let Some(at) = receiver {
        let start = situation.statement_start().min(at);
        let span = Span {
            start: situation.span_of(start).start,
            end: situation.span_of(at).end,
        };
        let receiver = Some(situation.text(span)).filter(|text| text.len() <= MOST_REPEATED);
        return format!("write `{}`", sent(receiver.unwrap_or("…"), name, arguments));
    }
    if name.starts_with(char::is_uppercase) {
        return format!("an object is made by a message to its class: `{name} new`");
    }
    if situation.entry != Entry::Sequence {
        return format!("write `{}`", sent("self", name, arguments));
    }
    let is_short = |text: &&str| text.len() <= MOST_REPEATED && !text.contains(['\n', '"']);
    let shown = |text: &str| Some(text.to_owned()).filter(|text| is_short(&text.as_str()));
    let first = arguments
        .first()
        .map_or("x".to_owned(), |text| shown(text).unwrap_or("…".to_owned()));
    let message = sent(&first, name, arguments.get(1..).unwrap_or_default());
    let values: Vec<String> = arguments
        .iter()
        .map(|text| format!("value: {}", shown(text).unwrap_or("…".to_owned())))
        .collect();
    let value = match values[..] {
        [] => "value".to_owned(),
        _ => values.join(" "),
    };
    if is_block(situation.source, name) {
        return format!("a block is called by a message: write `({name} {value})`");
    }
    format!(
        "there are no functions: write `{message}`, or `({name} {value})` if `{name}` is a block"
    )
}

/// Whether a text assigns a block to a name.
fn is_block(source: &str, name: &str) -> bool {
    let is_part = |next: char| next.is_alphanumeric() || next == '_';
    source
        .match_indices(name)
        .take(MOST_PLACES)
        .any(|(start, _)| {
            let behind = source[start + name.len()..].trim_start();
            let value = behind.strip_prefix(":=").map(str::trim_start);
            !source[..start].ends_with(is_part) && value.is_some_and(|value| value.starts_with('['))
        })
}

/// The message that a call stands for.
fn sent(receiver: &str, selector: &str, arguments: &[&str]) -> String {
    let receiver = receiver.replace('.', " ");
    let mut message = format!("{receiver} {selector}");
    for (index, argument) in arguments.iter().enumerate() {
        let is_short = argument.len() <= MOST_REPEATED && !argument.contains(['\n', '"']);
        let argument = if is_short { argument } else { "…" };
        let keyword = if index == 0 { ":" } else { " with:" };
        message = format!("{message}{keyword} {argument}");
    }
    message
}

/// `x := 3;`, and `x foo;` where the next line begins another statement.
pub(super) fn semicolon(situation: &Situation<'_, '_>) -> Option<Diagnostic> {
    let from = situation.statement_start();
    let until = situation.index.min(situation.lexemes.len().checked_sub(1)?);
    let at = (from..=until).rev().find(|&index| {
        situation.at(index) == Some(Token::Semicolon) && ends_statement(situation, index)
    })?;
    Some(
        Diagnostic::error(
            "E0108",
            situation.span_of(at),
            "a statement ends with a period",
        )
        .labelled("`;` begins another message to the same receiver")
        .helping("write `.` instead of `;`"),
    )
}

/// Whether no message of a cascade can follow the semicolon: its line ends, and a new statement begins.
fn ends_statement(situation: &Situation<'_, '_>, index: usize) -> bool {
    let rest = &situation.source[situation.span_of(index).end as usize..];
    let line = rest.lines().next().unwrap_or("").trim();
    if !(line.is_empty() || line.starts_with('"')) {
        return false;
    }
    let Some(next) = situation.lexemes.get(index + 1) else {
        return true;
    };
    let word = match next.token {
        Token::Identifier(word) => word,
        Token::Scoped(_) => return true,
        token => return token.is_closer(),
    };
    is_first_on_line(situation.source, next.span.start as usize)
        && (word.starts_with(char::is_uppercase)
            || matches!(
                situation.at(index + 2),
                Some(Token::Identifier(_) | Token::Keyword(_) | Token::Assign)
            ))
}

/// `a[1]`, `self items[1] := 3`: an index in brackets, where no block can stand.
pub(super) fn index(situation: &Situation<'_, '_>) -> Option<Diagnostic> {
    let open = situation.span();
    let before = situation.previous_span();
    let is_name = matches!(situation.previous(), Some(Token::Identifier(_)));
    let is_alone = situation.statement_start() + 1 == situation.index;
    let holds_index = match situation.at(situation.index + 1)? {
        Token::Number(_) => is_alone || open.start == before.end,
        Token::Identifier(_) => is_alone && situation.entry != Entry::Sequence,
        _ => false,
    };
    let holds_index = holds_index && situation.at(situation.index + 2) == Some(Token::RightBracket);
    let is_index = situation.token() == Some(Token::LeftBracket)
        && situation.entry != Entry::SomBody
        && situation.previous()?.ends_operand()
        && ((is_name && open.start == before.end) || holds_index);
    if !is_index {
        return None;
    }
    let receiver = Span {
        start: situation.span_of(operand_start(situation)).start,
        end: before.end,
    };
    let span = Span {
        start: receiver.start,
        end: open.end,
    };
    let receiver = Some(situation.text(receiver)).filter(|text| text.len() <= MOST_REPEATED);
    let receiver = receiver.unwrap_or("…");
    let index = match situation.arguments_in(situation.index)[..] {
        ["0"] => "1",
        [one] if one.len() <= MOST_REPEATED => one,
        _ => "1",
    };
    let close = (situation.index..situation.lexemes.len())
        .find(|&at| situation.at(at) == Some(Token::RightBracket));
    let is_written = close.is_some_and(|at| situation.at(at + 1) == Some(Token::Assign));
    let (what, help) = match is_written {
        true => ("written", format!("write `{receiver} at: {index} put: …`")),
        false => (
            "read",
            format!(
                "write `({receiver} at: {index})`; to store `{receiver} at: {index} put: value`"
            ),
        ),
    };
    let diagnostic = Diagnostic::error("E0136", span, format!("an element is {what} by a message"))
        .labelled("this is an index as in other languages");
    let is_key = index.starts_with(['\'', '#', '$']);
    Some(match is_key {
        true => diagnostic.helping(help),
        false => diagnostic.noting("the first index is 1").helping(help),
    })
}

/// Where the receiver of a message behind the last token begins: a name or a literal with unary messages behind it.
fn operand_start(situation: &Situation<'_, '_>) -> usize {
    let from = situation.statement_start();
    let mut start = situation.index.saturating_sub(1);
    loop {
        if situation.at(start).is_some_and(Token::is_closer) {
            let mut depth = 0_usize;
            while start > from {
                let token = situation.at(start);
                depth += usize::from(token.is_some_and(Token::is_closer));
                depth -= usize::from(token.is_some_and(|token| token.closer().is_some()));
                if depth == 0 {
                    break;
                }
                start -= 1;
            }
        }
        let is_message = matches!(situation.at(start), Some(Token::Identifier(_)))
            && start > from
            && situation.at(start - 1).is_some_and(Token::ends_operand)
            && !is_first_on_line(situation.source, situation.span_of(start).start as usize);
        if !is_message {
            return start;
        }
        start -= 1;
    }
}

/// `[ each | … ]` with a body that does not parse.
pub(super) fn bare_block_argument(situation: &Situation<'_, '_>) -> Option<Diagnostic> {
    let open = *situation.enclosing.last()?;
    let names = (open + 1..situation.index)
        .take_while(|&index| matches!(situation.at(index), Some(Token::Identifier(_))))
        .count();
    let applies = names > 0
        && situation.at(open) == Some(Token::LeftBracket)
        && situation.at(open + 1 + names) == Some(Token::Bar)
        && open + 1 + names < situation.index;
    applies.then(|| {
        let span = Span {
            start: situation.span_of(open + 1).start,
            end: situation.span_of(open + names).end,
        };
        without_colon(situation.text(span), span)
    })
}
