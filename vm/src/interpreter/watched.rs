//! Processes under a guide: the accesses of instructions, the ends of steps, and what a process does that had stopped before something.

#![allow(unsafe_code)]

use super::Next;
use super::decode::{b, get, imm, opcode, word};
use crate::base::{ProcessId, Value};
use crate::bytecode::Op;
use crate::code::{Activation, Target};
use crate::machine::Vm;
use crate::primitives;
use crate::processes::{Status, code_of_meta};
use crate::run::Args;
use crate::watching::Parked;

impl Vm {
    /// Whether the guide decides when the instruction at `ip` comes, because other processes can see what it does. If not, its access is noted.
    ///
    /// # Safety
    /// `ip` is at an instruction of verified code, `fp` at the frame that runs it.
    #[cold]
    pub(super) unsafe fn stops_before(&mut self, ip: *const u64, fp: *mut Value) -> bool {
        // SAFETY: by the caller's promise.
        unsafe {
            match Op::from_byte(opcode(ip)) {
                Some(Op::LoadIvar) if self.is_insensitive(fp) => return false,
                Some(Op::LoadIvar) => self.watch_slot(get(fp, b(ip)), imm(ip) as usize, false),
                Some(Op::StoreIvar) => self.watch_slot(get(fp, b(ip)), imm(ip) as usize, true),
                Some(Op::LoadCell) => self.watch_slot(get(fp, b(ip)), 0, false),
                Some(Op::StoreCell) => self.watch_slot(get(fp, b(ip)), 0, true),
                Some(Op::LoadGlobal) => self.watch_global(imm(ip), false),
                Some(Op::StoreGlobal) => self.watch_global(imm(ip), true),
                Some(Op::LoadGlobalChecked) => self.watch_global(word(ip).index(), false),
                Some(Op::Define) => self.watch_shown(),
                _ => return false,
            }
        }
        self.takes_stop()
    }

    /// Whether the frame's reads do not depend on what other processes do.
    ///
    /// # Safety
    /// `fp` is at a frame.
    unsafe fn is_insensitive(&self, fp: *mut Value) -> bool {
        let insensitive = self.watching.as_ref().and_then(|one| one.insensitive);
        // SAFETY: by the caller's promise. Targets live as long as the machine.
        let method =
            unsafe { (*self.registers.codes.get(code_of_meta((*fp.sub(2)).bits()))).method };
        insensitive == Some(method)
    }

    /// Whether the guide decides when the method is executed, because it does nothing but access a variable that other processes use.
    pub(super) fn stops_before_quick(&mut self, receiver: Value, callee: &Target) -> bool {
        match callee.activation {
            Activation::QuickLoad(slot) => self.watch_slot(receiver, slot as usize, false),
            Activation::QuickStore(slot) => self.watch_slot(receiver, slot as usize, true),
            _ => return false,
        }
        self.takes_stop()
    }

    /// Whether the running process stops before its end, at which the run ends.
    #[cold]
    pub(super) fn stops_before_end(&mut self) -> bool {
        let is_main = self.running.id == self.processes.main;
        if is_main {
            self.watch_end();
        }
        is_main && self.takes_stop()
    }

    /// It stops there.
    #[cold]
    pub(super) fn stop_before_end(&mut self, end: Parked) -> Next {
        self.park(end, true);
        self.switch()
    }

    /// The running process stops before an instruction.
    pub(super) fn stop_here(&mut self) -> Next {
        self.park(Parked::Here, true);
        self.switch()
    }

    /// The process stops before it calls the primitive.
    pub(super) fn stop_before(&mut self, callee: &Target, args: Args) -> Next {
        let number = callee.primitive.map_or(u32::MAX, |(_, number)| number);
        let call = self.put_off_call(callee, args);
        self.park(primitives::stop_before(number, call), true);
        self.switch()
    }

    /// The process that the guide has chosen goes on, unless it is terminated. If it was interrupted, nothing of the run is used.
    #[cold]
    pub(super) fn go_on_watched(&mut self, chosen: ProcessId, interruption: Value) -> Next {
        // One that has slept goes on without having been switched out, if there is no other one.
        self.running.status = Status::Runnable;
        let watching = self.watching.as_mut();
        let parked = watching.and_then(|watching| watching.take_parked(chosen));
        if self.is_to_terminate(chosen) {
            return self.terminate_running();
        }
        match parked {
            Some(parked) => self.go_on_from(parked),
            None => self.begin_interruption(interruption),
        }
    }

    /// The running process does before what it has stopped.
    pub(super) fn go_on_from(&mut self, parked: Parked) -> Next {
        match parked {
            Parked::Here | Parked::Pauses => Next::Continue,
            Parked::Calls(one) | Parked::Waits(one) | Parked::Late(one) | Parked::Exits(one) => {
                self.make_up_for(&one)
            }
            Parked::Ends(value) => self.leave_marked(value),
            Parked::Terminates(unwinding) => self.reach(unwinding),
        }
    }
}
