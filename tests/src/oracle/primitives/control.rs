//! Blocks, `perform:`, handlers, processes and semaphores.

use super::answer::{Answer, Request, Table};
use super::charge::{DELIVERY, NONE, SIMPLE};
use crate::oracle::code::FrameKind;
use crate::oracle::machine::Machine;
use crate::oracle::machine::frame::{Goal, Unwinding};
use crate::oracle::machine::process::Status;
use crate::oracle::names::name;
use crate::oracle::value::ClassId;
use crate::oracle::value::Value;

pub(super) const TABLE: Table = &[
    ("blockValue", SIMPLE, |m, a| {
        let fits = m.block_arity(a[0]) == Some(a.len() - 1);
        fits.then(|| Request::Block(a[0], a[1..].to_vec())).into()
    }),
    ("blockValueWithArguments", SIMPLE, |m, a| {
        let arguments = m.array_of(a[1]);
        let arguments = arguments.filter(|all| m.block_arity(a[0]) == Some(all.len()));
        arguments.map(|all| Request::Block(a[0], all)).into()
    }),
    ("blockNumArgs", NONE, |m, a| {
        m.block_arity(a[0])
            .map(|count| Value::Small(count as i64))
            .into()
    }),
    ("perform", DELIVERY, |m, a| {
        let class = m.class_of(a[0]);
        perform(a[0], a[1], a[2..].to_vec(), class)
    }),
    ("performWithArguments", DELIVERY, |m, a| {
        let class = m.class_of(a[0]);
        match m.array_of(a[2]) {
            Some(arguments) => perform(a[0], a[1], arguments, class),
            None => Answer::Declined,
        }
    }),
    ("performInSuperclass", DELIVERY, |m, a| {
        let class = m.class_of(a[0]);
        let above = m
            .as_class(a[3])
            .filter(|above| m.world.inherits(class, *above));
        match m.array_of(a[2]).zip(above) {
            Some((arguments, above)) => perform(a[0], a[1], arguments, above),
            None => Answer::Declined,
        }
    }),
    ("frameToken", NONE, |m, _| {
        let frame = m.top();
        let is_special = frame.block.is_none() && frame.method.frame != FrameKind::Ordinary;
        let number = frame.number as i64;
        is_special.then_some(Value::Small(number)).into()
    }),
    ("frameNextHandler", NONE, |m, a| {
        let start = live(m, a[1]);
        let found = m
            .find_handler(start)
            .map(|index| m.frames[index].number as i64);
        Some(found.map_or(Value::Nil, Value::Small)).into()
    }),
    ("frameRegisterOf", NONE, |m, a| {
        let frame = live(m, a[2]).map(|index| &m.frames[index]);
        let number = a[1].as_size();
        let value = frame.zip(number).and_then(|(frame, number)| match number {
            0 => Some(frame.receiver),
            n => frame.arguments.get(n - 1).copied(),
        });
        value.into()
    }),
    ("frameReturn", NONE, |m, a| unwind(m, a, Goal::Return)),
    ("frameRestart", NONE, |m, a| unwind(m, a, Goal::Restart)),
    ("processReportFailure", NONE, |m, a| {
        m.failed = true;
        Some(a[0]).into()
    }),
    ("processNoteFailure", NONE, |_, a| Some(a[0]).into()),
    // The texts that the oracle writes for errors have no help.
    ("frameFailingSend", NONE, |_, _| Answer::Declined),
    ("processNoteDepthExceeded", NONE, |m, a| {
        m.hit_depth = true;
        Some(a[0]).into()
    }),
    ("processActive", NONE, |m, _| {
        Some(m.active_process()).into()
    }),
    ("processNew", NONE, |m, a| {
        let priority = a[1].as_small().filter(|n| (1..=100).contains(n));
        match (a[0], m.block_arity(a[0]), priority) {
            (Value::Object(block), Some(0), Some(priority)) => {
                Some(m.new_process(block, priority)).into()
            }
            _ => Answer::Declined,
        }
    }),
    ("processResume", NONE, |m, a| {
        let number = other(m, a[0]).filter(|&n| m.processes[n].status == Status::Waiting);
        number
            .map(|number| {
                m.make_ready(number);
                a[0]
            })
            .into()
    }),
    ("processSuspend", NONE, |m, a| suspend(m, a)),
    ("processYield", NONE, |_, a| {
        Answer::Request(Request::Switch(a[0]))
    }),
    ("processInterrupt", NONE, |m, a| {
        let number = other(m, a[0]).filter(|&n| m.processes[n].block.is_none());
        let number = number.filter(|_| m.block_arity(a[1]) == Some(0));
        number
            .map(|number| {
                m.processes[number].interruption = Some(a[1]);
                m.make_ready(number);
                a[0]
            })
            .into()
    }),
    ("processTerminate", NONE, |m, a| terminate(m, a)),
    ("processPriority", NONE, |m, a| {
        let number = m.process_of(a[0]);
        number
            .map(|number| Value::Small(m.processes[number].priority))
            .into()
    }),
    ("processSetPriority", NONE, |m, a| {
        let priority = a[1].as_small().filter(|n| (1..=100).contains(n));
        m.process_of(a[0])
            .zip(priority)
            .map(|(number, priority)| {
                m.processes[number].priority = priority;
                a[0]
            })
            .into()
    }),
    ("processStatus", NONE, |m, a| {
        let word = match m.process_of(a[0]) {
            Some(number) if number == m.current => "running",
            Some(number) if m.processes[number].status == Status::Runnable => "ready",
            Some(_) => "waiting",
            None => "terminated",
        };
        Some(Value::Symbol(name(word))).into()
    }),
    ("semaphoreWait", NONE, |m, a| {
        if !is_semaphore(m, a[0]) {
            Answer::Declined
        } else if m.must_wait(a[0]) {
            Answer::Request(Request::Switch(a[0]))
        } else {
            Answer::Value(a[0])
        }
    }),
    ("semaphoreSignal", NONE, |m, a| {
        if !is_semaphore(m, a[0]) {
            return Answer::Declined;
        }
        m.signal_semaphore(a[0]);
        Answer::Value(a[0])
    }),
    ("counterSends", NONE, |m, _| {
        let preset = m.preset_of_current();
        let sends = m.counts().sends.wrapping_add(preset);
        let count = sends.wrapping_sub(m.counter_offset);
        Some(m.integer_u64(count)).into()
    }),
    ("counterReset", NONE, |m, a| {
        let preset = m.preset_of_current();
        m.counter_offset = m.counts().sends.wrapping_add(preset);
        Some(a[0]).into()
    }),
    ("counterMeasureSends", NONE, |m, a| {
        let fits = m.block_arity(a[1]) == Some(0);
        fits.then(|| Request::Measure(a[1], false)).into()
    }),
    ("counterMeasureEverything", NONE, |m, a| {
        let fits = m.block_arity(a[1]) == Some(0);
        fits.then(|| Request::Measure(a[1], true)).into()
    }),
];

fn perform(receiver: Value, selector: Value, arguments: Vec<Value>, class: ClassId) -> Answer {
    let selector = selector.as_symbol();
    let selector = selector.filter(|one| one.argument_count() == arguments.len());
    selector
        .map(|selector| Request::Perform(class, selector, receiver, arguments))
        .into()
}

/// The place of the frame that a token stands for, if it is still there.
fn live(m: &Machine, token: Value) -> Option<usize> {
    m.frame_at(token.as_small()? as u64)
}

fn unwind(m: &mut Machine, a: &[Value], goal: Goal) -> Answer {
    let target = live(m, a[2]).map(|index| m.frames[index].number);
    target
        .map(|target| {
            Request::Unwind(Unwinding {
                target,
                goal,
                value: a[1],
            })
        })
        .into()
}

/// The number of a process that has not ended and is not the running one.
fn other(m: &Machine, value: Value) -> Option<usize> {
    m.process_of(value).filter(|&number| number != m.current)
}

fn suspend(m: &mut Machine, a: &[Value]) -> Answer {
    let Some(number) = m.process_of(a[0]) else {
        return Answer::Declined;
    };
    if number == m.current {
        m.processes[number].status = Status::Waiting;
        return Answer::Request(Request::Switch(a[0]));
    }
    if m.processes[number].status != Status::Runnable {
        return Answer::Declined;
    }
    m.processes[number].status = Status::Waiting;
    m.ready.retain(|one| *one != number);
    Answer::Value(a[0])
}

fn terminate(m: &mut Machine, a: &[Value]) -> Answer {
    let Some(number) = m.process_of(a[0]) else {
        return Answer::Declined;
    };
    if number == m.current {
        return Answer::Request(Request::Unwind(Unwinding {
            target: 0,
            goal: Goal::Terminate,
            value: Value::Nil,
        }));
    }
    m.terminate_other(number);
    Answer::Value(a[0])
}

fn is_semaphore(m: &Machine, value: Value) -> bool {
    m.world.inherits(m.class_of(value), m.known.semaphore)
}
