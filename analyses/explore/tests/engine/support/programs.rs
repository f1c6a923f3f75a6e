//! The programs of document 002 and of the literature.

use super::{Act, Actors};

type Acting = fn(&mut Act<'_>);

/// A join of the paper: its numbers are whether times count, the first value, whether it is the root's, and whether there is a value.
fn join(act: &mut Act<'_>) {
    let numbers = act.behaviour.numbers.clone();
    let value = act.message.numbers[0];
    let time = |act: &mut Act<'_>, ticks: u64| act.work(ticks * numbers[0] as u64);
    match (numbers[2], numbers[3]) {
        (1, 1) => {
            time(act, 37);
            act.output(value);
            act.dispose();
        }
        (AS_PRINTED, 1) => {
            act.output(numbers[1]);
            act.dispose();
        }
        (is_root, 0) => {
            time(act, 29);
            act.becomes("Join", &[numbers[0], value, is_root, 1], &[act.slot(0)]);
        }
        _ if numbers[1] == 0 => act.fail("ZeroDivide"),
        _ => {
            time(act, 31);
            act.send(act.slot(0), "join:", &[value % numbers[1]], &[]);
            act.dispose();
        }
    }
}

/// Marks a root that writes what the paper prints: its result, which is 0, and not the value.
const AS_PRINTED: i64 = 2;

/// Document 002, figure 1, as printed.
pub(crate) fn modulo_as_printed(from: i64, to: i64) -> Actors<Acting> {
    modulo_with(0, AS_PRINTED).message(0, "start:to:", &[from, to])
}

/// Document 002, figure 1, which writes `value`. The local times are those of the check numbers if `times` is 1, else 0.
pub(crate) fn modulo(from: i64, to: i64, times: i64) -> Actors<Acting> {
    modulo_with(times, 1).message(0, "start:to:", &[from, to])
}

fn modulo_with(times: i64, root: i64) -> Actors<Acting> {
    fn act(act: &mut Act<'_>) {
        let numbers = act.behaviour.numbers.clone();
        let args = act.message.numbers.clone();
        let time = |act: &mut Act<'_>, ticks: u64| {
            if numbers[0] == 1 {
                act.work(ticks);
            }
        };
        match (act.behaviour.name, act.message.name) {
            ("Root", _) => {
                time(act, 17);
                let node = act.create("Node", &[numbers[0]], &[]);
                act.send(node, "range:from:to:", &args, &[act.me()]);
                act.becomes("Join", &[numbers[0], 0, numbers[1], 1], &[act.me()]);
            }
            ("Node", _) if args[1] - args[0] <= 1 => {
                time(act, 23);
                let sum = if args[0] == args[1] {
                    args[0]
                } else {
                    args[0] + args[1]
                };
                act.send(act.arg(0), "join:", &[sum], &[]);
                act.dispose();
            }
            ("Node", _) => {
                time(act, 19);
                let mid = (args[0] + args[1]) / 2;
                let left = act.create("Node", &[numbers[0]], &[]);
                act.send(left, "range:from:to:", &[args[0], mid], &[act.me()]);
                let right = act.create("Node", &[numbers[0]], &[]);
                act.send(right, "range:from:to:", &[mid + 1, args[1]], &[act.me()]);
                act.becomes("Join", &[numbers[0], 0, 0, 0], &[act.arg(0)]);
            }
            ("Join", _) => join(act),
            other => panic!("{other:?}"),
        }
    }
    Actors::new(act as Acting).actor("Root", &[times, root], &[])
}

/// Chang and Roberts: the largest identity round the ring is elected. All starts are pending at first. The winner's announcement goes
/// round once. Each actor knows its right neighbour, whether it has started, whether it leads, and whether it knows of the leader.
pub(crate) fn election(identities: &[i64]) -> Actors<Acting> {
    fn act(act: &mut Act<'_>) {
        let numbers = act.behaviour.numbers.clone();
        let (me, started, leads, knows) = (numbers[0], numbers[1], numbers[2], numbers[3]);
        let next = act.slot(0);
        let slots = act.slots();
        match act.message.name {
            "start" => {
                if started == 0 {
                    act.send(next, "elect:", &[me], &[]);
                }
                act.becomes("Member", &[me, 1, leads, knows], &slots);
            }
            "elect:" => {
                let other = act.message.numbers[0];
                if other > me {
                    act.send(next, "elect:", &[other], &[]);
                    act.becomes("Member", &[me, started, leads, knows], &slots);
                } else if other == me {
                    act.send(next, "elected:", &[me], &[]);
                    act.becomes("Member", &[me, started, 1, knows], &slots);
                }
            }
            _ => {
                let leader = act.message.numbers[0];
                if leader != me {
                    act.send(next, "elected:", &[leader], &[]);
                }
                act.becomes("Member", &[me, started, leads, 1], &slots);
            }
        }
    }
    let mut program = Actors::new(act as Acting);
    let count = identities.len() as u32;
    for (place, identity) in (0..).zip(identities) {
        let member = [*identity, 0, 0, 0];
        program = program.actor("Member", &member, &[(place + 1) % count]);
    }
    (0..count).fold(program, |program, place| {
        program.message(place, "start", &[])
    })
}

/// One sender, whose messages are pending at first, and a receiver. It keeps their order, or their number only.
pub(crate) fn receiver(messages: i64, keeps_order: bool) -> Actors<Acting> {
    fn ordered(act: &mut Act<'_>) {
        let mut numbers = act.behaviour.numbers.clone();
        numbers.extend(&act.message.numbers);
        act.becomes("Receiver", &numbers, &[]);
    }
    fn counting(act: &mut Act<'_>) {
        let count = act.behaviour.numbers[0];
        act.becomes("Receiver", &[count + 1], &[]);
    }
    let program = match keeps_order {
        true => Actors::new(ordered as Acting).actor("Receiver", &[], &[]),
        false => Actors::new(counting as Acting).actor("Receiver", &[0], &[]),
    };
    (1..=messages).fold(program, |program, n| program.message(0, "take:", &[n]))
}

/// The script sends messages to each of some receivers, which count them.
pub(crate) fn receivers(count: u32, messages: i64) -> Actors<Acting> {
    fn act(act: &mut Act<'_>) {
        let taken = act.behaviour.numbers[0];
        act.becomes("Receiver", &[taken + 1], &[]);
    }
    let mut program = Actors::new(act as Acting);
    for _ in 0..count {
        program = program.actor("Receiver", &[0], &[]);
    }
    for n in 0..messages {
        for to in 0..count {
            program = program.message(to, "take:", &[n]);
        }
    }
    program
}

/// `a` sends to `c`, then to `b`, which sends to `c`.
pub(crate) fn triangle() -> Actors<Acting> {
    fn act(act: &mut Act<'_>) {
        match act.behaviour.name {
            "A" => {
                act.send(act.slot(1), "note:", &[1], &[]);
                act.send(act.slot(0), "go", &[], &[]);
            }
            "B" => act.send(act.slot(0), "note:", &[2], &[]),
            _ => {
                let mut numbers = act.behaviour.numbers.clone();
                numbers.extend(&act.message.numbers);
                act.becomes("C", &numbers, &[]);
            }
        }
    }
    let program = Actors::new(act as Acting);
    let program = program.actor("A", &[], &[1, 2]).actor("B", &[], &[2]);
    program.actor("C", &[], &[]).message(0, "go", &[])
}

/// Two actors send a ball to and fro, in a number of rounds, or for ever with a negative number.
pub(crate) fn ping_pong(rounds: i64) -> Actors<Acting> {
    fn act(act: &mut Act<'_>) {
        act.work(5);
        let left = act.behaviour.numbers[0];
        if left != 0 {
            act.send(act.slot(0), "ball", &[], &[]);
            if left > 0 {
                act.becomes("Player", &[left - 1], &act.slots());
            }
        }
    }
    let program = Actors::new(act as Acting);
    let program = program.actor("Player", &[rounds], &[1]);
    let program = program.actor("Player", &[rounds], &[0]);
    program.message(0, "ball", &[])
}

/// The sum of two recursive actors.
pub(crate) fn fibonacci(n: i64) -> Actors<Acting> {
    fn act(act: &mut Act<'_>) {
        let args = act.message.numbers.clone();
        match (act.behaviour.name, act.message.name) {
            ("Fib", _) if args[0] < 2 => {
                act.send(act.arg(0), "answer:", &[args[0]], &[]);
                act.dispose();
            }
            ("Fib", _) => {
                for less in [1, 2] {
                    let child = act.create("Fib", &[], &[]);
                    act.send(child, "of:for:", &[args[0] - less], &[act.me()]);
                }
                act.becomes("First", &[], &[act.arg(0)]);
            }
            ("First", _) => act.becomes("Second", &args, &act.slots()),
            ("Second", _) => {
                let sum = act.behaviour.numbers[0] + args[0];
                act.send(act.slot(0), "answer:", &[sum], &[]);
                act.dispose();
            }
            ("Root", "start:") => {
                let child = act.create("Fib", &[], &[]);
                act.send(child, "of:for:", &args, &[act.me()]);
            }
            _ => {
                act.output(args[0]);
                act.dispose();
            }
        }
    }
    let program = Actors::new(act as Acting).actor("Root", &[], &[]);
    program.message(0, "start:", &[n])
}

/// Items through stages, each of which takes `weight` ticks for an item. The source sends all items at once.
pub(crate) fn pipeline(stages: u32, items: i64, weight: i64) -> Actors<Acting> {
    fn act(act: &mut Act<'_>) {
        if act.behaviour.name == "Source" {
            for item in 0..act.message.numbers[0] {
                act.send(act.slot(0), "item:", &[item], &[]);
            }
            return;
        }
        act.work(act.behaviour.numbers[0] as u64);
        let args = act.message.numbers.clone();
        if act.behaviour.slots == 1 {
            act.send(act.slot(0), "item:", &args, &[]);
        }
    }
    let mut program = Actors::new(act as Acting).actor("Source", &[], &[1]);
    for stage in 1..=stages {
        let next = [stage + 1];
        let next = if stage == stages { &[] } else { &next[..] };
        program = program.actor("Stage", &[weight], next);
    }
    program.message(0, "start:", &[items])
}

/// The sieve of Eratosthenes: a filter for each prime. Candidates come in order only if messages do.
pub(crate) fn sieve(most: i64) -> Actors<Acting> {
    fn act(act: &mut Act<'_>) {
        let args = act.message.numbers.clone();
        match act.behaviour.name {
            "Source" => {
                let first = act.create("End", &[], &[]);
                for n in 2..=args[0] {
                    act.send(first, "try:", &[n], &[]);
                }
                act.dispose();
            }
            "End" => {
                act.output(args[0]);
                let next = act.create("End", &[], &[]);
                act.becomes("Filter", &args, &[next]);
            }
            _ if args[0] % act.behaviour.numbers[0] != 0 => {
                act.send(act.slot(0), "try:", &args, &[]);
            }
            _ => {}
        }
    }
    let program = Actors::new(act as Acting).actor("Source", &[], &[]);
    program.message(0, "upTo:", &[most])
}

/// Actors that count up to a number and begin again, for ever and independently.
pub(crate) fn counters(count: u32, most: i64) -> Actors<Acting> {
    fn act(act: &mut Act<'_>) {
        let (at, most) = (act.behaviour.numbers[0], act.behaviour.numbers[1]);
        act.becomes("Counter", &[(at + 1) % most, most], &[]);
        act.send(act.me(), "step", &[], &[]);
    }
    let mut program = Actors::new(act as Acting);
    for _ in 0..count {
        program = program.actor("Counter", &[0, most], &[]);
    }
    (0..count).fold(program, |program, n| program.message(n, "step", &[]))
}
