//! The machine: all of its state in one struct, so that several live in one process, and so that a
//! copy (`Vm::fork`) is a copy of everything. What it does with it is in the modules around.

mod compilers;
mod registers;

use crate::bytecode::GlobalRef;
use crate::class::{Class, ClassId, Known, Method, MethodId};
use crate::code::{LinkedCode, Target, TargetId};
use crate::counting::Counters;
use crate::dialect::Dialect;
use crate::heap::{Contents, Heap};
use crate::host::{Host, MemoryHost};
use crate::image::Image;
use crate::observers::Observers;
use crate::process::Mark;
use crate::processes::{Processes, Running};
use crate::run::Run;
use crate::scheduler::Scheduler;
use crate::value::{SymbolId, Value};
use crate::world::World;

pub(crate) use compilers::Compilers;
pub(crate) use registers::Registers;

/// Which of the things that only make it faster a machine may do. None of them changes a count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Optimisations {
    /// Inline caches and the global lookup cache.
    pub caches: bool,
    /// Arithmetic, comparison and access without looking a method up.
    pub shortcuts: bool,
    /// Quick methods without a frame.
    pub quick: bool,
}

impl Optimisations {
    /// All of them.
    pub const ALL: Optimisations = Optimisations {
        caches: true,
        shortcuts: true,
        quick: true,
    };
    /// None of them: the reference mode.
    pub const NONE: Optimisations = Optimisations {
        caches: false,
        shortcuts: false,
        quick: false,
    };
}

/// How a machine is to be set up.
#[derive(Clone, Copy, Debug)]
pub struct Config {
    /// The language of the library and the program.
    pub dialect: Dialect,
    /// Bytes of the nursery.
    pub nursery_bytes: usize,
    /// Bytes by which the old space grows at least between two collections of everything; when much lives it
    /// grows by half of that and a bit. 0 keeps every heap at one and a half times its live data.
    pub least_old_bytes: usize,
    /// Collect at every allocation.
    pub gc_stress: bool,
    /// Bytes that heap, stacks and symbols of this machine may take together. What the whole process may take is set by
    /// [`budget::set_limit`](crate::budget::set_limit).
    pub max_memory: Option<usize>,
    /// Ticks after which the run stops.
    pub max_ticks: Option<u64>,
    /// Activations on one process's stack before `RecursionTooDeep` is signalled.
    pub max_depth: u64,
    /// Seed of `Random new`.
    pub seed: i64,
    /// Whether time is made of ticks, a microsecond each, so that it is the same in every run.
    pub virtual_clock: bool,
    /// Microseconds that a tick takes in virtual time.
    pub virtual_tick: u64,
    /// Microseconds by which virtual time starts later than usual.
    pub virtual_start: u64,
    /// What may be done to be faster.
    pub optimisations: Optimisations,
    /// Start value of the identity-hash sequence.
    pub hash_seed: u32,
    /// Whether code that is compiled for this machine counts evaluations of inlined control messages.
    pub count_inlined: bool,
    /// Whether programs may ask where an object lies in memory, so that what looks for dependence on that can be tested.
    pub tells_addresses: bool,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            dialect: Dialect::Smalltalk,
            nursery_bytes: 1 << 20,
            least_old_bytes: 2 << 20,
            gc_stress: false,
            max_memory: None,
            max_ticks: None,
            max_depth: 250_000,
            seed: 1,
            virtual_clock: false,
            virtual_tick: 1,
            virtual_start: 0,
            optimisations: Optimisations::ALL,
            hash_seed: 1,
            count_inlined: false,
            tells_addresses: false,
        }
    }
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The script came to its end with this value's `printString` not yet taken.
    Finished,
    /// An error that nobody handled ended a process; its trace was written.
    Failed,
    /// A limit was hit.
    Limit(Limit),
    /// Every process waits for another.
    Deadlock,
    /// The program ended itself with this exit code.
    Exited(u8),
    /// A class that the program needed does not compile; the diagnostics were written.
    NotCompiled,
    /// The machine met a state that it holds to be impossible.
    Internal(String),
}

/// Which limit was hit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// `max_ticks`
    Ticks,
    /// `max_memory`
    Memory,
    /// `max_depth`, and nobody handled `RecursionTooDeep`.
    Depth,
    /// The numbers by which the machine tells marked frames apart are used up.
    Serials,
}

/// What a primitive asks the loop to do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Request {
    None,
    /// Evaluate the block in the primitive's window, its arguments following it.
    EvaluateBlock {
        count: usize,
    },
    /// Send the selector to the receiver in the window, arguments following it, uncounted.
    Perform {
        selector: SymbolId,
        count: usize,
        start: Option<ClassId>,
    },
    /// Run the method with the receiver in the window, arguments following it, uncounted.
    Invoke {
        method: MethodId,
        count: usize,
    },
    /// Run the method for which a wrapper stands with the receiver in the window, arguments following it, uncounted.
    RunOriginal {
        method: MethodId,
        count: usize,
    },
    /// Evaluate the block in the window, counted, as a piece of the run that is recorded.
    EvaluateSection {
        /// Arguments of the block.
        count: usize,
        section: u64,
    },
    /// Begin the method or block anew that sent the message.
    Restart,
    /// Answer the class with this name, defined from the class path if need be.
    LoadClass {
        name: SymbolId,
    },
    /// Unwind to the marked frame.
    Unwind(crate::process::Unwinding),
    /// Answer the value, then let another process run.
    Switch {
        answer: Value,
    },
    /// Answer the value, then let another copy of the loop go on.
    AnswerInNewMode {
        answer: Value,
    },
    /// The run ends.
    Stop(Stop),
    /// Evaluate the block in the window's first argument and answer what it cost.
    Measure {
        everything: bool,
    },
}

/// Why the loop was left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    Finished,
    Failed,
    Limit(Limit),
    Deadlock,
    Exit(u8),
    NotCompiled,
}

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
    /// A machine with the classes that it must know, and no library.
    pub fn new(config: Config) -> Vm {
        Vm::with_host(config, Box::<MemoryHost>::default())
    }

    /// As [`Vm::new`], with the outside world given.
    pub fn with_host(config: Config, host: Box<dyn Host>) -> Vm {
        let mut heap = Heap::new(
            config.nursery_bytes,
            config.least_old_bytes,
            config.gc_stress,
        );
        heap.seed_hashes(config.hash_seed);
        let mut vm = Vm {
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
        };
        vm.counters.full.primitives = vec![0; crate::primitives::all().count()];
        vm.reserve_known_classes();
        vm
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
        &self.image.classes[id.0 as usize]
    }

    /// The object that stands for a class; nil if there is none yet.
    pub fn class_object(&self, id: ClassId) -> Value {
        let object = self.image.class_objects.get(id.0 as usize);
        object.copied().unwrap_or(Value::NIL)
    }

    pub(crate) fn set_class_object(&mut self, id: ClassId, object: Value) {
        let index = id.0 as usize;
        if self.image.class_objects.len() <= index {
            self.image.class_objects.resize(index + 1, Value::NIL);
        }
        self.image.class_objects[index] = object;
    }

    /// A method's row.
    pub fn method(&self, id: MethodId) -> &Method {
        &self.image.methods[id.0 as usize]
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
        let mut at = Some(class);
        while let Some(id) = at {
            if id == ancestor {
                return true;
            }
            at = self.class(id).superclass;
        }
        false
    }

    /// The symbol with this text.
    pub fn symbol(&mut self, text: &str) -> Value {
        Value::symbol(self.image.symbols.intern(text))
    }

    /// A symbol's text.
    pub fn symbol_text(&self, id: SymbolId) -> &str {
        self.image.symbols.text(id)
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
        if crate::profile::PROFILING && self.heap.is_watched() {
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

    #[inline(always)]
    pub(crate) fn stack_value(&self, index: usize) -> Value {
        self.running.stack.value(index)
    }

    /// Sends of the running process so far, by the model.
    pub(crate) fn process_sends(&self) -> u64 {
        self.registers.ticks.wrapping_sub(self.registers.loops)
    }

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

    /// The target with this number.
    pub(crate) fn target(&self, id: TargetId) -> &Target {
        &self.code.targets[id.0 as usize]
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
