//! Programs with known numbers: the paper's, and the cases of the design.

use std::cmp::Ordering::{self, Equal, Greater, Less};

use super::language::{
    Class, Expression, First, Made, Method, Operator, Place, Program, Selector, Start, Statement,
    Test,
};

const MY: fn(usize) -> Expression = Expression::Variable;
const GIVEN: fn(usize) -> Expression = Expression::Parameter;

fn number(value: i64) -> Expression {
    Expression::Constant(value)
}

fn binary(left: Expression, operator: Operator, right: Expression) -> Expression {
    Expression::Binary(Box::new(left), operator, Box::new(right))
}

fn add(left: Expression, right: Expression) -> Expression {
    binary(left, Operator::Add, right)
}

fn less(left: Expression, by: i64) -> Expression {
    binary(left, Operator::Subtract, number(by))
}

fn send(target: Place, selector: usize, integers: &[Expression], addresses: &[Place]) -> Statement {
    Statement::Send {
        target,
        selector,
        integers: integers.to_vec(),
        addresses: addresses.to_vec(),
    }
}

fn made(class: usize, integers: &[Expression], addresses: &[Place]) -> Made {
    Made {
        class,
        integers: integers.to_vec(),
        addresses: addresses.to_vec(),
    }
}

fn choose(
    (left, comparison, right): (Expression, Ordering, Expression),
    then: Vec<Statement>,
    otherwise: Vec<Statement>,
) -> Statement {
    let test = Test {
        left,
        comparison,
        right,
    };
    Statement::If(test, then, otherwise)
}

fn method(cost: u64, body: Vec<Statement>) -> Option<Method> {
    Some(Method { cost, body })
}

fn class(integers: usize, addresses: usize, methods: Vec<Option<Method>>) -> Class {
    Class {
        integers,
        addresses,
        methods,
    }
}

fn start(class: usize, integers: &[i64], addresses: &[usize]) -> Start {
    Start {
        class,
        integers: integers.to_vec(),
        addresses: addresses.to_vec(),
    }
}

fn first(target: usize, selector: usize, integers: &[i64]) -> First {
    First {
        target,
        selector,
        integers: integers.to_vec(),
        addresses: Vec::new(),
    }
}

fn selectors(shapes: &[(usize, usize)]) -> Vec<Selector> {
    let selector = |&(integers, addresses): &(usize, usize)| Selector {
        integers,
        addresses,
    };
    shapes.iter().map(selector).collect()
}

/// How nodes of the paper's program join two answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Join {
    /// `value mod result`, and the root writes what it receives.
    Remainder,
    /// `value + result`.
    Sum,
    /// As printed: the root writes its own `result`, which is 0.
    Printed,
}

/// Local times of the paper's program.
#[derive(Clone, Copy, Debug, Default)]
pub struct Locals {
    /// `start`.
    pub start: u64,
    /// `range` where it splits.
    pub inner: u64,
    /// `range` where it answers: in the first and in the second part.
    pub leaves: [u64; 2],
    /// `join` with the first and with the second answer.
    pub joins: [u64; 2],
    /// `join` of the root.
    pub root: u64,
}

/// The paper's program on a range. A method has one local time, so behaviours with other times have other classes: the
/// root, inner nodes, leaves of the first and of the second part, joins with none and with one answer, the joining root.
pub fn modulo(range: (i64, i64), join: Join, locals: &Locals) -> Program {
    let answer = |value: Expression| send(Place::Parameter(0), 2, &[value], &[]);
    let difference = binary(GIVEN(1), Operator::Subtract, GIVEN(0));
    let one_or_two = choose(
        (difference, Equal, number(0)),
        vec![answer(GIVEN(0))],
        vec![answer(add(GIVEN(1), GIVEN(0)))],
    );
    let leaf = |cost: u64| method(cost, vec![one_or_two.clone(), Statement::Dispose]);
    let mid = || binary(add(GIVEN(0), GIVEN(1)), Operator::Divide, number(2));
    let split = vec![
        part(2, GIVEN(0), mid()),
        part(3, add(mid(), number(1)), GIVEN(1)),
        Statement::BehaveAs(made(4, &[], &[Place::Parameter(0)])),
    ];
    let begin = vec![
        part(2, GIVEN(0), GIVEN(1)),
        Statement::BehaveAs(made(6, &[], &[])),
    ];
    let keep = Statement::BehaveAs(made(5, &[GIVEN(0)], &[Place::Variable(0)]));
    let operator = match join {
        Join::Sum => Operator::Add,
        _ => Operator::Remainder,
    };
    let joined = binary(GIVEN(0), operator, MY(0));
    let finish = send(Place::Variable(0), 2, &[joined], &[]);
    let written = match join {
        Join::Printed => number(0),
        _ => GIVEN(0),
    };
    let ask = |cost: u64, body: Vec<Statement>| vec![None, method(cost, body), None];
    let take = |cost: u64, body: Vec<Statement>| vec![None, None, method(cost, body)];
    let (write, end) = (Statement::Output(written), Statement::Dispose);
    Program {
        selectors: selectors(&[(2, 0), (2, 1), (1, 0)]),
        classes: vec![
            class(0, 0, vec![method(locals.start, begin), None, None]),
            class(0, 0, ask(locals.inner, split)),
            class(0, 0, vec![None, leaf(locals.leaves[0]), None]),
            class(0, 0, vec![None, leaf(locals.leaves[1]), None]),
            class(0, 1, take(locals.joins[0], vec![keep])),
            class(1, 1, take(locals.joins[1], vec![finish, end.clone()])),
            class(0, 0, take(locals.root, vec![write, end])),
        ],
        actors: vec![start(0, &[], &[])],
        messages: vec![first(0, 0, &[range.0, range.1])],
    }
}

/// A new actor for a part of the range. A part of one or two numbers is a leaf of this class.
fn part(leaf: usize, from: Expression, to: Expression) -> Statement {
    let ask = |class: usize| {
        let spawn = Statement::Spawn(leaf, made(class, &[], &[]));
        let range = [from.clone(), to.clone()];
        vec![spawn, send(Place::Temporary(leaf), 1, &range, &[Place::Me])]
    };
    let size = binary(to.clone(), Operator::Subtract, from.clone());
    choose((size, Greater, number(1)), ask(1), ask(leaf))
}

/// One sender, `n` messages with different numbers; the receiver keeps their order, or their sum.
pub fn receiver(n: i64, keeps_order: bool) -> Program {
    let kept = match keeps_order {
        true => binary(MY(0), Operator::Multiply, number(10)),
        false => MY(0),
    };
    let weight = |k: i64| if keeps_order { k } else { 1 << k };
    let take = Statement::SetInteger(0, add(kept, GIVEN(0)));
    Program {
        selectors: selectors(&[(1, 0)]),
        classes: vec![class(1, 0, vec![method(1, vec![take])])],
        actors: vec![start(0, &[0], &[])],
        messages: (1..=n).map(|k| first(0, 0, &[weight(k)])).collect(),
    }
}

/// `receivers` actors, each with `n` messages 1, 2, …; each keeps the last one.
pub fn receivers(receivers: usize, n: i64) -> Program {
    let take = Statement::SetInteger(0, GIVEN(0));
    let messages = (0..receivers).flat_map(|target| (1..=n).map(move |k| first(target, 0, &[k])));
    Program {
        selectors: selectors(&[(1, 0)]),
        classes: vec![class(1, 0, vec![method(1, vec![take])])],
        actors: vec![start(0, &[0], &[]); receivers],
        messages: messages.collect(),
    }
}

/// a sends to c and to b, b sends to c.
pub fn triangle() -> Program {
    let a = vec![
        send(Place::Variable(1), 1, &[number(1)], &[]),
        send(Place::Variable(0), 0, &[], &[]),
    ];
    let b = vec![send(Place::Variable(0), 1, &[number(2)], &[])];
    let c = vec![Statement::Output(GIVEN(0))];
    Program {
        selectors: selectors(&[(0, 0), (1, 0)]),
        classes: vec![
            class(0, 0, vec![None, method(1, c)]),
            class(0, 1, vec![method(1, b), None]),
            class(0, 2, vec![method(1, a), None]),
        ],
        actors: vec![
            start(0, &[], &[]),
            start(1, &[], &[0]),
            start(2, &[], &[1, 0]),
        ],
        messages: vec![first(2, 0, &[])],
    }
}

/// s sends to t when it hears from one actor, and to a when it hears from another; a sends to t later. Whether the
/// message of a is after that of s is known to a alone while only the message of s is pending.
pub fn hearsay() -> Program {
    let forward = |selector: usize| method(1, vec![send(Place::Variable(0), selector, &[], &[])]);
    let second = send(Place::Variable(1), 3, &[], &[]);
    let (t, a, s) = (0, 1, 2);
    Program {
        selectors: selectors(&[(0, 0); 4]),
        classes: vec![
            class(0, 0, vec![method(1, Vec::new()), None, None, None]),
            class(0, 1, vec![None, None, forward(0), method(1, Vec::new())]),
            class(0, 2, vec![None, None, forward(0), method(1, vec![second])]),
            class(0, 1, vec![None, forward(2), None, None]),
            class(0, 1, vec![None, forward(3), None, None]),
        ],
        actors: vec![
            start(0, &[], &[]),
            start(1, &[], &[t]),
            start(2, &[], &[t, a]),
            start(3, &[], &[s]),
            start(4, &[], &[s]),
            start(3, &[], &[a]),
        ],
        messages: (3..6).map(|target| first(target, 1, &[])).collect(),
    }
}

/// An actor makes one helper, or two after a message of another actor. The helpers pass a message back, and each one is then disposed.
/// At last the actor makes a writer, as its second or third actor. This number is all that is left of the helpers.
pub fn helpers() -> Program {
    let go = |target: Place| send(target, 2, &[], &[]);
    let (first_made, second_made) = (Place::Temporary(0), Place::Temporary(1));
    let one = vec![
        Statement::Spawn(0, made(2, &[], &[Place::Me])),
        go(first_made),
    ];
    let two = vec![
        Statement::Spawn(0, made(2, &[], &[Place::Me])),
        Statement::Spawn(1, made(2, &[], &[first_made])),
        go(second_made),
    ];
    let help = choose((MY(0), Equal, number(0)), one, two);
    let hurry = Statement::SetInteger(0, number(1));
    let finish = vec![Statement::Spawn(0, made(3, &[], &[])), go(first_made)];
    let pass = vec![go(Place::Variable(0)), Statement::Dispose];
    let write = vec![Statement::Output(number(5)), Statement::Dispose];
    let tell = vec![send(Place::Variable(0), 1, &[], &[])];
    let own = vec![
        method(1, vec![help]),
        method(1, vec![hurry]),
        method(1, finish),
    ];
    let only = |body: Vec<Statement>| vec![None, None, method(1, body)];
    Program {
        selectors: selectors(&[(0, 0); 3]),
        classes: vec![
            class(1, 0, own),
            class(0, 1, only(tell)),
            class(0, 1, only(pass)),
            class(0, 0, only(write)),
        ],
        actors: vec![start(0, &[0], &[]), start(1, &[], &[0])],
        messages: vec![first(0, 0, &[]), first(1, 2, &[])],
    }
}

/// Two actors draw the numbers 1 and 2 and send them to a target. States then differ in who sent which number. The first of the two actors,
/// or a friend of it, later sends 3, which comes behind its number. The actors stay, or they are disposed: messages alone have their
/// names then.
pub fn numbers_drawn(stays: bool) -> Program {
    let [target, drawer, friend] = [0, 1, 2].map(Place::Variable);
    let (tell, drawn) = (0, 2);
    let note = |value: Expression| send(target, tell, &[value], &[]);
    let draw = vec![
        Statement::SetInteger(0, add(MY(0), number(1))),
        send(Place::Parameter(0), drawn, &[MY(0)], &[]),
    ];
    let ask = vec![send(drawer, 1, &[], &[Place::Me])];
    let mut got = vec![note(GIVEN(0))];
    if !stays {
        got.extend([send(friend, 5, &[], &[]), Statement::Dispose]);
    }
    let last = method(1, vec![note(number(3))]);
    let leave = vec![note(number(3)), Statement::Dispose];
    let write = method(1, vec![Statement::Output(GIVEN(0))]);
    let nothing = method(1, Vec::new());
    let end = method(1, vec![Statement::Dispose]);
    // An actor of its own sends it, because a message of the script would come before all others under causal delivery.
    let order = vec![send(Place::Variable(0), 4, &[], &[])];
    let is_told = if stays { 2 } else { 4 };
    Program {
        selectors: selectors(&[(1, 0), (0, 1), (1, 0), (0, 0), (0, 0), (0, 0)]),
        classes: vec![
            class(0, 0, vec![write, None, None, None, None, None]),
            class(1, 0, vec![None, method(1, draw), None, None, None, None]),
            class(
                0,
                3,
                vec![None, None, method(1, got), method(1, ask), last, None],
            ),
            class(
                0,
                1,
                vec![None, None, None, None, method(1, leave), nothing],
            ),
            class(0, 0, vec![None, None, None, None, None, end]),
            class(0, 1, vec![None, None, None, method(1, order), None, None]),
        ],
        actors: vec![
            start(0, &[], &[]),
            start(1, &[0], &[]),
            start(2, &[], &[0, 1, 4]),
            start(2, &[], &[0, 1, 5]),
            start(3, &[], &[0]),
            start(4, &[], &[]),
            start(5, &[], &[is_told]),
        ],
        messages: [2, 3, 6].map(|target| first(target, 3, &[])).to_vec(),
    }
}

/// s sends to b and to t. It does so in one turn or in two turns, which depends on the order of two other messages; b sends to t later.
/// After one turn of s, the message of b to t comes behind the one of s.
pub fn one_turn_or_two() -> Program {
    let (s, b, t) = (2, 3, 4);
    let [to_b, to_t] = [
        send(Place::Variable(0), 2, &[], &[]),
        send(Place::Variable(1), 3, &[number(1)], &[]),
    ];
    let done = Statement::SetInteger(0, number(1));
    let is_first = || (MY(0), Equal, number(0));
    let both = vec![to_b.clone(), to_t.clone(), done.clone()];
    let either = choose(is_first(), both, vec![to_t]);
    let half = choose(is_first(), vec![to_b, done], Vec::new());
    let later = vec![send(Place::Variable(0), 3, &[number(2)], &[])];
    let tell = |selector: usize| vec![send(Place::Variable(0), selector, &[], &[])];
    let go = |body: Vec<Statement>| vec![None, None, method(1, body), None];
    Program {
        selectors: selectors(&[(0, 0), (0, 0), (0, 0), (1, 0)]),
        classes: vec![
            class(0, 1, go(tell(0))),
            class(0, 1, go(tell(1))),
            class(
                1,
                2,
                vec![method(1, vec![either]), method(1, vec![half]), None, None],
            ),
            class(0, 1, go(later)),
            class(
                0,
                0,
                vec![
                    None,
                    None,
                    None,
                    method(1, vec![Statement::Output(GIVEN(0))]),
                ],
            ),
        ],
        actors: vec![
            start(0, &[], &[s]),
            start(1, &[], &[s]),
            start(2, &[0], &[b, t]),
            start(3, &[], &[t]),
            start(4, &[], &[]),
        ],
        messages: (0..2).map(|target| first(target, 2, &[])).collect(),
    }
}

/// Two actors send a message with a counter to and fro.
pub fn ping_pong(rounds: i64) -> Program {
    let back = send(Place::Parameter(0), 0, &[less(GIVEN(0), 1)], &[Place::Me]);
    let body = choose((GIVEN(0), Greater, number(0)), vec![back], Vec::new());
    Program {
        selectors: selectors(&[(1, 1)]),
        classes: vec![class(0, 0, vec![method(5, vec![body])])],
        actors: vec![start(0, &[], &[]); 2],
        messages: vec![First {
            addresses: vec![1],
            ..first(0, 0, &[rounds])
        }],
    }
}

/// A token that goes round three actors without end.
pub fn token_ring() -> Program {
    let pass = vec![send(Place::Variable(0), 0, &[], &[])];
    Program {
        selectors: selectors(&[(0, 0)]),
        classes: vec![class(0, 1, vec![method(1, pass)])],
        actors: (0..3).map(|k| start(0, &[], &[(k + 1) % 3])).collect(),
        messages: vec![first(0, 0, &[])],
    }
}

/// A Fibonacci number as the sum of two, each by an actor of its own.
pub fn fib(n: i64) -> Program {
    let part = |temporary: usize, by: i64| {
        let target = Place::Temporary(temporary);
        [
            Statement::Spawn(temporary, made(0, &[], &[])),
            send(target, 0, &[less(GIVEN(0), by)], &[Place::Me]),
        ]
    };
    let mut split = Vec::from(part(0, 1));
    split.extend(part(1, 2));
    split.push(Statement::BehaveAs(made(1, &[], &[Place::Parameter(0)])));
    let small = vec![
        send(Place::Parameter(0), 1, &[GIVEN(0)], &[]),
        Statement::Dispose,
    ];
    let body = choose((GIVEN(0), Less, number(2)), small, split);
    let keep = Statement::BehaveAs(made(2, &[GIVEN(0)], &[Place::Variable(0)]));
    let sum = vec![
        send(Place::Variable(0), 1, &[add(MY(0), GIVEN(0))], &[]),
        Statement::Dispose,
    ];
    let write = vec![Statement::Output(GIVEN(0)), Statement::Dispose];
    Program {
        selectors: selectors(&[(1, 1), (1, 0)]),
        classes: vec![
            class(0, 0, vec![method(1, vec![body]), None]),
            class(0, 1, vec![None, method(1, vec![keep])]),
            class(1, 1, vec![None, method(1, sum)]),
            class(0, 0, vec![None, method(1, write)]),
        ],
        actors: vec![start(0, &[], &[]), start(3, &[], &[])],
        messages: vec![First {
            addresses: vec![1],
            ..first(0, 0, &[n])
        }],
    }
}

/// `items` messages, sent by one event, through `stages` actors of local time `weight`; the last one writes.
pub fn pipeline(stages: usize, items: i64, weight: u64) -> Program {
    let pass = vec![send(Place::Variable(0), 1, &[GIVEN(0)], &[])];
    let feed = (1..=items).map(|item| send(Place::Variable(0), 1, &[number(item)], &[]));
    let write = vec![Statement::Output(GIVEN(0))];
    let mut actors = vec![start(0, &[], &[])];
    actors.extend((1..stages).map(|stage| start(1, &[], &[stage - 1])));
    actors.push(start(2, &[], &[stages - 1]));
    Program {
        selectors: selectors(&[(0, 0), (1, 0)]),
        classes: vec![
            class(0, 0, vec![None, method(weight, write)]),
            class(0, 1, vec![None, method(weight, pass)]),
            class(0, 1, vec![method(3, feed.collect()), None]),
        ],
        messages: vec![first(stages, 0, &[])],
        actors,
    }
}

/// The election of Chang and Roberts. Variables: identity, started, leader, informed; the next actor.
pub fn election(ids: &[i64]) -> Program {
    let next = Place::Variable(0);
    let begin = vec![
        Statement::SetInteger(1, number(1)),
        send(next, 1, &[MY(0)], &[]),
    ];
    let win = vec![
        Statement::SetInteger(2, number(1)),
        send(next, 2, &[MY(0)], &[]),
    ];
    let forward = choose(
        (GIVEN(0), Greater, MY(0)),
        vec![send(next, 1, &[GIVEN(0)], &[])],
        vec![choose((GIVEN(0), Equal, MY(0)), win, Vec::new())],
    );
    let inform = Statement::SetInteger(3, number(1));
    let other = choose(
        (GIVEN(0), Equal, MY(0)),
        Vec::new(),
        vec![send(next, 2, &[GIVEN(0)], &[])],
    );
    let count = ids.len();
    let actors = ids.iter().enumerate();
    Program {
        selectors: selectors(&[(0, 0), (1, 0), (1, 0)]),
        classes: vec![class(
            4,
            1,
            vec![
                method(1, begin),
                method(1, vec![forward]),
                method(1, vec![inform, other]),
            ],
        )],
        actors: actors
            .map(|(k, id)| start(0, &[*id, 0, 0, 0], &[(k + 1) % count]))
            .collect(),
        messages: (0..count).map(|target| first(target, 0, &[])).collect(),
    }
}
