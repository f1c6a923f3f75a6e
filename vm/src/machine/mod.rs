//! The machine: all of its state in one struct, so that several live in one process, and so that a
//! copy (`Vm::fork`) is a copy of everything. What it does with it is in the modules around.

#![allow(unsafe_code)]

mod becoming;
mod clock;
mod fork;
mod frames;
mod integers;
mod mode;
mod objects;
mod roots;
mod serials;
mod silence;
mod sleep;
mod trace;

mod compilers;
mod registers;

use crate::base::{ClassId, Config, Known, Limit, MethodId, Stop, SymbolId, Value};
use crate::bytecode::GlobalRef;
use crate::code::LinkedCode;
use crate::counting::Counters;
use crate::heap::{Contents, Heap};
use crate::image::{Class, Image, Method};
use crate::observers::Observers;
use crate::processes::{Mark, Processes, Running, Scheduler};
use crate::run::Run;
use crate::world::{Host, World};

pub(crate) use compilers::Compilers;
pub use compilers::{ClassSource, CompileFailure, LoadError, Scope, SourceCompiler};
pub(crate) use mode::ModeName;
pub(crate) use registers::Registers;
pub(crate) use roots::MOST_KEPT_ARGUMENTS;

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
    pub(crate) image: Image,
    pub(crate) observers: Observers,
    pub(crate) world: World,
    pub(crate) compilers: Compilers,
    pub(crate) config: Config,
}

// SAFETY: the raw pointers refer to stacks, code and objects that the machine owns alone.
#[allow(unsafe_code)]
unsafe impl Send for Vm {}

/// No object may be larger, on any platform: what is larger declines.
const MOST_BYTES: u64 = 1 << 36;

/// Objects of fewer bytes are made without asking whether there is room.
const FEW_BYTES: usize = 1 << 15;

/// Before an object of more bytes is made, the platform is asked whether it has them.
const MANY_BYTES: usize = 1 << 27;

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
            image: Image::new(),
            observers: Observers::default(),
            world: World::new(host),
            compilers: Compilers::default(),
            config,
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

    /// The object that stands for a class; nil if there is none yet.
    pub fn class_object(&self, id: ClassId) -> Value {
        self.image.class_object(id)
    }

    /// A method's row.
    pub fn method(&self, id: MethodId) -> &Method {
        self.image.method(id)
    }

    /// The class with this name.
    pub fn find_class(&self, name: &str) -> Option<ClassId> {
        let id = *self
            .image
            .global_ids
            .get(&GlobalRef::Global(name.to_string()))?;
        self.class_of_class_object(self.image.globals[id as usize].value)
    }

    /// The class whose class object this is (a metaclass for a metaclass's object).
    pub(crate) fn class_of_class_object(&self, value: Value) -> Option<ClassId> {
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

    /// Whether the value is a block.
    #[inline(always)]
    pub(crate) fn is_block(&self, value: Value) -> bool {
        Known::is_block_class(ClassId(self.class_number(value)))
    }

    // --- making objects: the machine's side of the heap's one door -------------------------------

    /// Makes an object and counts it.
    #[inline(always)]
    pub(crate) fn make(&mut self, class: ClassId, contents: Contents) -> Value {
        self.heap.allocations.objects += 1;
        self.heap.allocations.bytes += model_bytes(contents);
        self.make_uncounted(class, contents)
    }

    /// Makes an object of a kind that the model does not count.
    #[inline(always)]
    pub(crate) fn make_uncounted(&mut self, class: ClassId, contents: Contents) -> Value {
        match self.heap.try_allocate(class.0, contents) {
            Some(value) => value,
            None => self.make_slowly(class, contents),
        }
    }

    /// Makes an object of a kind that is never counted, and that nobody wants to know of: a number, a cell.
    #[inline(always)]
    pub(crate) fn make_unwatched(&mut self, class: ClassId, contents: Contents) -> Value {
        match self.heap.try_allocate_unwatched(class.0, contents) {
            Some(value) => value,
            None => self.make_after_collection(class, contents),
        }
    }

    #[cold]
    #[inline(never)]
    fn make_slowly(&mut self, class: ClassId, contents: Contents) -> Value {
        if crate::observers::PROFILING && self.heap.is_watched() {
            self.note_allocation(class);
            if let Some(value) = self.heap.try_allocate_unwatched(class.0, contents) {
                return value;
            }
        }
        self.make_after_collection(class, contents)
    }

    #[cold]
    #[inline(never)]
    fn make_after_collection(&mut self, class: ClassId, contents: Contents) -> Value {
        if self.heap.collection_due(contents) {
            self.collect_if_due(contents);
        }
        self.keep_to_limit(Heap::bytes_for(contents));
        self.heap.allocate_after_collection(class.0, contents)
    }

    /// Whether an object with these contents may be made. Ask before making what a program sized.
    /// May collect: values that were read before are void. When the memory limit forbids it, the run
    /// ends at the next poll point; what could never be is the program's own affair.
    pub(crate) fn has_room_for(&mut self, contents: Contents) -> bool {
        let bytes = Heap::bytes_for(contents);
        bytes as u64 <= MOST_BYTES
            && (bytes < FEW_BYTES || self.keep_to_limit(bytes) && self.platform_has(bytes))
    }

    /// How many elements of so many bytes each a program asks for, if the model allows it. Where only this platform cannot
    /// have so many, the run ends as at the limit on memory.
    pub(crate) fn wanted_length(&mut self, wanted: Value, bytes_each: u64) -> Option<usize> {
        let length = u64::try_from(wanted.as_int()?).ok()?;
        let bytes = length.checked_mul(bytes_each)?;
        if bytes > MOST_BYTES {
            return None;
        }
        if isize::try_from(bytes).is_err() {
            self.stop_at_next_poll(Stop::Limit(Limit::Memory));
            return None;
        }
        usize::try_from(length).ok()
    }

    /// Whether the platform has that many bytes in one piece. Where it refuses them the run ends as at the limit on memory.
    fn platform_has(&mut self, bytes: usize) -> bool {
        // What the heap keeps beside an object is less than a part in 64.
        let has = bytes < MANY_BYTES || Heap::platform_has(bytes.saturating_add(bytes / 64));
        if !has {
            self.stop_at_next_poll(Stop::Limit(Limit::Memory));
        }
        has
    }

    /// The bytes that count against `max_memory`.
    pub fn memory_in_use(&self) -> usize {
        self.heap.bytes_in_use()
            + self.running.stack.len() * 8
            + self.running.marks.capacity() * size_of::<Mark>()
            + self.processes.bytes
            + self.image.symbols.bytes()
            + self.world.regexes.bytes()
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

    /// What the script sees as `Smalltalk arguments`.
    pub fn set_arguments(&mut self, arguments: Vec<String>) {
        self.world.arguments = arguments;
    }

    /// The outside world.
    pub fn host(&mut self) -> &mut dyn Host {
        &mut *self.world.host
    }

    /// Puts another outside world in its place.
    pub fn set_host(&mut self, host: Box<dyn Host>) {
        self.world.host = host;
    }

    /// Asked at each choice of the next process from now on.
    pub fn set_scheduler(&mut self, scheduler: Box<dyn Scheduler>) {
        self.processes.scheduler = scheduler;
    }
}

/// Bytes of an object by the model: a header word and its contents in whole words.
pub(crate) fn model_bytes(contents: Contents) -> u64 {
    let words = match contents {
        Contents::Slots(n) => n,
        Contents::Bytes(n) => n.div_ceil(8),
    };
    8 * (1 + words as u64)
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
