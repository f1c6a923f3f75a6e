//! The machine: all of its state in one struct. So several machines live in one process, and a copy (`Vm::fork`) copies
//! everything. The modules around this one work on the state.

mod actors;
mod answers;
mod assumptions;
mod becoming;
mod canonical;
mod choices;
mod compilers;
mod copies;
mod deadlock;
mod explored;
mod extents;
mod failing;
mod fork;
mod frames;
mod futures;
mod guided;
mod integers;
mod mail;
mod membrane;

mod memory;
mod mode;
mod objects;
mod ordinary;
mod processors;
mod registers;
mod roots;
mod semaphores;
mod serials;
mod shared_variables;
mod silence;
mod sleep;
mod timelines;
mod trace;
mod trial;
mod virtual_clock;
mod watching;

use crate::actors::Actors;
use crate::base::{ClassId, Config, Known, MethodId, SymbolId, Value};
use crate::bytecode::GlobalKey;
use crate::choices::{Choices, Scheduler};
use crate::code::LinkedCode;
use crate::counting::Counters;
use crate::heap::Heap;
use crate::image::{Class, Image, Method};
use crate::observers::Observers;
use crate::processes::{Processes, Running};
use crate::run::Run;
use crate::separate::Separate;
use crate::watching::Watching;
use crate::world::{Host, World};

pub(crate) use compilers::Compilers;
pub use compilers::{ClassSource, CompileFailure, LoadError, Scope, SourceCompiler};
pub(crate) use membrane::Purpose;
pub(crate) use memory::{MOST_BYTES, model_bytes};
pub(crate) use mode::ModeName;
pub(crate) use registers::Registers;
pub(crate) use roots::MOST_KEPT_ARGUMENTS;
pub(crate) use silence::TICKS_BETWEEN_LOOKS;
pub(crate) use trial::{EverySchedule, SpansFound, Trial, Tried, Watch};

/// A virtual machine with everything that belongs to it, each part in a room of its own.
#[repr(C)]
pub struct Vm {
    pub(crate) registers: Registers,
    /// The objects.
    pub heap: Heap,
    pub(crate) running: Running,
    pub(crate) counters: Counters,
    pub(crate) code: LinkedCode,
    pub(crate) run: Run,
    pub(crate) processes: Processes,
    pub(crate) choices: Choices,
    pub(crate) separate: Separate,
    pub(crate) actors: Actors,
    pub(crate) image: Image,
    pub(crate) observers: Observers,
    pub(crate) world: World,
    pub(crate) compilers: Compilers,
    pub(crate) config: Config,
    /// A copy of this machine that goes on first.
    pub(crate) trial: Option<Box<Trial>>,
    /// The guide of the processes, if there is one.
    pub(crate) watching: Option<Box<Watching>>,
}

// SAFETY: the raw pointers refer to stacks, code and objects that the machine owns alone.
#[allow(unsafe_code)]
unsafe impl Send for Vm {}

impl Vm {
    /// A machine with nothing in its tables.
    pub(crate) fn bare(config: Config, host: Box<dyn Host>) -> Vm {
        let mut heap = Heap::new(
            config.nursery_bytes,
            config.least_old_bytes,
            config.gc_stress,
        );
        heap.seed_hashes(config.hash_seed);
        Vm {
            registers: Registers::default(),
            heap,
            running: Running::default(),
            counters: Counters::default(),
            code: LinkedCode::default(),
            run: Run::default(),
            processes: Processes::default(),
            choices: Choices::default(),
            separate: Separate::default(),
            actors: Actors::default(),
            image: Image::new(),
            observers: Observers::default(),
            world: World::new(host),
            compilers: Compilers::default(),
            config,
            trial: None,
            watching: None,
        }
    }

    // --- values -------------------------------------------------------------------------------

    /// The class of any value.
    #[inline(always)]
    pub fn class_of(&self, value: Value) -> ClassId {
        ClassId(self.class_number(value))
    }

    #[inline(always)]
    pub(crate) fn class_number(&self, value: Value) -> u32 {
        if value.is_object() {
            self.heap.class_of_object(value)
        } else if value.is_int() {
            Known::SmallInteger as u32
        } else {
            IMMEDIATE_CLASSES[value.immediate_kind() % IMMEDIATE_CLASSES.len()] as u32
        }
    }

    /// Whether the value is a direct instance of a class that the machine knows.
    #[inline(always)]
    pub(crate) fn is_a(&self, value: Value, known: Known) -> bool {
        self.class_number(value) == known as u32
    }

    /// A class's row.
    pub fn class(&self, id: ClassId) -> &Class {
        self.image.class(id)
    }

    /// The class object of a class; nil if there is none yet.
    pub fn class_object(&self, id: ClassId) -> Value {
        self.image.class_object(id)
    }

    /// A method's row.
    pub fn method(&self, id: MethodId) -> &Method {
        self.image.method(id)
    }

    /// The class with this name.
    pub fn find_class(&self, name: &str) -> Option<ClassId> {
        let id = *self.image.global_ids.get(&GlobalKey::Global(name))?;
        self.class_of_class_object(self.image.globals[id as usize].value)
    }

    /// The class whose class object this is (a metaclass for a metaclass's object).
    pub fn class_of_class_object(&self, value: Value) -> Option<ClassId> {
        if !value.is_object() {
            return None;
        }
        let class = self.class(self.class_of(value));
        let is_class = class.is_metaclass || self.is_a(value, Known::Metaclass);
        let id = *self.heap.slots(value).first().filter(|_| is_class)?;
        Some(ClassId(u32::try_from(id.as_int()?).ok()?))
    }

    /// Whether `class` is `ancestor` or inherits from it.
    pub fn inherits(&self, class: ClassId, ancestor: ClassId) -> bool {
        self.image.inherits(class, ancestor)
    }

    /// The symbol with this text.
    pub fn symbol(&mut self, text: &str) -> Value {
        self.image.symbol(text)
    }

    /// A symbol's text.
    pub fn symbol_text(&self, id: SymbolId) -> &str {
        self.image.symbol_text(id)
    }

    #[inline(always)]
    pub(crate) fn is_block(&self, value: Value) -> bool {
        Known::is_block_class(ClassId(self.class_number(value)))
    }

    // --- the running process's stack --------------------------------------------------------------

    /// Sends of all processes so far.
    pub fn sends(&self) -> u64 {
        self.counted_sends().wrapping_add(
            self.counters
                .other_ticks
                .wrapping_sub(self.counters.other_loops),
        )
    }

    /// Loop repetitions of all processes so far.
    pub fn loops(&self) -> u64 {
        self.counted_loops().wrapping_add(self.counters.other_loops)
    }

    /// The arguments that the script reads by `Smalltalk arguments`.
    pub fn set_arguments(&mut self, arguments: Vec<String>) {
        self.world.arguments = arguments;
    }

    /// The outside world.
    pub fn host(&mut self) -> &mut dyn Host {
        &mut *self.world.host
    }

    /// Replaces the outside world.
    pub fn set_host(&mut self, host: Box<dyn Host>) {
        self.world.host = host;
    }

    /// Sets the scheduler, which makes each choice of the next process from now on.
    pub fn set_scheduler(&mut self, scheduler: Box<dyn Scheduler>) {
        self.choices.scheduler = scheduler;
    }
}

/// A power of two, so that an index needs no check but a mask.
const IMMEDIATE_CLASSES: [Known; 8] = {
    let mut classes = [Known::Nothing; 8];
    classes[0] = Known::UndefinedObject;
    classes[1] = Known::False;
    classes[2] = Known::True;
    classes[3] = Known::Character;
    classes[4] = Known::Symbol;
    classes[5] = Known::FrameToken;
    classes
};
