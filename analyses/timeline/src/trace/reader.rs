//! Reads a trace: finds its blocks by the index, or block by block where the index is missing, and gives their parts to a sink.

use std::io::{Read, Seek, SeekFrom};

use tally_profiler::recording::bytes::Input;

use super::block::{BlockHead, HEAD, Kind};
use super::decode::{self, Fault, Resumption};
use super::index::{self, FOOTER};
use super::{Ending, Head, TraceError};
use crate::measured::Window;
use crate::sink::Sink;

/// The most blocks of a trace: 64 GiB.
const MOST_BLOCKS: usize = 1 << 20;

/// Where a trace ends that has no index: the process that wrote it was killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cut {
    /// Bytes of the whole blocks, with the head.
    pub bytes: u64,
    /// The latest moment of an event in them.
    pub time: u64,
}

/// A trace that is open.
pub struct Trace<R> {
    input: R,
    head: Head,
    blocks: Vec<Placed>,
    ending: Ending,
    end: u64,
    cut: Option<Cut>,
    /// Bytes of the blocks that were read since it was opened.
    read: u64,
}

#[derive(Clone, Copy)]
struct Placed {
    offset: u64,
    head: BlockHead,
}

impl<R: Read + Seek> Trace<R> {
    /// Opens a trace. Memory is bounded, whatever it holds.
    ///
    /// # Errors
    /// It cannot be read, is no trace, or is damaged. A trace whose end is missing is no error.
    pub fn open(mut input: R) -> Result<Trace<R>, TraceError> {
        let length = input.seek(SeekFrom::End(0))?;
        input.seek(SeekFrom::Start(0))?;
        let (head, start) = Head::read(&mut input)?;
        let mut trace = Trace {
            input,
            head,
            blocks: Vec::new(),
            ending: Ending::Cut,
            end: 0,
            cut: None,
            read: 0,
        };
        match trace.footer(start, length)? {
            Some(last) => trace.load_index(start, last, length - FOOTER as u64)?,
            None => trace.walk(start, length)?,
        }
        trace.find_end()?;
        trace.read = 0;
        Ok(trace)
    }

    /// What was run, and under which rules.
    pub fn head(&self) -> &Head {
        &self.head
    }

    /// How the run ended.
    pub fn ending(&self) -> Ending {
        self.ending
    }

    /// The last moment, in ticks.
    pub fn end(&self) -> u64 {
        self.end
    }

    /// The first moment of an event, in ticks. Nothing if the trace has none.
    pub fn start(&self) -> Option<u64> {
        self.events().map(|head| head.first).min()
    }

    /// How many records its blocks of events have: events, and the names and requests in them.
    pub fn records(&self) -> u64 {
        self.events().map(|head| u64::from(head.records)).sum()
    }

    fn events(&self) -> impl Iterator<Item = &BlockHead> {
        let heads = self.blocks.iter().map(|placed| &placed.head);
        heads.filter(|head| head.kind == Kind::Events)
    }

    /// Where the trace ends, if its end is missing.
    pub fn cut(&self) -> Option<Cut> {
        self.cut
    }

    /// Bytes of the blocks that were read since it was opened.
    pub fn bytes_read(&self) -> u64 {
        self.read
    }

    /// Gives all parts to a sink.
    ///
    /// # Errors
    /// The trace is damaged or cannot be read, or the sink refuses a part.
    pub fn replay(&mut self, sink: &mut impl Sink) -> Result<(), TraceError> {
        let mut known = 0;
        for number in 0..self.blocks.len() {
            let placed = self.blocks[number];
            let content = self.content(placed)?;
            let head = &placed.head;
            let done = match head.kind {
                Kind::Processors => decode::processors(&content, head, known, sink).map(|count| {
                    known = count;
                }),
                Kind::Events => decode::events(&content, head, known, sink),
                _ => Ok(()),
            };
            done.map_err(|fault| placed.fault(fault))?;
        }
        Ok(())
    }

    /// Gives to a sink all processors, what is under way at a moment before the segment, and the events from there to the last one
    /// in the segment. Reads no other blocks.
    ///
    /// # Errors
    /// The trace is damaged or cannot be read, or the sink refuses a part.
    pub fn replay_segment(
        &mut self,
        segment: Window,
        sink: &mut impl Sink,
    ) -> Result<(), TraceError> {
        let mut known = 0;
        for number in 0..self.blocks.len() {
            let placed = self.blocks[number];
            if placed.head.kind == Kind::Processors {
                let content = self.content(placed)?;
                let count = decode::processors(&content, &placed.head, known, sink);
                known = count.map_err(|fault| placed.fault(fault))?;
            }
        }
        let is_start =
            |placed: &Placed| placed.head.kind == Kind::State && placed.head.last < segment.from;
        let start = self.blocks.iter().rposition(is_start).unwrap_or(0);
        let is_in =
            |placed: &Placed| placed.head.kind == Kind::Events && placed.head.first <= segment.to;
        let behind = self.blocks.iter().rposition(is_in);
        let behind = behind.map_or(start, |last| last + 1).max(start);
        let mut resumption = Resumption::default();
        let mut number = start;
        while let Some(&placed) = self.blocks.get(number)
            && matches!(placed.head.kind, Kind::State | Kind::MoreState)
            && (number == start || placed.head.kind == Kind::MoreState)
        {
            let content = self.content(placed)?;
            let done = decode::state(&content, &placed.head, known, &mut resumption, sink);
            done.map_err(|fault| placed.fault(fault))?;
            number += 1;
        }
        let finished = resumption.finish(sink);
        finished.map_err(|_| TraceError::TooLarge("processors"))?;
        for number in number..behind {
            let placed = self.blocks[number];
            if placed.head.kind == Kind::Events {
                let content = self.content(placed)?;
                let done = decode::events(&content, &placed.head, known, sink);
                done.map_err(|fault| placed.fault(fault))?;
            }
        }
        Ok(())
    }

    /// The content of a block that the index lists.
    fn content(&mut self, placed: Placed) -> Result<Vec<u8>, TraceError> {
        let (head, content) = self.block_at(placed.offset)?;
        match head == placed.head {
            true => Ok(content),
            false => Err(TraceError::Damaged(
                placed.offset,
                "a block is not as the index lists it",
            )),
        }
    }

    /// A whole block with the right checksum.
    fn block_at(&mut self, offset: u64) -> Result<(BlockHead, Vec<u8>), TraceError> {
        let damaged = |why| TraceError::Damaged(offset, why);
        self.input.seek(SeekFrom::Start(offset))?;
        let mut bytes = [0; HEAD];
        let read = self.input.read_exact(&mut bytes);
        read.map_err(|error| short(error, damaged("a block is cut")))?;
        let head = BlockHead::read(&bytes).ok_or(damaged("no block begins here"))?;
        let mut content = vec![0; head.length as usize];
        let read = self.input.read_exact(&mut content);
        read.map_err(|error| short(error, damaged("a block is cut")))?;
        self.read += head.whole();
        match head.checksum_with(&content) == head.checksum {
            true => Ok((head, content)),
            false => Err(damaged("the checksum of a block is wrong")),
        }
    }

    /// Where the last index block begins; nothing without the last bytes of a trace.
    fn footer(&mut self, start: u64, length: u64) -> Result<Option<u64>, TraceError> {
        let Some(at) = length.checked_sub(FOOTER as u64).filter(|at| *at >= start) else {
            return Ok(None);
        };
        self.input.seek(SeekFrom::Start(at))?;
        let mut bytes = [0; FOOTER];
        self.input.read_exact(&mut bytes)?;
        Ok(index::read_footer(&bytes))
    }

    /// Reads the index blocks from the last to the first, and places the blocks that they list.
    fn load_index(&mut self, start: u64, last: u64, footer: u64) -> Result<(), TraceError> {
        let mut indices = Vec::new();
        let (mut at, mut behind, mut count) = (last, footer, 0);
        loop {
            let damaged = |why| TraceError::Damaged(at, why);
            let (head, content) = self.block_at(at)?;
            if head.kind != Kind::Index || at + head.whole() != behind {
                return Err(damaged("an index is not where it is said to be"));
            }
            let listed = index::read(&content, head.records);
            let listed = listed.ok_or(damaged("an index is inconsistent"))?;
            count += listed.blocks.len();
            if count > MOST_BLOCKS {
                return Err(TraceError::TooLarge("blocks"));
            }
            let (first, before) = (listed.first, listed.before);
            if first < start || first > at || before >= at {
                return Err(damaged("an index is inconsistent"));
            }
            indices.push((at, head, listed));
            if before == 0 {
                break;
            }
            (at, behind) = (before, first);
        }
        let (mut offset, mut previous) = (start, 0);
        for (at, head, listed) in indices.into_iter().rev() {
            let damaged = || TraceError::Damaged(at, "an index is inconsistent");
            if listed.first != offset {
                return Err(damaged());
            }
            for head in listed.blocks {
                if head.previous != previous || head.kind == Kind::Index {
                    return Err(damaged());
                }
                self.blocks.push(Placed { offset, head });
                offset += head.whole();
                previous = head.whole() as u32;
            }
            if offset != at || head.previous != previous {
                return Err(damaged());
            }
            offset += head.whole();
            previous = head.whole() as u32;
        }
        match self.blocks.last().map(|placed| placed.head.kind) {
            Some(Kind::End) => Ok(()),
            _ => Err(TraceError::Damaged(last, "the end of the run is missing")),
        }
    }

    /// Takes all whole blocks, one after the other.
    fn walk(&mut self, start: u64, length: u64) -> Result<(), TraceError> {
        let (mut offset, mut previous) = (start, 0);
        let mut is_after_index = false;
        loop {
            let left = length - offset;
            let has_end = self.blocks.last().map(|placed| placed.head.kind) == Some(Kind::End);
            if has_end && is_after_index && left >= FOOTER as u64 {
                let why = "the last bytes of the trace are wrong";
                return Err(TraceError::Damaged(offset, why));
            }
            if left < HEAD as u64 || !self.is_whole(offset, left)? {
                break;
            }
            let (head, _) = self.block_at(offset)?;
            if head.previous != previous {
                return Err(TraceError::Damaged(offset, "a block is missing before"));
            }
            if self.blocks.len() >= MOST_BLOCKS {
                return Err(TraceError::TooLarge("blocks"));
            }
            is_after_index = head.kind == Kind::Index;
            if !is_after_index {
                self.blocks.push(Placed { offset, head });
            }
            offset += head.whole();
            previous = head.whole() as u32;
        }
        // A state that no event follows is of no use, and may not be whole.
        let is_state = |placed: &Placed| matches!(placed.head.kind, Kind::State | Kind::MoreState);
        while self.blocks.last().is_some_and(is_state) {
            self.blocks.pop();
        }
        let events = self.blocks.iter();
        let times = events.map(|placed| placed.head.last);
        self.cut = Some(Cut {
            bytes: offset,
            time: times.max().unwrap_or(0),
        });
        Ok(())
    }

    /// Whether the block that begins here is whole.
    fn is_whole(&mut self, offset: u64, left: u64) -> Result<bool, TraceError> {
        self.input.seek(SeekFrom::Start(offset))?;
        let mut bytes = [0; HEAD];
        self.input.read_exact(&mut bytes)?;
        let head = BlockHead::read(&bytes);
        let head = head.ok_or(TraceError::Damaged(offset, "no block begins here"))?;
        Ok(head.whole() <= left)
    }

    /// Reads how the run ended.
    fn find_end(&mut self) -> Result<(), TraceError> {
        let last = self.blocks.last().copied();
        let Some(placed) = last.filter(|placed| placed.head.kind == Kind::End) else {
            self.end = self.cut.map_or(0, |cut| cut.time);
            return Ok(());
        };
        let content = self.content(placed)?;
        let damaged = || TraceError::Damaged(placed.offset, "the end of the run is inconsistent");
        let mut input = Input(&content);
        let code = input.take(2).ok().and_then(|code| code.try_into().ok());
        let ending = code.and_then(Ending::decoded);
        self.ending = ending.ok_or_else(damaged)?;
        let end = input.number().map_err(|_| damaged())?;
        // No event is behind the last moment, whatever a damaged trace says.
        let events = self.blocks.iter().map(|placed| placed.head.last);
        self.end = events.fold(end, u64::max);
        Ok(())
    }
}

/// The error of a file that is shorter than it says, or the system's.
fn short(error: std::io::Error, otherwise: TraceError) -> TraceError {
    match error.kind() {
        std::io::ErrorKind::UnexpectedEof => otherwise,
        _ => TraceError::Io(error),
    }
}

impl Placed {
    fn fault(&self, fault: Fault) -> TraceError {
        match fault {
            Fault::Wrong(why) => TraceError::Damaged(self.offset, why),
            Fault::Sink(error) => error.into(),
        }
    }
}
