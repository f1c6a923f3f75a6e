//! File-outs: chunks that end with `!`. A chunk is a statement, a preamble such as `!Foo methodsFor: 'x'!`, or the text
//! of a method behind a preamble. The result is the same tree as for bracket syntax.

mod definitions;
mod scan;

use hashbrown::HashMap;

use crate::diagnostics::Diagnostic;
use crate::diagnostics::bounds::{keep, readable};
use crate::notation::Notation;
use crate::syntax::ast::{Extension, File, Item, Member, Name, PlacedMethod, Span, Statement};
use crate::syntax::findings::in_order;
use crate::syntax::piece::Piece;
use crate::syntax::tally;
use crate::syntax::token::Token;
use definitions::Definition;
use scan::Chunk;
pub use scan::is_in;
pub(crate) use scan::next_preamble;

/// Reads a file-out.
pub(crate) fn parse(source: &str) -> (File, Vec<Diagnostic>) {
    if let Err(diagnostic) = readable(source) {
        return (File::default(), vec![*diagnostic]);
    }
    let mut reader = Reader::new(Notation::Tally, source);
    reader.run();
    let file = File {
        items: reader.items,
        of_package: true,
        ..File::default()
    };
    (file, in_order(reader.diagnostics))
}

/// The items and findings of the preamble at a bang and of the chunks that follow it, and the offset behind them.
pub(crate) fn section_at(
    notation: Notation,
    source: &str,
    bang: usize,
) -> (Vec<Item>, Vec<Diagnostic>, usize) {
    let mut reader = Reader::new(notation, source);
    let next = reader.preamble(scan::chunk(source, bang + 1));
    (reader.items, reader.diagnostics, next)
}

/// The class of a method, its side and its selector.
type Key = (String, bool, String);

struct Reader<'s> {
    notation: Notation,
    source: &'s str,
    items: Vec<Item>,
    /// The items that define or extend classes, since the last statement that runs.
    defined: HashMap<String, usize>,
    /// The items and members that hold the methods, since the last statement that runs.
    methods: HashMap<Key, (usize, usize)>,
    diagnostics: Vec<Diagnostic>,
}

/// The chunks that follow a preamble.
enum Follows {
    /// Methods of a class.
    Methods {
        class: Name,
        class_side: bool,
        category: Option<String>,
    },
    /// The comment of a class.
    Comment(Name),
    /// The order of methods in a browser.
    Organisation,
    Nothing,
}

impl<'s> Reader<'s> {
    fn new(notation: Notation, source: &'s str) -> Reader<'s> {
        Reader {
            notation,
            source,
            items: Vec::new(),
            defined: HashMap::new(),
            methods: HashMap::new(),
            diagnostics: Vec::new(),
        }
    }
}

impl Reader<'_> {
    fn run(&mut self) {
        let mut position = 0;
        loop {
            let rest = &self.source[position..];
            position += rest.len() - rest.trim_start_matches(scan::is_blank).len();
            position = match self.source.as_bytes().get(position) {
                None => return,
                Some(b'!') => self.preamble(scan::chunk(self.source, position + 1)),
                Some(_) => self.statements(scan::chunk(self.source, position)),
            };
        }
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        keep(&mut self.diagnostics, diagnostic);
    }

    /// Reads a preamble with the chunks that follow it; answers the offset behind them.
    fn preamble(&mut self, preamble: Chunk) -> usize {
        if preamble.is_blank() {
            return preamble.next;
        }
        match self.follows(preamble) {
            Follows::Methods {
                class,
                class_side,
                category,
            } => self.section(preamble, &class, class_side, category.as_deref()),
            Follows::Comment(class) => {
                let comment = scan::chunk(self.source, preamble.next);
                let text = Piece::chunk(self.source, comment.start, comment.end).text;
                let span = span(comment);
                let member = definitions::pragma("comment:", &text, span);
                self.add(&class, member, span);
                comment.next
            }
            Follows::Organisation => scan::chunk(self.source, preamble.next).next,
            Follows::Nothing => {
                let message = "this preamble means nothing here";
                self.report(
                    Diagnostic::warning("W0330", span(preamble), message)
                        .labelled("is read over")
                        .helping("methods follow `!Foo methodsFor: 'x'!`"),
                );
                preamble.next
            }
        }
    }

    fn follows(&mut self, preamble: Chunk) -> Follows {
        let piece = Piece::chunk(self.source, preamble.start, preamble.end);
        let lexed = piece.located(tally::lexer::lex(&piece.text));
        let mut tokens = lexed.lexemes.iter();
        let Some((class, class_span)) = tokens.next().and_then(|first| match first.token {
            Token::Identifier(text) | Token::Scoped(text) => Some((text, first.span)),
            _ => None,
        }) else {
            return Follows::Nothing;
        };
        let class = Name {
            text: class.to_owned(),
            span: class_span,
        };
        let mut next = tokens.next().map(|lexeme| lexeme.token);
        let class_side =
            matches!(next, Some(Token::Identifier(word)) if tally::is_class_side(word));
        if class_side {
            next = tokens.next().map(|lexeme| lexeme.token);
        }
        match next {
            Some(Token::Keyword(word)) if word.to_ascii_lowercase().ends_with("methodsfor:") => {
                let category = tokens.next().and_then(|lexeme| text(lexeme.token));
                Follows::Methods {
                    class,
                    class_side,
                    category,
                }
            }
            Some(Token::Identifier("methods" | "methodsFor")) => Follows::Methods {
                class,
                class_side,
                category: None,
            },
            Some(Token::Keyword("commentStamp:")) => Follows::Comment(class),
            Some(Token::Identifier("reorganize")) => Follows::Organisation,
            _ => Follows::Nothing,
        }
    }

    /// Reads methods as far as the blank chunk behind them; answers the offset behind it.
    fn section(
        &mut self,
        preamble: Chunk,
        class: &Name,
        class_side: bool,
        category: Option<&str>,
    ) -> usize {
        let mut next = preamble.next;
        while next < self.source.len() {
            let chunk = scan::chunk(self.source, next);
            next = chunk.next;
            if chunk.is_blank() {
                break;
            }
            self.method(chunk, span(preamble), class, class_side, category);
        }
        next
    }

    fn method(
        &mut self,
        chunk: Chunk,
        header: Span,
        class: &Name,
        class_side: bool,
        category: Option<&str>,
    ) {
        let piece = Piece::chunk(self.source, chunk.start, chunk.end);
        let (mut method, found) = tally::method_in(self.notation, self.source, chunk.end, &piece);
        found.into_iter().for_each(|one| self.report(one));
        method.span = span(chunk);
        method.category = category.map(str::to_owned);
        let selector = method.selector.clone();
        let placed = PlacedMethod {
            // The class stands in front of the method once for all methods, so the method begins with its pattern.
            class: Name {
                text: class.text.clone(),
                span: Span {
                    start: method.span.start,
                    end: method.span.start,
                },
            },
            class_side,
            method,
        };
        let key = (class.text.clone(), class_side, selector.text.clone());
        if let Some(&(item, member)) = self.methods.get(&key)
            && let Some(Member::Placed(before)) =
                members(&mut self.items[item]).and_then(|members| members.get_mut(member))
        {
            let first = before.method.selector.span;
            *before = placed;
            let message = format!("the file defines `{}` again", selector.text);
            return self.report(
                Diagnostic::warning("W0331", selector.span, message)
                    .labelled("this definition counts")
                    .showing(first, "first defined here"),
            );
        }
        if let Some(place) = self.add(class, Member::Placed(placed), header) {
            self.methods.insert(key, place);
        }
    }

    /// Adds a member to the definition or the extension of its class. Answers the place of the member.
    fn add(&mut self, class: &Name, member: Member, header: Span) -> Option<(usize, usize)> {
        let index = match self.defined.get(&class.text) {
            Some(index) => *index,
            None => {
                self.defined.insert(class.text.clone(), self.items.len());
                self.items.push(Item::Extend(Extension {
                    class: class.clone(),
                    class_side: false,
                    members: Vec::new(),
                    span: header,
                }));
                self.items.len() - 1
            }
        };
        let members = members(&mut self.items[index])?;
        members.push(member);
        Some((index, members.len() - 1))
    }

    /// Reads statements; answers the offset behind them.
    fn statements(&mut self, chunk: Chunk) -> usize {
        let piece = Piece::chunk(self.source, chunk.start, chunk.end);
        let (file, found) = tally::script_in(self.notation, self.source, chunk.end, &piece);
        found.into_iter().for_each(|one| self.report(one));
        for item in file.items {
            self.item(item);
        }
        chunk.next
    }

    fn item(&mut self, item: Item) {
        let Item::Statement(Statement::Expression(expr)) = &item else {
            return self.run_item(item);
        };
        match definitions::definition(expr, &mut self.diagnostics) {
            Some(Definition::Class(class)) => {
                let name = class.name.text.clone();
                // A second definition stands for itself; the world decides which one counts.
                self.methods.retain(|(class, ..), _| *class != name);
                self.defined.insert(name, self.items.len());
                self.items.push(Item::Class(*class));
            }
            Some(Definition::Parts {
                class,
                class_traits,
                members,
            }) if self.defined.contains_key(&class.text) => {
                for member in members {
                    self.add(&class, member, expr.span);
                }
                let index = self.defined.get(&class.text);
                if let Some(Item::Class(definition)) = index.map(|index| &mut self.items[*index])
                    && class_traits.is_some()
                {
                    definition.class_traits = class_traits;
                }
            }
            Some(Definition::Parts { .. }) | None => self.run_item(item),
        }
    }

    /// Adds an item that runs. What follows is defined behind it.
    fn run_item(&mut self, item: Item) {
        // The origin of the file and other literals do nothing.
        let is_literal = matches!(&item, Item::Statement(Statement::Expression(expr))
            if matches!(expr.kind, crate::syntax::ast::ExprKind::Literal(_)));
        if is_literal {
            return;
        }
        self.defined.clear();
        self.methods.clear();
        self.items.push(item);
    }
}

/// The members of a definition or an extension.
fn members(item: &mut Item) -> Option<&mut Vec<Member>> {
    match item {
        Item::Class(class) => Some(&mut class.members),
        Item::Extend(extension) => Some(&mut extension.members),
        _ => None,
    }
}

fn span(chunk: Chunk) -> Span {
    Span {
        start: chunk.start as u32,
        end: chunk.end as u32,
    }
}

/// The text of a string or a symbol.
fn text(token: Token<'_>) -> Option<String> {
    match token {
        Token::String(quoted) => Some(crate::syntax::builder::unquoted(quoted)),
        Token::Symbol(spelled) => match crate::syntax::builder::symbol(spelled) {
            crate::syntax::ast::Literal::Symbol(text) => Some(text),
            _ => None,
        },
        _ => None,
    }
}
