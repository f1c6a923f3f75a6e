//! Races of the event that has just happened, and what is to be tried because of them.

use super::wakeup::{Arrival, insert};
use super::{Event, Lost, Search};
use crate::program::Program;
use crate::state::Delivery;
use crate::tables::NONE;

/// Whether an event is among these causes, by its place in the run.
fn has(past: &[u64], place: u32) -> bool {
    let word = past.get(place as usize / 64);
    word.is_some_and(|word| word >> (place % 64) & 1 == 1)
}

impl<P: Program> Search<'_, P> {
    /// Whether an event, by its place in the run, is a cause of what another one does, or is that one. The script is before all.
    fn is_cause(&self, one: u32, other: u32) -> bool {
        self.events
            .get(other as usize)
            .is_some_and(|event| has(&event.past, one))
    }

    /// Whether the delivery says that the first message arrives before the other one, to the same target.
    fn precedes(&self, (first, sender): (u32, u32), (other, its_sender): (u32, u32)) -> bool {
        let channels = &self.tables.channel_of;
        match self.delivery {
            Delivery::Any => false,
            Delivery::Fifo => channels[first as usize] == channels[other as usize],
            Delivery::Causal => sender == NONE || self.is_cause(sender, its_sender),
        }
    }

    /// The event at this place has happened: what could have happened before what it depends on is to be tried.
    pub(super) fn reverse_races(&mut self, place: usize) -> Result<(), P::Error> {
        let event = &self.events[place];
        let (arrival, before, sender) = (event.arrival, event.before, event.sender);
        let (pending, is_disposal) = (event.pending, event.is_disposal);
        if let Some(first) = self.events.get(before as usize) {
            let order = ((first.pending, first.sender), (pending, sender));
            if !self.is_cause(before, sender) && !self.precedes(order.0, order.1) {
                let arrival = self.arrival(before as usize, arrival.message, pending)?;
                self.try_before(before, place, arrival);
            }
        }
        if arrival.fails {
            self.reverse_failure(place, arrival);
        }
        if is_disposal || arrival.fails {
            self.try_instead(place, arrival)?;
        }
        self.reverse_losses(place)
    }

    /// A failure could happen before each event that is no cause of anything.
    fn reverse_failure(&mut self, place: usize, arrival: Arrival) {
        for other in 0..place as u32 {
            let mut later = self.events[other as usize + 1..].iter();
            if later.all(|one| !has(&one.past, other)) {
                self.try_before(other, place, arrival);
            }
        }
    }

    /// What could happen in place of an event that prevents it.
    fn try_instead(&mut self, place: usize, arrival: Arrival) -> Result<(), P::Error> {
        self.find_arrivals(place);
        let level = &self.levels[place];
        let others = self.places.iter().map(|other| *other as usize);
        let others = others.map(|other| (level.messages[other].name, level.state.pending[other]));
        let others: Vec<(u32, u32)> = others.collect();
        for (message, pending) in others {
            let is_prevented = arrival.fails || self.tables.target(pending) == arrival.actor;
            if message != arrival.message && is_prevented {
                let other = self.arrival(place, message, pending)?;
                let mut beginning = vec![other];
                // A failure of another actor comes then, too.
                if arrival.fails && !other.fails && other.actor != arrival.actor {
                    beginning.push(arrival);
                }
                self.try_at(place, beginning);
            }
        }
        Ok(())
    }

    /// What the event has sent to actors that are disposed could have arrived before that.
    fn reverse_losses(&mut self, place: usize) -> Result<(), P::Error> {
        for number in 0..self.levels[place].lost.len() {
            let lost = self.levels[place].lost[number];
            if lost.message.sender as usize == place
                && let Some(end) = self.reversible_end(place, &lost)
            {
                let arrival = self.arrival(end, lost.message.name, lost.pending)?;
                self.try_before(end as u32, place + 1, arrival);
            }
        }
        Ok(())
    }

    /// The event that has disposed of the target of a message that is lost at this place, if the message could have arrived before.
    fn reversible_end(&self, place: usize, lost: &Lost) -> Option<usize> {
        let actor = self.tables.target(lost.pending);
        let is_end = |one: &Event| one.is_disposal && one.arrival.actor == actor;
        let end = self.events.iter().position(is_end)?;
        let last = &self.events[end];
        let own = (lost.pending, lost.message.sender);
        if self.is_cause(end as u32, place as u32)
            || self.precedes((last.pending, last.sender), own)
        {
            return None;
        }
        let mut others = self.levels[end..=place].iter().flat_map(|one| &one.lost);
        let is_behind = others.any(|one| {
            one.message.name != lost.message.name
                && self.tables.target(one.pending) == actor
                && self.comes_before(one, lost)
        });
        (!is_behind).then_some(end)
    }

    /// Whether a lost message would have to arrive before another one.
    fn comes_before(&self, one: &Lost, other: &Lost) -> bool {
        let is_earlier = one.message.sender != other.message.sender
            || self.levels[other.message.sender as usize]
                .lost
                .iter()
                .take_while(|lost| lost.message.name != other.message.name)
                .any(|lost| lost.message.name == one.message.name);
        is_earlier
            && self.precedes(
                (one.pending, one.message.sender),
                (other.pending, other.message.sender),
            )
    }

    /// The arrival is to be tried before the event at the first place, behind what happened up to the second one without being caused by that event.
    fn try_before(&mut self, first: u32, until: usize, arrival: Arrival) {
        let between = &self.events[first as usize + 1..until];
        let free = between.iter().filter(|one| !has(&one.past, first));
        let mut beginning: Vec<Arrival> = free.map(|one| one.arrival).collect();
        beginning.push(arrival);
        self.try_at(first as usize, beginning);
    }

    fn try_at(&mut self, place: usize, beginning: Vec<Arrival>) {
        let level = &mut self.levels[place];
        let mut sleeping = level.sleeping.iter();
        if sleeping.any(|one| one.can_begin(&beginning)) {
            return;
        }
        // The branch that is under way depends on what is tried before it.
        let under_way = level.to_try.remove(0);
        insert(&mut level.to_try, beginning);
        level.to_try.insert(0, under_way);
    }
}
