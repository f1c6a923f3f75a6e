//! The programs of actors that exist in Promela as well, in `benches/twins`. Behaviours and messages are lists of numbers, and addresses
//! do not change. This file measures nothing.

use std::collections::HashMap;
use std::convert::Infallible;

use tally_explore::{
    Becomes, Delivery, Effect, Place, Program, Start, StartActor, StartMessage, Step, TurnEnding,
};

/// One turn.
struct Turn<'a> {
    /// The behaviour, which the turn may change.
    behaviour: Vec<u32>,
    message: &'a [u32],
    /// The places and contents of the messages that it sends.
    sent: Vec<(Place, Vec<u32>)>,
}

impl Turn<'_> {
    fn send(&mut self, to: Place, message: &[u32]) {
        self.sent.push((to, message.to_vec()));
    }
}

/// A program whose turns are a function.
pub(super) struct Actors {
    act: fn(&mut Turn<'_>),
    contents: Vec<Vec<u32>>,
    numbers: HashMap<Vec<u32>, u32>,
    start: Start,
}

impl Actors {
    fn new(act: fn(&mut Turn<'_>)) -> Actors {
        let start = Start {
            actors: Vec::new(),
            messages: Vec::new(),
        };
        Actors {
            act,
            contents: Vec::new(),
            numbers: HashMap::new(),
            start,
        }
    }

    fn number(&mut self, content: Vec<u32>) -> u32 {
        let next = self.contents.len() as u32;
        let number = *self.numbers.entry(content.clone()).or_insert(next);
        if number == next {
            self.contents.push(content);
        }
        number
    }

    fn actor(&mut self, behaviour: &[u32], slots: &[u32]) {
        let behaviour = self.number(behaviour.to_vec());
        let slots = slots.to_vec();
        self.start.actors.push(StartActor { behaviour, slots });
    }

    fn message(&mut self, to: u32, message: &[u32]) {
        let message = self.number(message.to_vec());
        let slots = Vec::new();
        let message = StartMessage { to, message, slots };
        self.start.messages.push(message);
    }

    /// The actors and messages of its start.
    pub(super) fn start(&self) -> Start {
        self.start.clone()
    }
}

impl Program for Actors {
    type Error = Infallible;

    fn turn(&mut self, behaviour: u32, message: u32, names: &[u32]) -> Result<Effect, Infallible> {
        let message = self.contents[message as usize].clone();
        let mut turn = Turn {
            behaviour: self.contents[behaviour as usize].clone(),
            message: &message,
            sent: Vec::new(),
        };
        (self.act)(&mut turn);
        let Turn {
            behaviour, sent, ..
        } = turn;
        let sends = sent.into_iter().map(|(to, message)| Step::Send {
            to,
            message: self.number(message),
            slots: Vec::new(),
            at: 0,
        });
        Ok(Effect {
            steps: sends.collect(),
            becomes: Becomes::Behaviour {
                behaviour: self.number(behaviour),
                slots: (1..names.len() as u32).map(Place::Known).collect(),
                is_replaced: true,
            },
            ending: TurnEnding::Done,
            local: 0,
        })
    }

    fn behaviour_text(&self, behaviour: u32) -> String {
        format!("{:?}", self.contents[behaviour as usize])
    }

    fn message_text(&self, message: u32) -> String {
        format!("{:?}", self.contents[message as usize])
    }

    fn output_text(&self, _output: u32) -> String {
        String::new()
    }
}

/// An address of the behaviour, by its number.
fn slot(number: u32) -> Place {
    Place::Known(1 + number)
}

/// The actor itself.
const SELF: Place = Place::Known(0);

/// Receivers that count their messages, which are pending at the start. In any order the messages to one receiver are equal.
pub(super) fn receivers(count: u32, messages: u32, delivery: Delivery) -> Actors {
    let mut program = Actors::new(|turn| turn.behaviour[0] += 1);
    for to in 0..count {
        program.actor(&[0], &[]);
        for n in 0..messages {
            let n = if delivery == Delivery::Any { 0 } else { n };
            program.message(to, &[n]);
        }
    }
    program
}

const START: u32 = 0;
const ELECT: u32 = 1;
const ELECTED: u32 = 2;

/// The election of Chang and Roberts. A behaviour has the identity, whether the actor has started, leads, and knows of the leader.
pub(super) fn election(members: u32) -> Actors {
    let mut program = Actors::new(|turn| {
        let me = turn.behaviour[0];
        match *turn.message {
            [ELECT, other] if other > me => turn.send(slot(0), &[ELECT, other]),
            [ELECT, other] if other == me => {
                turn.behaviour[2] = 1;
                turn.send(slot(0), &[ELECTED, me]);
            }
            [ELECT, _] => {}
            [ELECTED, leader] => {
                turn.behaviour[3] = 1;
                if leader != me {
                    turn.send(slot(0), &[ELECTED, leader]);
                }
            }
            _ => {
                turn.behaviour[1] = 1;
                turn.send(slot(0), &[ELECT, me]);
            }
        }
    });
    for place in 0..members {
        program.actor(&[members - place, 0, 0, 0], &[(place + 1) % members]);
        program.message(place, &[START]);
    }
    program
}

/// Kinds of actors at the table.
const PHILOSOPHER: u32 = 0;
const FORK: u32 = 1;

/// What a philosopher does. Each step answers the message of the one before.
const THINKS: u32 = 0;
const WANTS_OWN: u32 = 1;
const WANTS_NEXT: u32 = 2;

/// What a fork is.
const FREE: u32 = 0;
const HELD: u32 = 1;
const CONTESTED: u32 = 2;

/// Messages at the table.
const HUNGRY: u32 = 0;
const GRANTED: u32 = 1;
const DONE: u32 = 2;
const TAKE: u32 = 3;
const PUT: u32 = 4;

/// Philosophers who eat again and again, and forks that grant requests. The philosopher of a seat has its fork and the next one as slots 0
/// and 1. A fork has the philosopher of its seat and the one before: a request says which of both sent it.
pub(super) fn table(seats: u32) -> Actors {
    let mut program = Actors::new(|turn| match turn.behaviour[0] {
        PHILOSOPHER => philosopher(turn),
        _ => fork(turn),
    });
    for seat in 0..seats {
        program.actor(
            &[PHILOSOPHER, THINKS],
            &[seats + seat, seats + (seat + 1) % seats],
        );
    }
    for seat in 0..seats {
        program.actor(&[FORK, FREE, 0], &[seat, (seat + seats - 1) % seats]);
    }
    for seat in 0..seats {
        program.message(seat, &[HUNGRY]);
    }
    program
}

fn philosopher(turn: &mut Turn<'_>) {
    let at = turn.behaviour[1];
    match at {
        THINKS => turn.send(slot(0), &[TAKE, 0]),
        WANTS_OWN => turn.send(slot(1), &[TAKE, 1]),
        WANTS_NEXT => turn.send(SELF, &[DONE]),
        _ => {
            turn.send(slot(0), &[PUT]);
            turn.send(slot(1), &[PUT]);
            turn.send(SELF, &[HUNGRY]);
        }
    }
    turn.behaviour[1] = (at + 1) % 4;
}

fn fork(turn: &mut Turn<'_>) {
    let (at, holder) = (turn.behaviour[1], turn.behaviour[2]);
    let (next, holder) = match (turn.message, at) {
        ([TAKE, by], FREE) => (HELD, *by),
        ([TAKE, _], _) => (CONTESTED, holder),
        (_, HELD) => (FREE, 0),
        _ => (HELD, 1 - holder),
    };
    if next == HELD {
        turn.send(slot(holder), &[GRANTED]);
    }
    turn.behaviour = vec![FORK, next, holder];
}
