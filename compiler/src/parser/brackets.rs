//! Every bracket gets its partner before anything else is read.
//!
//! What is unbalanced is reported once, here, and mended with synthetic tokens, so that the stages behind
//! may rely on balanced brackets and need no second opinion on where a body ends.

use crate::ast::Span;
use crate::bounds::keep;
use crate::diagnostic::Diagnostic;
use crate::lexer::{Lexed, Lexeme, Token};

use super::outline;
use crate::som;

/// How deep brackets may nest, so that every walk of a tree may recurse.
pub const MOST_NESTING: usize = 500;

/// How many tokens a decision about a wrong closing bracket may look ahead.
const LOOKAHEAD: usize = 200;

/// Tokens with balanced brackets.
#[derive(Debug, Default)]
pub(crate) struct Balanced<'s> {
    pub(crate) lexemes: Vec<Lexeme<'s>>,
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// Whether a bracket was open where the text ends.
    pub(crate) open_at_end: bool,
}

/// Mends the brackets. The error is the one diagnostic of a text that nests too deeply to be read at all.
pub(crate) fn balance<'s>(
    source: &str,
    lexed: &Lexed<'s>,
) -> Result<Balanced<'s>, Box<Diagnostic>> {
    mend(source, lexed, Layout::Script)
}

/// As [`balance`], for the text of a SOM class. Statements can look like methods there, so that methods
/// show where a bracket is missing only if one is.
pub(crate) fn balance_class<'s>(
    source: &str,
    lexed: &Lexed<'s>,
) -> Result<Balanced<'s>, Box<Diagnostic>> {
    let layout = if is_balanced(&lexed.lexemes) {
        Layout::BalancedClass
    } else {
        Layout::Class { column: None }
    };
    mend(source, lexed, layout)
}

fn is_balanced(lexemes: &[Lexeme<'_>]) -> bool {
    let mut stack = Vec::new();
    for lexeme in lexemes {
        if let Some(closer) = lexeme.token.closer() {
            stack.push(closer);
        } else if lexeme.token.is_closer() && stack.pop() != Some(lexeme.token) {
            return false;
        }
    }
    stack.is_empty()
}

fn mend<'s>(
    source: &str,
    lexed: &Lexed<'s>,
    layout: Layout,
) -> Result<Balanced<'s>, Box<Diagnostic>> {
    let mut mender = Mender {
        source,
        lexemes: &lexed.lexemes,
        truncated: lexed.truncated,
        layout,
        stack: Vec::new(),
        class_body: None,
        suspect: None,
        balanced: Balanced::default(),
    };
    mender.balanced.lexemes.reserve(lexed.lexemes.len());
    for index in 0..lexed.lexemes.len() {
        mender.close_before_definition(index);
        mender.take(index)?;
    }
    mender.balanced.open_at_end = !mender.stack.is_empty();
    mender.close_down_to(0, source.len() as u32, "the text ends here");
    Ok(mender.balanced)
}

/// For each token the index of its partner, if it is a bracket. The brackets are balanced.
pub(crate) fn partners(lexemes: &[Lexeme<'_>]) -> Vec<usize> {
    let mut partners = vec![0; lexemes.len()];
    let mut stack = Vec::new();
    for (index, lexeme) in lexemes.iter().enumerate() {
        if lexeme.token.closer().is_some() {
            stack.push(index);
        } else if lexeme.token.is_closer()
            && let Some(opener) = stack.pop()
        {
            partners[opener] = index;
            partners[index] = opener;
        }
    }
    partners
}

/// How a bracket is spelled.
pub(crate) fn spelling(token: Token<'_>) -> &'static str {
    match token {
        Token::LeftParen => "(",
        Token::HashParen => "#(",
        Token::LeftBracket => "[",
        Token::HashBracket => "#[",
        Token::LeftBrace => "{",
        Token::HashBrace => "#{",
        Token::RightParen => ")",
        Token::RightBracket => "]",
        _ => "}",
    }
}

/// An open bracket.
#[derive(Clone, Copy)]
struct Open<'s> {
    lexeme: Lexeme<'s>,
    /// The place among the balanced tokens of the first period directly inside: parentheses that are
    /// never closed are taken to end there.
    period: Option<usize>,
}

impl Open<'_> {
    fn spelling(&self) -> &'static str {
        spelling(self.lexeme.token)
    }

    fn wanted(&self) -> &'static str {
        self.lexeme.token.closer().map_or("", spelling)
    }

    fn closed_by(&self, closer: Token<'_>) -> bool {
        self.lexeme.token.closer() == Some(closer)
    }
}

/// What the brackets of a text stand for, and so where a missing one shows.
#[derive(Clone, Copy)]
enum Layout {
    /// Definitions and methods have square brackets; they begin at the beginnings of lines.
    Script,
    /// Class and methods have parentheses, and no bracket is missing.
    BalancedClass,
    /// Class and methods have parentheses; methods are indented by as much as the first one, if one was
    /// seen.
    Class { column: Option<usize> },
}

struct Mender<'s, 't> {
    source: &'t str,
    lexemes: &'t [Lexeme<'s>],
    truncated: bool,
    layout: Layout,
    stack: Vec<Open<'s>>,
    /// The index of the bracket that opens the class body which is, or is about to be, open.
    class_body: Option<usize>,
    /// The first bracket of several lines whose partner is indented differently: if a bracket is missing
    /// at the end, it is probably this one's.
    suspect: Option<(Span, Span)>,
    balanced: Balanced<'s>,
}

impl<'s> Mender<'s, '_> {
    /// A definition at the first column cannot be inside brackets, nor can a line of a class body that
    /// begins with a method's pattern and a bracket be inside another method.
    fn close_before_definition(&mut self, index: usize) {
        match self.layout {
            Layout::Script => {}
            Layout::BalancedClass => return,
            Layout::Class { column } => return self.close_before_som_method(index, column),
        }
        let rest = &self.lexemes[index..];
        let at = self.lexemes[index].span.start;
        if !self.stack.is_empty() && self.is_behind_definition(at as usize, rest) {
            self.close_down_to(0, at, "a definition begins here");
        }
        if self.stack.is_empty() {
            // Between a header's first token and its bracket nothing is open either.
            if self.class_body.is_some_and(|opener| index <= opener) {
                return;
            }
            self.class_body = outline::class_body_opener(rest).map(|offset| index + offset);
        } else if self.stack.len() > 1 && self.is_behind_method(at as usize, rest) {
            self.close_down_to(1, at, "another method begins here");
        }
    }

    /// In a SOM class that lacks brackets: a method begins as far from the left as the first one did.
    fn close_before_som_method(&mut self, index: usize, column: Option<usize>) {
        let lexeme = self.lexemes[index];
        let at = lexeme.span.start;
        let is_inside = self.stack.len() > 1;
        if lexeme.token == Token::Separator && is_inside {
            return self.close_down_to(1, at, "the class side begins here");
        }
        let is_method = !self.stack.is_empty()
            && outline::is_first_on_line(self.source, at as usize)
            && som::opens_method(&self.lexemes[index..]);
        if !is_method {
            return;
        }
        let own = self.indentation(lexeme.span).len();
        if !is_inside {
            let column = column.or(Some(own));
            self.layout = Layout::Class { column };
        } else if column.is_some_and(|column| own <= column) {
            self.close_down_to(1, at, "another method begins here");
        }
    }

    fn is_behind_definition(&self, at: usize, rest: &[Lexeme<'_>]) -> bool {
        outline::starts_line(self.source, at)
            && if self.class_body.is_some() {
                outline::class_body_opener(rest).is_some()
            } else {
                outline::opens_definition(rest)
            }
    }

    fn is_behind_method(&self, at: usize, rest: &[Lexeme<'_>]) -> bool {
        let literal = |open: &Open<'_>| {
            matches!(
                open.lexeme.token,
                Token::HashParen | Token::HashBracket | Token::HashBrace
            )
        };
        self.class_body.is_some()
            && outline::opens_method(rest)
            && outline::is_first_on_line(self.source, at)
            && !self.stack.iter().any(literal)
    }

    fn take(&mut self, index: usize) -> Result<(), Box<Diagnostic>> {
        let lexeme = self.lexemes[index];
        if lexeme.token.closer().is_some() {
            if self.stack.len() == MOST_NESTING {
                return Err(Box::new(too_nested(lexeme.span, MOST_NESTING)));
            }
            self.stack.push(Open {
                lexeme,
                period: None,
            });
        } else if lexeme.token.is_closer() {
            self.close(index);
            return Ok(());
        } else if lexeme.token == Token::Period {
            let place = self.balanced.lexemes.len();
            if let Some(open) = self.stack.last_mut() {
                open.period = open.period.or(Some(place));
            }
        }
        self.balanced.lexemes.push(lexeme);
        Ok(())
    }

    /// Closes the nearest bracket that the closer at `index` fits, and all in between. One that fits none
    /// is either too many or of the wrong kind.
    fn close(&mut self, index: usize) {
        let closer = self.lexemes[index];
        let Some(depth) = self
            .stack
            .iter()
            .rposition(|open| open.closed_by(closer.token))
        else {
            return match self.stack.last().copied() {
                Some(open) if !self.is_closed_later(open, index + 1) => {
                    self.stack.pop();
                    self.wrong_kind(open, closer);
                    self.insert_closer(open, closer.span.start);
                }
                _ => self.stray(closer),
            };
        };
        while self.stack.len() > depth + 1 {
            if let Some(open) = self.stack.pop() {
                self.missing(open, closer);
                self.insert_closer(open, closer.span.start);
            }
        }
        if let Some(open) = self.stack.pop() {
            self.compare_indentation(open.lexeme.span, closer.span);
        }
        self.balanced.lexemes.push(closer);
    }

    /// Whether the tokens from `index` close `open` before the statement ends.
    fn is_closed_later(&self, open: Open<'_>, index: usize) -> bool {
        let mut depth = 0_usize;
        for lexeme in self.lexemes[index..].iter().take(LOOKAHEAD) {
            let token = lexeme.token;
            if depth == 0 && (token == Token::Period || token.is_closer()) {
                return open.closed_by(token);
            }
            if token.closer().is_some() {
                depth += 1;
            } else if token.is_closer() {
                depth -= 1;
            }
        }
        false
    }

    fn stray(&mut self, closer: Lexeme<'s>) {
        let spelled = spelling(closer.token);
        let mut diagnostic =
            Diagnostic::error("E0102", closer.span, format!("`{spelled}` closes nothing"))
                .labelled("no bracket is open that this could close");
        if let Some(open) = self.stack.last() {
            let label = format!("the innermost open bracket is this `{}`", open.spelling());
            diagnostic = diagnostic.showing(open.lexeme.span, label);
        }
        let diagnostic = diagnostic.helping(format!("remove the `{spelled}`"));
        keep(&mut self.balanced.diagnostics, diagnostic);
    }

    fn mismatch(open: Open<'_>, closer: Lexeme<'_>) -> Diagnostic {
        let message = format!(
            "`{}` does not close `{}`",
            spelling(closer.token),
            open.spelling()
        );
        Diagnostic::error("E0103", closer.span, message).showing(
            open.lexeme.span,
            format!("this `{}` is still open", open.spelling()),
        )
    }

    fn missing(&mut self, open: Open<'_>, closer: Lexeme<'_>) {
        let label = format!("`{}` is missing before this", open.wanted());
        let diagnostic = Self::mismatch(open, closer).labelled(label);
        keep(&mut self.balanced.diagnostics, diagnostic);
    }

    fn wrong_kind(&mut self, open: Open<'_>, closer: Lexeme<'_>) {
        let label = format!("expected `{}`", open.wanted());
        let diagnostic = Self::mismatch(open, closer).labelled(label);
        keep(&mut self.balanced.diagnostics, diagnostic);
    }

    fn insert_closer(&mut self, open: Open<'s>, at: u32) {
        let Some(token) = open.lexeme.token.closer() else {
            return;
        };
        // A class and its methods have parentheses that statements stand in.
        let holds_statements = !matches!(self.layout, Layout::Script) && self.stack.len() < 2;
        let place = open
            .period
            .filter(|_| open.lexeme.token == Token::LeftParen && !holds_statements);
        let lexemes = &mut self.balanced.lexemes;
        let at = place.map_or(at, |place| lexemes[place].span.start);
        let closer = Lexeme {
            token,
            span: Span { start: at, end: at },
            synthetic: true,
        };
        lexemes.insert(place.unwrap_or(lexemes.len()), closer);
    }

    /// Closes what is open above the first `depth` brackets. Only one of them is reported: the innermost
    /// parentheses, since they end with a statement, else the outermost bracket.
    fn close_down_to(&mut self, depth: usize, at: u32, why: &str) {
        let at = self
            .balanced
            .lexemes
            .last()
            .map_or(at, |last| last.span.end.min(at));
        let parens = |open: &&Open<'_>| open.wanted() == ")";
        let inner = &self.stack[depth..];
        if let Some(open) = inner.iter().rfind(parens).or(inner.first()).copied()
            && !self.truncated
        {
            self.unclosed(open, at, why);
        }
        while self.stack.len() > depth {
            if let Some(open) = self.stack.pop() {
                self.insert_closer(open, at);
            }
        }
        self.suspect = None;
    }

    fn unclosed(&mut self, open: Open<'_>, at: u32, why: &str) {
        let span = open.lexeme.span;
        let mut diagnostic = Diagnostic::error(
            "E0101",
            span,
            format!("`{}` is never closed", open.spelling()),
        )
        .labelled("opened here")
        .showing(
            Span { start: at, end: at },
            format!("{why}; expected `{}`", open.wanted()),
        );
        if let Some((start, end)) = self.suspect.filter(|(start, _)| start.start > span.start) {
            diagnostic = diagnostic
                .showing(start, "perhaps this bracket is not closed:")
                .showing(end, "what closes it is indented differently");
        }
        keep(&mut self.balanced.diagnostics, diagnostic);
    }

    fn compare_indentation(&mut self, opener: Span, closer: Span) {
        if self.suspect.is_none()
            && outline::is_first_on_line(self.source, closer.start as usize)
            && self.indentation(opener) != self.indentation(closer)
        {
            self.suspect = Some((opener, closer));
        }
    }

    fn indentation(&self, span: Span) -> &str {
        let before = &self.source[..span.start as usize];
        let line = before.rfind('\n').map_or(0, |newline| newline + 1);
        let text = &self.source[line..];
        &text[..text.len() - text.trim_start_matches([' ', '\t']).len()]
    }
}

/// That more brackets are open than may be.
pub(crate) fn too_nested(span: Span, most: usize) -> Diagnostic {
    Diagnostic::error("E0190", span, "the brackets are nested too deeply")
        .labelled(format!("the {}st bracket that is open here", most + 1))
        .noting(format!("at most {most} brackets may be open at a time"))
}
