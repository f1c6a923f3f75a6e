//! The machine: all of its state in one struct, so that several live in one process, and so that a
//! copy (`Vm::fork`) is a copy of everything. What it does with it is in the modules around.

use std::sync::Arc;

use hashbrown::HashMap;

use crate::bytecode::{GlobalRef, Unit};
use crate::class::{Class, ClassId, Known, Method, MethodId};
use crate::code::{CodeTable, LinkedSite, Target, TargetId, Targets};
use crate::cost::FullCounters;
use crate::dialect::Dialect;
use crate::heap::{Contents, Heap};
use crate::host::{Host, MemoryHost};
use crate::primitives::Args;
use crate::process::{Mark, Process, ProcessId, SCRIPT_PRIORITY, Stack, Status};
use crate::profile::Recorder;
use crate::scheduler::{RoundRobin, Scheduler};
use crate::shared::{Grown, Shared};
use crate::symbol::SymbolTable;
use crate::value::{SymbolId, Value};

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

/// A global variable, a class variable or a class.
#[derive(Clone, Copy)]
pub(crate) struct Global {
    pub(crate) value: Value,
    /// Whether anything has been assigned or defined.
    pub(crate) defined: bool,
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

/// A virtual machine with everything that belongs to it.
#[repr(C)]
pub struct Vm {
    /// Sends and loop repetitions of the running process, as they were when the loop last saved its registers.
    pub(crate) ticks: u64,
    /// The objects.
    pub heap: Heap,
    pub(crate) config: Config,
    pub(crate) symbols: SymbolTable,
    pub(crate) classes: Shared<Vec<Class>>,
    /// The objects that stand for the classes, by their numbers.
    pub(crate) class_objects: Vec<Value>,
    pub(crate) methods: Grown<Method>,
    /// Where the linked code of methods stands, by their numbers, as far as it was needed.
    pub(crate) links: crate::link::Links,
    /// How many classes have a method for a selector, by the selector's number.
    pub(crate) implementors: Shared<Vec<u32>>,
    pub(crate) units: Grown<Arc<Unit>>,
    pub(crate) globals: Vec<Global>,
    /// What code calls them, by their numbers.
    pub(crate) references: Grown<Arc<GlobalRef>>,
    pub(crate) global_ids: Shared<HashMap<GlobalRef, u32>>,
    /// What the library's code means by names that a program has given to classes of its own.
    pub(crate) library_globals: Shared<HashMap<GlobalRef, u32>>,
    /// How many classes there were when the library had been loaded.
    pub(crate) library_classes: usize,
    pub(crate) literals: Vec<Value>,
    pub(crate) targets: Targets,
    pub(crate) sites: Vec<LinkedSite>,
    pub(crate) lookup_cache: crate::interpreter::LookupCache,
    /// Sends whose inline caches hold something: the addresses of their first words.
    pub(crate) filled_caches: Vec<*mut u64>,
    /// What inline caches refer to beside targets.
    pub(crate) cache_records: crate::interpreter::CacheRecords,
    /// Why the loop is being left.
    pub(crate) exit: Option<crate::interpreter::Exit>,
    pub(crate) selectors: Selectors,
    pub(crate) host: Box<dyn Host>,
    /// What a script sees as its arguments.
    pub(crate) arguments: Vec<String>,
    pub(crate) random_count: i64,
    /// Regular expressions that were compiled; a copy of the machine compiles its own.
    pub(crate) regexes: crate::primitives::regex::Kept,
    pub(crate) computed: crate::integers::Computed,
    /// Microseconds by which the clock was put forward while everybody slept.
    pub(crate) clock_offset: u64,

    // The running process.
    pub(crate) current: ProcessId,
    pub(crate) stack: Stack,
    pub(crate) marks: Vec<Mark>,
    pub(crate) ip: *const u64,
    pub(crate) fp: *mut Value,
    pub(crate) loops: u64,
    /// What is about to be entered when recording that takes more than a few instructions.
    pub(crate) callee: *const Target,
    /// The recorder's edges; null if it is off.
    pub(crate) edges: *mut crate::profile::RawEdge,
    /// What the code numbers in the meta words of frames mean.
    pub(crate) codes: CodeTable,
    /// First word of the stack that a frame may not reach without asking.
    pub(crate) stack_limit: *mut Value,
    /// First tick at which a poll point has to ask.
    pub(crate) tick_limit: u64,

    // All processes.
    pub(crate) processes: Vec<Option<Box<Process>>>,
    /// The row that the running process came out of, for the one that is next to leave. Nothing is in it.
    pub(crate) spare_row: Option<Box<Process>>,
    /// Processes that have run or were made since the last collection of the nursery, each once. No
    /// other process's stack refers to young objects.
    pub(crate) fresh_processes: Vec<ProcessId>,
    /// Bytes of all processes but the running one.
    pub(crate) bytes_of_processes: usize,
    /// Much would have to be looked at if the nursery were collected later; the next poll point does it.
    pub(crate) collection_is_wanted: bool,
    /// More memory is in use than may be; the next poll point collects, or ends the run.
    pub(crate) memory_is_short: bool,
    /// Whether the running process is among them.
    pub(crate) current_is_fresh: bool,
    /// Literals and targets before these were there at the last collection of the nursery.
    pub(crate) settled: Settled,
    pub(crate) ready: crate::ready::ReadyQueue,
    pub(crate) scheduler: Box<dyn Scheduler>,
    /// Ticks of all processes when the running one was switched in, less its own.
    pub(crate) other_ticks: u64,
    pub(crate) other_loops: u64,
    pub(crate) slice_end: Option<u64>,

    pub(crate) full: FullCounters,
    pub(crate) short_cut_primitives: Box<crate::interpreter::ShortCutPrimitives>,
    /// Nesting of measurements that need the full loop.
    pub(crate) full_wanted: u32,
    pub(crate) recorder: Option<Box<Recorder>>,
    /// Pieces of the run whose profiles the program has asked for.
    pub(crate) sections: Vec<crate::profile::Section>,
    /// Whether the recorder was turned on for them.
    pub(crate) sections_own_recorder: bool,
    /// How deep the counted evaluation under way has come.
    pub(crate) depth_gauge: Option<crate::profile::DepthGauge>,
    /// Nesting of what allocates without being counted.
    pub(crate) uncounted_sections: u32,
    pub(crate) opcode_counts: Option<Box<crate::cost::OpcodeCounts>>,
    /// What looks at the stack now and then, if anything does.
    pub(crate) sampler: Option<Box<crate::sampling::Sampler>>,
    pub(crate) next_serial: u64,
    pub(crate) request: Request,
    /// Arguments of the running primitive: extra roots.
    pub(crate) window: Option<Args>,
    /// Values that Rust code holds over an allocation.
    pub(crate) handles: Vec<Value>,
    /// Why the run ends at the next poll point.
    pub(crate) pending_stop: Option<Stop>,
    /// Whether `=` and `hash` of the classes whose instances primitives hash and compare are the library's.
    pub(crate) compares_keys: bool,
    /// What is known of classes, by their numbers, for primitives that search hashed collections.
    pub(crate) searched: Vec<crate::searching::Searching>,
    /// Keys with one hash, if they are looked for.
    pub(crate) crowds: Option<Box<crate::crowds::Crowds>>,
    /// Frames that were walked over to learn how deep stacks are.
    pub(crate) frames_counted: u64,
    /// Which short cuts are closed.
    pub(crate) guards: Box<crate::interpreter::Guards>,
    /// An object may have fewer slots than code that runs on it knows, so the loop has to look.
    pub(crate) checks_slots: bool,
    pub(crate) failed: bool,
    /// Whether errors are kept instead of written.
    pub(crate) keeps_failures: bool,
    pub(crate) failures: Vec<crate::trace::Failure>,
    pub(crate) depth_exceeded: bool,
    pub(crate) result: Value,
    pub(crate) counter_offset: u64,
    pub(crate) silence: Option<Box<crate::silence::Silence>>,
    /// Silences in whose middle something counts again, the innermost last.
    #[allow(clippy::vec_box)] // they come out of a box and go back into it
    pub(crate) interrupted: Vec<Box<crate::silence::Silence>>,
    pub(crate) overhead: u64,
    /// Those of them in which the program has a part.
    pub(crate) programs_overhead: u64,
    /// Counters at the start of measured blocks, by the serial of the block's mark.
    pub(crate) measurements: HashMap<u64, [u64; 8]>,
    /// Ticks at which the counter of the first process starts.
    pub(crate) preset_ticks: u64,
    pub(crate) uncounted: bool,
    /// Another copy of the loop has to go on, or the same with other handlers.
    pub(crate) mode_changed: bool,
    pub(crate) running: bool,
    pub(crate) loading_library: bool,
    pub(crate) library_digest: u64,
    /// Source texts of the library's units, which come first among all units.
    pub(crate) library_sources: Vec<&'static [u8]>,
    pub(crate) stopped: Option<Stop>,
    pub(crate) internal_error: Option<String>,
    /// The process whose end is the run's end.
    pub(crate) main: ProcessId,
    pub(crate) current_ended: bool,
    pub(crate) current_status: Status,
    pub(crate) current_priority: i64,
    /// The running process's Process object, nil until asked for.
    pub(crate) current_object: Value,
    /// The semaphore that the running process is about to wait for.
    pub(crate) current_waits_on: Value,
    /// Processes that sleep, the first to wake first.
    pub(crate) sleepers: Vec<crate::sleep::Sleeper>,
    pub(crate) sleep_order: u64,
    /// Depth at which the running process met the depth limit, until it is well below it again.
    pub(crate) depth_exceeded_at: Option<u64>,
    pub(crate) pending_termination: Vec<ProcessId>,
    /// Stands in for a request's value when there is none.
    pub(crate) no_value: Value,
    /// What a machine that speaks SOM has in addition.
    pub(crate) som: crate::som::Som,
    /// Who compiles what a program wants compiled while it runs.
    pub(crate) compiler: Option<Arc<dyn crate::reflection::SourceCompiler>>,
    /// Where among the literals the objects stand that programs know methods by.
    pub(crate) method_objects: HashMap<MethodId, usize>,
    /// The methods that wrappers have put into the places of others.
    pub(crate) wrappers: HashMap<MethodId, crate::wrappers::Wrapping>,
    /// What programs have compiled while they run.
    pub(crate) recompiled: crate::recompiled::Recompiled,
    /// Lookups that are being noted, if any are.
    pub(crate) lookups: Option<Box<crate::lookups::Lookups>>,
    /// Who follows the run send by send, if anybody does.
    pub(crate) follower: Option<Box<crate::following::Follower>>,
    /// Who did last.
    pub(crate) followed: Option<Box<crate::following::Follower>>,
}

// SAFETY: the raw pointers refer to stacks, code and objects that the machine owns alone.
#[allow(unsafe_code)]
unsafe impl Send for Vm {}

/// How much of the tables that only grow the collector need not look at for young objects.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Settled {
    pub(crate) literals: usize,
    pub(crate) targets: usize,
}

/// No object may be larger, on any platform: what is larger declines.
const MOST_BYTES: u64 = 1 << 36;
/// Objects of fewer bytes are made without asking whether there is room.
const FEW_BYTES: usize = 1 << 15;
/// Before an object of more bytes is made, the platform is asked whether it has them.
const MANY_BYTES: usize = 1 << 27;

macro_rules! machine_selectors {
    ($( $field:ident $text:literal )+) => {
        /// Selectors that the machine sends by itself.
        #[derive(Clone, Copy)]
        pub(crate) struct Selectors {
            $( pub(crate) $field: SymbolId, )+
        }

        /// Their texts; they are the first symbols of every machine.
        pub(crate) const MACHINE_SELECTORS: [&str; [$( $text ),+].len()] = [$( $text ),+];

        impl Selectors {
            fn new([$( $field ),+]: [SymbolId; MACHINE_SELECTORS.len()]) -> Selectors {
                Selectors { $( $field ),+ }
            }
        }
    };
}

machine_selectors! {
    does_not_understand "doesNotUnderstand:"
    must_be_boolean "mustBeBoolean"
    cannot_return "cannotReturn:"
    recursion_too_deep "recursionTooDeep"
    unknown_global "unknownGlobal:"
    escaped_block "escapedBlock:"
    does_not_understand_arguments "doesNotUnderstand:arguments:"
}

impl Vm {
    /// A machine with the classes that it must know, and no library.
    pub fn new(config: Config) -> Vm {
        Vm::with_host(config, Box::<MemoryHost>::default())
    }

    /// As [`Vm::new`], with the outside world given.
    pub fn with_host(config: Config, host: Box<dyn Host>) -> Vm {
        let mut symbols = SymbolTable::default();
        let selectors = Selectors::new(MACHINE_SELECTORS.map(|text| symbols.intern(text)));
        let mut heap = Heap::new(
            config.nursery_bytes,
            config.least_old_bytes,
            config.gc_stress,
        );
        heap.seed_hashes(config.hash_seed);
        let mut vm = Vm::bare(config, host, heap, (symbols, selectors));
        vm.full.primitives = vec![0; crate::primitives::all().count()];
        vm.reserve_known_classes();
        vm
    }

    /// A machine with nothing in its tables.
    pub(crate) fn bare(
        config: Config,
        host: Box<dyn Host>,
        heap: Heap,
        (symbols, selectors): (SymbolTable, Selectors),
    ) -> Vm {
        Vm {
            heap,
            config,
            symbols,
            classes: Shared::new(vec![Class::placeholder("<none>")]),
            class_objects: Vec::new(),
            methods: Grown::default(),
            links: crate::link::Links::default(),
            implementors: Shared::default(),
            units: Grown::default(),
            globals: Vec::new(),
            references: Grown::default(),
            global_ids: Shared::default(),
            library_globals: Shared::default(),
            library_classes: 0,
            literals: Vec::new(),
            targets: Targets::default(),
            sites: Vec::new(),
            lookup_cache: crate::interpreter::LookupCache::default(),
            filled_caches: Vec::new(),
            cache_records: crate::interpreter::CacheRecords::default(),
            exit: None,
            selectors,
            host,
            arguments: Vec::new(),
            random_count: 0,
            regexes: crate::primitives::regex::Kept::default(),
            computed: crate::integers::Computed::default(),
            clock_offset: 0,
            current: ProcessId(0),
            stack: Stack::new(0),
            marks: Vec::new(),
            ip: std::ptr::null(),
            fp: std::ptr::null_mut(),
            ticks: 0,
            loops: 0,
            callee: std::ptr::null(),
            edges: std::ptr::null_mut(),
            codes: CodeTable(std::ptr::null()),
            stack_limit: std::ptr::null_mut(),
            frames_counted: 0,
            tick_limit: u64::MAX,
            processes: Vec::new(),
            spare_row: None,
            fresh_processes: Vec::new(),
            bytes_of_processes: 0,
            memory_is_short: false,
            collection_is_wanted: false,
            current_is_fresh: false,
            settled: Settled::default(),
            ready: Default::default(),
            scheduler: Box::<RoundRobin>::default(),
            other_ticks: 0,
            other_loops: 0,
            slice_end: None,
            full: FullCounters::default(),
            short_cut_primitives: Box::default(),
            full_wanted: 0,
            recorder: None,
            sections: Vec::new(),
            sections_own_recorder: false,
            depth_gauge: None,
            uncounted_sections: 0,
            opcode_counts: None,
            sampler: None,
            next_serial: 1,
            request: Request::None,
            window: None,
            handles: Vec::new(),
            pending_stop: None,
            compares_keys: true,
            searched: Vec::new(),
            crowds: None,
            guards: Box::default(),
            checks_slots: false,
            failed: false,
            keeps_failures: false,
            failures: Vec::new(),
            depth_exceeded: false,
            result: Value::NIL,
            counter_offset: 0,
            silence: None,
            interrupted: Vec::new(),
            overhead: 0,
            programs_overhead: 0,
            measurements: HashMap::new(),
            preset_ticks: 0,
            uncounted: false,
            mode_changed: false,
            running: false,
            loading_library: false,
            library_digest: 0,
            library_sources: Vec::new(),
            stopped: None,
            internal_error: None,
            main: ProcessId(0),
            current_ended: true,
            current_status: Status::Runnable,
            current_priority: SCRIPT_PRIORITY,
            current_object: Value::NIL,
            current_waits_on: Value::NIL,
            sleepers: Vec::new(),
            sleep_order: 0,
            depth_exceeded_at: None,
            pending_termination: Vec::new(),
            no_value: Value::NIL,
            som: crate::som::Som::default(),
            compiler: None,
            method_objects: HashMap::new(),
            wrappers: HashMap::new(),
            recompiled: crate::recompiled::Recompiled::default(),
            lookups: None,
            follower: None,
            followed: None,
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
        &self.classes[id.0 as usize]
    }

    /// The object that stands for a class; nil if there is none yet.
    pub fn class_object(&self, id: ClassId) -> Value {
        let object = self.class_objects.get(id.0 as usize);
        object.copied().unwrap_or(Value::NIL)
    }

    pub(crate) fn set_class_object(&mut self, id: ClassId, object: Value) {
        let index = id.0 as usize;
        if self.class_objects.len() <= index {
            self.class_objects.resize(index + 1, Value::NIL);
        }
        self.class_objects[index] = object;
    }

    /// A method's row.
    pub fn method(&self, id: MethodId) -> &Method {
        &self.methods[id.0 as usize]
    }

    /// The class with this name.
    pub fn find_class(&self, name: &str) -> Option<ClassId> {
        let id = *self.global_ids.get(&GlobalRef::Global(name.to_string()))?;
        self.class_of_class_object(self.globals[id as usize].value)
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
        Value::symbol(self.symbols.intern(text))
    }

    /// A symbol's text.
    pub fn symbol_text(&self, id: SymbolId) -> &str {
        self.symbols.text(id)
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
            + self.stack.len() * 8
            + self.marks.capacity() * size_of::<Mark>()
            + self.bytes_of_processes
            + self.symbols.bytes()
            + self.regexes.bytes()
    }

    // --- the running process's stack --------------------------------------------------------------

    #[inline(always)]
    pub(crate) fn stack_value(&self, index: usize) -> Value {
        self.stack.value(index)
    }

    /// Sends of the running process so far, by the model.
    pub(crate) fn process_sends(&self) -> u64 {
        self.ticks.wrapping_sub(self.loops)
    }

    /// Sends of all processes so far.
    pub fn sends(&self) -> u64 {
        self.counted_sends()
            .wrapping_add(self.other_ticks.wrapping_sub(self.other_loops))
    }

    /// Loop repetitions of all processes so far.
    pub fn loops(&self) -> u64 {
        self.counted_loops().wrapping_add(self.other_loops)
    }

    /// The target with this number.
    pub(crate) fn target(&self, id: TargetId) -> &Target {
        &self.targets[id.0 as usize]
    }

    /// What the script sees as `Smalltalk arguments`.
    pub fn set_arguments(&mut self, arguments: Vec<String>) {
        self.arguments = arguments;
    }

    /// The outside world.
    pub fn host(&mut self) -> &mut dyn Host {
        &mut *self.host
    }

    /// Puts another outside world in its place.
    pub fn set_host(&mut self, host: Box<dyn Host>) {
        self.host = host;
    }

    /// Asked at each choice of the next process from now on.
    pub fn set_scheduler(&mut self, scheduler: Box<dyn Scheduler>) {
        self.scheduler = scheduler;
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
