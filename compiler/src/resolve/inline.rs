//! Decides which control messages become jumps. The counting model, section 1, lists them. Their block arguments must
//! be literal blocks with the right number of arguments. Every other control message is an ordinary send, and so are
//! control messages in cascades and to `super`.

use tally_vm::bytecode::{INLINED, Literal, Span};

use super::routine::{RoutineResolver, convert, is_super};
use super::tree::{Count, Counted, Expr, If, IfNil, Logic, Node, Scope, VariableId, While};
use super::variables::Role;
use crate::syntax::ast::{self, Block, ExprKind, Message};

impl RoutineResolver<'_, '_, '_> {
    /// The inlined form of a message, if it has one.
    #[inline(never)]
    pub(super) fn inlined(&mut self, receiver: &ast::Expr, message: &Message) -> Option<Node> {
        if is_super(receiver) {
            return None;
        }
        let mut node = self.inlined_form(receiver, message)?;
        if self.context.world.counts_inlined() {
            let known = INLINED.iter().position(|one| *one == message.selector);
            let number = u32::try_from(known?).ok()?;
            node = count_evaluations(node, number);
        }
        Some(node)
    }

    #[inline(never)]
    fn inlined_form(&mut self, receiver: &ast::Expr, message: &Message) -> Option<Node> {
        let arguments = message.arguments.as_slice();
        match message.selector.as_str() {
            "ifTrue:" | "ifFalse:" | "ifTrue:ifFalse:" | "ifFalse:ifTrue:" => {
                self.conditional(receiver, &message.selector, arguments)
            }
            "ifNil:" | "ifNotNil:" | "ifNil:ifNotNil:" | "ifNotNil:ifNil:" => {
                self.nil_test(receiver, &message.selector, arguments)
            }
            "and:" => self.logic(receiver, arguments, false),
            "or:" => self.logic(receiver, arguments, true),
            "whileTrue:" | "whileTrue" => self.while_loop(receiver, arguments, true),
            "whileFalse:" | "whileFalse" => self.while_loop(receiver, arguments, false),
            "repeat" => {
                let body = literal_block(receiver, 0)?;
                self.walk.enter_loop();
                let body = self.inlined_block(body);
                self.walk.loops.pop();
                Some(Node::Repeat(Box::new(body)))
            }
            "to:do:" | "to:by:do:" | "timesRepeat:" => self.counting(receiver, message),
            _ => None,
        }
    }

    #[inline(never)]
    fn conditional(
        &mut self,
        receiver: &ast::Expr,
        selector: &str,
        arguments: &[ast::Expr],
    ) -> Option<Node> {
        let blocks = literal_blocks(arguments)?;
        let condition = self.expr(receiver);
        let mut sides = blocks.into_iter().map(|block| self.inlined_block(block));
        let (first, second) = (sides.next(), sides.next());
        let (when_true, when_false) = if selector.starts_with("ifTrue:") {
            (first, second)
        } else {
            (second, first)
        };
        Some(Node::If(Box::new(If {
            condition,
            when_true,
            when_false,
        })))
    }

    #[inline(never)]
    fn nil_test(
        &mut self,
        receiver: &ast::Expr,
        selector: &str,
        arguments: &[ast::Expr],
    ) -> Option<Node> {
        let nil_first = selector.starts_with("ifNil:");
        let (nil_side, other_side) = match arguments {
            [only] if nil_first => (Some(only), None),
            [only] => (None, Some(only)),
            [first, second] if nil_first => (Some(first), Some(second)),
            [first, second] => (Some(second), Some(first)),
            _ => return None,
        };
        let nil_block = match nil_side {
            Some(side) => Some(literal_block(side, 0)?),
            None => None,
        };
        let other_block = match other_side {
            Some(side) => Some(literal_block(side, 0).or_else(|| literal_block(side, 1))?),
            None => None,
        };
        let receiver = self.expr(receiver);
        let mut when_nil = None;
        let mut when_not_nil = None;
        // The sides are walked in the order of the text, for the diagnostics' sake.
        for is_nil_side in [nil_first, !nil_first] {
            if is_nil_side {
                when_nil = nil_block.map(|block| self.inlined_block(block));
            } else {
                when_not_nil = other_block.map(|block| self.inlined_block_with_argument(block));
            }
        }
        Some(Node::IfNil(Box::new(IfNil {
            receiver,
            when_nil,
            when_not_nil,
        })))
    }

    #[inline(never)]
    fn logic(
        &mut self,
        receiver: &ast::Expr,
        arguments: &[ast::Expr],
        decided_by: bool,
    ) -> Option<Node> {
        let blocks = literal_blocks(arguments)?;
        let block = blocks.first().copied()?;
        let left = self.expr(receiver);
        let right = self.inlined_block(block);
        Some(Node::Logic(Box::new(Logic {
            decided_by,
            left,
            right,
        })))
    }

    #[inline(never)]
    fn while_loop(
        &mut self,
        receiver: &ast::Expr,
        arguments: &[ast::Expr],
        goes_on: bool,
    ) -> Option<Node> {
        let condition = literal_block(receiver, 0)?;
        let bodies = literal_blocks(arguments)?;
        self.walk.enter_loop();
        let condition = self.inlined_block(condition);
        let body = bodies.first().map(|body| self.inlined_block(body));
        self.walk.loops.pop();
        Some(Node::While(Box::new(While {
            condition,
            goes_on,
            body,
        })))
    }

    #[inline(never)]
    fn counting(&mut self, receiver: &ast::Expr, message: &Message) -> Option<Node> {
        let (limit, step, block) = match message.arguments.as_slice() {
            [body] => (None, None, literal_block(body, 0)?),
            [limit, body] => (Some(limit), None, literal_block(body, 1)?),
            [limit, step, body] => (Some(limit), Some(step), literal_block(body, 1)?),
            _ => return None,
        };
        let (step, downwards) = match step {
            Some(step) => literal_step(step)?,
            None => (Literal::Integer(1), false),
        };
        let first = receiver.span.start;
        let receiver = self.expr(receiver);
        let (start, limit) = match limit {
            Some(limit) => (Some(receiver), self.expr(limit)),
            None => (None, receiver),
        };
        self.walk.enter_loop();
        let (index, body) = self.inlined_block_with_argument(block);
        self.walk.loops.pop();
        let span = Span {
            start: first.min(message.span.start),
            end: message.span.end,
        };
        let selector_span = message.selector_span;
        Some(Node::Count(Box::new(Count {
            start,
            limit,
            step,
            downwards,
            index,
            body,
            span,
            selector_span,
        })))
    }

    fn inlined_block(&mut self, block: &Block) -> Scope {
        self.inlined_block_with_argument(block).1
    }

    fn inlined_block_with_argument(&mut self, block: &Block) -> (Option<VariableId>, Scope) {
        self.open_names();
        self.check_arguments(block);
        self.walk.enter_region();
        let argument = block
            .parameters
            .first()
            .map(|name| self.declare(name, Role::Argument));
        let body = self.body(&block.body);
        self.walk.regions.pop();
        self.close_names();
        (argument, body)
    }
}

/// The same message, counted at each evaluation. It counts when its receiver and its arguments that are no blocks have
/// been evaluated.
fn count_evaluations(mut node: Node, message: u32) -> Node {
    let last = match &mut node {
        Node::If(node) => &mut node.condition,
        Node::IfNil(node) => &mut node.receiver,
        Node::Logic(node) => &mut node.left,
        Node::Count(node) => &mut node.limit,
        // The receiver is a block.
        _ => return counted(node, (0, 0), message, true),
    };
    let moments = last.moments;
    let part = std::mem::replace(&mut last.node, Node::Literal(Literal::Nil));
    last.node = counted(part, moments, message, false);
    node
}

fn counted(node: Node, moments: (u32, u32), message: u32, is_before: bool) -> Node {
    Node::Counted(Box::new(Counted {
        message,
        is_before,
        part: Expr { node, moments },
    }))
}

impl Expr {
    /// An integer literal that fits the given type.
    pub(crate) fn small_integer<T: TryFrom<i64>>(&self) -> Option<T> {
        match self.node {
            Node::Literal(Literal::Integer(value)) => T::try_from(value).ok(),
            _ => None,
        }
    }
}

/// The literal block that an expression is, if it takes that many arguments.
fn literal_block(expr: &ast::Expr, arguments: usize) -> Option<&Block> {
    match &expr.kind {
        ExprKind::Block(block) if block.parameters.len() == arguments => Some(block),
        _ => None,
    }
}

/// All of them literal blocks without arguments.
fn literal_blocks(arguments: &[ast::Expr]) -> Option<Vec<&Block>> {
    arguments
        .iter()
        .map(|argument| literal_block(argument, 0))
        .collect()
}

/// A step whose sign is known at compile time: a number other than zero.
fn literal_step(step: &ast::Expr) -> Option<(Literal, bool)> {
    let ExprKind::Literal(literal) = &step.kind else {
        return None;
    };
    let (is_zero, downwards) = match literal {
        ast::Literal::Integer(digits)
        | ast::Literal::Fraction(digits, _)
        | ast::Literal::ScaledDecimal(digits, _, _) => (
            !digits.bytes().any(|digit| matches!(digit, b'1'..=b'9')),
            digits.starts_with('-'),
        ),
        ast::Literal::Float(value) => (*value == 0.0 || value.is_nan(), *value < 0.0),
        _ => return None,
    };
    (!is_zero).then(|| (convert(literal), downwards))
}
