//! The programs under loom.

use loom::model::Builder;
use schedule_twins::{Findings, Order};

#[path = "../programs.rs"]
mod programs;

mod tool {
    use loom::sync::atomic::{AtomicUsize, Ordering};

    pub use loom::sync::{Condvar, Mutex};
    pub use loom::thread::spawn;

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

    /// loom has no semaphore.
    pub struct Semaphore(Mutex<usize>, Condvar);

    impl Semaphore {
        pub fn new(signals: usize) -> Semaphore {
            Semaphore(Mutex::new(signals), Condvar::new())
        }

        pub fn take(&self) {
            let mut signals = self.0.lock().expect("no panic");
            while *signals == 0 {
                signals = self.1.wait(signals).expect("no panic");
            }
            *signals -= 1;
        }

        pub fn give(&self) {
            *self.0.lock().expect("no panic") += 1;
            self.1.notify_one();
        }
    }
}

fn main() {
    let order = Order::read();
    let findings = Findings::default();
    let (program, threads) = programs::program(&order.program, &order.numbers, order.takes_part);
    let mut builder = Builder::new();
    if threads > builder.max_threads {
        println!(
            "{{\"threads\": {}, \"most\": {}}}",
            threads, builder.max_threads
        );
        return;
    }
    builder.max_branches = 10_000;
    builder.max_duration = Some(order.limit);
    // The duration is looked at this often.
    builder.checkpoint_interval = 100;
    let run = {
        let (findings, asserts) = (findings.clone(), order.asserts);
        move || {
            findings.begin();
            let ended = program();
            assert!(ended.is_well || !asserts, "wrong: {}", ended.text);
            findings.note(ended.text);
        }
    };
    findings.report(order.limit, || builder.check(run));
}
