//! The control messages that are inlined (counting model, 1): those of the list, when their block arguments are literal
//! blocks with the right number of parameters.

use std::rc::Rc;

use tally_compiler::ast::{self, Block, Expr, ExprKind, Literal, Message};

use super::{Resolver, is_super};
use crate::oracle::code::{Count, Inside, Node};
use crate::oracle::value::Value;

impl Resolver<'_> {
    /// The message as an inlined one, if it is.
    pub(super) fn inlined(&mut self, receiver: &Expr, message: &Message) -> Option<Node> {
        if is_super(receiver) {
            return None;
        }
        let arguments = message.arguments.as_slice();
        match (message.selector.as_str(), arguments) {
            ("ifTrue:", [a]) => self.conditional(receiver, Some(a), None, true),
            ("ifFalse:", [a]) => self.conditional(receiver, None, Some(a), false),
            ("ifTrue:ifFalse:", [a, b]) => self.conditional(receiver, Some(a), Some(b), true),
            ("ifFalse:ifTrue:", [a, b]) => self.conditional(receiver, Some(b), Some(a), false),
            ("ifNil:", [a]) => self.nil_test(receiver, Some(a), None, true),
            ("ifNotNil:", [a]) => self.nil_test(receiver, None, Some(a), false),
            ("ifNil:ifNotNil:", [a, b]) => self.nil_test(receiver, Some(a), Some(b), true),
            ("ifNotNil:ifNil:", [a, b]) => self.nil_test(receiver, Some(b), Some(a), false),
            ("and:", [a]) => self.logic(receiver, a, false),
            ("or:", [a]) => self.logic(receiver, a, true),
            ("whileTrue:", [body]) => self.while_loop(receiver, true, Some(body)),
            ("whileFalse:", [body]) => self.while_loop(receiver, false, Some(body)),
            ("whileTrue", []) => self.while_loop(receiver, true, None),
            ("whileFalse", []) => self.while_loop(receiver, false, None),
            ("repeat", []) => {
                let body = literal_block(receiver, 0)?;
                Some(Node::Repeat(self.inside(body)))
            }
            ("timesRepeat:", [body]) => {
                let body = literal_block(body, 0)?;
                Some(self.count(None, receiver, None, body))
            }
            ("to:do:", [limit, body]) => {
                let body = literal_block(body, 1)?;
                Some(self.count(Some(receiver), limit, None, body))
            }
            ("to:by:do:", [limit, step, body]) => {
                let body = literal_block(body, 1)?;
                let step = literal_step(step)?;
                Some(self.count(Some(receiver), limit, Some(step), body))
            }
            _ => None,
        }
    }

    fn inside(&mut self, block: &Block) -> Inside {
        let is_plain = block.parameters.is_empty() && block.body.temporaries.is_empty();
        if is_plain {
            let body = self.body(&block.body);
            return Inside {
                slots: None,
                takes_argument: false,
                body,
            };
        }
        self.open(block.parameters.iter());
        let body = self.body(&block.body);
        Inside {
            slots: Some(self.close()),
            takes_argument: !block.parameters.is_empty(),
            body,
        }
    }

    /// The sides in the order of the text, so that script variables come in the order of theirs.
    fn sides(
        &mut self,
        first: Option<&Block>,
        second: Option<&Block>,
        first_is_earlier: bool,
    ) -> (Option<Inside>, Option<Inside>) {
        if first_is_earlier {
            let a = first.map(|block| self.inside(block));
            (a, second.map(|block| self.inside(block)))
        } else {
            let b = second.map(|block| self.inside(block));
            (first.map(|block| self.inside(block)), b)
        }
    }

    fn conditional(
        &mut self,
        receiver: &Expr,
        when_true: Option<&Expr>,
        when_false: Option<&Expr>,
        true_is_earlier: bool,
    ) -> Option<Node> {
        let when_true = literal_side(when_true, &[0])?;
        let when_false = literal_side(when_false, &[0])?;
        let condition = self.expr(receiver);
        let (when_true, when_false) = self.sides(when_true, when_false, true_is_earlier);
        Some(Node::If(condition, when_true, when_false))
    }

    fn nil_test(
        &mut self,
        receiver: &Expr,
        when_nil: Option<&Expr>,
        when_not: Option<&Expr>,
        nil_is_earlier: bool,
    ) -> Option<Node> {
        let when_nil = literal_side(when_nil, &[0])?;
        let when_not = literal_side(when_not, &[0, 1])?;
        let receiver = self.expr(receiver);
        let (when_nil, when_not) = self.sides(when_nil, when_not, nil_is_earlier);
        Some(Node::IfNil(receiver, when_nil, when_not))
    }

    fn logic(&mut self, left: &Expr, right: &Expr, decides: bool) -> Option<Node> {
        let right = literal_block(right, 0)?;
        let left = self.expr(left);
        Some(Node::Logic(left, decides, self.inside(right)))
    }

    fn while_loop(&mut self, condition: &Expr, goes_on: bool, body: Option<&Expr>) -> Option<Node> {
        let condition = literal_block(condition, 0)?;
        let body = literal_side(body, &[0])?;
        let condition = self.inside(condition);
        Some(Node::While(
            condition,
            goes_on,
            body.map(|block| self.inside(block)),
        ))
    }

    fn count(
        &mut self,
        start: Option<&Expr>,
        limit: &Expr,
        step: Option<(&Literal, bool)>,
        body: &Block,
    ) -> Node {
        let start = start.map(|start| self.expr(start));
        let limit = self.expr(limit);
        let (step, downwards) = match step {
            Some((literal, downwards)) => (self.literal_node(literal), downwards),
            None => (Node::Constant(Value::Small(1)), false),
        };
        Node::Count(Count {
            start,
            limit,
            step: Rc::new(step),
            downwards,
            body: self.inside(body),
        })
    }
}

/// The literal block that an expression is, if it has that many parameters.
fn literal_block(expr: &Expr, parameters: usize) -> Option<&Block> {
    match &expr.kind {
        ExprKind::Block(block) if block.parameters.len() == parameters => Some(block),
        _ => None,
    }
}

/// A side that need not be there; `None` if it is there and no literal block.
fn literal_side<'e>(side: Option<&'e Expr>, parameters: &[usize]) -> Option<Option<&'e Block>> {
    match side {
        None => Some(None),
        Some(expr) => parameters
            .iter()
            .find_map(|&count| literal_block(expr, count))
            .map(Some),
    }
}

/// A literal number other than zero, and whether it counts downwards.
fn literal_step(step: &Expr) -> Option<(&Literal, bool)> {
    let ExprKind::Literal(literal) = &step.kind else {
        return None;
    };
    let (is_zero, downwards) = match literal {
        ast::Literal::Integer(digits)
        | ast::Literal::Fraction(digits, _)
        | ast::Literal::ScaledDecimal(digits, _, _) => (
            digits.trim_start_matches('-').bytes().all(|d| d == b'0'),
            digits.starts_with('-'),
        ),
        ast::Literal::Float(value) => (*value == 0.0 || value.is_nan(), *value < 0.0),
        _ => return None,
    };
    (!is_zero).then_some((literal, downwards))
}
