//! Workers that are threads of this process. They share the machines in which the resources of tests are available.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;

use tally_vm::{MemoryHost, Vm};

use super::discovery::Test;
use super::pool::{Arrived, InOrder, Work};
use super::worker::{Ended, Reset, Resources, Worker};
use crate::error::{Error, ErrorKind};

/// Bytes of stack of a thread that runs tests. Only what is used is ever touched.
const STACK_BYTES: usize = 256 << 20;

type Sender = mpsc::Sender<(usize, Result<Ended, Error>)>;
type Receiver = mpsc::Receiver<(usize, Result<Ended, Error>)>;

/// Runs tests, as [`Work::run`] says.
pub(super) fn run<E: From<Error>>(
    base: &mut Vm,
    work: &Work<'_>,
    tell: impl FnMut(Arrived) -> Result<bool, E>,
) -> Result<Vec<Reset>, E> {
    let machines: Vec<Vm> = (0..work.workers())
        .map(|_| base.fork(Box::<MemoryHost>::default()))
        .collect();
    let resources = Resources::default();
    let queue = Queue {
        work,
        next: AtomicUsize::new(0),
        is_over: AtomicBool::new(false),
    };
    let (queue, shared) = (&queue, &resources);
    let (sender, receiver) = mpsc::channel();
    std::thread::scope(|scope| {
        for mut machine in machines {
            let sender = sender.clone();
            let started = std::thread::Builder::new()
                .stack_size(STACK_BYTES)
                .spawn_scoped(scope, move || {
                    let worker = Worker::new(&mut machine, work.running, shared, &queue.is_over);
                    queue.work(worker, &sender);
                });
            started.map_err(|error| {
                queue.is_over.store(true, Ordering::Relaxed);
                Error::new(
                    ErrorKind::Limit,
                    format!("no thread can be started: {error}"),
                )
            })?;
        }
        drop(sender);
        let told = in_order(work, &receiver, shared, tell);
        queue.is_over.store(true, Ordering::Relaxed);
        told
    })?;
    match work.resets {
        true => Ok(resources.reset(work.running)?),
        false => Ok(Vec::new()),
    }
}

/// Hands on what arrives, the tests in the order in which they stand.
fn in_order<E: From<Error>>(
    work: &Work<'_>,
    receiver: &Receiver,
    resources: &Resources,
    mut tell: impl FnMut(Arrived) -> Result<bool, E>,
) -> Result<(), E> {
    let mut waiting = InOrder::of(work.order);
    for (index, ended) in receiver {
        waiting.add(index, ended?);
        while let Some((index, ended)) = waiting.take_next() {
            let made = resources.take_output(&work.tests[index]);
            if !tell(Arrived { ended, made })? {
                return Ok(());
            }
        }
    }
    Ok(())
}

/// The tests that wait for a worker.
struct Queue<'w> {
    work: &'w Work<'w>,
    next: AtomicUsize,
    is_over: AtomicBool,
}

impl Queue<'_> {
    fn take(&self) -> Option<(usize, &Test)> {
        if self.is_over.load(Ordering::Relaxed) {
            return None;
        }
        let place = self.next.fetch_add(1, Ordering::Relaxed);
        let index = *self.work.order.get(place)?;
        self.work.tests.get(index).map(|test| (index, test))
    }

    fn work(&self, mut worker: Worker<'_>, sender: &Sender) {
        while let Some((index, test)) = self.take() {
            if sender.send((index, worker.run(test))).is_err() {
                return;
            }
        }
    }
}
