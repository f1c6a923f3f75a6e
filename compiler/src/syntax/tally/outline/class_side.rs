//! The class side in a class body, as in `Foo class [ … ]`.

use super::{Outliner, is_bracket};
use crate::syntax::ast::{Member, Name, PlacedMethod, Span};
use crate::syntax::token::{Lexeme, Token, token_at};

/// The distance to the bracket that opens the class side in a class body at these tokens, as in `Foo class [ … ]`.
pub(crate) fn class_side_opener(lexemes: &[Lexeme<'_>]) -> Option<usize> {
    let named = matches!(
        token_at(lexemes, 0)?,
        Token::Identifier(_) | Token::Scoped(_)
    );
    let opens = token_at(lexemes, 1)? == Token::Identifier("class") && is_bracket(lexemes, 2);
    (named && opens).then_some(2)
}

/// A member of `Foo class [ … ]` as a member of the class body around it.
fn on_class_side(class: &Name, member: Member) -> Member {
    match member {
        Member::InstanceVariables(names) => Member::ClassInstanceVariables(names),
        Member::Method(method) => {
            // The class stands in front of all methods once, so a method begins with its pattern.
            let start = method.span.start;
            let class = Name {
                text: class.text.clone(),
                span: Span { start, end: start },
            };
            Member::Placed(PlacedMethod {
                class,
                class_side: true,
                method,
            })
        }
        other => other,
    }
}

impl Outliner<'_, '_> {
    /// The members of the class side that begins at `index`, if it has methods, and where it ends.
    pub(super) fn class_side(
        &mut self,
        index: usize,
        limit: usize,
    ) -> Option<(Vec<Member>, usize)> {
        let open = self.class_side_with_methods(index, limit)?;
        let close = self.partners[open];
        let inner = self.members(open + 1, close).into_iter();
        let class = self.name(index);
        let members = inner.map(|member| on_class_side(&class, member));
        Some((members.collect(), close + 1))
    }

    /// The bracket of `Foo class [ … ]` at `index`, if there is more than variables in it.
    fn class_side_with_methods(&self, index: usize, limit: usize) -> Option<usize> {
        let open = index + class_side_opener(&self.lexemes[index..limit])?;
        let inner = &self.lexemes[open + 1..self.partners[open].max(open + 1)];
        let is_variables = |lexeme: &Lexeme<'_>| {
            matches!(
                lexeme.token,
                Token::Bar | Token::DoubleBar | Token::Identifier(_)
            )
        };
        (!inner.iter().all(is_variables)).then_some(open)
    }
}
