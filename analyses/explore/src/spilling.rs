//! How an exploration goes on in files when memory is short, and after an interruption.

use std::ops::Range;

use crate::disk::{Disk, Log, Spill, StorageError, Sums, origin};
use crate::expansion::Successor;
use crate::fingerprint::Fingerprint;
use crate::names::ActorId;
use crate::program::{Program, Start};
use crate::space::{Limit, Options, Space, batch};
use crate::state::{Delivery, State};
use crate::tables::NONE;

/// Bytes of a turn and of a writing in their files.
const TURN: usize = 8;
const WRITING: usize = 12;

impl Space {
    /// The exploration at its start, or where an earlier one was interrupted.
    ///
    /// # Errors
    ///
    /// Those of the program.
    pub(crate) fn begun<P: Program>(
        program: &mut P,
        start: &Start,
        options: &Options,
        has_creations: bool,
    ) -> Result<Space, P::Error> {
        let mut space = Space::start(start, options, has_creations);
        space.tables.mark(program);
        let Some(spill) = &options.spill else {
            return Ok(space);
        };
        space.key = key(program, start, options, spill);
        let old = Disk::resumed(spill, &space.key);
        let Some(Some((disk, sums))) = space.stored(old) else {
            return Ok(space);
        };
        let mut resumed = Space::start(start, options, sums.has_creations);
        resumed.tables.mark(program);
        resumed.key.clone_from(&space.key);
        // Files that belong to other turns are written anew when memory is short.
        let is_same = resumed.restore(program, disk, sums)?;
        Ok(if is_same { resumed } else { space })
    }

    /// Becomes the exploration that was interrupted. Answers false if its turns do something else now.
    fn restore<P: Program>(
        &mut self,
        program: &mut P,
        mut disk: Disk,
        sums: Sums,
    ) -> Result<bool, P::Error> {
        let logs = [Log::Turns, Log::Writings, Log::Finals].map(|log| disk.logged(log));
        let [turns, writings, finals] = logs.map(|read| self.stored(read).unwrap_or_default());
        for turn in numbers(&turns).chunks_exact(TURN / 4) {
            let [locals, pendings, ..] = self.tables.sizes();
            if turn[0] as usize >= locals || turn[1] as usize >= pendings {
                return Ok(false);
            }
            self.tables.turn(program, turn[0], turn[1])?;
        }
        for writing in numbers(&writings).chunks_exact(WRITING / 4) {
            let (actor, before) = (ActorId(writing[0]), writing[1]);
            let is_later = before == NONE || (before as usize) < self.tables.writings.len();
            if actor.0 as usize >= self.tables.names.count() || !is_later {
                return Ok(false);
            }
            self.tables.with_output(actor, before, writing[2]);
        }
        if self.limit.is_some() || self.tables.sizes() != sums.table_sizes {
            return Ok(false);
        }
        if !self.restore_finals(&finals) {
            return Ok(false);
        }
        self.levels = sums.levels;
        self.expanded = self.levels.pop().unwrap_or(0);
        self.resumed = Some(self.levels.len() as u32);
        self.transitions = sums.transitions;
        self.lossy = sums.lossy;
        self.has_conflicts = sums.has_conflicts;
        self.take_over(disk);
        Ok(true)
    }

    /// The final states that were found, from their file. Answers false if something else is in it.
    fn restore_finals(&mut self, mut bytes: &[u8]) -> bool {
        while let Some((number, rest)) = bytes.split_first_chunk()
            && let Some((length, rest)) = rest.split_first_chunk()
            && let Some((state, rest)) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)
            && self.is_sound(state)
        {
            self.finals.push(u32::from_le_bytes(*number));
            self.final_states.push(state);
            bytes = rest;
        }
        bytes.is_empty()
    }

    /// From now on all states are in files.
    fn take_over(&mut self, disk: Disk) {
        self.disk = Some(Box::new(disk));
        self.edges = None;
        self.seen = Default::default();
        self.vectors = Default::default();
        self.parents = Default::default();
        self.choices = Default::default();
    }

    /// Frees what is not needed to go on if memory is short, and then goes on in files.
    pub(crate) fn spill_if_short(&mut self, level_end: u32, options: &Options) {
        let Some(spill) = &options.spill else {
            return;
        };
        let found = self.found();
        if self.disk.is_some() || self.limit.is_some() || found < self.next_look {
            return;
        }
        self.next_look = found + found / 16;
        self.keep_within(options.max_graph, spill.memory / 2);
        if self.bytes() > spill.memory / 2 {
            let spilled = self.spill(spill, level_end);
            self.stored(spilled);
        }
    }

    /// Goes on in files, in the midst of a level.
    fn spill(&mut self, spill: &Spill, level_end: u32) -> Result<(), StorageError> {
        let mut disk = Disk::new(spill, &self.key)?;
        for number in 0..self.found() as usize {
            disk.number(origin(self.parents.get(number), self.choices.get(number)))?;
        }
        for (place, number) in self.finals.iter().enumerate() {
            log_final(&mut disk, *number, self.final_states.get(place))?;
        }
        let keep = |disk: &mut Disk, states: Range<u32>| {
            let mut states = states;
            states.try_for_each(|state| disk.keep(self.seen.fingerprint(state), self.vector(state)))
        };
        keep(&mut disk, self.expanded..level_end)?;
        disk.begin_level(self.expanded)?;
        keep(&mut disk, level_end..self.found())?;
        disk.know(self.seen.sorted().into_iter())?;
        self.take_over(disk);
        Ok(())
    }

    /// Reads the next states of a level, if they are in files. Answers those that can be expanded together.
    pub(crate) fn read(&mut self, level: Range<u32>, threads: usize) -> Range<u32> {
        let Some(disk) = &mut self.disk else {
            return level;
        };
        let end = level.end.min(level.start.saturating_add(batch(threads)));
        let read = disk.read_states(level.start, end);
        let end = self.stored(read).unwrap_or(level.start);
        if self.is_to_check()
            && !self.are_sound(level.start..end)
            && let Some(disk) = &self.disk
        {
            let damaged = disk.damaged_level();
            self.stored::<()>(Err(damaged));
            return level.start..level.start;
        }
        level.start..end
    }

    /// Whether another run has written the level that is expanded.
    fn is_to_check(&self) -> bool {
        self.resumed
            .is_some_and(|level| level as usize + 1 == self.levels.len())
    }

    fn are_sound(&self, mut states: Range<u32>) -> bool {
        states.all(|state| self.is_sound(self.vector(state)))
    }

    /// Whether bytes that another run has written are a state.
    fn is_sound(&self, state: &[u8]) -> bool {
        State::is_sound(state, &self.tables, self.delivery == Delivery::Causal)
    }

    /// A successor may be new: that is known at the end of the level.
    pub(crate) fn offer(&mut self, parent: u32, choice: u16, successor: &Successor, state: &[u8]) {
        if let Some(disk) = &mut self.disk
            && successor.number == NONE
        {
            let offered = disk.offer(origin(parent, choice), successor.fingerprint, state);
            self.stored(offered);
        }
    }

    /// A state has no successor.
    pub(crate) fn add_final(&mut self, number: u32) {
        let state = self.vector(number).to_vec();
        self.finals.push(number);
        self.final_states.push(&state);
        if let Some(disk) = &mut self.disk {
            let logged = log_final(disk, number, &state);
            self.stored(logged);
        }
    }

    /// Numbers the new states of a level, and writes down how far the exploration is.
    pub(crate) fn end_level(&mut self, options: &Options) {
        let Some(mut disk) = self.disk.take() else {
            return;
        };
        // What was found before a limit is a part of a level. The exploration goes on before it.
        if self.limit.is_none() {
            let ended = disk.end_level().and_then(|()| self.checkpoint(&mut disk));
            self.stored(ended);
        }
        self.disk = Some(disk);
        if self.states() > u64::from(options.max_states) {
            self.limit = self.limit.or(Some(Limit::States));
        }
    }

    fn checkpoint(&self, disk: &mut Disk) -> Result<(), StorageError> {
        let turns = disk.logged_length(Log::Turns) / TURN;
        for (local, pending) in &self.tables.turn_keys[turns..] {
            disk.log(Log::Turns, &local.to_le_bytes())?;
            disk.log(Log::Turns, &pending.to_le_bytes())?;
        }
        let writings = disk.logged_length(Log::Writings) / WRITING;
        for writing in &self.tables.writings[writings..] {
            for number in [writing.actor.0, writing.before, writing.output] {
                disk.log(Log::Writings, &number.to_le_bytes())?;
            }
        }
        let mut levels = self.levels.clone();
        levels.push(self.expanded);
        let sums = Sums {
            has_creations: self.tables.has_creations(),
            levels,
            transitions: self.transitions,
            lossy: self.lossy,
            has_conflicts: self.has_conflicts,
            table_sizes: self.tables.sizes(),
        };
        disk.write_checkpoint(sums, self.expanded)
    }

    /// The exploration needs its files no more, or cannot use them.
    pub(crate) fn forget_files(&mut self) {
        if let Some(disk) = &mut self.disk {
            disk.finish();
        }
    }

    /// What was read or written. If that failed, the exploration ends.
    pub(crate) fn stored<T>(&mut self, result: Result<T, StorageError>) -> Option<T> {
        match result {
            Ok(found) => Some(found),
            Err(error) => {
                self.limit = self.limit.or(Some(Limit::Storage));
                self.storage_error.get_or_insert(error);
                None
            }
        }
    }

    /// Why a file of states could not be used, if that ended the exploration or hides a schedule.
    pub fn storage_error(&self) -> Option<&StorageError> {
        self.storage_error.as_ref()
    }

    /// The folder with the states, from which the exploration goes on the next time. None if it came to its end, or needed no files.
    pub fn left_in(&self) -> Option<&std::path::Path> {
        let disk = self.disk.as_ref().filter(|disk| !disk.is_done());
        disk.map(|disk| disk.folder())
    }

    /// How many turns from the start the exploration went on, if an earlier one was interrupted.
    pub fn resumed(&self) -> Option<u32> {
        self.resumed
    }

    /// How many states have numbers.
    pub(crate) fn found(&self) -> u32 {
        let files = self.disk.as_ref().map(|disk| disk.found());
        files.unwrap_or(self.seen.len() as u32)
    }

    /// The bytes of a state that is kept, or that was read.
    pub(crate) fn vector(&self, number: u32) -> &[u8] {
        match &self.disk {
            Some(disk) => disk.state(number).1,
            None => self.vectors.get(number as usize),
        }
    }

    /// The fingerprint of such a state.
    pub(crate) fn fingerprint(&self, number: u32) -> Fingerprint {
        match &self.disk {
            Some(disk) => disk.state(number).0,
            None => self.seen.fingerprint(number),
        }
    }

    /// The number of a state with this fingerprint. If the states are in files, it is any number: the state is one of those that were
    /// collected in this level.
    pub(crate) fn find(&self, fingerprint: Fingerprint) -> Option<u32> {
        match &self.disk {
            Some(disk) => disk.is_candidate(fingerprint).then_some(0),
            None => self.seen.find(fingerprint),
        }
    }
}

fn log_final(disk: &mut Disk, number: u32, state: &[u8]) -> Result<(), StorageError> {
    disk.log(Log::Finals, &number.to_le_bytes())?;
    disk.log(Log::Finals, &(state.len() as u32).to_le_bytes())?;
    disk.log(Log::Finals, state)
}

/// Bytes as numbers.
fn numbers(bytes: &[u8]) -> Vec<u32> {
    let (words, _) = bytes.as_chunks();
    words.iter().map(|word| u32::from_le_bytes(*word)).collect()
}

/// What identifies an exploration: the program and its start, and the order of messages.
fn key<P: Program>(program: &P, start: &Start, options: &Options, spill: &Spill) -> String {
    let behaviours = start.actors.iter();
    let behaviours = behaviours.map(|actor| program.behaviour_text(actor.behaviour));
    let messages = start.messages.iter();
    let messages = messages.map(|message| program.message_text(message.message));
    let texts: Vec<String> = behaviours.chain(messages).collect();
    let (delivery, policy) = (options.delivery.name(), &options.policy);
    let whole = format!(
        "{} {delivery} {policy:?} {start:?} {texts:?}",
        spill.program
    );
    blake3::hash(whole.as_bytes()).to_hex().to_string()
}
