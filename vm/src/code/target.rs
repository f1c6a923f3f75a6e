//! Linked code: the words that the loop executes and that inline caches point to.
//!
//! A [`Target`] is the code of one destination of sends: a method or a block body. Targets are never freed or moved
//! while their machine lives. So caches and frames may point to them and into their words.
//!
//! Copies of a machine share an immutable template of its code. A copy gets its own words of a method before it first
//! runs the method, always through `Vm::link`. Caches, and the forms that sends take, stay private to each machine.

#![allow(unsafe_code)]

use std::ops::Deref;
use std::ptr::NonNull;
use std::sync::Arc;

use super::words::CodeWords;
use crate::base::{MethodId, TargetId, Value};
use crate::bytecode::{Cache, Instruction, SEND_WORDS, Shape, instructions};

/// The address of a primitive's function. The function takes the machine, which this code is a part of, so only the
/// primitives know its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry(NonNull<()>);

impl Entry {
    /// # Safety
    /// The address is that of a function of the type `primitives::Function`: the loop calls it as one.
    pub(crate) unsafe fn new(address: NonNull<()>) -> Entry {
        Entry(address)
    }

    #[inline(always)]
    pub(crate) fn address(self) -> NonNull<()> {
        self.0
    }
}

/// How the loop activates a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Activation {
    /// Push a frame.
    Frame,
    /// Answer the receiver.
    QuickSelf,
    /// Answer `Target::value`.
    QuickValue,
    /// Answer a slot of the receiver.
    QuickLoad(u32),
    /// Store the argument into a slot of the receiver, answer the receiver.
    QuickStore(u32),
    /// Try the primitive; push a frame if it declines.
    Primitive,
    /// Evaluate the receiver, a block of that many arguments; push a frame if it is no such block.
    BlockValue(u8),
    /// Pass the message to the wrapper that replaces the method.
    Wrapper,
}

/// The code of a destination of sends.
pub(crate) struct Target {
    /// First instruction.
    pub(crate) entry: *const u64,
    /// Registers of a frame.
    pub(crate) register_count: u32,
    /// From an instruction to its count of sends, in bytes; 0 while they are not counted.
    pub(crate) distance_to_counts: usize,
    /// The slot that `QuickLoad` answers.
    pub(crate) slot: u32,
    /// Its own number.
    pub(crate) id: TargetId,
    pub(crate) activation: Activation,
    /// Arguments that a frame takes.
    pub(crate) argument_count: u16,
    pub(crate) is_block: bool,
    /// For a block: whether a `^` stands in it.
    pub(crate) returns_home: bool,
    /// For a block: the place of the receiver among the captured values, if it is there.
    pub(crate) receiver: Option<u16>,
    /// Whether the model calls the method quick; then it is neither counted nor polled, with a frame or without.
    pub(crate) is_quick: bool,
    /// The steps of a quick method's body.
    pub(crate) quick_steps: u8,
    /// For a block: the class of the block objects that a literal block makes.
    pub(crate) block_class: crate::base::ClassId,
    /// What `QuickValue` answers; a root.
    pub(crate) value: Value,
    /// Where the same value stands among the literals, if it is an object.
    pub(crate) literal: Option<usize>,
    /// Whether copies of a machine share it: it is never changed and never activated.
    pub(crate) is_shared: bool,
    /// The primitive's function and number.
    pub(crate) primitive: Option<(Entry, u32)>,
    /// The method whose source the code stands in.
    pub(crate) method: MethodId,
    /// The linked instructions.
    pub(crate) words: CodeWords,
    /// Live registers, computed when the collector first meets a frame of this code.
    pub(crate) liveness: Option<Box<crate::bytecode::Liveness>>,
}

/// The one translation between addresses of instructions, which frames and caches keep, and indices of words.
impl Target {
    /// The index of the word at an address; `None` for an address outside this code.
    pub(crate) fn index_of(&self, address: *const u64) -> Option<usize> {
        let bytes = (address as usize).wrapping_sub(self.entry as usize);
        let index = bytes / size_of::<u64>();
        (index < self.words.len()).then_some(index)
    }

    /// The address of the word with this index.
    pub(crate) fn address_of(&self, index: usize) -> *const u64 {
        debug_assert!(index < self.words.len());
        self.entry.wrapping_add(index)
    }

    pub(crate) fn instruction_at(&self, address: *const u64) -> Option<Instruction> {
        Instruction::at(&self.words, self.index_of(address)?)
    }
}

/// The send that made the frame with this return address.
pub(crate) fn send_before(return_address: *const u64) -> *const u64 {
    return_address.wrapping_sub(SEND_WORDS)
}

/// The second word of a send.
///
/// # Safety
/// `send` is at a send-shaped instruction of linked code.
pub(crate) unsafe fn cache_of(send: *const u64) -> Cache {
    // SAFETY: by the caller's promise it has three words.
    Cache(unsafe { *send.add(1) })
}

impl Target {
    /// Counts sends there from now on, or nowhere if there is no room.
    pub(crate) fn set_counts(&mut self, counts: &mut [u64]) {
        self.distance_to_counts = match counts.len() == self.words.len() {
            true => (counts.as_mut_ptr() as usize).wrapping_sub(self.entry as usize),
            false => 0,
        };
    }
}

impl Target {
    /// The same code as it was before it ran: caches are empty, and sends have no forms.
    fn pristine(&self, is_shared: bool) -> Target {
        let mut words = self.words.clone();
        // Shared code is pristine already.
        if !self.is_shared {
            let sends = instructions(&self.words).filter(|i| i.op.info().shape == Shape::Send);
            for send in sends {
                super::caches::empty_cache(&mut words[send.pc..send.end()]);
            }
        }
        Target {
            entry: words.start(),
            words,
            liveness: None,
            distance_to_counts: 0,
            is_shared,
            ..*self
        }
    }
}

/// The code of a machine for its copies: immutable and shared by all of them. It lasts until the machine links a method
/// or changes linked code.
struct Template {
    rows: Vec<Row>,
    /// The targets that the rows refer to.
    #[allow(clippy::vec_box)] // rows point to targets, so they must not move
    _targets: Vec<Box<Target>>,
}

// SAFETY: the targets of a template are never changed, and `Target` is sent between threads with its machine anyway.
unsafe impl Send for Template {}

// SAFETY: as above.
unsafe impl Sync for Template {}

/// A place in the table of targets; to the loop a pointer.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct Row(*mut Target);

impl Deref for Row {
    type Target = Target;

    #[inline(always)]
    fn deref(&self) -> &Target {
        // SAFETY: rows point to targets that their table, or a template that it holds, keeps alive and in place.
        unsafe { &*self.0 }
    }
}

/// The targets of a machine by their numbers. A copy of a machine shares all of them at first. A method's code becomes
/// the copy's own when it is first reached, see [`Targets::make_own`].
#[derive(Default)]
pub(crate) struct Targets {
    rows: Vec<Row>,
    #[allow(clippy::vec_box)] // caches and frames point to targets, so they must not move
    own: Vec<Box<Target>>,
    /// Keeps the shared targets alive.
    _origin: Option<Arc<Template>>,
    /// The template for copies of this machine, if nothing has changed since the last copy.
    template: Option<Arc<Template>>,
    /// Methods whose blocks were in the heap when the machine was last copied.
    pub(crate) alive_in_blocks: Vec<MethodId>,
}

impl Deref for Targets {
    type Target = [Row];

    #[inline(always)]
    fn deref(&self) -> &[Row] {
        &self.rows
    }
}

impl Targets {
    /// Adds a target.
    pub(crate) fn push(&mut self, target: Target) {
        self.template = None;
        let place = self.rows.len();
        self.rows.push(Row(std::ptr::null_mut()));
        self.put(place, target);
    }

    fn put(&mut self, place: usize, target: Target) {
        self.own.push(Box::new(target));
        if let Some(last) = self.own.last_mut() {
            self.rows[place] = Row(&raw mut **last);
        }
    }

    /// A target for a lasting change of its code. It must be the machine's own.
    pub(crate) fn change(&mut self, index: usize) -> &mut Target {
        self.template = None;
        self.note_in(index)
    }

    /// A target for a note that copies do not take over. It must be the machine's own.
    pub(crate) fn note_in(&mut self, index: usize) -> &mut Target {
        let row = self.rows[index];
        assert!(!row.is_shared, "shared code is never changed");
        // SAFETY: a row that is not shared points into `own`, and `self` is borrowed mutably.
        unsafe { &mut *row.0 }
    }

    /// The machine's own targets from a number on.
    pub(crate) fn own_from(&mut self, first: usize) -> impl Iterator<Item = &mut Target> {
        let rows = self.rows[first..].iter();
        // SAFETY: as for `note_in`; the rows are different targets.
        rows.filter(|row| !row.is_shared)
            .map(|row| unsafe { &mut *row.0 })
    }

    /// Makes the code of a method its own, with that of its blocks. Literals as they are now give the values of quick
    /// methods.
    pub(crate) fn make_own(&mut self, TargetId(first): TargetId, literals: &[Value]) {
        let method = self.rows[first as usize].method;
        let mut place = first as usize;
        while let Some(row) = self.rows.get(place).filter(|row| row.method == method) {
            if row.is_shared {
                let mut target = row.pristine(false);
                let value = target.literal.and_then(|index| literals.get(index));
                target.value = value.copied().unwrap_or(target.value);
                self.put(place, target);
            }
            place += 1;
        }
    }

    pub(crate) fn make_all_own(&mut self, literals: &[Value]) {
        for place in 0..self.rows.len() {
            if self.rows[place].is_shared {
                self.make_own(TargetId(place as u32), literals);
            }
        }
    }

    /// Where the code at an address stands among the targets of a copy of the machine. Code of no target stays where it is.
    pub(crate) fn moved(&self, ip: *const u64, copy: &Targets) -> *const u64 {
        let both = self.iter().zip(copy.iter());
        both.filter_map(|(old, new)| Some(new.address_of(old.index_of(ip)?)))
            .next()
            .unwrap_or(ip)
    }

    /// The targets of a copy of the machine: all of them shared.
    pub(crate) fn copy(&mut self) -> Targets {
        let rows = &self.rows;
        let template = self.template.get_or_insert_with(|| {
            let pristine = rows.iter().map(|row| Box::new(row.pristine(true)));
            let mut targets: Vec<Box<Target>> = pristine.collect();
            let rows = targets.iter_mut().map(|t| Row(&raw mut **t)).collect();
            Arc::new(Template {
                rows,
                _targets: targets,
            })
        });
        Targets {
            rows: template.rows.clone(),
            own: Vec::new(),
            _origin: Some(Arc::clone(template)),
            template: Some(Arc::clone(template)),
            alive_in_blocks: Vec::new(),
        }
    }
}

/// The meaning of the code numbers of frames: targets, or the recorder's edges while it is on.
#[derive(Clone, Copy)]
pub(crate) struct CodeTable(pub(crate) *const *mut Target);

impl CodeTable {
    /// The target that a frame with this code number runs.
    ///
    /// # Safety
    /// The number is a frame's of the machine whose table this is.
    #[inline(always)]
    pub(crate) unsafe fn get(self, code: u32) -> *mut Target {
        // SAFETY: by the caller's promise.
        unsafe { *self.0.add(code as usize) }
    }
}

/// A send site, linked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LinkedSite {
    pub(crate) selector: crate::base::SymbolId,
    pub(crate) method: MethodId,
    /// Index in the method's own table of sites.
    pub(crate) index: u32,
}

/// Slots of a block before its captured values: code number, home mark index, home serial.
pub(crate) const BLOCK_HEAD_SLOTS: usize = 3;
