//! Words for a syntax error. The generated parser knows only the wrong token and the tokens that it would have
//! accepted.
//!
//! Each rule recognises one kind of mistake from the tokens around the error. The first rule that applies writes the
//! message. The last rule names the token and the expected tokens.

use super::brackets::spelling;
use super::lines::is_first_on_line;
use super::token::{Entry, Lexeme, Token, pattern_length};
use crate::diagnostics::{Diagnostic, alternatives};
use crate::syntax::ast::Span;

/// The place of a syntax error and its surroundings.
pub(crate) struct Situation<'s, 't> {
    source: &'t str,
    entry: Entry,
    lexemes: &'t [Lexeme<'s>],
    index: usize,
    expected: Vec<String>,
    /// The indices of the brackets that are open at the error, the innermost last.
    pub(crate) enclosing: Vec<usize>,
}

/// Answers a diagnostic if it recognises the mistake.
type Rule = fn(&Situation<'_, '_>) -> Option<Diagnostic>;

/// From the most specific to the most general.
const RULES: &[Rule] = &[
    literal_array,
    byte_array,
    binding,
    header,
    pragma,
    temporaries,
    block_parameters,
    empty_parentheses,
    period_in_parentheses,
    missing_after_caret,
    missing_after_assign,
    missing_after_semicolon,
    missing_argument,
    missing_operand,
    assignment,
    cascade,
    definition,
    stray_colon,
    operator_first,
    keyword_first,
    two_expressions,
];

/// The same for SOM. SOM has no pragmas, cascades or brace arrays, and more rules for its statements.
const SOM_RULES: &[Rule] = &[
    foreign_bracket,
    som_literal_array,
    empty_statement,
    temporaries,
    block_parameters,
    empty_parentheses,
    period_in_parentheses,
    missing_after_caret,
    missing_after_assign,
    missing_argument,
    missing_operand,
    assignment,
    late_temporaries,
    stray_separator,
    stray_colon,
    operator_first,
    keyword_first,
    two_expressions,
];

/// The diagnostic for a syntax error.
pub(crate) fn explain(situation: &Situation<'_, '_>) -> Diagnostic {
    let rules = match situation.entry {
        Entry::SomBody => SOM_RULES,
        _ => RULES,
    };
    rules
        .iter()
        .find_map(|rule| rule(situation))
        .unwrap_or_else(|| unexpected(situation))
}

/// Whether the innermost of the open brackets holds literals only.
pub(crate) fn in_literal(lexemes: &[Lexeme<'_>], enclosing: &[usize]) -> bool {
    // Inside `#(`, plain brackets nest arrays; a block or a brace array cannot stand there.
    enclosing
        .iter()
        .rev()
        .find(|open| !matches!(lexemes[**open].token, Token::LeftParen | Token::LeftBracket))
        .is_some_and(|open| matches!(lexemes[*open].token, Token::HashParen | Token::HashBracket))
}

impl<'s, 't> Situation<'s, 't> {
    pub(crate) fn new(
        source: &'t str,
        entry: Entry,
        lexemes: &'t [Lexeme<'s>],
        index: usize,
        expected: Vec<String>,
    ) -> Situation<'s, 't> {
        let mut enclosing = Vec::new();
        for (position, lexeme) in lexemes[..index].iter().enumerate() {
            if lexeme.token.closer().is_some() {
                enclosing.push(position);
            } else if lexeme.token.is_closer() {
                enclosing.pop();
            }
        }
        Situation {
            source,
            entry,
            lexemes,
            index,
            expected,
            enclosing,
        }
    }

    /// Whether the error follows from one that was reported already.
    pub(crate) fn is_consequence(&self) -> bool {
        let mended = |index: usize| {
            self.lexemes
                .get(index)
                .is_some_and(|lexeme| lexeme.synthetic)
        };
        mended(self.index)
            || self.token() == Some(Token::Erroneous)
            || (self.index > 0 && mended(self.index - 1))
    }

    fn at(&self, index: usize) -> Option<Token<'s>> {
        self.lexemes.get(index).map(|lexeme| lexeme.token)
    }

    fn token(&self) -> Option<Token<'s>> {
        self.at(self.index)
    }

    fn previous(&self) -> Option<Token<'s>> {
        self.at(self.index.checked_sub(1)?)
    }

    fn innermost(&self) -> Option<Token<'s>> {
        self.at(*self.enclosing.last()?)
    }

    fn span(&self) -> Span {
        match self.lexemes.get(self.index) {
            Some(lexeme) => lexeme.span,
            None => {
                let end = self.lexemes.last().map_or(0, |lexeme| lexeme.span.end);
                Span { start: end, end }
            }
        }
    }

    fn span_of(&self, index: usize) -> Span {
        self.lexemes
            .get(index)
            .map_or_else(|| self.span(), |lexeme| lexeme.span)
    }

    fn previous_span(&self) -> Span {
        self.span_of(self.index.saturating_sub(1))
    }

    fn text(&self, span: Span) -> &'t str {
        self.source
            .get(span.start as usize..span.end as usize)
            .unwrap_or("")
    }

    /// The token of the error in words.
    fn found(&self) -> String {
        self.token().map_or_else(
            || self.end_in_words(),
            |token| words(token, self.text(self.span())),
        )
    }

    fn end_in_words(&self) -> String {
        match self.token_behind_unit() {
            Some(Token::Bang(_)) => "`!`".to_string(),
            _ => match self.entry {
                Entry::Sequence => "the end of the statement".to_string(),
                Entry::SomBody => "the end of the method".to_string(),
                Entry::ClassVariable => "the end of the class variable".to_string(),
                _ => "the end of the text".to_string(),
            },
        }
    }

    fn token_behind_unit(&self) -> Option<Token<'s>> {
        let rest = self.source.get(self.span().end as usize..)?.trim_start();
        rest.starts_with('!').then_some(Token::Bang("!"))
    }

    /// Whether the tokens from `start` to the error are inside a statement that begins at `start`.
    fn statement_starts_at(&self, index: usize) -> bool {
        match index.checked_sub(1).and_then(|before| self.at(before)) {
            None => true,
            Some(token) => matches!(
                token,
                Token::Period
                    | Token::Caret
                    | Token::LeftBracket
                    | Token::LeftBrace
                    | Token::Bar
                    | Token::DoubleBar
                    | Token::Greater
            ),
        }
    }

    fn error(&self, code: &'static str, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(code, self.span(), message)
    }

    /// An error at the token that something is missing behind.
    fn missing_behind(&self, code: &'static str, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(code, self.previous_span(), message)
    }
}

fn words(token: Token<'_>, text: &str) -> String {
    match token {
        Token::String(_) => "a string".to_string(),
        Token::Number(_) => "a number".to_string(),
        Token::Character(_) => "a character".to_string(),
        Token::Symbol(_) => "a symbol".to_string(),
        _ => format!("`{text}`"),
    }
}

fn literal_array(situation: &Situation<'_, '_>) -> Option<Diagnostic> {
    let inside = in_literal(situation.lexemes, &situation.enclosing);
    if !inside
        || !matches!(
            situation.innermost(),
            Some(Token::HashParen | Token::LeftParen)
        )
    {
        return None;
    }
    let help = match situation.token() {
        Some(Token::Period | Token::Semicolon) => "elements are separated by blanks",
        _ => "an array of computed elements is written `{ a. b }`",
    };
    let found = situation.found();
    let diagnostic = situation
        .error("E0115", format!("{found} cannot stand in a literal array"))
        .labelled("expected a literal or `)`")
        .helping(help);
    Some(opened(
        situation,
        diagnostic,
        "the literal array begins here",
    ))
}

fn opened(situation: &Situation<'_, '_>, diagnostic: Diagnostic, label: &str) -> Diagnostic {
    match situation.enclosing.last() {
        Some(open) => diagnostic.showing(situation.span_of(*open), label),
        None => diagnostic,
    }
}

fn byte_array(situation: &Situation<'_, '_>) -> Option<Diagnostic> {
    let inside = in_literal(situation.lexemes, &situation.enclosing);
    if !inside
        || !matches!(
            situation.innermost(),
            Some(Token::HashBracket | Token::LeftBracket)
        )
    {
        return None;
    }
    let found = situation.found();
    let diagnostic = situation
        .error("E0116", format!("{found} cannot stand in a byte array"))
        .labelled("an element of a byte array is an integer from 0 to 255");
    Some(opened(situation, diagnostic, "the byte array begins here"))
}

fn binding(situation: &Situation<'_, '_>) -> Option<Diagnostic> {
    if situation.innermost() != Some(Token::HashBrace) {
        return None;
    }
    Some(
        situation
            .error("E0127", "a binding names one variable")
            .labelled("expected a name, then `}`")
            .helping("write `#{Foo}`"),
    )
}

/// Errors before the body of a method, and in class bodies' one-line members.
fn header(situation: &Situation<'_, '_>) -> Option<Diagnostic> {
    let in_header = situation.enclosing.is_empty();
    match situation.entry {
        Entry::Method | Entry::Placed if in_header => Some(bad_pattern(situation)),
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

fn browser_header(situation: &Situation<'_, '_>) -> bool {
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

fn bad_pattern(situation: &Situation<'_, '_>) -> Diagnostic {
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

fn bad_pragma(situation: &Situation<'_, '_>) -> Diagnostic {
    situation
        .error(
            "E0122",
            format!("{} cannot stand in a pragma", situation.found()),
        )
        .labelled("expected a literal or `>`")
        .helping("a pragma is written `<name>` or `<name: literal name: literal>`")
}

/// A pragma in a method, recognised by the `<` where a statement would begin.
fn pragma(situation: &Situation<'_, '_>) -> Option<Diagnostic> {
    let before = &situation.lexemes[..situation.index];
    let is_part = |lexeme: &Lexeme<'_>| {
        matches!(lexeme.token, Token::Keyword(_)) || lexeme.token.ends_operand()
    };
    let less = before.iter().rposition(|lexeme| !is_part(lexeme))?;
    let starts = situation.at(less) == Some(Token::Less) && situation.statement_starts_at(less);
    starts.then(|| bad_pragma(situation))
}

/// `| a b := 3`: the bar that opened the names is where a statement would begin.
fn temporaries(situation: &Situation<'_, '_>) -> Option<Diagnostic> {
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

fn block_parameters(situation: &Situation<'_, '_>) -> Option<Diagnostic> {
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

fn empty_parentheses(situation: &Situation<'_, '_>) -> Option<Diagnostic> {
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

fn period_in_parentheses(situation: &Situation<'_, '_>) -> Option<Diagnostic> {
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

fn missing_after_caret(situation: &Situation<'_, '_>) -> Option<Diagnostic> {
    if situation.previous() != Some(Token::Caret) {
        return None;
    }
    let diagnostic = situation
        .missing_behind("E0107", "`^` without a value")
        .labelled("expected an expression behind it");
    Some(match situation.token() {
        Some(Token::Caret) => diagnostic.helping("one `^` is enough"),
        _ => diagnostic.helping("to return the receiver write `^self`"),
    })
}

fn missing_after_assign(situation: &Situation<'_, '_>) -> Option<Diagnostic> {
    (situation.previous() == Some(Token::Assign)).then(|| {
        situation
            .missing_behind("E0112", "an assignment without a value")
            .labelled(format!(
                "expected an expression behind it, found {}",
                situation.found()
            ))
    })
}

fn missing_after_semicolon(situation: &Situation<'_, '_>) -> Option<Diagnostic> {
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

fn missing_argument(situation: &Situation<'_, '_>) -> Option<Diagnostic> {
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
        Some(Token::Keyword(_)) => {
            diagnostic.helping("a symbol of several keywords is written `#at:put:`")
        }
        Some(Token::Caret) => diagnostic.helping("`^` begins a statement; remove it"),
        _ => diagnostic,
    })
}

fn missing_operand(situation: &Situation<'_, '_>) -> Option<Diagnostic> {
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
        _ => diagnostic,
    })
}

fn assignment(situation: &Situation<'_, '_>) -> Option<Diagnostic> {
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

fn missing_period(situation: &Situation<'_, '_>, end: usize, next: Span) -> Diagnostic {
    Diagnostic::error(
        "E0113",
        situation.span_of(end),
        "a period is missing behind the statement",
    )
    .labelled("the statement ends here")
    .showing(next, "the next one begins here")
    .helping("statements are separated by `.`")
}

fn cascade(situation: &Situation<'_, '_>) -> Option<Diagnostic> {
    (situation.token() == Some(Token::Semicolon)).then(|| {
        situation
            .error("E0108", "a cascade needs a message before its first `;`")
            .labelled("no message was sent here whose receiver the cascade could use")
            .helping("a cascade is written `receiver first; second`")
    })
}

/// `Foo extends [`: at the top level an expression is never followed by a bracket.
fn definition(situation: &Situation<'_, '_>) -> Option<Diagnostic> {
    let applies = situation.entry == Entry::Sequence
        && situation.enclosing.is_empty()
        && situation.token() == Some(Token::LeftBracket)
        && situation.previous().is_some_and(Token::ends_operand);
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

fn stray_colon(situation: &Situation<'_, '_>) -> Option<Diagnostic> {
    (situation.token() == Some(Token::Colon)).then(|| {
        let diagnostic = situation
            .error("E0130", "`:` cannot stand here")
            .labelled("expected no colon");
        match situation.previous() {
            Some(Token::Identifier(_)) => {
                diagnostic.helping("a keyword is written without a blank before its colon: `at:`")
            }
            _ => diagnostic.helping(
                "assignment is written `:=`; block arguments come first in the block: `[:a | … ]`",
            ),
        }
    })
}

fn operator_first(situation: &Situation<'_, '_>) -> Option<Diagnostic> {
    let operator = situation.token()?.operator()?;
    let diagnostic = situation
        .error("E0128", format!("`{operator}` without a receiver"))
        .labelled("expected an expression before it");
    Some(match operator {
        "-" => diagnostic.helping("for a negative value write `0 - x` or `x negated`"),
        _ => diagnostic,
    })
}

fn keyword_first(situation: &Situation<'_, '_>) -> Option<Diagnostic> {
    let Some(Token::Keyword(keyword)) = situation.token() else {
        return None;
    };
    Some(
        situation
            .error("E0129", format!("`{keyword}` without a receiver"))
            .labelled("expected an expression before it")
            .helping(format!(
                "to send it to the receiver itself write `self {keyword} …`"
            )),
    )
}

fn two_expressions(situation: &Situation<'_, '_>) -> Option<Diagnostic> {
    let token = situation.token()?;
    let follows = situation.previous().is_some_and(Token::ends_operand)
        && (token.starts_operand() || token == Token::Caret);
    if !follows {
        return None;
    }
    let end = situation.index - 1;
    let own_line = is_first_on_line(situation.source, situation.span().start as usize);
    let in_parentheses = situation.innermost() == Some(Token::LeftParen);
    if (own_line || token == Token::Caret) && !in_parentheses {
        return Some(missing_period(situation, end, situation.span()));
    }
    let help = if in_parentheses {
        "is a selector or a keyword missing between them?"
    } else {
        "is a period or a selector missing between them?"
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

fn som_literal_array(situation: &Situation<'_, '_>) -> Option<Diagnostic> {
    if situation.innermost() != Some(Token::HashParen) {
        return None;
    }
    let help = match situation.token() {
        Some(Token::Period) => "elements are separated by blanks",
        Some(Token::LeftParen) => "an array in an array is written with its hash: `#( #(1) )`",
        _ => "an array of computed elements is made by `Array with: …`",
    };
    let found = situation.found();
    let diagnostic = situation
        .error("E0115", format!("{found} cannot stand in a literal array"))
        .labelled("expected a literal or `)`")
        .helping(help);
    Some(opened(
        situation,
        diagnostic,
        "the literal array begins here",
    ))
}

fn foreign_bracket(situation: &Situation<'_, '_>) -> Option<Diagnostic> {
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

/// `a. . b`, `[ . a ]`
fn empty_statement(situation: &Situation<'_, '_>) -> Option<Diagnostic> {
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

/// `a foo. | b |`
fn late_temporaries(situation: &Situation<'_, '_>) -> Option<Diagnostic> {
    let late =
        situation.token() == Some(Token::Bar) && situation.statement_starts_at(situation.index);
    late.then(|| {
        situation
            .error("E0128", "`|` without a receiver")
            .labelled("expected a statement")
            .helping("temporaries are declared once, before the first statement")
    })
}

fn stray_separator(situation: &Situation<'_, '_>) -> Option<Diagnostic> {
    (situation.token() == Some(Token::Separator)).then(|| {
        situation
            .error("E0142", "the class side begins inside a method")
            .labelled("expected `)` before this")
            .helping("`----` stands between methods; is a `)` missing above?")
    })
}

fn unexpected(situation: &Situation<'_, '_>) -> Diagnostic {
    let expected = expectations(&situation.expected);
    let diagnostic = situation.error("E0199", format!("{} cannot stand here", situation.found()));
    let label = if expected.is_empty() {
        String::new()
    } else {
        format!("expected {}", alternatives(&expected))
    };
    let diagnostic = diagnostic.labelled(label);
    match situation.innermost() {
        Some(open) => opened(
            situation,
            diagnostic,
            &format!("in this `{}`", spelling(open)),
        ),
        None => diagnostic,
    }
}

/// The accepted tokens in words that a reader knows, with the many beginnings of an expression as one.
fn expectations(tokens: &[String]) -> Vec<String> {
    let accepts = |token: &str| tokens.iter().any(|t| t.trim_matches('"') == token);
    let mut words = Vec::new();
    if accepts("number") && accepts("identifier") {
        words.push("an expression".to_string());
    } else if accepts("number") {
        words.push("a literal".to_string());
    } else if accepts("keyword") {
        words.push("a message".to_string());
    } else if accepts("identifier") {
        words.push("a name".to_string());
    }
    for closing in [")", "]", "}", "|", ".", ":="] {
        if accepts(closing) && words.len() < 4 {
            words.push(format!("`{closing}`"));
        }
    }
    words
}
