//! Rules for definitions: headers, patterns, pragmas, temporaries, and the sides of a class.

use super::foreign;
use super::situation::Situation;
use crate::diagnostics::Diagnostic;
use crate::foreign as languages;
use crate::syntax::lines::is_first_on_line;
use crate::syntax::token::{Entry, Lexeme, Token, pattern_length};

/// Errors before the body of a method, and in class bodies' one-line members.
pub(super) fn header(situation: &Situation<'_, '_>) -> Option<Diagnostic> {
    let in_header = situation.enclosing.is_empty();
    match situation.entry {
        Entry::Method | Entry::Placed if in_header => {
            foreign::method(situation).or_else(|| Some(bad_pattern(situation)))
        }
        Entry::Browser if browser_header(situation) => Some(bad_pattern(situation)),
        Entry::ClassSide => Some(
            situation
                .error("E0132", format!("{} cannot stand here", situation.found()))
                .labelled("expected `| variables |`")
                .helping("the methods of the class side are written `Foo class >> name [ … ]`"),
        ),
        Entry::Variables if in_header => Some(
            situation
                .error(
                    "E0119",
                    format!("{} is not a variable's name", situation.found()),
                )
                .labelled("expected a name or `|`"),
        ),
        Entry::Pragma if in_header => Some(bad_pragma(situation)),
        _ => None,
    }
}

pub(super) fn browser_header(situation: &Situation<'_, '_>) -> bool {
    match pattern_length(situation.lexemes) {
        Some(length) => {
            // `foo: x bar: 3`: the pattern goes on where no statement can.
            situation.index < length
                || (situation.index <= length + 1
                    && matches!(situation.at(length), Some(Token::Keyword(_))))
        }
        None => true,
    }
}

pub(super) fn bad_pattern(situation: &Situation<'_, '_>) -> Diagnostic {
    let label = match situation.previous() {
        Some(Token::Keyword(keyword)) => {
            format!("expected the name of the argument of `{keyword}`")
        }
        Some(token) if token.operator().is_some() => "expected the argument's name".to_string(),
        Some(_) if situation.entry != Entry::Browser => "expected `[`".to_string(),
        Some(_) => "expected the next keyword or the method's body".to_string(),
        None => "expected a selector".to_string(),
    };
    let help = "a pattern is `name`, `+ argument` or `at: argument put: argument`";
    situation
        .error(
            "E0120",
            format!("{} cannot stand in a message pattern", situation.found()),
        )
        .labelled(label)
        .helping(help)
}

pub(super) fn bad_pragma(situation: &Situation<'_, '_>) -> Diagnostic {
    situation
        .error(
            "E0122",
            format!("{} cannot stand in a pragma", situation.found()),
        )
        .labelled("expected a literal or `>`")
        .helping("a pragma is written `<name>` or `<name: literal name: literal>`")
}

/// A pragma in a method, recognised by the `<` where a statement would begin.
pub(super) fn pragma(situation: &Situation<'_, '_>) -> Option<Diagnostic> {
    let before = &situation.lexemes[..situation.index];
    let is_part = |lexeme: &Lexeme<'_>| {
        matches!(lexeme.token, Token::Keyword(_)) || lexeme.token.ends_operand()
    };
    let less = before.iter().rposition(|lexeme| !is_part(lexeme))?;
    let starts = situation.at(less) == Some(Token::Less) && situation.statement_starts_at(less);
    starts.then(|| bad_pragma(situation))
}

/// `| a b := 3`: the bar that opened the names is where a statement would begin.
pub(super) fn temporaries(situation: &Situation<'_, '_>) -> Option<Diagnostic> {
    let before = &situation.lexemes[..situation.index];
    let bar = before
        .iter()
        .rposition(|lexeme| !matches!(lexeme.token, Token::Identifier(_)))?;
    let opens = situation.at(bar) == Some(Token::Bar)
        && situation.expected.iter().any(|token| token == "\"|\"")
        && situation.expected.len() <= 2;
    opens.then(|| {
        situation
            .error(
                "E0119",
                format!("{} is not a variable's name", situation.found()),
            )
            .labelled("expected a name or `|`")
            .showing(situation.span_of(bar), "the temporaries begin here")
            .helping("temporaries are written `| a b |`, their values assigned afterwards")
    })
}

/// `a foo. | b |`
pub(super) fn late_temporaries(situation: &Situation<'_, '_>) -> Option<Diagnostic> {
    let late =
        situation.token() == Some(Token::Bar) && situation.statement_starts_at(situation.index);
    late.then(|| {
        situation
            .error("E0128", "`|` without a receiver")
            .labelled("expected a statement")
            .helping("temporaries are declared once, before the first statement")
    })
}

pub(super) fn block_parameters(situation: &Situation<'_, '_>) -> Option<Diagnostic> {
    if situation.previous() == Some(Token::Colon) {
        return Some(
            situation
                .error(
                    "E0117",
                    format!("{} is not an argument's name", situation.found()),
                )
                .labelled("expected the name of the block's argument")
                .helping("block arguments are written `[:a :b | … ]`"),
        );
    }
    let mut start = situation.index;
    while start >= 2
        && matches!(situation.at(start - 1), Some(Token::Identifier(_)))
        && situation.at(start - 2) == Some(Token::Colon)
    {
        start -= 2;
    }
    let header = start < situation.index
        && start.checked_sub(1).and_then(|open| situation.at(open)) == Some(Token::LeftBracket);
    header.then(|| {
        situation
            .error("E0118", "`|` is missing behind the block's arguments")
            .labelled("expected `|`, `]` or another `:argument`")
            .helping("block arguments are written `[:a :b | … ]`")
    })
}

/// `Object subclass: 'A' [`, `Object subclass: B extends A [`, `Object subclass: A {`
fn class_head(situation: &Situation<'_, '_>) -> Option<Diagnostic> {
    let start = situation.statement_start();
    if situation.at(start + 1) != Some(Token::Keyword("subclass:")) || situation.index <= start + 2
    {
        return None;
    }
    let text = |index: usize| situation.text(situation.span_of(index));
    let (above, name) = (text(start), text(start + 2));
    let error = |index: usize, message: &str| {
        Diagnostic::error("E0133", situation.span_of(index), message.to_owned())
    };
    let is_name = matches!(situation.at(start + 2), Some(Token::Identifier(_)));
    if let Some(Token::String(quoted)) = situation.at(start + 2) {
        let name = quoted.trim_matches('\'');
        return Some(
            error(start + 2, "the name of a class has no quotes")
                .labelled("this is a string")
                .helping(format!("write `{above} subclass: {name} [ … ]`")),
        );
    }
    if !is_name {
        return None;
    }
    if situation.index == start + 3 {
        let is_other = matches!(situation.token(), Some(Token::LeftBrace | Token::LeftParen));
        return is_other.then(|| {
            error(
                situation.index,
                "the body of a class stands in square brackets",
            )
            .labelled("expected `[`")
            .helping(format!("write `{above} subclass: {name} [ … ]`"))
        });
    }
    let Some(Token::Identifier(word)) = situation.at(start + 3) else {
        return None;
    };
    if is_first_on_line(
        situation.source,
        situation.span_of(start + 3).start as usize,
    ) {
        return Some(
            error(start + 2, "the class has no body")
                .labelled("expected `[` behind this name")
                .helping(format!("write `{above} subclass: {name} [ … ]`")),
        );
    }
    let help = match (word, situation.at(start + 4)) {
        ("extends" | "inherits", Some(Token::Identifier(above))) => {
            format!("write `{above} subclass: {name} [ … ]`")
        }
        _ => format!("write `{above} subclass: {name} [ … ]`"),
    };
    Some(
        error(start + 3, "the name of a class is one word")
            .labelled("no definition has this word")
            .helping(help),
    )
}

/// `do: each [ each printNl ]`
fn argument_outside(situation: &Situation<'_, '_>) -> Option<Diagnostic> {
    let (Some(Token::Identifier(name)), Some(Token::Keyword(keyword))) = (
        situation.previous(),
        situation.at(situation.index.checked_sub(2)?),
    ) else {
        return None;
    };
    let behind = situation.lexemes.get(situation.index..)?;
    let is_argument = behind
        .iter()
        .take_while(|lexeme| lexeme.token != Token::RightBracket)
        .any(|lexeme| lexeme.token == Token::Identifier(name));
    is_argument.then(|| {
        let message = "a block's argument stands inside of the block";
        Diagnostic::error("E0137", situation.previous_span(), message)
            .labelled("read as a variable")
            .helping(format!("write `{keyword} [ :{name} | … ]`"))
    })
}

/// `[ … ] whileTrue [ … ]`, `Object subclass Dog [ … ]`, `Dog extends Object [ … ]`
fn missing_colon(situation: &Situation<'_, '_>) -> Option<Diagnostic> {
    let start = situation.statement_start();
    let words = (start..situation.index).map(|index| match situation.at(index) {
        Some(Token::Identifier(word)) => word,
        _ => "",
    });
    let words: Vec<&str> = words.collect();
    let (at, message, help) = match words[..] {
        [above, "subclass", name] if !above.is_empty() && !name.is_empty() => (
            start + 1,
            "a colon is missing behind `subclass`",
            format!("write `{above} subclass: {name} [ … ]`"),
        ),
        [name, "extends" | "inherits", above] if !above.is_empty() && !name.is_empty() => (
            start + 1,
            "a class is defined by `subclass:`",
            format!("write `{above} subclass: {name} [ … ]`"),
        ),
        [name, "extends"] if !name.is_empty() => (
            start + 1,
            "a class is extended by `extend`",
            format!("write `{name} extend [ … ]`, or `Object subclass: {name} [ … ]`"),
        ),
        [] | [_] => return None,
        [.., last @ ("else" | "elif" | "elsif")] => {
            let help = languages::statement(last)?;
            let span = situation.previous_span();
            return Some(languages::reserved_elsewhere(last, span, help));
        }
        [.., last] if last.is_empty() || languages::statement(last).is_some() => return None,
        [.., last] => {
            let at = situation.index - 1;
            let is_message = situation.at(at - 1).is_some_and(Token::ends_operand);
            let message = "a colon is missing before the argument";
            return is_message.then(|| {
                Diagnostic::error("E0113", situation.span_of(at), message)
                    .labelled("a message with an argument ends with a colon")
                    .helping(format!("write `{last}: [ … ]`"))
            });
        }
    };
    Some(
        Diagnostic::error("E0133", situation.span_of(at), message)
            .labelled("no definition has this word")
            .helping(help),
    )
}

/// `Foo extends [`: at the top level an expression is never followed by a bracket.
pub(super) fn definition(situation: &Situation<'_, '_>) -> Option<Diagnostic> {
    let applies = situation.entry == Entry::Sequence
        && situation.enclosing.is_empty()
        && situation.token() == Some(Token::LeftBracket)
        && situation.previous().is_some_and(Token::ends_operand);
    if situation.entry == Entry::Sequence && situation.enclosing.is_empty() {
        let opens = matches!(
            situation.token(),
            Some(Token::LeftBracket | Token::LeftBrace | Token::LeftParen)
        );
        if let Some(diagnostic) = opens.then(|| class_head(situation)).flatten() {
            return Some(diagnostic);
        }
    }
    if let Some(diagnostic) = applies.then(|| argument_outside(situation)).flatten() {
        return Some(diagnostic);
    }
    if let Some(diagnostic) = applies.then(|| missing_colon(situation)).flatten() {
        return Some(diagnostic);
    }
    applies.then(|| {
        situation
            .error("E0133", "this is not the head of a definition")
            .labelled("no body can follow here")
            .noting(
                "definitions are `Super subclass: Name [ … ]`, `Name extend [ … ]`, \
                 `Name class extend [ … ]`, `Name >> pattern [ … ]`, \
                 `Name class >> pattern [ … ]` and `Eval [ … ]`",
            )
            .helping("for a block as argument a keyword is missing, for a new statement a period")
    })
}

pub(super) fn stray_separator(situation: &Situation<'_, '_>) -> Option<Diagnostic> {
    (situation.token() == Some(Token::Separator)).then(|| {
        situation
            .error("E0142", "the class side begins inside a method")
            .labelled("expected `)` before this")
            .helping("`----` stands between methods; is a `)` missing above?")
    })
}

pub(super) fn foreign_bracket(situation: &Situation<'_, '_>) -> Option<Diagnostic> {
    let (bracket, help) = match situation.token()? {
        Token::LeftBrace => (
            "{",
            "an array of computed elements is made by `Array with: …`",
        ),
        Token::HashBracket => ("#[", "a literal array is written `#( … )`"),
        Token::HashBrace => ("#{", "a global is mentioned by its name"),
        _ => return None,
    };
    Some(
        situation
            .error("E0014", format!("SOM has no `{bracket}`"))
            .labelled("not part of the language")
            .helping(help),
    )
}
