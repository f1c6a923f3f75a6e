//! Processor time of this process, and the one processor that it and its children run on.

/// Keeps this thread, and with it all processes that it will start, on one processor where the system allows that. Answers what
/// their times, for people.
pub(crate) fn pin() -> String {
    pinning::pin()
}

/// Seconds of processor time, user and system, that this process has used, where the system reports it; else seconds of real time.
pub(crate) fn seconds() -> f64 {
    processor::seconds()
}

#[cfg(unix)]
mod processor {
    use nix::time::{ClockId, clock_gettime};

    pub(super) fn seconds() -> f64 {
        // Every system that has the call has this clock.
        clock_gettime(ClockId::CLOCK_PROCESS_CPUTIME_ID)
            .map_or(0.0, |time| std::time::Duration::from(time).as_secs_f64())
    }
}

#[cfg(not(unix))]
mod processor {
    use std::sync::LazyLock;
    use std::time::Instant;

    static START: LazyLock<Instant> = LazyLock::new(Instant::now);

    pub(super) fn seconds() -> f64 {
        START.elapsed().as_secs_f64()
    }
}

#[cfg(target_os = "linux")]
mod pinning {
    use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
    use nix::unistd::Pid;

    pub(super) fn pin() -> String {
        match last_processor() {
            Ok(number) => format!("pinned to processor {number}"),
            Err(error) => format!("not pinned: {error}"),
        }
    }

    /// The last of those that this process may use, since interrupts prefer the first.
    fn last_processor() -> nix::Result<usize> {
        let this = Pid::from_raw(0);
        let allowed = sched_getaffinity(this)?;
        let mut usable = (0..CpuSet::count()).filter(|&n| allowed.is_set(n).unwrap_or(false));
        let number = usable.next_back().ok_or(nix::Error::ENODEV)?;
        let mut chosen = CpuSet::new();
        chosen.set(number)?;
        sched_setaffinity(this, &chosen)?;
        Ok(number)
    }
}

#[cfg(not(target_os = "linux"))]
mod pinning {
    pub(super) fn pin() -> String {
        "not pinned: this system offers no way".to_string()
    }
}
