//! Warnings about messages that mean something, though probably not what their author intended: blocks with a wrong
//! number of arguments, conditions that are no Booleans, identity of literals, values that are dropped.

use tally_vm::bytecode::{INLINED, Span};

use super::RoutineResolver;
use crate::diagnostics::{Diagnostic, alternatives};
use crate::syntax::ast::{self, Block, ExprKind, Literal, Statement};

/// Operators that change nothing: their value is all that they are for.
const PURE: [&str; 14] = [
    "+", "-", "*", "/", "//", "\\\\", "<", ">", "<=", ">=", "=", "~=", "==", "~~",
];

/// Operators and messages that make an object and change no other.
const MAKING: [&str; 7] = ["->", "@", ",", "negated", "size", "printString", "new"];

/// Operators whose value is a Boolean.
const COMPARISONS: [&str; 8] = ["<", ">", "<=", ">=", "=", "~=", "==", "~~"];

/// The numbers of arguments that the library gives to a block in this place of a message.
fn given(selector: &str, argument: usize) -> &'static [usize] {
    match (selector, argument) {
        (
            "do:"
            | "collect:"
            | "select:"
            | "reject:"
            | "detect:"
            | "reverseDo:"
            | "anySatisfy:"
            | "allSatisfy:"
            | "noneSatisfy:"
            | "count:"
            | "detectMax:"
            | "detectMin:"
            | "do:separatedBy:"
            | "detect:ifNone:"
            | "select:thenCollect:"
            | "collect:thenSelect:",
            0,
        )
        | ("to:do:", 1)
        | ("to:by:do:", 2) => &[1],
        ("inject:into:", 1)
        | ("doWithIndex:" | "withIndexDo:" | "keysAndValuesDo:" | "collectWithIndex:", 0)
        | ("with:collect:", 1) => &[2],
        (
            "timesRepeat:" | "ifTrue:" | "ifFalse:" | "ensure:" | "ifCurtailed:" | "whileTrue:",
            0,
        )
        | ("whileFalse:" | "and:" | "or:" | "ifNil:", 0)
        | ("ifTrue:ifFalse:" | "ifFalse:ifTrue:", 0 | 1)
        | ("do:separatedBy:" | "detect:ifNone:" | "at:ifAbsent:", 1) => &[0],
        ("on:do:", 1) | ("ifNotNil:", 0) => &[0, 1],
        _ => &[],
    }
}

/// Messages that the machine answers for every receiver, so that an envelope never gets them.
const ANSWERED: [&str; 5] = ["==", "~~", "class", "isNil", "notNil"];

impl RoutineResolver<'_, '_, '_> {
    /// The warnings about one message.
    #[inline(never)]
    pub(in crate::resolve) fn check_usage(&mut self, receiver: &ast::Expr, message: &ast::Message) {
        if self.context.world.is_open || self.context.world.declares(&message.selector) {
            return;
        }
        self.check_blocks(message);
        self.check_tell(receiver, message);
        match message.selector.as_str() {
            "ifTrue:" | "ifFalse:" | "ifTrue:ifFalse:" | "ifFalse:ifTrue:" | "and:" | "or:" => {
                self.check_condition(receiver, message);
            }
            "whileTrue:" | "whileFalse:" => self.check_loop(receiver, message),
            "==" | "~~" => self.check_identity(receiver, message),
            _ => {}
        }
        self.check_branches(message);
        if matches!(
            message.selector.as_str(),
            "whileTrue:" | "whileFalse:" | "timesRepeat:" | "to:do:" | "to:by:do:" | "do:"
        ) && let Some(ExprKind::Block(block)) = message.arguments.last().map(|last| &last.kind)
        {
            self.check_dropped(block);
        }
        if let ExprKind::Block(block) = &receiver.kind {
            self.check_value(block, receiver.span, message);
        }
    }

    /// `anAddress tell isNil`: the message would be answered here, and never sent to the actor.
    fn check_tell(&mut self, receiver: &ast::Expr, message: &ast::Message) {
        let ExprKind::Send { message: tell, .. } = &receiver.kind else {
            return;
        };
        let selector = message.selector.as_str();
        let is_answered = INLINED.contains(&selector) || ANSWERED.contains(&selector);
        if tell.selector != "tell" || !is_answered || self.context.world.declares("tell") {
            return;
        }
        let hint = match message.arguments.len() {
            0 => format!("write `tell: #{selector}`"),
            1 => format!("write `tell: #{selector} with: …`"),
            _ => format!("write `tell: #{selector} withArguments: …`"),
        };
        let text = format!("`{selector}` is not sent to the actor");
        let diagnostic = Diagnostic::error("E0218", message.selector_span, text);
        self.context.report(
            diagnostic
                .labelled("the sender itself answers this message")
                .helping(hint),
        );
    }

    fn check_blocks(&mut self, message: &ast::Message) {
        for (index, argument) in message.arguments.iter().enumerate() {
            let (ExprKind::Block(block), counts) =
                (&argument.kind, given(&message.selector, index))
            else {
                continue;
            };
            if counts.is_empty() || counts.contains(&block.parameters.len()) {
                continue;
            }
            let names = match counts {
                [1, ..] => "[ :each | … ]",
                [2, ..] => "[ :a :b | … ]",
                _ => "[ … ]",
            };
            let keyword = message.selector.split_inclusive(':').nth(index);
            let keyword = keyword.unwrap_or(&message.selector);
            let counts: Vec<String> = counts.iter().map(usize::to_string).collect();
            let counts = alternatives(&counts);
            let noun = if counts == "1" {
                "argument"
            } else {
                "arguments"
            };
            self.block_of_other_arity(
                block,
                argument.span,
                format!("`{keyword}` gives its block {counts} {noun}"),
                format!("write `{keyword} {names}`"),
            );
        }
    }

    /// `[ :x | x + 1 ] value`
    fn check_value(&mut self, block: &Block, span: Span, message: &ast::Message) {
        let is_value = matches!(
            message.selector.as_str(),
            "value" | "value:" | "value:value:" | "value:value:value:"
        );
        let given = message.arguments.len();
        if !is_value || given == block.parameters.len() {
            return;
        }
        let noun = if given == 1 { "argument" } else { "arguments" };
        let needed = match block.parameters.len() {
            0 => "value".to_owned(),
            count => vec!["value: …"; count].join(" "),
        };
        self.block_of_other_arity(
            block,
            span,
            format!("`{}` gives the block {given} {noun}", message.selector),
            format!("write `{needed}`"),
        );
    }

    fn block_of_other_arity(&mut self, block: &Block, span: Span, message: String, help: String) {
        let taken = match block.parameters.len() {
            0 => "this block takes no argument".to_owned(),
            1 => "this block takes 1 argument".to_owned(),
            count => format!("this block takes {count} arguments"),
        };
        let end = block
            .parameters
            .last()
            .map_or(span.start + 1, |name| name.span.end);
        let start = span.start;
        self.context.report(
            Diagnostic::warning("W0318", Span { start, end }, message)
                .labelled(taken)
                .helping(help),
        );
    }

    fn check_condition(&mut self, receiver: &ast::Expr, message: &ast::Message) {
        let (what, help) = match &receiver.kind {
            ExprKind::Block(_) => (
                "a block",
                "write the condition in parentheses: `(x > 3) ifTrue: [ … ]`",
            ),
            ExprKind::Literal(Literal::True | Literal::False) => return,
            ExprKind::Literal(Literal::Nil) => (
                "nil",
                "for a test of nil write `x ifNil: [ … ]` or `x isNil ifTrue: [ … ]`",
            ),
            ExprKind::Literal(_) | ExprKind::Brace(_) => (
                "this object",
                "a condition is a comparison or a test, such as `x > 3` or `x isEmpty`",
            ),
            _ => return,
        };
        let keyword = message.selector.split_inclusive(':').next().unwrap_or("");
        self.context.report(
            Diagnostic::warning(
                "W0316",
                receiver.span,
                format!("`{keyword}` needs true or false before it"),
            )
            .labelled(format!("{what} is neither true nor false"))
            .helping(help),
        );
    }

    /// `x < 3 ifTrue: (a foo)`, `ifTrue: { a foo }`: evaluated whatever the condition is. A literal has no effect.
    fn check_branches(&mut self, message: &ast::Message) {
        if !matches!(
            message.selector.as_str(),
            "ifTrue:"
                | "ifFalse:"
                | "ifTrue:ifFalse:"
                | "ifFalse:ifTrue:"
                | "timesRepeat:"
                | "whileTrue:"
                | "whileFalse:"
        ) {
            return;
        }
        let keywords = message.selector.split_inclusive(':');
        for (keyword, branch) in keywords.zip(&message.arguments) {
            let has_effects = |expr: &ast::Expr| {
                !matches!(
                    expr.kind,
                    ExprKind::Literal(_) | ExprKind::Variable(_) | ExprKind::Error
                )
            };
            let acts = match &branch.kind {
                ExprKind::Block(_) => false,
                ExprKind::Send { receiver, message } => {
                    let selector = message.selector.as_str();
                    if let Some(sent) = self.sent_to_block(receiver, message) {
                        self.behind_branch(keyword, sent);
                        continue;
                    }
                    !PURE.contains(&selector) && !MAKING.contains(&selector)
                }
                ExprKind::Brace(elements) => elements.iter().any(has_effects),
                _ => has_effects(branch),
            };
            if acts {
                let text = format!("the argument of `{keyword}` is evaluated in any case");
                let inner = self.context.text(branch.span);
                let inner = match &branch.kind {
                    ExprKind::Brace(_) => inner.trim_start_matches('{').trim_end_matches('}'),
                    _ => inner,
                };
                let remedy = match &branch.kind {
                    ExprKind::Send { .. } => "unless its value is a block, put it into one",
                    _ => "put it into a block",
                };
                let is_short = inner.len() <= 30 && !inner.contains('\n');
                let inner = if is_short { inner.trim() } else { "…" };
                let label = match keyword {
                    "timesRepeat:" => "evaluated once, before the first round",
                    _ => "evaluated before the condition is tested",
                };
                self.context.report(
                    Diagnostic::warning("W0325", branch.span, text)
                        .labelled(label)
                        .helping(format!("{remedy}: `{keyword} [ {inner} ]`")),
                );
            }
        }
    }

    /// The unary messages behind a block: `printNl` of `[ 'small' ] printNl`.
    fn sent_to_block(&self, receiver: &ast::Expr, message: &ast::Message) -> Option<Span> {
        let (mut expr, mut first) = (receiver, message);
        let mut is_unary = message.arguments.is_empty();
        while let ExprKind::Send { receiver, message } = &expr.kind {
            is_unary &= message.arguments.is_empty();
            (expr, first) = (receiver, message);
        }
        let is_block = matches!(expr.kind, ExprKind::Block(_));
        (is_unary && is_block).then_some(Span {
            start: first.selector_span.start,
            end: message.selector_span.end,
        })
    }

    /// `x > 3 ifTrue: [ 'big' ] printNl`
    fn behind_branch(&mut self, keyword: &str, sent: Span) {
        let name = self.context.text(sent);
        let text = format!("`{name}` is sent to the block");
        self.context.report(
            Diagnostic::warning("W0325", sent, text)
                .labelled("unary messages are sent first")
                .helping(format!(
                    "to send it to the value of the whole write `(… {keyword} …) {name}`"
                )),
        );
    }

    fn check_loop(&mut self, receiver: &ast::Expr, message: &ast::Message) {
        let is_evaluated = match &receiver.kind {
            ExprKind::Literal(_) => true,
            ExprKind::Send { message, .. } => COMPARISONS.contains(&message.selector.as_str()),
            _ => false,
        };
        if !is_evaluated {
            return;
        }
        let text = self.context.text(receiver.span);
        let text = if text.len() <= 30 { text } else { "…" };
        let keyword = &message.selector;
        self.context.report(
            Diagnostic::warning(
                "W0317",
                receiver.span,
                format!("the condition of `{keyword}` is a block"),
            )
            .labelled("evaluated once, before the loop")
            .helping(format!("write `[ {text} ] {keyword} [ … ]`")),
        );
    }

    fn check_identity(&mut self, receiver: &ast::Expr, message: &ast::Message) {
        let is_object = |expr: &&ast::Expr| {
            matches!(
                expr.kind,
                ExprKind::Literal(
                    Literal::String(_)
                        | Literal::Float(_)
                        | Literal::Array(_)
                        | Literal::ByteArray(_)
                        | Literal::Fraction(..)
                        | Literal::ScaledDecimal(..)
                )
            )
        };
        let mut operands = std::iter::once(receiver).chain(&message.arguments);
        let Some(literal) = operands.find(is_object) else {
            return;
        };
        let (equal, same) = match message.selector.as_str() {
            "==" => ("=", "=="),
            _ => ("~=", "~~"),
        };
        self.context.report(
            Diagnostic::warning(
                "W0320",
                message.selector_span,
                format!("`{same}` compares identity, not contents"),
            )
            .labelled("another object with these contents is not the same object")
            .showing(literal.span, "another object may have these contents")
            .helping(format!("to compare the contents write `{equal}`")),
        );
    }

    /// `list := OrderedCollection new add: 1; add: 2`
    #[inline(never)]
    pub(in crate::resolve) fn check_assigned(&mut self, target: &ast::Name, value: &ast::Expr) {
        let ExprKind::Cascade { receiver, messages } = &value.kind else {
            return;
        };
        let is_new = matches!(&receiver.kind, ExprKind::Send { message, .. }
            if matches!(message.selector.as_str(), "new" | "new:"));
        let answers_argument = |message: &&ast::Message| {
            matches!(
                message.selector.as_str(),
                "add:" | "addAll:" | "addFirst:" | "addLast:" | "at:put:"
            )
        };
        let last = messages.last().filter(answers_argument);
        let Some(last) = last.filter(|_| is_new && !self.context.world.is_open) else {
            return;
        };
        let (target, selector) = (&target.text, &last.selector);
        self.context.report(
            Diagnostic::warning(
                "W0323",
                last.selector_span,
                format!("`{target}` gets the answer of `{selector}`, not the collection"),
            )
            .labelled("answers its argument")
            .showing(receiver.span, "the collection")
            .helping("end the cascade with `; yourself`"),
        );
    }

    /// The last statement of a method computes a value, and the method answers its receiver.
    pub(in crate::resolve) fn check_answer(&mut self, body: &ast::Body) {
        if self.context.world.is_open || self.context.of_package || self.explained > 0 {
            return;
        }
        let Some(Statement::Expression(last)) = body.statements.last() else {
            return;
        };
        let ExprKind::Send { message, .. } = &last.kind else {
            return;
        };
        if !PURE.contains(&message.selector.as_str()) {
            return;
        }
        if let Some((target, operator)) = self.meant_assignment(last) {
            return self.compares(&target, operator);
        }
        let text = self.context.text(last.span);
        let text = if text.len() <= 30 { text } else { "…" };
        self.context.report(
            Diagnostic::warning("W0319", last.span, "the value of this computation is lost")
                .labelled("computed, then dropped: the method answers `self`")
                .helping(format!("to answer the value write `^{text}`")),
        );
    }

    /// `[ i < 3 ] whileTrue: [ i = i + 1 ]`: the value of the block is dropped.
    fn check_dropped(&mut self, block: &Block) {
        let Some(Statement::Expression(last)) = block.body.statements.last() else {
            return;
        };
        if let Some((target, operator)) = self.meant_assignment(last) {
            self.compares(&target, operator);
        }
    }

    /// The variable and the place of `=`, if a statement looks like `x = …`.
    fn meant_assignment(&self, statement: &ast::Expr) -> Option<(String, Span)> {
        let mut expr = statement;
        while let ExprKind::Send { receiver, message } = &expr.kind {
            if let (ExprKind::Variable(name), "=") = (&receiver.kind, message.selector.as_str()) {
                return Some((name.clone(), message.selector_span));
            }
            if !PURE.contains(&message.selector.as_str()) {
                return None;
            }
            expr = receiver;
        }
        None
    }

    fn compares(&mut self, target: &str, operator: Span) {
        let warning = Diagnostic::warning("W0391", operator, "a comparison without use")
            .labelled("compares and forgets the answer");
        self.context.report(match self.is_assignable(target) {
            true => warning.helping(format!("to assign write `{target} := …`")),
            false => warning.helping("remove it, or use its value: `… ifTrue: [ … ]`"),
        });
    }

    /// `x = 3.` as a statement that is not the last was probably meant to assign. `x = x` sends `=` for its own sake.
    pub(in crate::resolve) fn check_unused(&mut self, statement: &Statement) {
        let Statement::Expression(ast::Expr {
            kind: ExprKind::Send { receiver, message },
            ..
        }) = statement
        else {
            return;
        };
        let ExprKind::Variable(variable) = &receiver.kind else {
            return;
        };
        let is_same = matches!(&message.arguments[..],
            [one] if matches!(&one.kind, ExprKind::Variable(name) if name == variable));
        if message.selector == "=" && !is_same && !self.context.world.is_open {
            self.compares(variable, message.selector_span);
        }
    }

    /// `[ each | … ]`: names before a bar that are no variables. They are declared, to spare errors about them.
    #[inline(never)]
    pub(in crate::resolve) fn check_arguments(&mut self, block: &Block) {
        if !block.parameters.is_empty() || self.context.world.is_open {
            return;
        }
        let Some(statement) = block.body.statements.first() else {
            return;
        };
        let Some(names) = self.names_before_bar(statement.expression()) else {
            return;
        };
        if let (Some(first), Some(last)) = (names.first(), names.last()) {
            let span = Span {
                start: first.span.start,
                end: last.span.end,
            };
            let text = self.context.text(span);
            self.context
                .report(crate::foreign::without_colon(text, span));
        }
        for name in names {
            self.know(&name);
        }
    }

    /// The unknown name, and the messages to it, that are combined with the rest of a statement by `|`.
    fn names_before_bar(&self, statement: &ast::Expr) -> Option<Vec<ast::Name>> {
        let mut expr = statement;
        loop {
            let ExprKind::Send { receiver, message } = &expr.kind else {
                return None;
            };
            if message.selector == "|" && is_bare(receiver) {
                expr = receiver;
                break;
            }
            expr = receiver;
        }
        let mut names = Vec::new();
        loop {
            match &expr.kind {
                ExprKind::Send { receiver, message } => {
                    names.push(ast::Name {
                        text: message.selector.clone(),
                        span: message.selector_span,
                    });
                    expr = receiver;
                }
                ExprKind::Variable(name) => {
                    names.push(ast::Name {
                        text: name.clone(),
                        span: expr.span,
                    });
                    break;
                }
                _ => return None,
            }
        }
        names.reverse();
        let first = names.first()?;
        self.is_unknown(&first.text).then_some(names)
    }
}

/// A name, perhaps with unary messages behind it.
fn is_bare(expr: &ast::Expr) -> bool {
    let mut expr = expr;
    loop {
        match &expr.kind {
            ExprKind::Variable(_) => return true,
            ExprKind::Send { receiver, message } if message.arguments.is_empty() => expr = receiver,
            _ => return false,
        }
    }
}
