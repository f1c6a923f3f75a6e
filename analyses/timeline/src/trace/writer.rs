//! Writes a trace. The writer holds one block of events, one of processors, the entries of one index block, and the requests that are
//! under way.

use std::io::Write;

use tally_profiler::recording::bytes::push_number;
use tally_vm::{Event, EventKind};

use super::block::{BlockHead, Kind, MOST_CONTENT};
use super::encode::Block;
use super::index::{self, Listed, MOST_ENTRIES};
use super::{Ending, Head};
use crate::following::{Follower, Ignore, Lane};
use crate::measured::Window;
use crate::obstacles::Obstacle;
use crate::sink::{Accepted, Described, Origin, Sink, SinkError};
use crate::states::State;

/// A state is written after this number of bytes of events, and after four times the bytes of the state before.
const STATE_EVERY: u64 = 256 << 10;
/// Room that a processor always has.
const PROCESSOR_ROOM: usize = 1100;

/// A writer of a trace.
pub struct Writer<W: Write> {
    out: W,
    /// Bytes written.
    offset: u64,
    follower: Follower,
    events: Block,
    processors: Block,
    described: u32,
    count: u64,
    last: u64,
    /// Bytes of events since the last state, and of that state.
    since_state: u64,
    state: u64,
    previous: u32,
    listed: Listed,
}

impl<W: Write> Writer<W> {
    /// Begins a trace.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn new(mut out: W, head: &Head) -> std::io::Result<Writer<W>> {
        let bytes = head.bytes();
        out.write_all(&bytes)?;
        let offset = bytes.len() as u64;
        Ok(Writer {
            out,
            offset,
            follower: Follower::new(Window::WHOLE),
            events: Block::default(),
            processors: Block::default(),
            described: 0,
            count: 0,
            last: 0,
            since_state: 0,
            state: 0,
            previous: 0,
            listed: Listed {
                first: offset,
                before: 0,
                blocks: Vec::new(),
            },
        })
    }

    /// Ends the trace of a run that ended in this way at this moment. Answers how many bytes it has, and where it went.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn finish(mut self, ending: Ending, end: u64) -> std::io::Result<(u64, W)> {
        self.flush()?;
        let mut content = ending.code().to_vec();
        push_number(&mut content, end);
        push_number(&mut content, self.count);
        let mut head = Block::default().head(Kind::End);
        (head.first, head.last) = (end, end);
        self.block(head, &content)?;
        if !self.listed.blocks.is_empty() {
            self.index()?;
        }
        self.out.write_all(&index::footer(self.listed.before))?;
        self.out.flush()?;
        Ok((self.offset + index::FOOTER as u64, self.out))
    }

    /// Writes the processors and events that are held.
    fn flush(&mut self) -> std::io::Result<()> {
        self.flush_processors()?;
        let block = std::mem::take(&mut self.events);
        if block.is_empty() {
            return Ok(());
        }
        let before = self.offset;
        self.block(block.head(Kind::Events), &block.content)?;
        self.since_state += self.offset - before;
        if self.since_state >= STATE_EVERY.max(self.state.saturating_mul(4)) {
            let before = self.offset;
            self.state()?;
            (self.since_state, self.state) = (0, self.offset - before);
        }
        Ok(())
    }

    fn flush_processors(&mut self) -> std::io::Result<()> {
        let block = std::mem::take(&mut self.processors);
        match block.is_empty() {
            true => Ok(()),
            false => self.block(block.head(Kind::Processors), &block.content),
        }
    }

    fn block(&mut self, head: BlockHead, content: &[u8]) -> std::io::Result<()> {
        let head = self.put(head, content)?;
        self.listed.blocks.push(head);
        match self.listed.blocks.len() >= MOST_ENTRIES {
            true => self.index(),
            false => Ok(()),
        }
    }

    fn index(&mut self) -> std::io::Result<()> {
        let content = index::content(&self.listed);
        let mut head = Block::default().head(Kind::Index);
        head.records = self.listed.blocks.len() as u32;
        let offset = self.offset;
        self.put(head, &content)?;
        self.listed = Listed {
            first: self.offset,
            before: offset,
            blocks: Vec::new(),
        };
        Ok(())
    }

    fn put(&mut self, mut head: BlockHead, content: &[u8]) -> std::io::Result<BlockHead> {
        head.previous = self.previous;
        let (head, bytes) = head.sealed(content);
        self.out.write_all(&bytes)?;
        self.out.write_all(content)?;
        self.offset += head.whole();
        self.previous = head.whole() as u32;
        Ok(head)
    }

    /// Writes what is under way.
    fn state(&mut self) -> std::io::Result<()> {
        let follower = std::mem::replace(&mut self.follower, Follower::new(Window::WHOLE));
        let written = StateWriter::new(self).write(&follower);
        self.follower = follower;
        written
    }
}

/// Writes what is under way, in blocks.
struct StateWriter<'w, W: Write> {
    writer: &'w mut Writer<W>,
    block: Block,
    kind: Kind,
}

impl<W: Write> StateWriter<'_, W> {
    fn new(writer: &mut Writer<W>) -> StateWriter<'_, W> {
        StateWriter {
            writer,
            block: Block::default(),
            kind: Kind::State,
        }
    }

    fn write(mut self, follower: &Follower) -> std::io::Result<()> {
        for (number, row) in &follower.rows {
            self.make_room()?;
            self.block.request(*number, row, &follower.names);
            self.block.progress(row, &follower.names);
        }
        for (number, lane) in (0..).zip(&follower.lanes) {
            if lane.state != State::Idle || !lane.open.is_empty() {
                self.lane(number, lane, follower)?;
            }
        }
        self.flush()
    }

    fn lane(&mut self, number: u32, lane: &Lane, follower: &Follower) -> std::io::Result<()> {
        self.make_room()?;
        let obstacle = lane.obstacle.and_then(|number| {
            let row = follower.obstacles.get(number)?;
            self.block.obstacle(number, row, &follower.names);
            Some(number)
        });
        self.block.lane(number, lane.state, lane.since, false);
        if let Some(obstacle) = obstacle {
            self.block.blocked_by(obstacle);
        }
        for open in &lane.open {
            if self.make_room()? {
                self.block.lane(number, lane.state, lane.since, true);
            }
            let (request, depth) = (open.request, open.depth);
            self.block.open(request, depth, open.waits_since);
        }
        Ok(())
    }

    /// Writes the block if it is full; answers whether it was.
    fn make_room(&mut self) -> std::io::Result<bool> {
        if self.block.is_full() {
            self.flush()?;
            return Ok(true);
        }
        Ok(false)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        let mut block = std::mem::take(&mut self.block);
        block.known_up_to(self.writer.last);
        let kind = std::mem::replace(&mut self.kind, Kind::MoreState);
        self.writer.block(block.head(kind), &block.content)
    }
}

impl<W: Write> Sink for Writer<W> {
    fn processor(&mut self, number: u32, origin: Origin, class: &str) -> Accepted {
        self.follower.processor(number, origin)?;
        if self.processors.content.len() + PROCESSOR_ROOM > MOST_CONTENT {
            self.flush_processors().map_err(SinkError::Io)?;
        }
        self.processors.processor(number, origin, class);
        self.described = number + 1;
        Ok(())
    }

    fn request(&mut self, number: u32, request: &Described<'_>) -> Accepted {
        self.follower.request(number, request)
    }

    fn obstacle(&mut self, number: u32, obstacle: &Obstacle<'_>) -> Accepted {
        self.follower.obstacle(number, obstacle)
    }

    fn event(&mut self, event: &Event) -> Accepted {
        if event.processor >= self.described {
            return Err(SinkError::Undescribed(event.processor));
        }
        if self.events.is_full() {
            self.flush().map_err(SinkError::Io)?;
        }
        let row = self.follower.rows.get(&event.request);
        if let Some(row) = row {
            self.events
                .request(event.request, row, &self.follower.names);
        }
        if let EventKind::Blocks { on } = event.kind
            && let Some(obstacle) = self.follower.obstacles.get(on)
        {
            let names = &self.follower.names;
            self.events.obstacle(on, obstacle, names);
        }
        self.events.event(event, row);
        self.count += 1;
        self.last = self.last.max(event.time);
        self.follower.event(event, &mut Ignore);
        Ok(())
    }
}
