//! The programs under shuttle's exhaustive search, that of `check_dfs`.
//! In the mode `all` the search goes on after a failure, with the same scheduler.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use schedule_twins::{Findings, Order};
use shuttle::scheduler::{DfsScheduler, Schedule, Scheduler, Task, TaskId};
use shuttle::{Config, FailurePersistence, Runner};

#[path = "../programs.rs"]
mod programs;

mod tool {
    use shuttle::future::batch_semaphore::{BatchSemaphore, Fairness};
    use shuttle::sync::atomic::{AtomicUsize, Ordering};

    pub use shuttle::sync::{Condvar, Mutex};
    pub use shuttle::thread::spawn;

    pub struct Atomic(AtomicUsize);

    impl Atomic {
        pub fn new(n: usize) -> Atomic {
            Atomic(AtomicUsize::new(n))
        }

        pub fn get(&self) -> usize {
            self.0.load(Ordering::SeqCst)
        }

        pub fn set(&self, n: usize) {
            self.0.store(n, Ordering::SeqCst);
        }

        pub fn increase(&self) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }

    pub struct Semaphore(BatchSemaphore);

    impl Semaphore {
        pub fn new(signals: usize) -> Semaphore {
            Semaphore(BatchSemaphore::new(signals, Fairness::Unfair))
        }

        pub fn take(&self) {
            self.0.acquire_blocking(1).expect("never closed");
        }

        pub fn give(&self) {
            self.0.release(1);
        }
    }
}

/// A scheduler that outlives a runner.
#[derive(Clone)]
struct Kept(Arc<Mutex<DfsScheduler>>);

impl Scheduler for Kept {
    fn new_execution(&mut self) -> Option<Schedule> {
        self.0.lock().unwrap().new_execution()
    }

    fn next_task(
        &mut self,
        runnable: &[&Task],
        current: Option<TaskId>,
        yields: bool,
    ) -> Option<TaskId> {
        let mut inner = self.0.lock().unwrap();
        inner.next_task(runnable, current, yields)
    }

    fn next_u64(&mut self) -> u64 {
        self.0.lock().unwrap().next_u64()
    }
}

fn failure(payload: &dyn Any) -> String {
    match payload.downcast_ref::<String>() {
        Some(text) if text.starts_with("deadlock") => "(deadlock)".into(),
        _ => "(failure)".into(),
    }
}

fn main() {
    let order = Order::read();
    let findings = Findings::default();
    let (program, _) = programs::program(&order.program, &order.numbers, order.takes_part);
    let program = Arc::new(program);
    let run = {
        let (findings, asserts) = (findings.clone(), order.asserts);
        move || {
            findings.begin();
            let ended = program();
            assert!(ended.is_well || !asserts, "wrong: {}", ended.text);
            findings.note(ended.text);
        }
    };
    let mut config = Config::new();
    let scheduler = DfsScheduler::new(None, false);
    findings.report(order.limit, || {
        if order.asserts {
            config.max_time = Some(order.limit);
            Runner::new(scheduler, config).run(run);
            return;
        }
        std::panic::set_hook(Box::new(|_| {}));
        config.failure_persistence = FailurePersistence::None;
        // Later than the start that `report` notes, so a search that was cut is late there.
        let start = Instant::now();
        let kept = Kept(Arc::new(Mutex::new(scheduler)));
        loop {
            config.max_time = Some(order.limit.saturating_sub(start.elapsed()));
            let runner = Runner::new(kept.clone(), config.clone());
            match catch_unwind(AssertUnwindSafe(|| runner.run(run.clone()))) {
                Ok(_) => break,
                Err(payload) => findings.note(failure(&*payload)),
            }
        }
    });
}
