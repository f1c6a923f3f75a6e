//! Objects that stand for activations: what `thisContext` means, and the contexts below it. An activation has one object.
//! The machine makes the object when a program requests it. A return or an unwinding forgets the object, so a context
//! whose activation has ended finds nothing.

use super::{Answer, Primitive, is_closed, rows};
use crate::base::{ClassId, Known, ProcessId, Value};
use crate::bytecode::Kind;
use crate::code::{BLOCK_HEAD_SLOTS, Target};
use crate::heap::Contents;
use crate::machine::Vm;
use crate::processes::{Contexts, FrameWalk, HAS_CONTEXT, Mark, Stack};
use crate::run::Args;

rows! {
    "contextSender"(2) library allocates => sender,
        "Receiver a context, and the numbers of its process and frame, with an activation below its own: the context of the activation below.";
    "contextHome"(2) library allocates => home,
        "Receiver a context, and the numbers of its process and frame, of a method, or of a block that has a `^` and whose home has not ended: the context of the method.";
    "contextIsLive"(2) library leaf => is_live,
        "Always: whether the receiver is the context of an activation that has not ended, in the process and the frame with these numbers.";
}

/// The slots of a context.
const RECEIVER_SLOT: usize = 0;
const METHOD_SLOT: usize = 1;
const IS_BLOCK_SLOT: usize = 2;
const PROCESS_SLOT: usize = 3;
const FRAME_SLOT: usize = 4;
const CONTEXT_SLOTS: usize = 5;

/// A frame of any process.
#[derive(Clone, Copy)]
struct Place {
    process: ProcessId,
    frame: usize,
}

/// The frame whose context the receiver is. A program may send the message with any numbers, so only the receiver's identity
/// with the context that the process has noted counts.
fn place(vm: &Vm, args: Args) -> Option<Place> {
    let process = u32::try_from(args.at(vm, 0).as_int()?).ok()?;
    let frame = usize::try_from(args.at(vm, 1).as_int()?).ok()?;
    let process = ProcessId(process);
    let (_, _, contexts) = vm.stack_of(process)?;
    let is_context = contexts.of(frame) == Some(args.receiver(vm));
    is_context.then_some(Place { process, frame })
}

fn is_live(vm: &mut Vm, args: Args) -> Answer {
    Value::bool(place(vm, args).is_some()).into()
}

fn sender(vm: &mut Vm, args: Args) -> Option<Value> {
    let Place { process, frame } = place(vm, args)?;
    let (stack, marks, _) = vm.stack_of(process)?;
    // The address matters for the instruction at which the frame stands, not for the frame below.
    let mut walk = FrameWalk::new(frame, std::ptr::null());
    walk.step(stack, marks)?;
    let frame = walk.step(stack, marks)?.frame;
    vm.context(Place { process, frame })
}

fn home(vm: &mut Vm, args: Args) -> Option<Value> {
    let mut place = place(vm, args)?;
    if vm.code_at(place)?.is_block {
        place.frame = vm.home_of(place)?;
    }
    vm.context(place)
}

impl Vm {
    /// The stack of a process with its marks and contexts.
    fn stack_of(&self, process: ProcessId) -> Option<(&Stack, &[Mark], &Contexts)> {
        if process == self.running.id {
            let running = &self.running;
            return Some((&running.stack, &running.marks, &running.contexts));
        }
        let process = self.processes.table.get(process.0 as usize)?.as_deref()?;
        Some((&process.stack, &process.marks, &process.contexts))
    }

    fn code_at(&self, place: Place) -> Option<&Target> {
        let (stack, marks, _) = self.stack_of(place.process)?;
        let view = FrameWalk::new(place.frame, std::ptr::null()).step(stack, marks)?;
        Some(self.registers.code_of(&view))
    }

    /// The frame of the method from which the block returns that this frame runs.
    fn home_of(&self, place: Place) -> Option<usize> {
        let (stack, marks, _) = self.stack_of(place.process)?;
        let block = stack.value(place.frame);
        if !block.is_object() || !self.is_block(block) {
            return None;
        }
        let (mark, serial) = match self.heap.slots(block) {
            &[_, mark, serial, ..] => (mark.as_int()?, serial.as_int()?),
            _ => return None,
        };
        let mark = marks.get(usize::try_from(mark).ok()?)?;
        (mark.serial == serial as u64).then_some(mark.frame)
    }

    /// The receiver of the activation. A block knows it if the block captures it or can return from its home.
    fn receiver_at(&self, place: Place) -> Option<Value> {
        let (stack, _, _) = self.stack_of(place.process)?;
        let code = self.code_at(place)?;
        let first = stack.value(place.frame);
        if !code.is_block {
            return Some(first);
        }
        match code.receiver {
            Some(index) if first.is_object() && self.is_block(first) => {
                let slots = self.heap.slots(first);
                slots.get(BLOCK_HEAD_SLOTS + usize::from(index)).copied()
            }
            _ => Some(stack.value(self.home_of(place)?)),
        }
    }

    /// The context of a frame, made if it has none.
    fn context(&mut self, place: Place) -> Option<Value> {
        let Place { process, frame } = place;
        let (_, _, contexts) = self.stack_of(process)?;
        if let Some(found) = contexts.of(frame) {
            return Some(found);
        }
        let code = self.code_at(place)?;
        let (method, is_block) = (code.method, code.is_block);
        // The machine keeps the method's object, so a second request makes nothing.
        self.method_object(method);
        let class = self.class_of_contexts();
        let slots = self.class(class).ivars.len().max(CONTEXT_SLOTS);
        let context = self.make_unwatched(class, Contents::Slots(slots));
        let receiver = self.receiver_at(place).unwrap_or(Value::NIL);
        let method = self.method_object(method);
        for (slot, value) in [
            (RECEIVER_SLOT, receiver),
            (METHOD_SLOT, method),
            (IS_BLOCK_SLOT, Value::bool(is_block)),
            (PROCESS_SLOT, Value::int(i64::from(process.0))),
            (FRAME_SLOT, Value::int(frame as i64)),
        ] {
            self.heap.set_slot(context, slot, value);
        }
        self.note_context(place, context);
        Some(context)
    }

    /// Notes the context in the process and in the frame's meta word.
    fn note_context(&mut self, place: Place, context: Value) {
        let Place { process, frame } = place;
        let (stack, contexts, note_fresh) = if process == self.running.id {
            let running = &mut self.running;
            (&mut running.stack, &mut running.contexts, false)
        } else {
            let Some(Some(row)) = self.processes.table.get_mut(process.0 as usize) else {
                return;
            };
            // The next collection of the nursery has to find the object.
            let was_fresh = std::mem::replace(&mut row.is_fresh, true);
            self.processes.bytes -= row.contexts.bytes();
            (&mut row.stack, &mut row.contexts, !was_fresh)
        };
        contexts.add(frame, context);
        let bytes = contexts.bytes();
        stack.set_word(frame - 2, stack.word(frame - 2) | HAS_CONTEXT);
        if process != self.running.id {
            self.processes.bytes += bytes;
        }
        if note_fresh {
            self.note_fresh_process(process);
        }
    }

    /// A program can replace the class Context, or give it variables.
    fn class_of_contexts(&self) -> ClassId {
        let class = self.library_class("Context");
        let is_open = !is_closed(self, class) && self.class(class).kind != Kind::Bytes;
        if is_open { class } else { Known::Object.into() }
    }

    /// The context of the running activation: what `thisContext` means.
    #[inline(never)]
    pub(crate) fn running_context(&mut self) -> Value {
        let place = Place {
            process: self.running.id,
            frame: self.frame_index(),
        };
        self.context(place).unwrap_or(Value::NIL)
    }
}
