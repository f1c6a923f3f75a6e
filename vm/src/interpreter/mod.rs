//! The loop that executes bytecode, its modes, and the ways to leave it.
//!
//! Everything here is generic over a [`Mode`], so that a feature that a mode lacks costs it nothing. `dispatch`
//! connects the handlers. They pass instruction pointer, frame pointer and tick counter to each other, so that these
//! three stay in processor registers. They are saved to the machine before a slow path and read again after it, because
//! a slow path may collect, grow the stack or switch processes. While an instruction executes, the saved instruction
//! pointer is that instruction's: the collector finds the live registers from it.
//!
//! Why the `unsafe` of the handlers is sound: code was verified when it was linked (`verify`). So registers are inside
//! their frame, jumps inside their code, and indices inside their tables. Operand registers were written before they
//! are read. `reserve` has made room for a frame's registers before the frame is entered.

#![allow(unsafe_code)]

mod actors;
mod arithmetic;
mod control;
mod decode;
mod deliver;
mod dispatch;
mod events;
mod every_schedule;
mod explorations;
mod foreseen;
mod guards;
mod lookup;
mod making;
mod moves;
mod operators;
mod poll;
mod requests;
mod scripts;
mod sends;
mod shared;
mod trials;
mod turns;
mod unwind;
mod watched;
mod wrapping;

use crate::base::{Stop, Value};
use crate::code::Target;
use crate::machine::{ModeName, Vm};
use crate::observers::PROFILING;
use crate::primitives;
use crate::primitives::{Answer, Before};
use crate::run::{Args, Exit};
use dispatch::{Carried, Out, leave};

/// The extra work of a copy of the loop beside executing.
pub(crate) trait Mode {
    /// Count sends and loop repetitions.
    const COUNT: bool;
    /// Maintain the whole cost vector.
    const FULL: bool;
    /// Whether the recorder sees each frame that is entered or left.
    const RECORD: bool;
    /// Whether `Config::optimisations` is checked before each short cut.
    const CHECKED: bool;
}

/// Counts sends and loop repetitions.
pub(crate) struct Plain;

/// As `Plain`, and reports frames to the recorder.
pub(crate) struct Recording;

/// Maintains the whole cost vector, and reports frames to the recorder if there is one.
pub(crate) struct Full;

/// As `Full`, with one addition: some or all optimisations are off, executions are counted by opcode, the run is
/// followed send by send, each activation is measured, or an object has fewer slots than code knows.
pub(crate) struct Checked;

/// Counts nothing; benchmarks measure the price of counting against it.
pub(crate) struct Uncounted;

impl Mode for Plain {
    const COUNT: bool = true;
    const FULL: bool = false;
    const RECORD: bool = false;
    const CHECKED: bool = false;
}

impl Mode for Recording {
    const COUNT: bool = true;
    const FULL: bool = false;
    const RECORD: bool = PROFILING;
    const CHECKED: bool = false;
}

impl Mode for Full {
    const COUNT: bool = true;
    const FULL: bool = true;
    const RECORD: bool = PROFILING;
    const CHECKED: bool = false;
}

impl Mode for Checked {
    const COUNT: bool = true;
    const FULL: bool = true;
    const RECORD: bool = PROFILING;
    const CHECKED: bool = true;
}

impl Mode for Uncounted {
    const COUNT: bool = false;
    const FULL: bool = false;
    const RECORD: bool = false;
    const CHECKED: bool = false;
}

/// The next step of the loop after a slow path.
pub(crate) enum Next {
    /// Go on with the saved state.
    Continue,
    /// Leave the loop.
    Exit(Exit),
}

impl Vm {
    /// Executes from the saved state until the run is over.
    pub(crate) fn execute(&mut self) -> Stop {
        loop {
            if self.trial.is_some()
                && let Some(stop) = self.go_on_with_trial()
            {
                return stop;
            }
            self.run.counts_fully = self.counts_fully();
            let exit = match self.mode() {
                ModeName::Plain => self.run::<Plain>(),
                ModeName::Recording if PROFILING => self.run::<Recording>(),
                ModeName::Recording => self.run::<Plain>(),
                ModeName::Full => self.run::<Full>(),
                ModeName::Checked => self.run::<Checked>(),
                ModeName::Uncounted => self.run::<Uncounted>(),
            };
            if let Exit::Stop(stop) = exit {
                return stop;
            }
        }
    }

    pub(crate) fn mode(&self) -> ModeName {
        if self.counters.uncounted && !self.code.checks_slots {
            ModeName::Uncounted
        } else if self.code.checks_slots
            || self.counters.opcode_counts.is_some()
            || self.observers.follower.is_some()
            || self.observers.extents.is_some()
            || self.has_slices()
            || self.is_watched()
            || self.config.optimisations != crate::base::Optimisations::ALL
        {
            ModeName::Checked
        } else if self.counters.full_wanted > 0
            || self.config.max_work.is_some()
            || self.running.silence.is_some()
        {
            ModeName::Full
        } else if self.observers.recorder.is_some() {
            ModeName::Recording
        } else {
            ModeName::Plain
        }
    }

    /// Whether the whole cost vector is maintained.
    pub(crate) fn counts_fully(&self) -> bool {
        matches!(self.mode(), ModeName::Full | ModeName::Checked)
    }

    /// Whether a poll point has something to do.
    #[inline(always)]
    fn is_poll_due(&self, carried: Carried) -> bool {
        carried.ticks >= self.registers.tick_limit
    }

    /// Saves the handlers' values to the machine, where a slow path finds them.
    #[inline(always)]
    fn save(&mut self, ip: *const u64, fp: *mut Value, carried: Carried) {
        self.registers.ip = ip;
        self.registers.fp = fp;
        self.registers.ticks = carried.ticks;
    }

    /// Tries the primitive of a callee whose receiver and arguments stand at `args`.
    #[inline(always)]
    fn call_primitive<M: Mode>(&mut self, callee: &Target, args: Args) -> Answer {
        match M::FULL {
            true => self.call_charged(callee, args),
            false => self.call_uncounted(callee, args),
        }
    }

    /// The same without counting it.
    #[inline(always)]
    pub(crate) fn call_uncounted(&mut self, callee: &Target, args: Args) -> Answer {
        let Some((entry, number)) = callee.primitive else {
            return Answer::DECLINE;
        };
        self.run.window = Some(args);
        let before = Before::of(self);
        let answer = primitives::call(entry, self, args);
        before.check(self, || primitives::row(number), answer);
        self.run.window = None;
        answer
    }
}

/// Goes on after a slow path, from the saved state.
///
/// # Safety
/// The saved state is that of verified code.
#[inline(always)]
unsafe fn resume<M: Mode>(vm: &mut Vm, next: Next, mut carried: Carried) -> Out {
    carried.ticks = vm.registers.ticks;
    match next {
        // SAFETY: by the caller's promise.
        Next::Continue => unsafe {
            dispatch::next::<M>(vm, vm.registers.ip, vm.registers.fp, carried)
        },
        Next::Exit(exit) => leave(vm, exit),
    }
}

/// Defines handlers: each executes one instruction at `ip`, in the frame at `fp`. A handler ends with the next
/// instruction and never returns a value of its own.
macro_rules! handlers {
    ($( $(#[$meta:meta])* $name:ident($vm:ident, $ip:ident, $fp:ident, $carried:ident) $body:block )+) => {
        $(
            $(#[$meta])*
            #[inline(always)]
            #[allow(unused_mut)] // only some of them count
            pub(super) unsafe fn $name<M: $crate::interpreter::Mode>(
                $vm: &mut $crate::machine::Vm,
                $ip: *const u64,
                $fp: *mut $crate::base::Value,
                mut $carried: $crate::interpreter::Carried,
            ) -> $crate::interpreter::Out {
                // SAFETY: see the head of `interpreter`.
                unsafe { $body }
            }
        )+
    };
}
use handlers;

/// As `handlers!`, for code that must not be inlined into a short handler. A slow path is a tail call, so the fast path
/// needs no room on the stack.
macro_rules! slow_handlers {
    ($( $(#[$meta:meta])* $name:ident($vm:ident, $ip:ident, $fp:ident, $carried:ident) $body:block )+) => {
        $(
            $(#[$meta])*
            #[inline(never)]
            #[allow(unused_mut)] // only some of them count
            pub(super) unsafe fn $name<M: $crate::interpreter::Mode>(
                $vm: &mut $crate::machine::Vm,
                $ip: *const u64,
                $fp: *mut $crate::base::Value,
                mut $carried: $crate::interpreter::Carried,
            ) -> $crate::interpreter::Out {
                // SAFETY: see the head of `interpreter`.
                unsafe { $body }
            }
        )+
    };
}
use slow_handlers;

/// Bytes of a block by the model, for any number of captured values.
const BLOCK_MODEL_BYTES: u64 = 32;

/// Writes a frame's link words: the number of its code and where it returns to.
///
/// # Safety
/// `window` is at least two words above the stack's start.
#[inline(always)]
unsafe fn enter_frame(window: *mut Value, code: u32, return_address: *const u64) {
    // SAFETY: by the caller's promise.
    unsafe {
        *window.sub(2) = Value::from_bits(u64::from(code));
        *window.sub(1) = Value::from_bits(return_address as u64);
    }
}
