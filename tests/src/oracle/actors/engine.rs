//! Programs of `language` for the engine: the crate `tally-explore` gets the effect of one turn from `turn`, and everything
//! else of an exploration is its own.

use std::collections::BTreeMap;
use std::convert::Infallible;

use tally_explore::{
    Becomes, Effect, Place, Program as Explored, Start, StartActor, StartMessage, Step, TurnEnding,
};

use super::language::Program;
use super::turn::{Behaviour, Message, Name, Taker, turn};

/// A class with the integers of a behaviour, or a selector with those of a message.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Content {
    Behaviour(usize, Vec<i64>),
    Message(usize, Vec<i64>),
    Text(String),
}

/// A program, and the numbers of what its turns have shown.
pub struct Turns<'p> {
    program: &'p Program,
    contents: Vec<Content>,
    numbers: BTreeMap<Content, u32>,
}

impl<'p> Turns<'p> {
    /// The turns of a program.
    pub fn new(program: &'p Program) -> Turns<'p> {
        Turns {
            program,
            contents: Vec::new(),
            numbers: BTreeMap::new(),
        }
    }

    /// The actors and messages of the script.
    pub fn start(&mut self) -> Start {
        let slots = |addresses: &[usize]| addresses.iter().map(|slot| *slot as u32).collect();
        let actors = self.program.actors.iter().map(|actor| StartActor {
            behaviour: self.number(Content::Behaviour(actor.class, actor.integers.clone())),
            slots: slots(&actor.addresses),
        });
        let actors = actors.collect();
        let messages = self.program.messages.iter().map(|first| StartMessage {
            to: first.target as u32,
            message: self.number(Content::Message(first.selector, first.integers.clone())),
            slots: slots(&first.addresses),
        });
        let messages = messages.collect();
        Start { actors, messages }
    }

    fn number(&mut self, content: Content) -> u32 {
        let next = self.contents.len() as u32;
        let number = *self.numbers.entry(content.clone()).or_insert(next);
        if number == next {
            self.contents.push(content);
        }
        number
    }

    fn behaviour(&mut self, behaviour: &Behaviour) -> (u32, Vec<Place>) {
        let content = Content::Behaviour(behaviour.class, behaviour.integers.clone());
        (self.number(content), places(&behaviour.addresses))
    }

    fn slots(&self, content: u32) -> usize {
        match self.contents[content as usize] {
            Content::Behaviour(class, _) => self.program.classes[class].addresses,
            Content::Message(selector, _) => self.program.selectors[selector].addresses,
            Content::Text(_) => 0,
        }
    }

    /// The steps of a turn: all creations, then all messages, then all outputs. With the paper's costs their order does
    /// not matter.
    fn steps(&mut self, effect: &super::turn::Effect) -> Vec<Step> {
        let mut steps = Vec::new();
        for (_, behaviour) in &effect.spawns {
            let (behaviour, slots) = self.behaviour(behaviour);
            steps.push(Step::New {
                behaviour,
                slots,
                at: 0,
            });
        }
        for (target, message) in &effect.sends {
            let content = Content::Message(message.selector, message.integers.clone());
            steps.push(Step::Send {
                to: place(target),
                message: self.number(content),
                slots: places(&message.addresses),
                at: 0,
            });
        }
        for output in &effect.outputs {
            let text = self.number(Content::Text(output.to_string()));
            steps.push(Step::Output { text });
        }
        steps
    }
}

/// The n-th place of a turn as an actor. Actors that the turn makes are children of the first place.
fn named(place: u32) -> Name {
    Name::default().child(place)
}

fn place(name: &Name) -> Place {
    match *name.0 {
        [place] => Place::Known(place),
        [.., ordinal] => Place::New(ordinal - 1),
        [] => Place::Known(0),
    }
}

fn places(names: &[Name]) -> Vec<Place> {
    names.iter().map(place).collect()
}

/// A message with its arguments.
pub(super) fn text(selector: usize, integers: &[i64], addresses: &[String]) -> String {
    let integers = integers.iter().map(i64::to_string);
    let all: Vec<String> = integers.chain(addresses.iter().cloned()).collect();
    format!("m{selector}({})", all.join(", "))
}

impl Explored for Turns<'_> {
    type Error = Infallible;

    fn turn(&mut self, behaviour: u32, message: u32, names: &[u32]) -> Result<Effect, Infallible> {
        let own = 1 + self.slots(behaviour);
        let addresses = |range: &[u32]| range.iter().copied().map(named).collect();
        let contents = [behaviour, message].map(|number| self.contents[number as usize].clone());
        let [
            Content::Behaviour(class, variables),
            Content::Message(selector, integers),
        ] = contents
        else {
            unreachable!("{contents:?} are a behaviour and a message");
        };
        let behaviour = Behaviour {
            class,
            integers: variables,
            addresses: addresses(&names[1..own]),
        };
        let message = Message {
            selector,
            integers,
            addresses: addresses(&names[own..]),
        };
        let taker = Taker {
            name: &named(0),
            created: 0,
            behaviour: &behaviour,
        };
        let effect = turn(self.program, &taker, &message);
        let steps = self.steps(&effect);
        let becomes = match &effect.next {
            Some(next) => {
                let (behaviour, slots) = self.behaviour(next);
                Becomes::Behaviour {
                    behaviour,
                    slots,
                    is_replaced: effect.is_replaced,
                }
            }
            None => Becomes::Disposed,
        };
        let fault = effect.fault.map(|fault| Content::Text(fault.to_string()));
        Ok(Effect {
            steps,
            becomes,
            ending: match fault {
                Some(fault) => TurnEnding::Failed(self.number(fault)),
                None => TurnEnding::Done,
            },
            local: effect.local,
        })
    }

    fn behaviour_text(&self, behaviour: u32) -> String {
        format!("{:?}", self.contents[behaviour as usize])
    }

    fn message_text(&self, message: u32) -> String {
        let slots = (0..self.slots(message)).map(|slot| format!("{{{slot}}}"));
        let slots: Vec<String> = slots.collect();
        match &self.contents[message as usize] {
            Content::Message(selector, integers) => text(*selector, integers, &slots),
            other => format!("{other:?}"),
        }
    }

    fn output_text(&self, output: u32) -> String {
        match &self.contents[output as usize] {
            Content::Text(text) => text.clone(),
            other => format!("{other:?}"),
        }
    }
}
