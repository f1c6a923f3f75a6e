//! Random programs of the small language.

use proptest::prelude::Rng as _;
use proptest::test_runner::{RngAlgorithm, TestRng};

use super::language::{
    Condition, End, Method, Name, Node, Operand, Program, Role, Selector, Send, Statement,
};

/// The program of a seed.
pub fn program(seed: u64) -> Program {
    let mut dice = Dice::new(seed);
    let selectors = selectors(&mut dice);
    let classes = 1 + dice.below(3);
    let nodes = nodes(&mut dice, classes);
    let mut generator = Generator {
        dice,
        selectors,
        classes,
    };
    let methods = (0..classes).map(|_| generator.methods()).collect();
    Program {
        selectors: generator.selectors,
        classes: methods,
        nodes,
    }
}

/// Random choices that follow from a seed.
pub(crate) struct Dice {
    rng: TestRng,
}

impl Dice {
    pub(crate) fn new(seed: u64) -> Dice {
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&seed.to_le_bytes());
        let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
        Dice { rng }
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        ((u64::from(self.rng.next_u32()) * bound as u64) >> 32) as usize
    }

    pub(crate) fn percent(&mut self, chance: usize) -> bool {
        self.below(100) < chance
    }

    pub(crate) fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }
}

fn selectors(dice: &mut Dice) -> Vec<Selector> {
    let mut selectors = vec![Selector {
        arity: 0,
        role: Role::Either,
    }];
    for _ in 0..3 + dice.below(4) {
        selectors.push(Selector {
            arity: dice.pick(&[0, 1, 1, 1, 2, 2]),
            role: dice.pick(&[
                Role::Either,
                Role::Either,
                Role::Either,
                Role::Query,
                Role::Failing,
            ]),
        });
    }
    selectors
}

fn nodes(dice: &mut Dice, classes: usize) -> Vec<Node> {
    let count = 2 + dice.below(4);
    (0..count)
        .map(|_| Node {
            class: dice.below(classes),
            fields: [(); 3].map(|()| dice.below(count)),
            counter: dice.below(4) as i64,
        })
        .collect()
}

struct Generator {
    dice: Dice,
    selectors: Vec<Selector>,
    classes: usize,
}

impl Generator {
    fn methods(&mut self) -> Vec<Method> {
        (0..self.selectors.len())
            .map(|selector| self.method(selector))
            .collect()
    }

    fn method(&mut self, number: usize) -> Method {
        let Selector { arity, role } = self.selectors[number];
        let is_scope = arity > 0 && self.dice.percent(60);
        let has_condition = is_scope && self.dice.percent(35);
        let condition = has_condition.then(|| self.condition(number));
        let length = match number {
            0 => 4 + self.dice.below(6),
            _ => self.dice.below(5),
        };
        let body = (0..length).map(|_| self.statement(number)).collect();
        let end = match role {
            Role::Either => self.dice.pick(&[End::Command, End::Command, End::Counter]),
            Role::Query => End::Counter,
            Role::Failing => match self.selector(number, Some(Role::Failing)) {
                Some(next) if self.dice.percent(50) => End::Fail(self.send(number, next)),
                _ => End::Divide,
            },
        };
        Method {
            is_scope,
            condition,
            body,
            end,
        }
    }

    /// A later selector of this role; none but failing ones if it is not given.
    fn selector(&mut self, after: usize, role: Option<Role>) -> Option<usize> {
        let fits = |selector: &usize| match role {
            Some(role) => self.selectors[*selector].role == role,
            None => self.selectors[*selector].role != Role::Failing,
        };
        let choices: Vec<usize> = (after + 1..self.selectors.len()).filter(fits).collect();
        // Near ones more often, so that programs get deep.
        let nearer = |dice: &mut Dice| dice.below(choices.len()).min(dice.below(choices.len()));
        (!choices.is_empty()).then(|| choices[nearer(&mut self.dice)])
    }

    fn send(&mut self, from: usize, selector: usize) -> Send {
        let receiver = self.operand(from);
        Send {
            receiver,
            name: Name::Made(selector),
            arguments: [self.operand(from), self.operand(from)],
        }
    }

    fn simple(&mut self, from: usize, name: Name) -> Send {
        Send {
            receiver: self.operand(from),
            name,
            arguments: [Operand::Me; 2],
        }
    }

    /// Parameters more often than others, since they are locked.
    fn operand(&mut self, from: usize) -> Operand {
        let arity = self.selectors[from].arity;
        match self.dice.below(10) {
            0..=3 if arity > 0 => Operand::Parameter(self.dice.below(arity)),
            4 => Operand::Me,
            5 => Operand::Temporary,
            _ => Operand::Field(self.dice.below(3)),
        }
    }

    fn condition(&mut self, number: usize) -> Condition {
        let made = match self.dice.percent(40) {
            true => self.selector(number, Some(Role::Query)),
            false => None,
        };
        let mut query = match made {
            Some(selector) => self.send(number, selector),
            None => self.simple(number, Name::Counter),
        };
        if self.dice.percent(80) {
            query.receiver = Operand::Parameter(self.dice.below(self.selectors[number].arity));
        }
        // The temporary variable has no value yet.
        for operand in [&mut query.receiver]
            .into_iter()
            .chain(&mut query.arguments)
        {
            if *operand == Operand::Temporary {
                *operand = Operand::Me;
            }
        }
        Condition {
            query,
            limit: self.dice.below(5) as i64 - 1,
        }
    }

    fn statement(&mut self, number: usize) -> Statement {
        let add = 1 + self.dice.below(2) as i64;
        // The first method mostly starts others.
        let kind = match number {
            0 => 20 + self.dice.below(80),
            _ => self.dice.below(100),
        };
        match kind {
            0..12 => Statement::Repeat(self.dice.below(8) as u64),
            12..14 => Statement::Repeat(self.dice.below(60) as u64),
            14..22 => Statement::Add(add),
            22..26 => Statement::Show(self.dice.below(10) as u8),
            26..30 => Statement::Discard(self.simple(number, Name::Nothing)),
            30..36 => Statement::Keep(self.simple(number, Name::Counter)),
            36..38 => Statement::Sleep(self.dice.below(3) as u64),
            38..43 => self.make(number),
            43..46 => Statement::Value(self.dice.percent(50)),
            46..56 => self.explicit(number),
            56..62 => match self.selector(number, Some(Role::Failing)) {
                Some(selector) if self.dice.percent(25) => {
                    Statement::Discard(self.send(number, selector))
                }
                Some(selector) => Statement::Guard(self.send(number, selector)),
                None => Statement::Add(add),
            },
            choice => match self.selector(number, None) {
                Some(selector) if choice < 82 => Statement::Discard(self.send(number, selector)),
                Some(selector) => Statement::Keep(self.send(number, selector)),
                None => Statement::Repeat(self.dice.below(4) as u64),
            },
        }
    }

    /// A message by `await` or `future`; some of them fail.
    fn explicit(&mut self, number: usize) -> Statement {
        let role = match self.dice.percent(15) {
            true => Some(Role::Failing),
            false => None,
        };
        let send = match self.selector(number, role) {
            Some(selector) => self.send(number, selector),
            None => self.simple(number, Name::Counter),
        };
        match self.dice.percent(60) {
            true => Statement::Future(send),
            false => Statement::Await(send, self.dice.percent(40)),
        }
    }

    fn make(&mut self, number: usize) -> Statement {
        Statement::Make {
            class: self.dice.below(self.classes),
            fields: [(); 3].map(|()| self.operand(number)),
            counter: self.dice.below(4) as i64,
        }
    }
}
