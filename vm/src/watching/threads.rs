//! The processes of a watched run, by how they came about.

use std::sync::Arc;

use hashbrown::HashMap;

use crate::base::ProcessId;

/// The number of a process of a watched run. 0 are the scripts, one after the other.
pub(crate) type WatchedId = u32;

/// The scripts.
pub(super) const SCRIPT: WatchedId = 0;

/// What is known of a process.
#[derive(Clone, Debug, Default)]
struct Thread {
    /// The path of its creation.
    path: Arc<[u32]>,
    /// How many processes it has made.
    made: u32,
    /// Which of the processes of its ancestors it descends from, by their numbers.
    ancestors: HashMap<WatchedId, u32>,
    /// Its last step.
    last_step: Option<u32>,
    /// Steps that its next one follows from.
    follows: Vec<u32>,
    /// Semaphores for which it has waited since its last step, and the signals that these had at the beginning.
    takes: Vec<Taken>,
    /// The name of the semaphore for which its last step has waited.
    waits_for: Option<u64>,
}

/// The name of a semaphore, and the signals that it had at the beginning.
pub(super) type Taken = (Arc<[u32]>, i64);

/// All processes.
#[derive(Clone, Debug)]
pub(super) struct Threads {
    rows: Vec<Thread>,
    of_process: HashMap<ProcessId, WatchedId>,
}

impl Default for Threads {
    fn default() -> Threads {
        Threads {
            rows: vec![Thread::default()],
            of_process: HashMap::new(),
        }
    }
}

impl Threads {
    /// The process with this number of the machine. One that no watched process has made is a script's.
    pub(super) fn of(&self, process: ProcessId) -> WatchedId {
        self.of_process.get(&process).copied().unwrap_or(SCRIPT)
    }

    /// The process has made this one.
    pub(super) fn make(&mut self, by: WatchedId, process: ProcessId) {
        let maker = &mut self.rows[by as usize];
        maker.made += 1;
        let mut ancestors = maker.ancestors.clone();
        ancestors.insert(by, maker.made);
        let path = [&*maker.path, &[maker.made]].concat().into();
        // It comes behind all that its maker has done, even if another one resumes it.
        let follows = self.position(by);
        self.of_process
            .insert(process, self.rows.len() as WatchedId);
        self.rows.push(Thread {
            path,
            ancestors,
            follows,
            ..Thread::default()
        });
    }

    /// Whether there is no other one than the scripts.
    pub(super) fn are_alone(&self) -> bool {
        self.rows.len() == 1
    }

    /// How many processes it has made.
    pub(super) fn made_by(&self, thread: WatchedId) -> u32 {
        self.rows[thread as usize].made
    }

    /// Whether what the first process did when it had made as many processes comes before all that the second one does.
    pub(super) fn is_before(&self, first: WatchedId, made: u32, second: WatchedId) -> bool {
        let ancestors = &self.rows[second as usize].ancestors;
        ancestors.get(&first).is_some_and(|number| made < *number)
    }

    pub(super) fn path(&self, thread: WatchedId) -> Arc<[u32]> {
        Arc::clone(&self.rows[thread as usize].path)
    }

    /// The steps that what the process does now comes behind.
    pub(super) fn position(&self, thread: WatchedId) -> Vec<u32> {
        let row = &self.rows[thread as usize];
        match row.last_step {
            Some(step) => vec![step],
            None => row.follows.clone(),
        }
    }

    /// What the first process does next comes behind what the second one has done.
    pub(super) fn follow(&mut self, thread: WatchedId, other: WatchedId) {
        let position = self.position(other);
        self.rows[thread as usize].follows.extend(position);
    }

    /// The process waits for the semaphore with this name.
    pub(super) fn wait(&mut self, thread: WatchedId, semaphore: u64) {
        self.rows[thread as usize].waits_for = Some(semaphore);
    }

    /// The semaphore for which the process waits, or has waited until its next step.
    pub(super) fn waited_for(&self, thread: WatchedId) -> Option<u64> {
        self.rows[thread as usize].waits_for
    }

    /// The process has got a signal for which it has waited.
    pub(super) fn take(&mut self, thread: WatchedId, taken: Taken) {
        self.rows[thread as usize].takes.push(taken);
    }

    /// Begins a step of the process. Answers those that it follows from, and the signals that the process has got since the one before.
    pub(super) fn begin(&mut self, thread: WatchedId, step: u32) -> (Vec<u32>, Vec<Taken>) {
        let row = &mut self.rows[thread as usize];
        row.last_step = Some(step);
        row.waits_for = None;
        (
            std::mem::take(&mut row.follows),
            std::mem::take(&mut row.takes),
        )
    }
}
