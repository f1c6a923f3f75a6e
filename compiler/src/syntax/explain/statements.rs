//! Rules for statements and expressions.

use super::situation::{Situation, opened, words};
use crate::diagnostics::Diagnostic;
use crate::foreign::{self, reserved_elsewhere};
use crate::syntax::ast::Span;
use crate::syntax::lines::{indentation, is_first_on_line};
use crate::syntax::token::Token;

pub(super) fn empty_parentheses(situation: &Situation<'_, '_>) -> Option<Diagnostic> {
    let empty = situation.previous() == Some(Token::LeftParen)
        && situation.token() == Some(Token::RightParen);
    empty.then(|| {
        let open = situation.previous_span();
        let span = Span {
            start: open.start,
            end: situation.span().end,
        };
        Diagnostic::error("E0104", span, "nothing stands between the parentheses")
            .labelled("expected an expression in them")
            .helping("a message without arguments needs no parentheses; an empty array is `#()`")
    })
}

pub(super) fn period_in_parentheses(situation: &Situation<'_, '_>) -> Option<Diagnostic> {
    let inside = situation.innermost() == Some(Token::LeftParen)
        && situation.token() == Some(Token::Period)
        && situation.previous().is_some_and(Token::ends_operand);
    inside.then(|| {
        let diagnostic = situation
            .error("E0114", "a statement cannot end in parentheses")
            .labelled("expected `)`")
            .helping("several statements need a block: `[a. b] value`");
        opened(situation, diagnostic, "opened here")
    })
}

/// The diagnostic of a comment where an expression must stand, else `diagnostic`.
fn perhaps_comment(situation: &Situation<'_, '_>, diagnostic: Diagnostic) -> Diagnostic {
    let Some((span, text)) = situation.comment_behind() else {
        return diagnostic;
    };
    let is_short = text.len() <= 40 && !text.contains(['\n', '\'']);
    let text = if is_short { text } else { "text" };
    Diagnostic::error(
        diagnostic.code,
        span,
        "text in double quotes is a comment, not a string",
    )
    .labelled("no expression stands here")
    .helping(format!("a string has single quotes: `'{text}'`"))
}

pub(super) fn missing_after_caret(situation: &Situation<'_, '_>) -> Option<Diagnostic> {
    if situation.previous() != Some(Token::Caret) {
        return None;
    }
    let diagnostic = situation
        .missing_behind("E0107", "`^` without a value")
        .labelled("expected an expression behind it");
    Some(match situation.token() {
        Some(Token::Caret) => diagnostic.helping("one `^` is enough"),
        _ => perhaps_comment(
            situation,
            diagnostic.helping("to return the receiver write `^self`"),
        ),
    })
}

pub(super) fn missing_after_assign(situation: &Situation<'_, '_>) -> Option<Diagnostic> {
    (situation.previous() == Some(Token::Assign)).then(|| {
        let diagnostic = situation
            .missing_behind("E0112", "an assignment without a value")
            .labelled(format!(
                "expected an expression behind it, found {}",
                situation.found()
            ));
        perhaps_comment(situation, diagnostic)
    })
}

pub(super) fn missing_after_semicolon(situation: &Situation<'_, '_>) -> Option<Diagnostic> {
    (situation.previous() == Some(Token::Semicolon)).then(|| {
        situation
            .error("E0109", "a cascade without a message")
            .labelled(format!(
                "expected a message behind `;`, found {}",
                situation.found()
            ))
            .helping("a cascade is written `receiver first; second`")
    })
}

pub(super) fn missing_argument(situation: &Situation<'_, '_>) -> Option<Diagnostic> {
    let Some(Token::Keyword(keyword)) = situation.previous() else {
        return None;
    };
    let diagnostic = situation
        .missing_behind("E0105", format!("`{keyword}` without an argument"))
        .labelled(format!(
            "expected an argument behind it, found {}",
            situation.found()
        ));
    Some(match situation.token() {
        Some(Token::Keyword(name)) if keyword == "subclass:" => {
            let name = name.trim_end_matches(':');
            diagnostic.helping(format!(
                "the name of a class has no colon: `Object subclass: {name} [ … ]`"
            ))
        }
        Some(Token::Keyword(_)) => {
            diagnostic.helping("a symbol of several keywords is written `#at:put:`")
        }
        Some(Token::Caret) => diagnostic.helping("`^` begins a statement; remove it"),
        _ => perhaps_comment(situation, diagnostic),
    })
}

pub(super) fn missing_operand(situation: &Situation<'_, '_>) -> Option<Diagnostic> {
    let operator = situation.previous()?.operator()?;
    // A bar that closes temporaries or block arguments is no operator.
    if situation.expected.iter().any(|token| token == "\"^\"") {
        return None;
    }
    let diagnostic = situation
        .missing_behind("E0106", format!("`{operator}` without an argument"))
        .labelled(format!(
            "expected an expression behind it, found {}",
            situation.found()
        ));
    Some(match situation.token() {
        Some(Token::Assign) => diagnostic.helping("assignment is written `:=` alone"),
        Some(Token::Colon) if operator == "=" => {
            diagnostic.helping("an assignment is written `:=`")
        }
        _ => perhaps_comment(situation, diagnostic),
    })
}

/// The keyword that takes a block and the variable behind it, if these stand before an assignment.
fn argument<'t>(situation: &Situation<'t, '_>, before: usize) -> Option<(&'t str, &'t str)> {
    let keyword = situation.at(before.checked_sub(1)?)?;
    match (keyword, situation.previous()?) {
        (
            Token::Keyword(
                keyword @ ("whileTrue:" | "whileFalse:" | "ifTrue:" | "ifFalse:" | "timesRepeat:"),
            ),
            Token::Identifier(name),
        ) => Some((keyword, name)),
        _ => None,
    }
}

pub(super) fn assignment(situation: &Situation<'_, '_>) -> Option<Diagnostic> {
    if situation.token() != Some(Token::Assign) {
        return None;
    }
    let before = situation.index.checked_sub(1)?;
    let target = situation.span_of(before);
    let second = before > 0 && !situation.statement_starts_at(before);
    if matches!(situation.previous(), Some(Token::Identifier(_)))
        && second
        && situation.at(before - 1).is_some_and(Token::ends_operand)
    {
        let text = situation.text(target);
        let diagnostic = situation.error("E0111", "the target of an assignment is one variable");
        if matches!(situation.at(before - 1), Some(Token::Identifier("self"))) {
            return Some(
                diagnostic
                    .labelled(format!("`self {text}` is a message"))
                    .helping(format!(
                        "an instance variable is named alone: `{text} := …`"
                    )),
            );
        }
        let first = is_first_on_line(situation.source, target.start as usize);
        return Some(if first {
            missing_period(situation, before - 1, target)
        } else {
            diagnostic
                .showing(
                    situation.span_of(before - 1),
                    "this makes the target an expression",
                )
                .labelled("nothing but a variable can stand before `:=`")
                .helping(format!("is a period missing before `{text}`?"))
        });
    }
    let diagnostic = situation.error("E0111", "the target of an assignment is one variable");
    if let Some((keyword, name)) = argument(situation, before) {
        return Some(
            diagnostic
                .labelled("this assignment is an argument")
                .helping(format!("put it into a block: `{keyword} [ {name} := … ]`")),
        );
    }
    let wrong = situation.previous().map_or_else(
        || "nothing stands before `:=`".to_string(),
        |token| {
            format!(
                "{} cannot be assigned",
                words(token, situation.text(target))
            )
        },
    );
    Some(diagnostic.labelled(wrong).helping("to compare write `=`"))
}

pub(super) fn missing_period(situation: &Situation<'_, '_>, end: usize, next: Span) -> Diagnostic {
    Diagnostic::error(
        "E0113",
        situation.span_of(end),
        "a period is missing behind the statement",
    )
    .labelled("the statement ends here")
    .showing(next, "the next one begins here")
    .helping("statements are separated by `.`")
}

/// The point of `self.name`, if the last token is such a name.
fn point_before(situation: &Situation<'_, '_>) -> Option<Span> {
    let name = situation.previous_span();
    let before = situation.source.get(..name.start as usize)?;
    let path = before.strip_suffix('.')?;
    let is_name = matches!(situation.previous(), Some(Token::Identifier(_)));
    let is_path = path.ends_with(|last: char| last.is_alphanumeric() || last == '_');
    (is_name && is_path).then_some(Span {
        start: name.start - 1,
        end: name.start,
    })
}

pub(super) fn cascade(situation: &Situation<'_, '_>) -> Option<Diagnostic> {
    let is_semicolon = situation.token() == Some(Token::Semicolon);
    if let Some(point) = point_before(situation).filter(|_| is_semicolon) {
        let name = situation.text(situation.previous_span());
        return Some(
            Diagnostic::error("E0108", point, "this period ends the statement")
                .labelled("another statement begins behind it")
                .helping(format!(
                    "an instance variable is named alone: `{name}`; a message is sent with a blank"
                )),
        );
    }
    (situation.token() == Some(Token::Semicolon)).then(|| {
        situation
            .error("E0108", "a cascade needs a message before its first `;`")
            .labelled("no message was sent here whose receiver the cascade could use")
            .helping("a cascade is written `receiver first; second`")
    })
}

pub(super) fn stray_colon(situation: &Situation<'_, '_>) -> Option<Diagnostic> {
    (situation.token() == Some(Token::Colon)).then(|| {
        let diagnostic = situation
            .error("E0130", "`:` cannot stand here")
            .labelled("expected no colon");
        if let Some(mark) = question_mark(situation) {
            return Diagnostic::error("E0135", mark, "`? :` is not part of Smalltalk")
                .labelled("written as in another language")
                .helping("a value is chosen by `x > 3 ifTrue: [ … ] ifFalse: [ … ]`");
        }
        let next = situation.at(situation.index + 1);
        match situation.previous() {
            Some(Token::Identifier(_)) if next.and_then(Token::operator) == Some("=") => {
                diagnostic.helping("an assignment is written without a blank: `:=`")
            }
            Some(Token::Identifier(_)) => {
                diagnostic.helping("a keyword is written without a blank before its colon: `at:`")
            }
            _ if situation.innermost() == Some(Token::LeftBrace) => diagnostic.helping(
                "a dictionary is filled by messages: `d := Dictionary new. d at: 'a' put: 1`",
            ),
            _ => diagnostic.helping(
                "assignment is written `:=`; block arguments come first in the block: `[:a | … ]`",
            ),
        }
    })
}

/// Where the mark of `x = 3 ? 'a' : 'b'` stands.
fn question_mark(situation: &Situation<'_, '_>) -> Option<Span> {
    let mut before = situation.statement_start()..situation.index;
    let mark = before.find(|&index| situation.at(index) == Some(Token::Binary("?")))?;
    Some(situation.span_of(mark))
}

/// `x := -y`, `^-y`, `3 + -y`: a minus before something else than a number.
pub(super) fn negated(situation: &Situation<'_, '_>) -> Option<Diagnostic> {
    let next = situation.lexemes.get(situation.index + 1)?;
    let is_negated = situation.token()?.operator() == Some("-")
        && next.token.starts_operand()
        && next.span.start == situation.span().end
        && !situation.previous()?.ends_operand();
    is_negated.then(|| operator_first(situation)).flatten()
}

pub(super) fn operator_first(situation: &Situation<'_, '_>) -> Option<Diagnostic> {
    let operator = situation.token()?.operator()?;
    if let Some(diagnostic) = period_before(situation) {
        return Some(diagnostic);
    }
    let diagnostic = situation
        .error("E0128", format!("`{operator}` without a receiver"))
        .labelled("expected an expression before it");
    Some(match operator {
        "-" => diagnostic.helping("for a negative value write `0 - x` or `x negated`"),
        _ => diagnostic,
    })
}

/// `x > 3 ifTrue: [ … ]. ⏎ ifFalse: [ … ]`: a period before a line that goes on with a message. Such a line is indented
/// deeper than the one before, or begins like it.
fn period_before(situation: &Situation<'_, '_>) -> Option<Diagnostic> {
    let (token, span) = (situation.token()?, situation.span());
    let before = situation.source.get(..span.start as usize)?.trim_end();
    let start = before.strip_suffix('.')?.len() as u32;
    let period = Span {
        start,
        end: start + 1,
    };
    let line = &before[before.rfind('\n').map_or(0, |newline| newline + 1)..];
    let is_branch = |text: &str| text.starts_with("ifTrue:") || text.starts_with("ifFalse:");
    let word = situation.text(span);
    let begins = line.trim_start();
    let is_alike = match token.operator() {
        Some(_) => begins.starts_with(['+', '-', '*', '/', ',']),
        None => {
            is_branch(word)
                || begins
                    .split_once(' ')
                    .is_some_and(|(one, _)| one.ends_with(':'))
        }
    };
    let is_deeper =
        indentation(situation.source, span).len() > indentation(situation.source, period).len();
    let goes_on =
        is_first_on_line(situation.source, span.start as usize) && (is_deeper || is_alike);
    let code = match token.operator() {
        Some(_) => "E0128",
        None => "E0129",
    };
    goes_on.then(|| {
        Diagnostic::error(code, period, "this period ends the statement")
            .labelled("the message goes on in the next line")
            .showing(span, format!("`{word}` has no receiver"))
            .helping("remove the period")
    })
}

pub(super) fn keyword_first(situation: &Situation<'_, '_>) -> Option<Diagnostic> {
    let Some(Token::Keyword(keyword)) = situation.token() else {
        return None;
    };
    let word = keyword.trim_end_matches(':');
    if let Some(help) = foreign::control(word) {
        return Some(reserved_elsewhere(keyword, situation.span(), help));
    }
    if let Some(diagnostic) = period_before(situation) {
        return Some(diagnostic);
    }
    let next = situation.at(situation.index + 1);
    if next == Some(Token::Bar) && situation.previous() == Some(Token::LeftBracket) {
        let message = "the colon of a block's argument stands before it";
        return Some(
            situation
                .error("E0137", message)
                .labelled("read as a keyword")
                .helping(format!("write `[ :{word} | … ]`")),
        );
    }
    let named = match (keyword, next, situation.at(situation.index + 2)) {
        ("subclass:", Some(Token::Identifier(name)), _) => Some(("Object", name)),
        (_, Some(Token::Identifier("subclass")), Some(Token::Identifier(name))) => {
            Some((word, name))
        }
        _ => None,
    };
    if let Some((above, name)) = named {
        return Some(
            situation
                .error("E0133", "the head of a class is written otherwise")
                .labelled("expected the superclass, then `subclass:`")
                .helping(format!("write `{above} subclass: {name} [ … ]`")),
        );
    }
    Some(
        situation
            .error("E0129", format!("`{keyword}` without a receiver"))
            .labelled("expected an expression before it")
            .helping(format!(
                "to send it to the receiver itself write `self {keyword} …`"
            )),
    )
}

pub(super) fn two_expressions(situation: &Situation<'_, '_>) -> Option<Diagnostic> {
    let token = situation.token()?;
    let follows = situation.previous().is_some_and(Token::ends_operand)
        && (token.starts_operand() || token == Token::Caret);
    if !follows {
        return None;
    }
    let end = situation.index - 1;
    if let Some(diagnostic) = power(situation).or_else(|| two_apostrophes(situation)) {
        return Some(diagnostic);
    }
    let own_line = is_first_on_line(situation.source, situation.span().start as usize);
    let in_parentheses = situation.innermost() == Some(Token::LeftParen);
    if (own_line || token == Token::Caret) && !in_parentheses {
        return Some(missing_period(situation, end, situation.span()));
    }
    let unary = match situation.previous() {
        Some(Token::Identifier(word)) if end > 0 && !own_line => situation
            .at(end - 1)
            .is_some_and(Token::ends_operand)
            .then_some(word),
        _ => None,
    };
    let help = match unary {
        Some("_") => "an assignment is written `:=`".to_owned(),
        Some(word) => format!("a message with an argument has a colon: `{word}: …`"),
        None if in_parentheses => "is a selector or a keyword missing between them?".to_owned(),
        None => "is a period or a selector missing between them?".to_owned(),
    };
    Some(
        situation
            .error(
                "E0113",
                format!("{} follows another expression", situation.found()),
            )
            .labelled("expected a message or the end of the statement")
            .showing(situation.span_of(end), "an expression ends here")
            .helping(help),
    )
}

/// `y := x ^ 2`: spaced like an operator, before a number, where the value is used.
fn power(situation: &Situation<'_, '_>) -> Option<Diagnostic> {
    let (before, span) = (situation.previous_span(), situation.span());
    let next = situation.lexemes.get(situation.index + 1)?;
    let mut statement = situation.statement_start()..situation.index;
    let is_used = situation.innermost() == Some(Token::LeftParen)
        || statement.any(|at| matches!(situation.at(at), Some(Token::Assign | Token::Keyword(_))));
    let is_power = situation.token() == Some(Token::Caret)
        && is_used
        && matches!(next.token, Token::Number(_))
        && span.start - before.end == next.span.start.saturating_sub(span.end)
        && !is_first_on_line(situation.source, span.start as usize);
    is_power.then(|| {
        situation
            .error("E0113", "`^` is no operator")
            .labelled("it begins a statement that answers a value")
            .helping(format!(
                "a power is written `… raisedTo: {}`",
                situation.text(next.span)
            ))
    })
}

/// `'Tom's and Ann's cat'`: a name touches the string before it.
fn two_apostrophes(situation: &Situation<'_, '_>) -> Option<Diagnostic> {
    let Some(Token::String(_)) = situation.token() else {
        return None;
    };
    let start = situation.statement_start();
    let touches = |index: &usize| {
        matches!(situation.at(*index), Some(Token::String(_)))
            && matches!(situation.at(index + 1), Some(Token::Identifier(_)))
            && situation.span_of(*index).end == situation.span_of(index + 1).start
    };
    let string = (start..situation.index).find(touches)?;
    let end = situation.span_of(string).end;
    Some(
        Diagnostic::error(
            "E0001",
            Span {
                start: end - 1,
                end,
            },
            "a quote inside a string is written twice",
        )
        .labelled("this quote ends the string")
        .helping("write `''`, as in `'it''s'`"),
    )
}

/// `a. . b`, `[ . a ]`
pub(super) fn empty_statement(situation: &Situation<'_, '_>) -> Option<Diagnostic> {
    if situation.token() != Some(Token::Period) {
        return None;
    }
    let empty = match situation.previous() {
        None | Some(Token::Period | Token::LeftBracket) => true,
        // Behind temporaries and block arguments a statement can begin.
        Some(Token::Bar) => situation.expected.iter().any(|token| token == "\"^\""),
        _ => false,
    };
    empty.then(|| {
        situation
            .error("E0145", "a period without a statement before it")
            .labelled("expected a statement")
            .helping("remove the period")
    })
}
