//! Primitives that need frames: blocks, `perform:`, handlers and unwinding, processes and semaphores. They leave a
//! request, and the loop does the work.

use super::host::letters;
use super::text::make_strings;
use super::{Answer, Primitive, rows};
use crate::base::{Known, ProcessId, Stop, TargetId, Value};
use crate::machine::Vm;
use crate::processes::{Goal, Mark, Status, Unwinding, mark_of_token};
use crate::run::{Args, Request};

rows! {
    "blockValue"(any) open requests => block_value,
        "A block that takes as many arguments: its value.", ALWAYS_SIMPLE;
    "blockValueWithArguments"(1) open requests => block_value_with_arguments,
        "A block and an Array of as many elements as it takes arguments: its value.", ALWAYS_SIMPLE;
    "blockNumArgs"(0) open leaf => block_num_args,
        "Always: the number of arguments.";
    "blockHomeMethod"(0) open allocates => block_home_method,
        "A block: the CompiledMethod that it stands in.";
    "perform"(any) open requests => perform,
        "A selector for as many arguments: the answer of that message, which is delivered and not counted.", DELIVERY;
    "performWithArguments"(2) open requests => perform_with_arguments,
        "A selector and an Array of its arguments: the answer of that message, delivered and not counted.", DELIVERY;
    "performInSuperclass"(3) open requests => perform_in_superclass,
        "As `performWithArguments`, and a class that the receiver's is or inherits from, in which lookup begins.", DELIVERY;
    "frameToken"(0) library leaf => frame_token_of_caller,
        "In a method with a frame pragma: a token for its frame.";
    "frameNextHandler"(1) library leaf => next_handler,
        "nil or a token: the token of the next `on:do:` frame below, nil if there is none.";
    "frameRegisterOf"(2) library leaf => frame_register,
        "The number of an argument (0 is the receiver) and the token of a live frame of `on:do:` or `signal`: the argument.";
    "frameReturn"(2) library requests => frame_return,
        "A value and the token of a live frame: unwinds to it; it returns the value.";
    "frameRestart"(2) library requests => frame_restart,
        "A receiver and the token of a live frame of `on:do:` or `signal` whose method is held by a class of the receiver's: unwinds to it and starts it again with that receiver.";
    "processReportFailure"(2) library leaf ordered => report_failure,
        "A string, or an Array of a string and a string or nil, and a token or nil: writes the string, the second one as help, and a trace from below that frame to standard error; the run has failed.";
    "processNoteFailure"(2) library leaf => note_failure,
        "A string, or an Array as for `processReportFailure`, and a token or nil: if the embedder requested failures, records for it the strings and the call stack below that frame.";
    "frameFailingSend"(1) library allocates => failing_send,
        "A token or nil, below whose frame code of the program runs: an Array of five Strings about its innermost send: text of the receiver, selector, text behind the selector, the keyword or operator that follows, selector of the method.";
    "systemExit"(1) library requests ordered => exit,
        "A SmallInteger from 0 to 255: ends the run, with that exit code; nothing is unwound.";
    "processNoteDepthExceeded"(0) library leaf => note_depth_exceeded,
        "Always: the run's failure is that of the depth limit.";
    "processActive"(0) library allocates => active_process,
        "Always: the running process.";
    "processNew"(1) library requests => new_process,
        "Receiver a block without arguments, and a priority of 1 to 100: a process that will evaluate it, suspended.";
    "processResume"(0) library leaf => resume,
        "A process that is suspended: it can run.";
    "processSuspend"(0) library requests => suspend,
        "A process that can run: it cannot until it is resumed.";
    "processYield"(0) library requests => yield_process,
        "Always: lets others of the priority run first.";
    "processSleep"(1) library requests => sleep,
        "A SmallInteger from 0 on: the running process goes on when as many milliseconds have passed.";
    "processInterrupt"(1) library leaf => interrupt,
        "A process that has begun and is not the running one, and a block without arguments: it evaluates the block before it goes on, and waits no longer.";
    "processTerminate"(0) library requests => terminate,
        "A process that has not ended: unwinds it, pending `ensure:` blocks included.";
    "processPriority"(0) library leaf => priority,
        "A process that has not ended: its priority.";
    "processSetPriority"(1) library leaf => set_priority,
        "A process that has not ended, and a priority of 1 to 100: changes it.";
    "processStatus"(0) library leaf => status,
        "A process: #running, #ready, #waiting or #terminated.";
    "semaphoreWait"(0) library requests => semaphore_wait,
        "A semaphore: takes a signal, or waits for one.";
    "semaphoreSignal"(0) library leaf => semaphore_signal,
        "A semaphore: lets the process that waits longest go on, or keeps the signal.";
}

fn request(vm: &mut Vm, request: Request) -> Answer {
    vm.run.request = request;
    Answer::REQUEST
}

// --- blocks and perform -----------------------------------------------------------------------

fn block_value(vm: &mut Vm, args: Args) -> Answer {
    let block = args.receiver(vm);
    match block_arity(vm, block) {
        Some(count) if count == args.count => request(vm, Request::EvaluateBlock { count }),
        _ => Answer::DECLINE,
    }
}

pub(super) fn block_arity(vm: &Vm, block: Value) -> Option<usize> {
    let target = block_target(vm, block)?;
    Some(usize::from(vm.code.target(target).argument_count))
}

fn block_target(vm: &Vm, block: Value) -> Option<TargetId> {
    if !vm.is_block(block) {
        return None;
    }
    Some(TargetId(
        u32::try_from(vm.heap.slot(block, 0).as_int()?).ok()?,
    ))
}

fn block_home_method(vm: &mut Vm, args: Args) -> Answer {
    let target = block_target(vm, args.receiver(vm));
    target
        .map(|target| {
            let method = vm.code.target(target).method;
            vm.method_object(method)
        })
        .into()
}

fn block_num_args(vm: &mut Vm, args: Args) -> Answer {
    block_arity(vm, args.receiver(vm))
        .map(|count| Value::int(count as i64))
        .into()
}

/// The elements of an Array argument.
fn array(vm: &Vm, value: Value) -> Option<Vec<Value>> {
    (value.is_object() && vm.is_a(value, Known::Array)).then(|| vm.heap.slots(value).to_vec())
}

fn block_value_with_arguments(vm: &mut Vm, args: Args) -> Answer {
    let arguments = array(vm, args.at(vm, 0));
    match (arguments, block_arity(vm, args.receiver(vm))) {
        (Some(arguments), Some(count)) if arguments.len() == count => {
            vm.put_in_window(args.base + 1, &arguments);
            request(vm, Request::EvaluateBlock { count })
        }
        _ => Answer::DECLINE,
    }
}

/// The number of arguments that a selector takes.
pub(super) fn selector_arity(text: &str) -> usize {
    let first = text.chars().next().unwrap_or(' ');
    if first.is_alphabetic() || first == '_' {
        text.bytes().filter(|byte| *byte == b':').count()
    } else {
        1
    }
}

fn perform(vm: &mut Vm, args: Args) -> Answer {
    let Some(selector) = (args.count > 0)
        .then(|| args.at(vm, 0))
        .and_then(Value::as_symbol)
    else {
        return Answer::DECLINE;
    };
    let count = args.count - 1;
    if selector_arity(vm.symbol_text(selector)) != count {
        return Answer::DECLINE;
    }
    let arguments: Vec<Value> = (1..=count).map(|i| args.at(vm, i)).collect();
    vm.put_in_window(args.base + 1, &arguments);
    request(
        vm,
        Request::Perform {
            selector,
            count,
            start: None,
        },
    )
}

fn perform_spread(vm: &mut Vm, args: Args, start: Option<crate::base::ClassId>) -> Answer {
    let (selector, arguments) = (args.at(vm, 0).as_symbol(), array(vm, args.at(vm, 1)));
    match (selector, arguments) {
        (Some(selector), Some(arguments))
            if selector_arity(vm.symbol_text(selector)) == arguments.len() =>
        {
            let count = arguments.len();
            vm.put_in_window(args.base + 1, &arguments);
            request(
                vm,
                Request::Perform {
                    selector,
                    count,
                    start,
                },
            )
        }
        _ => Answer::DECLINE,
    }
}

fn perform_with_arguments(vm: &mut Vm, args: Args) -> Answer {
    perform_spread(vm, args, None)
}

fn perform_in_superclass(vm: &mut Vm, args: Args) -> Answer {
    let start = vm.class_of_class_object(args.at(vm, 2));
    let class = vm.class_of(args.receiver(vm));
    match start {
        Some(id) if vm.inherits(class, id) => perform_spread(vm, args, start),
        _ => Answer::DECLINE,
    }
}

// --- frames -----------------------------------------------------------------------------------

fn frame_token_of_caller(vm: &mut Vm, _args: Args) -> Answer {
    let frame = vm.frame_index();
    let mark = vm.running.frame_mark(frame).wrapping_sub(1);
    vm.running.marks.get(mark).and_then(Mark::token).into()
}

fn live(vm: &Vm, token: Value) -> Option<usize> {
    mark_of_token(&vm.running.marks, token)
}

fn next_handler(vm: &mut Vm, args: Args) -> Answer {
    let token = args.at(vm, 0);
    let start = if token.is_nil() {
        None
    } else {
        live(vm, token)
    };
    match vm.running.find_handler(start) {
        Some(index) => vm.running.marks[index].token().unwrap_or(Value::NIL).into(),
        None => Value::NIL.into(),
    }
}

fn frame_register(vm: &mut Vm, args: Args) -> Answer {
    let found = live(vm, args.at(vm, 1));
    let Some(index) = found.filter(|&index| vm.running.marks[index].is_of_exceptions()) else {
        return Answer::DECLINE;
    };
    let frame = vm.running.marks[index].frame;
    let known = usize::from(vm.running_code(frame).argument_count);
    match args
        .at(vm, 0)
        .as_int()
        .and_then(|n| usize::try_from(n).ok())
    {
        Some(register) if register <= known => vm.running.frame_register(frame, register).into(),
        _ => Answer::DECLINE,
    }
}

fn unwind(vm: &mut Vm, target: Option<usize>, goal: Goal, value: Value) -> Answer {
    match target {
        Some(target) => request(
            vm,
            Request::Unwind(Unwinding {
                target,
                goal,
                value,
            }),
        ),
        None => Answer::DECLINE,
    }
}

fn frame_return(vm: &mut Vm, args: Args) -> Answer {
    let (value, target) = (args.at(vm, 0), live(vm, args.at(vm, 1)));
    unwind(vm, target, Goal::Return, value)
}

fn frame_restart(vm: &mut Vm, args: Args) -> Answer {
    let (value, target) = (args.at(vm, 0), live(vm, args.at(vm, 1)));
    // A program can keep a token and use it in any way.
    let target = target.filter(|&target| vm.can_restart(target, value));
    unwind(vm, target, Goal::Restart, value)
}

fn report_failure(vm: &mut Vm, args: Args) -> Answer {
    let exception = args.receiver(vm);
    let told_about = args.at(vm, 0);
    let message_text = array(vm, told_about).and_then(|parts| parts.get(2).copied());
    if vm.fail_request(exception, message_text.unwrap_or(Value::NIL)) {
        // Its client gets an exception like it, and deals with it or not.
        vm.run.depth_exceeded = false;
        return exception.into();
    }
    let (text, help) = told(vm, told_about);
    let frame = live(vm, args.at(vm, 1)).map(|index| vm.running.marks[index].frame);
    if !vm.fail_command(&text, help.clone(), frame) {
        vm.report_failure_from(&text, help, frame);
    }
    args.receiver(vm).into()
}

/// A message and its help.
fn told(vm: &Vm, value: Value) -> (String, Option<String>) {
    match array(vm, value).as_deref() {
        Some(&[message, help, ..]) => (vm.text_of(message).unwrap_or_default(), vm.text_of(help)),
        _ => (vm.text_of(value).unwrap_or_default(), None),
    }
}

fn failing_send(vm: &mut Vm, args: Args) -> Option<Value> {
    let frame = live(vm, args.at(vm, 0)).map(|index| vm.running.marks[index].frame);
    let found = vm.failing_send(frame)?;
    make_strings(vm, &found.parts().map(letters))
}

fn note_failure(vm: &mut Vm, args: Args) -> Answer {
    let (text, help) = told(vm, args.at(vm, 0));
    let frame = live(vm, args.at(vm, 1)).map(|index| vm.running.marks[index].frame);
    vm.note_failure(&text, help, frame);
    args.receiver(vm).into()
}

fn exit(vm: &mut Vm, args: Args) -> Answer {
    match args.at(vm, 0).as_int().and_then(|n| u8::try_from(n).ok()) {
        Some(code) => request(vm, Request::Stop(Stop::Exit(code))),
        None => Answer::DECLINE,
    }
}

fn note_depth_exceeded(vm: &mut Vm, args: Args) -> Answer {
    vm.run.depth_exceeded = true;
    args.receiver(vm).into()
}

// --- processes ----------------------------------------------------------------------------------

const NUMBER_SLOT: usize = 0;

const NEXT_SLOT: usize = 1;

const FIRST_SLOT: usize = 1;

const LAST_SLOT: usize = 2;

/// Whether the value is a process; programs can put anything into a semaphore's variables.
fn is_process(vm: &Vm, value: Value) -> bool {
    value.is_object() && vm.inherits(vm.class_of(value), Known::Process.into())
}

/// The number of a process that has not ended.
pub(super) fn process_number(vm: &Vm, value: Value) -> Option<ProcessId> {
    if !is_process(vm, value) {
        return None;
    }
    let number = vm.heap.slots(value).get(NUMBER_SLOT)?.as_int()?;
    Some(ProcessId(u32::try_from(number).ok()?))
}

fn active_process(vm: &mut Vm, _args: Args) -> Answer {
    vm.current_process_object().into()
}

fn priority_argument(vm: &Vm, args: Args) -> Option<i64> {
    args.at(vm, 0).as_int().filter(|n| (1..=100).contains(n))
}

fn new_process(vm: &mut Vm, args: Args) -> Answer {
    let block = args.receiver(vm);
    let (Some(0), Some(priority)) = (block_arity(vm, block), priority_argument(vm, args)) else {
        return Answer::DECLINE;
    };
    if vm.is_in_turn() {
        let stop = vm.refuse_in_turn("fork");
        return request(vm, Request::Stop(stop));
    }
    let target = TargetId(vm.heap.slot(block, 0).as_int().unwrap_or(0) as u32);
    let object = vm.make_process_object();
    let block = args.receiver(vm);
    let id = vm.new_process(target, block, priority);
    vm.processes.has_forked = true;
    if vm.is_watched() {
        vm.watch_new_process(id, priority, object);
    }
    vm.heap
        .set_slot(object, NUMBER_SLOT, Value::int(i64::from(id.0)));
    if let Some(Some(process)) = vm.processes.table.get_mut(id.0 as usize) {
        process.object = object;
        process.status = Status::Waiting;
    }
    vm.check_memory();
    object.into()
}

fn resume(vm: &mut Vm, args: Args) -> Answer {
    let Some(id) = process_number(vm, args.receiver(vm)) else {
        return Answer::DECLINE;
    };
    match vm.processes.table.get_mut(id.0 as usize) {
        Some(Some(process)) if process.status == Status::Waiting => {
            vm.make_ready(id);
            if vm.is_watched() {
                vm.watch_resumed(id);
            }
            args.receiver(vm).into()
        }
        _ => Answer::DECLINE,
    }
}

fn sleep(vm: &mut Vm, args: Args) -> Answer {
    let Some(milliseconds) = args.at(vm, 0).as_int().and_then(|n| u64::try_from(n).ok()) else {
        return Answer::DECLINE;
    };
    match vm.is_watched() {
        true => vm.watch_sleep(),
        false => vm.fall_asleep(milliseconds),
    }
    let answer = args.receiver(vm);
    request(vm, Request::Switch { answer })
}

fn interrupt(vm: &mut Vm, args: Args) -> Answer {
    let (receiver, block) = (args.receiver(vm), args.at(vm, 0));
    let (Some(id), Some(0)) = (process_number(vm, receiver), block_arity(vm, block)) else {
        return Answer::DECLINE;
    };
    match vm.processes.table.get_mut(id.0 as usize) {
        Some(Some(process))
            if process.started && id != vm.running.id && process.status != Status::Engaged =>
        {
            process.interruption = block;
            // A block is young, and the next collection has to find it.
            let was_fresh = std::mem::replace(&mut process.is_fresh, true);
            if !was_fresh {
                vm.note_fresh_process(id);
            }
            vm.make_ready(id);
            if vm.is_watched() {
                vm.watch_interruption();
            }
            receiver.into()
        }
        _ => Answer::DECLINE,
    }
}

fn suspend(vm: &mut Vm, args: Args) -> Answer {
    let receiver = args.receiver(vm);
    let Some(id) = process_number(vm, receiver) else {
        return Answer::DECLINE;
    };
    if id == vm.running.id {
        vm.running.status = Status::Waiting;
        vm.process_blocks(None);
        return request(vm, Request::Switch { answer: receiver });
    }
    match vm.processes.table.get_mut(id.0 as usize) {
        Some(Some(process)) if process.status == Status::Runnable => {
            process.status = Status::Waiting;
            vm.forget_ready(id);
            vm.process_is_suspended(id);
            receiver.into()
        }
        _ => Answer::DECLINE,
    }
}

fn yield_process(vm: &mut Vm, args: Args) -> Answer {
    let answer = args.receiver(vm);
    request(vm, Request::Switch { answer })
}

fn terminate(vm: &mut Vm, args: Args) -> Answer {
    let receiver = args.receiver(vm);
    let Some(id) = process_number(vm, receiver) else {
        return Answer::DECLINE;
    };
    if id == vm.running.id {
        return unwind(vm, Some(0), Goal::Terminate, Value::NIL);
    }
    match vm.processes.table.get_mut(id.0 as usize) {
        Some(Some(process)) if !process.started => {
            // Nothing of it has run: there is nothing to unwind.
            vm.processes.bytes -= process.bytes();
            vm.processes.table[id.0 as usize] = None;
            vm.forget_sleeper(id);
            vm.forget_ready(id);
            vm.process_ends(id);
            vm.heap.set_slot(receiver, NUMBER_SLOT, Value::NIL);
        }
        Some(Some(process)) => {
            // The engine looks at the list when the process has a turn again.
            if process.status != Status::Engaged {
                vm.make_ready(id);
            }
            if !vm.processes.pending_termination.contains(&id) {
                vm.processes.pending_termination.push(id);
            }
        }
        _ => return Answer::DECLINE,
    }
    receiver.into()
}

fn priority(vm: &mut Vm, args: Args) -> Answer {
    let Some(id) = process_number(vm, args.receiver(vm)) else {
        return Answer::DECLINE;
    };
    if id == vm.running.id {
        return Value::int(vm.running.priority).into();
    }
    match vm.processes.table.get(id.0 as usize) {
        Some(Some(process)) => Value::int(process.priority).into(),
        _ => Answer::DECLINE,
    }
}

fn set_priority(vm: &mut Vm, args: Args) -> Answer {
    let receiver = args.receiver(vm);
    let (Some(id), Some(priority)) = (process_number(vm, receiver), priority_argument(vm, args))
    else {
        return Answer::DECLINE;
    };
    vm.watch_priority();
    if id == vm.running.id {
        vm.running.priority = priority;
    } else if let Some(Some(process)) = vm.processes.table.get_mut(id.0 as usize) {
        process.priority = priority;
        vm.set_ready_priority(id, priority);
    }
    vm.set_tick_limit();
    receiver.into()
}

fn status(vm: &mut Vm, args: Args) -> Answer {
    let receiver = args.receiver(vm);
    let text = match process_number(vm, receiver) {
        Some(id) if id == vm.running.id => "running",
        Some(id) => match vm.processes.table.get(id.0 as usize) {
            Some(Some(process)) if process.status == Status::Runnable => "ready",
            Some(Some(_)) => "waiting",
            _ => "terminated",
        },
        None => "terminated",
    };
    vm.symbol(text).into()
}

fn semaphore_wait(vm: &mut Vm, args: Args) -> Answer {
    let semaphore = args.receiver(vm);
    if !vm.is_semaphore(semaphore) {
        return Answer::DECLINE;
    }
    let signals = vm.signals_of(semaphore);
    if signals > 0 {
        vm.set_signals(semaphore, signals - 1);
        return semaphore.into();
    }
    let process = vm.current_process_object();
    let semaphore = args.receiver(vm);
    vm.heap.set_slot(process, NEXT_SLOT, Value::NIL);
    let last = vm.heap.slot(semaphore, LAST_SLOT);
    if !is_process(vm, last) {
        vm.heap.set_slot(semaphore, FIRST_SLOT, process);
    } else {
        vm.heap.set_slot(last, NEXT_SLOT, process);
    }
    vm.heap.set_slot(semaphore, LAST_SLOT, process);
    vm.running.waits_on = semaphore;
    vm.running.status = Status::Waiting;
    vm.process_blocks(Some(semaphore));
    request(vm, Request::Switch { answer: semaphore })
}

fn semaphore_signal(vm: &mut Vm, args: Args) -> Answer {
    let semaphore = args.receiver(vm);
    if !vm.is_semaphore(semaphore) {
        return Answer::DECLINE;
    }
    loop {
        let first = vm.heap.slot(semaphore, FIRST_SLOT);
        if !is_process(vm, first) {
            let signals = vm.signals_of(semaphore);
            vm.set_signals(semaphore, signals.saturating_add(1));
            if vm.is_watched() {
                vm.watch_signal(semaphore, None);
            }
            return semaphore.into();
        }
        let next = vm.heap.slot(first, NEXT_SLOT);
        vm.heap.set_slot(semaphore, FIRST_SLOT, next);
        // Programs can make a circle of the list; what left it leads nowhere.
        vm.heap.set_slot(first, NEXT_SLOT, Value::NIL);
        if !is_process(vm, next) {
            vm.heap.set_slot(semaphore, LAST_SLOT, Value::NIL);
        }
        // A process that was terminated or resumed in the meantime is passed over.
        let Some(id) = process_number(vm, first) else {
            continue;
        };
        if let Some(Some(process)) = vm.processes.table.get_mut(id.0 as usize)
            && process.status == Status::Waiting
        {
            process.status = Status::Runnable;
            process.waits_on = Value::NIL;
            let priority = process.priority;
            vm.push_ready(id, priority);
            vm.process_is_freed(id);
            if vm.is_watched() {
                vm.watch_signal(semaphore, Some(id));
            }
            vm.set_tick_limit();
            return semaphore.into();
        }
    }
}

impl Vm {
    /// Makes a waiting process ready to run, and takes it out of any list that it waits in.
    fn make_ready(&mut self, id: ProcessId) {
        self.forget_sleeper(id);
        let Some(Some(process)) = self.processes.table.get_mut(id.0 as usize) else {
            return;
        };
        let before = std::mem::replace(&mut process.status, Status::Runnable);
        let priority = process.priority;
        let semaphore = std::mem::replace(&mut process.waits_on, Value::NIL);
        let object = process.object;
        if self.is_semaphore(semaphore) {
            self.unlink(semaphore, object);
        }
        if !self.is_ready(id) {
            self.push_ready(id, priority);
        }
        if before == Status::Waiting {
            self.process_is_freed(id);
        }
        self.set_tick_limit();
    }

    /// Takes a process out of the list of a semaphore.
    fn unlink(&mut self, semaphore: Value, process: Value) {
        let mut before = Value::NIL;
        let mut at = self.heap.slot(semaphore, FIRST_SLOT);
        // Programs can put anything into these variables, a circle too.
        let mut left = self.processes.table.len();
        while is_process(self, at) && left > 0 {
            let next = self.heap.slot(at, NEXT_SLOT);
            if at == process {
                match before.is_nil() {
                    true => self.heap.set_slot(semaphore, FIRST_SLOT, next),
                    false => self.heap.set_slot(before, NEXT_SLOT, next),
                }
                if !is_process(self, next) {
                    self.heap.set_slot(semaphore, LAST_SLOT, before);
                }
                self.heap.set_slot(at, NEXT_SLOT, Value::NIL);
                return;
            }
            (before, at) = (at, next);
            left -= 1;
        }
    }

    /// Writes values into the window of the running primitive, which may need more room than it had.
    pub(crate) fn put_in_window(&mut self, base: usize, values: &[Value]) {
        if base + values.len() + 1 > self.running.stack.len() {
            self.grow_stack(base + values.len() + 2);
        }
        for (index, &value) in values.iter().enumerate() {
            self.running.stack.set_value(base + index, value);
        }
    }

    /// A Process object without a number. The model does not count the script's own.
    fn make_process_object(&mut self) -> Value {
        let slots = self.class(Known::Process.into()).ivars.len().max(2);
        self.make(Known::Process.into(), crate::heap::Contents::Slots(slots))
    }

    /// The running process's object, made when it is first needed.
    pub(crate) fn current_process_object(&mut self) -> Value {
        if self.running.object.is_nil() {
            let before = self.allocations_now();
            let object = self.make_process_object();
            self.forget_allocations_since(before);
            let number = Value::int(i64::from(self.running.id.0));
            self.heap.set_slot(object, NUMBER_SLOT, number);
            self.running.object = object;
        }
        self.running.object
    }

    /// A new Array of new Strings.
    pub(crate) fn make_string_array(&mut self, texts: &[String]) -> Value {
        let start = self.run.handles.len();
        for text in texts {
            let string = self.make_string(text);
            self.run.handles.push(string);
        }
        let strings = self.run.handles[start..].to_vec();
        let array = self.make_array(&strings);
        self.run.handles.truncate(start);
        array
    }
}
