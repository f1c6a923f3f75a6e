//! Work and Depth of a computation: its diagram of time dependencies, and the walk along its edges.

use std::collections::BTreeMap;

use super::state::{Event, EventName, Name};

/// Prices in ticks, as in the paper.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Machine {
    /// Sending a message: charged to the sender.
    pub send_sending: u64,
    /// Sending a message: charged to the event that processes it.
    pub send_receiving: u64,
    /// Making an actor: charged to the maker.
    pub new_sending: u64,
    /// Making an actor: its start-up node.
    pub new_receiving: u64,
    /// A replacement, or changed variables.
    pub replace: u64,
    /// Disposing an actor.
    pub dispose: u64,
    /// Between the end of an event and the arrival of its messages and actors.
    pub latency: u64,
}

impl Machine {
    /// All prices 1.
    pub fn units() -> Machine {
        Machine {
            send_sending: 1,
            send_receiving: 1,
            new_sending: 1,
            new_receiving: 1,
            replace: 1,
            dispose: 1,
            latency: 1,
        }
    }

    /// The machine of the design's check numbers.
    pub fn primes() -> Machine {
        Machine {
            send_sending: 3,
            send_receiving: 2,
            new_sending: 5,
            new_receiving: 7,
            replace: 11,
            dispose: 13,
            latency: 100,
        }
    }

    fn weight(&self, event: &Event) -> u64 {
        self.send_receiving
            + self.send_sending * event.sends
            + self.new_sending * event.spawns.len() as u64
            + self.replace * u64::from(event.is_replaced)
            + self.dispose * u64::from(event.is_disposed)
            + event.local
    }

    /// Work and Depth of a set of events.
    pub(super) fn costs<'e>(&self, events: impl Iterator<Item = &'e Event>) -> (u64, u64) {
        let mut diagram = Diagram {
            machine: self,
            events: events.map(|event| (&event.place, event)).collect(),
            makers: BTreeMap::new(),
            ends: BTreeMap::new(),
        };
        for (place, event) in &diagram.events {
            let spawns = event.spawns.iter();
            diagram.makers.extend(spawns.map(|name| (name, *place)));
        }
        let weights = diagram.events.values().map(|event| self.weight(event));
        let work = weights.sum::<u64>() + diagram.makers.len() as u64 * self.new_receiving;
        let places: Vec<&EventName> = diagram.events.keys().copied().collect();
        let actors: Vec<&Name> = diagram.makers.keys().copied().collect();
        let events = places.into_iter().map(|place| diagram.end(place)).max();
        let starts = actors.into_iter().map(|name| diagram.start(name)).max();
        (work, events.max(starts).unwrap_or(0))
    }
}

struct Diagram<'a> {
    machine: &'a Machine,
    events: BTreeMap<&'a EventName, &'a Event>,
    /// The event that made each actor. The script's actors have none.
    makers: BTreeMap<&'a Name, &'a EventName>,
    /// The ends of events that are known.
    ends: BTreeMap<&'a EventName, u64>,
}

impl<'a> Diagram<'a> {
    /// When an event ends: its weight after the latest of its incoming edges.
    fn end(&mut self, place: &'a EventName) -> u64 {
        if let Some(end) = self.ends.get(place) {
            return *end;
        }
        let event = self.events[place];
        let arrives = match event.sender.0.0.is_empty() {
            true => 0,
            false => self.end(&event.sender) + self.machine.latency,
        };
        let before = (place.0.clone(), place.1 - 1);
        let earlier = self.events.get_key_value(&before).map(|(place, _)| *place);
        let ready = match earlier {
            Some(earlier) => self.end(earlier),
            None => self.start(&place.0),
        };
        let end = self.machine.weight(event) + arrives.max(ready);
        self.ends.insert(place, end);
        end
    }

    /// When the start-up node of an actor ends.
    fn start(&mut self, actor: &Name) -> u64 {
        match self.makers.get(actor).copied() {
            Some(maker) => self.end(maker) + self.machine.latency + self.machine.new_receiving,
            None => 0,
        }
    }
}
