//! Programs of actors as Rust values: a function that gets a behaviour and a message, and acts.

pub(crate) mod programs;

use std::collections::HashMap;
use std::convert::Infallible;

use tally_explore::{
    Becomes, Delivery, Effect, Options, Place, Program, Space, Start, StartActor, StartMessage,
    Step, TurnEnding,
};

/// A behaviour or message without its addresses.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Content {
    pub(crate) name: &'static str,
    pub(crate) numbers: Vec<i64>,
    /// How many addresses it has.
    pub(crate) slots: usize,
}

/// What a turn does so far.
pub(crate) struct Act<'a> {
    pub(crate) behaviour: &'a Content,
    pub(crate) message: &'a Content,
    contents: &'a mut Contents,
    steps: Vec<Step>,
    becomes: Becomes,
    ending: TurnEnding,
    local: u64,
}

/// Contents and texts by number.
#[derive(Default)]
struct Contents {
    values: Vec<Content>,
    numbers: HashMap<Content, u32>,
    texts: Vec<String>,
}

impl Contents {
    fn number(&mut self, name: &'static str, numbers: &[i64], slots: usize) -> u32 {
        let content = Content {
            name,
            numbers: numbers.to_vec(),
            slots,
        };
        if let Some(number) = self.numbers.get(&content) {
            return *number;
        }
        let number = self.values.len() as u32;
        self.values.push(content.clone());
        self.numbers.insert(content, number);
        number
    }

    fn text(&mut self, text: &str) -> u32 {
        if let Some(number) = self.texts.iter().position(|other| other == text) {
            return number as u32;
        }
        self.texts.push(text.to_string());
        self.texts.len() as u32 - 1
    }
}

impl Act<'_> {
    pub(crate) fn me(&self) -> Place {
        Place::Known(0)
    }

    /// An address of the behaviour.
    pub(crate) fn slot(&self, n: usize) -> Place {
        assert!(n < self.behaviour.slots);
        Place::Known(1 + n as u32)
    }

    /// All addresses of the behaviour.
    pub(crate) fn slots(&self) -> Vec<Place> {
        (0..self.behaviour.slots).map(|n| self.slot(n)).collect()
    }

    /// An address of the message.
    pub(crate) fn arg(&self, n: usize) -> Place {
        assert!(n < self.message.slots);
        Place::Known((1 + self.behaviour.slots + n) as u32)
    }

    pub(crate) fn create(&mut self, name: &'static str, numbers: &[i64], slots: &[Place]) -> Place {
        let is_new = |step: &&Step| matches!(step, Step::New { .. });
        let place = self.steps.iter().filter(is_new).count() as u32;
        self.steps.push(Step::New {
            behaviour: self.contents.number(name, numbers, slots.len()),
            slots: slots.to_vec(),
            at: self.local,
        });
        Place::New(place)
    }

    pub(crate) fn send(&mut self, to: Place, name: &'static str, numbers: &[i64], slots: &[Place]) {
        self.steps.push(Step::Send {
            to,
            message: self.contents.number(name, numbers, slots.len()),
            slots: slots.to_vec(),
            at: self.local,
        });
    }

    pub(crate) fn output(&mut self, text: impl ToString) {
        let text = self.contents.text(&text.to_string());
        self.steps.push(Step::Output { text });
    }

    pub(crate) fn becomes(&mut self, name: &'static str, numbers: &[i64], slots: &[Place]) {
        self.becomes = Becomes::Behaviour {
            behaviour: self.contents.number(name, numbers, slots.len()),
            slots: slots.to_vec(),
            is_replaced: true,
        };
    }

    pub(crate) fn dispose(&mut self) {
        self.becomes = Becomes::Disposed;
    }

    pub(crate) fn fail(&mut self, text: &str) {
        self.ending = TurnEnding::Failed(self.contents.text(text));
    }

    /// Takes local time.
    pub(crate) fn work(&mut self, ticks: u64) {
        self.local += ticks;
    }
}

/// A program whose turns are a function.
pub(crate) struct Actors<F> {
    contents: Contents,
    act: F,
    start: Start,
}

impl<F: FnMut(&mut Act<'_>)> Actors<F> {
    pub(crate) fn new(act: F) -> Actors<F> {
        let start = Start {
            actors: Vec::new(),
            messages: Vec::new(),
        };
        Actors {
            contents: Contents::default(),
            act,
            start,
        }
    }

    /// With an actor that the script creates.
    pub(crate) fn actor(mut self, name: &'static str, numbers: &[i64], slots: &[u32]) -> Self {
        let behaviour = self.contents.number(name, numbers, slots.len());
        let slots = slots.to_vec();
        self.start.actors.push(StartActor { behaviour, slots });
        self
    }

    /// With a message that the script sends.
    pub(crate) fn message(mut self, to: u32, name: &'static str, numbers: &[i64]) -> Self {
        let message = self.contents.number(name, numbers, 0);
        let slots = Vec::new();
        self.start
            .messages
            .push(StartMessage { to, message, slots });
        self
    }

    pub(crate) fn start(&self) -> Start {
        self.start.clone()
    }
}

impl<F: FnMut(&mut Act<'_>)> Program for Actors<F> {
    type Error = Infallible;

    fn turn(&mut self, behaviour: u32, message: u32, names: &[u32]) -> Result<Effect, Infallible> {
        let same = self.contents.values[behaviour as usize].clone();
        let taken = self.contents.values[message as usize].clone();
        assert_eq!(names.len(), 1 + same.slots + taken.slots);
        let mut act = Act {
            behaviour: &same,
            message: &taken,
            contents: &mut self.contents,
            steps: Vec::new(),
            becomes: Becomes::Behaviour {
                behaviour,
                slots: (1..=same.slots as u32).map(Place::Known).collect(),
                is_replaced: false,
            },
            ending: TurnEnding::Done,
            local: 0,
        };
        (self.act)(&mut act);
        Ok(Effect {
            steps: act.steps,
            becomes: act.becomes,
            ending: act.ending,
            local: act.local,
        })
    }

    fn behaviour_text(&self, behaviour: u32) -> String {
        let content = &self.contents.values[behaviour as usize];
        let slots = (0..content.slots).map(|slot| format!("{{{slot}}}"));
        let numbers = content.numbers.iter().map(i64::to_string);
        let all: Vec<String> = slots.chain(numbers).collect();
        match all.is_empty() {
            true => content.name.to_string(),
            false => format!("{}({})", content.name, all.join(", ")),
        }
    }

    fn message_text(&self, message: u32) -> String {
        let content = &self.contents.values[message as usize];
        let slots = (0..content.slots).map(|slot| format!("{{{slot}}}"));
        let mut all = slots.chain(content.numbers.iter().map(i64::to_string));
        let words = content.name.split_inclusive(':');
        let words: Vec<String> = words
            .map(|word| match word.ends_with(':') {
                true => format!("{word} {}", all.next().unwrap_or_default()),
                false => word.to_string(),
            })
            .collect();
        words.join(" ")
    }

    fn output_text(&self, output: u32) -> String {
        self.contents.texts[output as usize].clone()
    }
}

/// The value of a result that cannot be an error.
pub(crate) fn ok<T>(result: Result<T, Infallible>) -> T {
    match result {
        Ok(value) => value,
        Err(never) => match never {},
    }
}

/// All states of a program, which meets no limit.
pub(crate) fn explored<F: FnMut(&mut Act<'_>)>(
    program: &mut Actors<F>,
    delivery: Delivery,
) -> Space {
    let options = Options {
        delivery,
        ..Options::default()
    };
    let start = program.start();
    let space = ok(Space::explore(program, &start, &options, &mut |_| true));
    assert_eq!(space.limit(), None);
    space
}
