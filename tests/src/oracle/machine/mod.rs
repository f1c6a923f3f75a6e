//! The state of a run: the world, the frames of the running process, the other processes, the counts. Here are the
//! operations that activate no code; `interpreter` has the others.

pub(crate) mod frame;
mod make;
pub(crate) mod process;
mod processes;

use std::collections::HashMap;

use self::frame::{Frame, Task};
use self::process::Process;
use super::code::FrameKind;
use super::count::{Counts, Tree};
use super::value::{ClassId, Value};
use super::world::World;

/// Why a run is over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The script came to its end.
    Finished,
    /// There was an unhandled error, whether or not the script came to its end.
    Failed,
    /// The limit of ticks, or of depth.
    Limit,
    /// No process can run.
    Deadlock,
    /// The program ended the run itself.
    Exited,
    /// This interpreter does not know something that the program needs.
    Unsupported(String),
}

/// Classes that the interpreter itself makes instances of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known {
    pub(crate) undefined: ClassId,
    pub(crate) yes: ClassId,
    pub(crate) no: ClassId,
    pub(crate) small: ClassId,
    pub(crate) large_positive: ClassId,
    pub(crate) large_negative: ClassId,
    pub(crate) float: ClassId,
    pub(crate) character: ClassId,
    pub(crate) symbol: ClassId,
    pub(crate) string: ClassId,
    pub(crate) wide_string: ClassId,
    pub(crate) array: ClassId,
    pub(crate) bytes: ClassId,
    pub(crate) block: ClassId,
    pub(crate) message: ClassId,
    pub(crate) process: ClassId,
    pub(crate) semaphore: ClassId,
    pub(crate) fraction: ClassId,
    pub(crate) scaled: ClassId,
    pub(crate) method: ClassId,
    pub(crate) object: ClassId,
}

impl Known {
    pub(crate) fn of(world: &World) -> Result<Known, String> {
        let class = |text: &str| world.find_class(text).ok_or(format!("no class {text}"));
        Ok(Known {
            undefined: class("UndefinedObject")?,
            yes: class("True")?,
            no: class("False")?,
            small: class("SmallInteger")?,
            large_positive: class("LargePositiveInteger")?,
            large_negative: class("LargeNegativeInteger")?,
            float: class("Float")?,
            character: class("Character")?,
            symbol: class("Symbol")?,
            string: class("String")?,
            wide_string: class("WideString")?,
            array: class("Array")?,
            bytes: class("ByteArray")?,
            block: class("BlockClosure")?,
            message: class("Message")?,
            process: class("Process")?,
            semaphore: class("Semaphore")?,
            fraction: class("Fraction")?,
            scaled: class("ScaledDecimal")?,
            method: class("CompiledMethod")?,
            object: class("Object")?,
        })
    }
}

/// The interpreter's whole state.
#[derive(Clone, Debug)]
pub(crate) struct Machine {
    pub(crate) world: World,
    pub(crate) known: Known,
    pub(crate) literals: HashMap<u64, Value>,
    pub(crate) hash_state: u32,
    pub(crate) out: String,
    pub(crate) tree: Tree,
    /// The send that is being carried out, by 1 + its place in the file; 0 if none is.
    pub(crate) site: u32,
    /// The node of the activation that went last.
    pub(crate) left: u32,
    /// The running process's frames.
    pub(crate) frames: Vec<Frame>,
    /// All processes; the running one's frames are not there.
    pub(crate) processes: Vec<Process>,
    pub(crate) current: usize,
    /// Who can run, in the order of their coming.
    pub(crate) ready: Vec<usize>,
    pub(crate) next_frame: u64,
    pub(crate) max_ticks: Option<u64>,
    pub(crate) max_depth: u64,
    pub(crate) slice: Option<u64>,
    /// Ticks of the running process at which its slice ends.
    pub(crate) slice_end: Option<u64>,
    /// Where the script's counter starts.
    pub(crate) preset: u64,
    pub(crate) counter_offset: u64,
    pub(crate) arguments: Vec<String>,
    pub(crate) failed: bool,
    pub(crate) depth_exceeded: bool,
    /// Whether an unhandled error was that of the depth limit.
    pub(crate) hit_depth: bool,
    /// What the script's process answered.
    pub(crate) result: Value,
    pub(crate) ending: Option<Ending>,
}

impl Machine {
    pub(crate) fn new(world: World) -> Result<Machine, String> {
        let known = Known::of(&world)?;
        Ok(Machine {
            world,
            known,
            literals: HashMap::new(),
            hash_state: 1,
            out: String::new(),
            tree: Tree::default(),
            site: 0,
            left: 0,
            frames: Vec::new(),
            processes: Vec::new(),
            current: 0,
            ready: Vec::new(),
            next_frame: 1,
            max_ticks: None,
            max_depth: 250_000,
            slice: None,
            slice_end: None,
            preset: 0,
            counter_offset: 0,
            arguments: Vec::new(),
            failed: false,
            depth_exceeded: false,
            hit_depth: false,
            result: Value::Nil,
            ending: None,
        })
    }

    pub(crate) fn unsupported(&mut self, what: &str) {
        if !matches!(self.ending, Some(Ending::Unsupported(_))) {
            self.ending = Some(Ending::Unsupported(what.to_string()));
        }
    }

    pub(crate) fn top(&mut self) -> &mut Frame {
        let last = self.frames.len() - 1;
        &mut self.frames[last]
    }

    pub(crate) fn push(&mut self, value: Value) {
        self.top().values.push(value);
    }

    pub(crate) fn pop(&mut self) -> Value {
        self.top().values.pop().unwrap_or(Value::Nil)
    }

    pub(crate) fn task(&mut self, task: Task) {
        self.top().tasks.push(task);
    }

    /// Takes the topmost values, the first of them first.
    pub(crate) fn pop_many(&mut self, count: usize) -> Vec<Value> {
        let values = &mut self.top().values;
        values.split_off(values.len() - count)
    }

    /// The running process's counts.
    pub(crate) fn counts(&mut self) -> &mut Counts {
        &mut self.processes[self.current].counts
    }

    /// Where the running process's counter starts.
    pub(crate) fn preset_of_current(&self) -> u64 {
        if self.current == 0 { self.preset } else { 0 }
    }

    /// The counts of all processes together.
    pub(crate) fn all_counts(&self) -> Counts {
        let mut sum = Counts::default();
        self.processes
            .iter()
            .for_each(|process| sum.add(&process.counts));
        sum
    }

    /// The place of a frame of the running process, by its number.
    pub(crate) fn frame_at(&self, number: u64) -> Option<usize> {
        self.frames
            .binary_search_by_key(&number, |frame| frame.number)
            .ok()
    }

    /// The frame of the next `on:do:` below a frame, or from the top. A handler block runs in the environment of its
    /// `on:do:`'s sender, so the search goes on below that when it meets one.
    pub(crate) fn find_handler(&self, start: Option<usize>) -> Option<usize> {
        let mut index = start.unwrap_or(self.frames.len());
        while index > 0 {
            index -= 1;
            let frame = &self.frames[index];
            if frame.block.is_some() {
                continue;
            }
            match frame.method.frame {
                FrameKind::Handler => return Some(index),
                FrameKind::Handling => {
                    let token = frame.arguments.first().and_then(|one| one.as_small());
                    if let Some(at) = token.and_then(|number| self.frame_at(number as u64)) {
                        index = index.min(at);
                    }
                }
                _ => {}
            }
        }
        None
    }

    /// From here on nothing is counted of a process, until the frame goes. Its entry still was a poll point.
    pub(crate) fn begin_silence(&mut self, process: usize, number: u64) {
        let process = &mut self.processes[process];
        process.silence.get_or_insert(number);
    }

    pub(crate) fn end_silence(&mut self, number: u64) {
        let process = &mut self.processes[self.current];
        if process.silence == Some(number) {
            process.silence = None;
        }
    }

    pub(crate) fn is_silent(&self) -> bool {
        self.processes[self.current].silence.is_some()
    }
}
