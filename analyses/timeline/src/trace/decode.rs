//! Reads the records of blocks.

use tally_profiler::recording::bytes::Input;
use tally_vm::{Event, EventKind};

use super::block::BlockHead;
use super::encode::kinds::{self, FIRST, SECOND, THIRD};
use crate::following::{Lane, MOST_OPEN, Open};
use crate::measured::Measured;
use crate::obstacles::{self, Obstacle};
use crate::sink::{Described, Origin, Resumed, Sink, SinkError};
use crate::states::STATES;

/// Why a block could not be read.
pub(super) enum Fault {
    /// Its content is inconsistent.
    Wrong(&'static str),
    /// The sink refuses it.
    Sink(SinkError),
}

impl From<SinkError> for Fault {
    fn from(error: SinkError) -> Fault {
        Fault::Sink(error)
    }
}

type Read<T> = Result<T, Fault>;

fn wrong<T>(why: &'static str) -> Read<T> {
    Err(Fault::Wrong(why))
}

/// Numbers of the content.
struct Numbers<'b>(Input<'b>);

impl<'b> Numbers<'b> {
    fn number(&mut self) -> Read<u64> {
        let number = self.0.number();
        number.map_err(|_| Fault::Wrong("a number of a block is cut or too large"))
    }

    fn small(&mut self) -> Read<u32> {
        let number = self.number()?;
        u32::try_from(number).or(wrong("a number of a block is too large"))
    }

    fn byte(&mut self) -> Read<u8> {
        let byte = self.0.take(1).ok().and_then(|bytes| bytes.first());
        byte.copied().ok_or(Fault::Wrong("a record is cut"))
    }

    /// A number as its difference to the expected one.
    fn near(&mut self, expected: u64) -> Read<u64> {
        let number = self.number()?;
        let difference = (number >> 1) ^ (number & 1).wrapping_neg();
        Ok(expected.wrapping_add(difference))
    }

    fn near_small(&mut self, expected: u32) -> Read<u32> {
        let number = self.near(expected.into())?;
        u32::try_from(number).or(wrong("a number of a block is too large"))
    }

    fn text(&mut self) -> Read<&'b str> {
        let length = self.number()?;
        let bytes = self.0.take(length);
        let bytes = bytes.map_err(|_| Fault::Wrong("a name is cut"))?;
        std::str::from_utf8(bytes).or(wrong("a name is not UTF-8"))
    }

    fn is_at_end(&self) -> bool {
        self.0.0.is_empty()
    }
}

/// What is under way where a segment begins, over several blocks.
#[derive(Default)]
pub(super) struct Resumption {
    lane: Option<(u32, Lane)>,
    opens: usize,
}

impl Resumption {
    /// Gives the last lane to the sink.
    pub(super) fn finish(self, sink: &mut impl Sink) -> Read<()> {
        match self.lane {
            Some((processor, lane)) => Ok(sink.resume_lane(processor, lane)?),
            None => Ok(()),
        }
    }
}

/// A block that is being read.
struct Records<'b> {
    numbers: Numbers<'b>,
    names: Vec<&'b str>,
    time: u64,
    processor: u32,
    request: u32,
    described: Option<(u32, Described<'b>)>,
    /// The place of the request that comes next.
    site: Option<&'b str>,
    processors: u32,
}

/// Reads a block of events, of which a number of processors are described.
pub(super) fn events(
    content: &[u8],
    head: &BlockHead,
    processors: u32,
    sink: &mut impl Sink,
) -> Read<()> {
    let mut records = Records::new(content, processors);
    for _ in 0..head.records {
        let first = records.numbers.byte()?;
        match first & kinds::MASK {
            kinds::NAME => records.name()?,
            kinds::SITE => records.site()?,
            kinds::REQUEST => {
                let (number, described) = records.request(first)?;
                sink.request(number, &described)?;
            }
            kinds::CREATED..=kinds::WAKES | kinds::JOINS..=kinds::CHARGED => {
                let event = records.event(first)?;
                if !(head.first..=head.last).contains(&event.time) {
                    return wrong("an event is outside the times of its block");
                }
                sink.event(&event)?;
            }
            kinds::OBSTACLE => {
                let (number, obstacle) = records.obstacle()?;
                sink.obstacle(number, &obstacle)?;
            }
            kinds::BLOCKS..=kinds::FREED | kinds::DISPATCHED..=kinds::APPROVED => {
                let event = records.later(|records| records.event(first))?;
                if !(head.first..=head.last).contains(&event.time) {
                    return wrong("an event is outside the times of its block");
                }
                sink.event(&event)?;
            }
            later => records.skip(later)?,
        }
    }
    records.end()
}

/// Reads a block of the state.
pub(super) fn state(
    content: &[u8],
    head: &BlockHead,
    processors: u32,
    resumption: &mut Resumption,
    sink: &mut impl Sink,
) -> Read<()> {
    let mut records = Records::new(content, processors);
    for _ in 0..head.records {
        let first = records.numbers.byte()?;
        match first & kinds::MASK {
            kinds::NAME => records.name()?,
            kinds::SITE => records.site()?,
            kinds::REQUEST => {
                records.request(first)?;
            }
            kinds::PROGRESS => sink.resume_request(records.progress()?)?,
            kinds::LANE => {
                let (processor, lane) = records.lane()?;
                if first & FIRST == 0 {
                    let done = resumption.lane.replace((processor, lane));
                    if let Some((processor, lane)) = done {
                        sink.resume_lane(processor, lane)?;
                    }
                }
            }
            kinds::OPEN => {
                let open = records.open(first)?;
                resumption.opens += 1;
                let Some((_, lane)) = &mut resumption.lane else {
                    return wrong("a request has no lane");
                };
                if resumption.opens > MOST_OPEN {
                    return Err(Fault::Sink(SinkError::TooMuch("requests under way")));
                }
                lane.open.push(open);
            }
            kinds::OBSTACLE => {
                let (number, obstacle) = records.obstacle()?;
                sink.obstacle(number, &obstacle)?;
            }
            kinds::BLOCKED_BY => {
                let obstacle = records.later(|records| records.numbers.small())?;
                let Some((_, lane)) = &mut resumption.lane else {
                    return wrong("an obstacle has no lane");
                };
                lane.obstacle = Some(obstacle);
            }
            later => records.skip(later)?,
        }
    }
    records.end()
}

/// Reads a block of processors, of which `known` are known before.
pub(super) fn processors(
    content: &[u8],
    head: &BlockHead,
    known: u32,
    sink: &mut impl Sink,
) -> Read<u32> {
    let mut numbers = Numbers(Input(content));
    if numbers.small()? != known {
        return wrong("processors are missing");
    }
    let (mut number, mut time) = (known, 0);
    let mut classes: Vec<&str> = Vec::new();
    for _ in 0..head.records {
        let distance = numbers.small()?;
        let creator = number.checked_sub(distance);
        let is_sound = (distance == 0) == (number == 0);
        let Some(creator) = creator.filter(|_| is_sound) else {
            return wrong("a processor is older than its creator");
        };
        let ordinal = numbers.small()?;
        time = numbers.near(time)?;
        let origin = Origin {
            creator,
            ordinal,
            time,
        };
        let class = match numbers.number()?.checked_sub(1) {
            None => "",
            Some(place) => {
                if place == classes.len() as u64 {
                    classes.push(numbers.text()?);
                }
                let class = usize::try_from(place).ok().and_then(|at| classes.get(at));
                *class.ok_or(Fault::Wrong("a name is missing"))?
            }
        };
        sink.processor(number, origin, class)?;
        number += 1;
    }
    match numbers.is_at_end() {
        true => Ok(number),
        false => wrong("something follows the records of a block"),
    }
}

impl<'b> Records<'b> {
    fn new(content: &'b [u8], processors: u32) -> Records<'b> {
        Records {
            numbers: Numbers(Input(content)),
            names: Vec::new(),
            time: 0,
            processor: 0,
            request: 0,
            described: None,
            site: None,
            processors,
        }
    }

    fn end(&self) -> Read<()> {
        match self.numbers.is_at_end() {
            true => Ok(()),
            false => wrong("something follows the records of a block"),
        }
    }

    /// Records of later minor versions have their length behind their first byte.
    fn skip(&mut self, kind: u8) -> Read<()> {
        if kind < kinds::LATER {
            return wrong("a record of an unknown kind");
        }
        let length = self.numbers.number()?;
        let skipped = self.numbers.0.take(length);
        skipped.map(|_| ()).or(wrong("a record is cut"))
    }

    /// Reads a record that has its length before its content. Later minor versions may add to its end.
    fn later<T>(&mut self, read: impl FnOnce(&mut Records<'b>) -> Read<T>) -> Read<T> {
        let length = self.numbers.number()?;
        let content = self.numbers.0.take(length);
        let content = content.or(wrong("a record is cut"))?;
        let rest = std::mem::replace(&mut self.numbers.0, Input(content));
        let record = read(self);
        self.numbers.0 = rest;
        record
    }

    fn obstacle(&mut self) -> Read<(u32, Obstacle<'b>)> {
        self.later(|records| {
            let numbers = &mut records.numbers;
            let (number, kind) = (numbers.small()?, numbers.byte()?);
            let (object, site) = (numbers.number()?, numbers.number()?);
            let Some(kind) = obstacles::KINDS.get(usize::from(kind)) else {
                return wrong("an unknown kind of obstacle");
            };
            let site = site.checked_sub(1);
            let obstacle = Obstacle {
                kind: *kind,
                object: records.named(object)?,
                site: site.map(|site| records.named(site)).transpose()?,
            };
            Ok((number, obstacle))
        })
    }

    fn name(&mut self) -> Read<()> {
        let name = self.numbers.text()?;
        self.names.push(name);
        Ok(())
    }

    fn site(&mut self) -> Read<()> {
        let number = self.numbers.number()?;
        self.site = Some(self.named(number)?);
        Ok(())
    }

    fn named(&self, number: u64) -> Read<&'b str> {
        let place = usize::try_from(number).ok();
        let name = place.and_then(|place| self.names.get(place));
        name.copied().ok_or(Fault::Wrong("a name is missing"))
    }

    fn request(&mut self, first: u8) -> Read<(u32, Described<'b>)> {
        let numbers = &mut self.numbers;
        let number = numbers.near_small(self.request)?;
        let [class, selector] = [numbers.number()?, numbers.number()?];
        let client = numbers.near_small(self.processor)?;
        let supplier = numbers.near_small(client)?;
        let distance = numbers.small()?;
        let described = Described {
            class: self.named(class)?,
            selector: self.named(selector)?,
            client,
            supplier,
            sender: (distance > 0).then(|| number.wrapping_sub(distance)),
            waits: first & FIRST != 0,
            is_local: first & SECOND != 0,
            is_callback: first & THIRD != 0,
            site: self.site.take(),
        };
        self.request = number;
        self.described = Some((number, described));
        Ok((number, described))
    }

    fn event(&mut self, first: u8) -> Read<Event> {
        let numbers = &mut self.numbers;
        self.time = numbers.near(self.time)?;
        if first & FIRST == 0 {
            self.processor = numbers.near_small(self.processor)?;
        }
        if first & SECOND == 0 {
            self.request = numbers.near_small(self.request)?;
        }
        if self.processor >= self.processors {
            return wrong("a processor is not described");
        }
        let kind = match first & kinds::MASK {
            kinds::CREATED => EventKind::Created,
            kinds::CALLED => self.called(first & THIRD != 0)?,
            kinds::SYNCHRONIZES => EventKind::Synchronizes,
            kinds::LOCKS => EventKind::Locks,
            kinds::GRANTED => EventKind::Granted,
            kinds::EVALUATED_FALSE => EventKind::Evaluated(false),
            kinds::EVALUATED_TRUE => EventKind::Evaluated(true),
            kinds::EXECUTES => EventKind::Executes,
            kinds::RETURNS => EventKind::Returns,
            kinds::ANSWERED => EventKind::Answered,
            kinds::RAN => EventKind::Ran(numbers.number()?),
            kinds::UNLOCKED => EventKind::Unlocked,
            kinds::SLEEPS => EventKind::Sleeps,
            kinds::WAKES => EventKind::Wakes,
            kinds::JOINS => EventKind::Joins,
            kinds::CANCELLED => EventKind::Cancelled,
            kinds::WANTS => EventKind::Wants {
                supplier: numbers.near_small(self.processor)?,
            },
            kinds::CHARGED => EventKind::Charged(numbers.number()?),
            kinds::BLOCKS => EventKind::Blocks {
                on: numbers.small()?,
            },
            kinds::FREED => EventKind::Freed {
                by: numbers.near_small(self.request)?,
            },
            kinds::APPROVED => EventKind::Approved,
            kinds::DISPATCHED => EventKind::Dispatched {
                cpu: numbers.small()?,
            },
            _ => return wrong("a record of an unknown kind"),
        };
        Ok(Event {
            time: self.time,
            processor: self.processor,
            kind,
            request: self.request,
        })
    }

    fn called(&mut self, as_described: bool) -> Read<EventKind> {
        if !as_described {
            let supplier = self.numbers.near_small(self.processor)?;
            let waits = match self.numbers.byte()? {
                0 => false,
                1 => true,
                _ => return wrong("a flag is neither 0 nor 1"),
            };
            return Ok(EventKind::Called { supplier, waits });
        }
        match self.described {
            Some((number, described)) if number == self.request => Ok(EventKind::Called {
                supplier: described.supplier,
                waits: described.waits,
            }),
            _ => wrong("a call is not described"),
        }
    }

    fn progress(&mut self) -> Read<Resumed<'b>> {
        let Some((number, described)) = self.described else {
            return wrong("moments without a request");
        };
        let known = self.numbers.byte()?;
        if known >= 1 << 4 {
            return wrong("unknown moments of a request");
        }
        let mut moments = [None; 4];
        for (bit, moment) in moments.iter_mut().enumerate() {
            if known & 1 << bit != 0 {
                self.time = self.numbers.near(self.time)?;
                *moment = Some(self.time);
            }
        }
        let sender = match self.numbers.number()?.checked_sub(1) {
            Some(class) => {
                let selector = self.numbers.number()?;
                Some((self.named(class)?, self.named(selector)?))
            }
            None => None,
        };
        let [called, synchronizes, executes, returns] = moments;
        let progress = Measured {
            called,
            synchronizes,
            executes,
            returns,
            ..Measured::default()
        };
        Ok(Resumed {
            number,
            described,
            sender,
            progress,
        })
    }

    fn lane(&mut self) -> Read<(u32, Lane)> {
        self.processor = self.numbers.near_small(self.processor)?;
        if self.processor >= self.processors {
            return wrong("a processor is not described");
        }
        let state = STATES.get(usize::from(self.numbers.byte()?));
        let state = *state.ok_or(Fault::Wrong("an unknown state"))?;
        self.time = self.numbers.near(self.time)?;
        let lane = Lane {
            open: Vec::new(),
            state,
            since: self.time,
            obstacle: None,
        };
        Ok((self.processor, lane))
    }

    fn open(&mut self, first: u8) -> Read<Open> {
        self.request = self.numbers.near_small(self.request)?;
        let depth = self.numbers.small()?;
        let waits_since = match first & FIRST != 0 {
            true => {
                self.time = self.numbers.near(self.time)?;
                Some(self.time)
            }
            false => None,
        };
        Ok(Open {
            request: self.request,
            waits_since,
            depth,
        })
    }
}
