//! The memory of the process: its allocator, its budget, and its end when memory is refused.
#![allow(unsafe_code)]

use std::ffi::{c_int, c_long};
use std::fmt::{self, Write as _};
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use tally_vm::budget::{self, Counted, Refusal, Usage};

use crate::exit::Exit;
use crate::{console, printed};

#[global_allocator]
static GLOBAL: Counted<mimalloc::MiMalloc> = Counted(mimalloc::MiMalloc);

/// mimalloc's number for the delay, in milliseconds, after which free memory goes back to the system.
const PURGE_DELAY: c_int = 15;
/// mimalloc's number for the addresses that it reserves at once, in KiB.
const ARENA_RESERVE: c_int = 23;
/// The value here. The allocator's default of 1 GiB leaves too few addresses if a process may have 1.5 GiB.
const ARENA_KIB: c_long = 128 << 10;
/// Bytes of a process that no account charges: its code and the pages of its threads.
const OWN_BYTES: usize = 5 << 20;
/// The default where the system does not say how much memory there is.
const UNKNOWN: usize = 2 << 30;
/// The least that a worker may hold beside the memory that it shares with the others.
const LEAST_SHARE: usize = 64 << 20;
/// The variable that says which allocation is refused, in builds with debug assertions.
#[cfg(debug_assertions)]
const REFUSED: &str = "TALLY_REFUSE_ALLOCATION";

unsafe extern "C" {
    fn mi_option_set(option: c_int, value: c_long);
}

/// Whether the budget is the default.
static IS_DEFAULT: AtomicBool = AtomicBool::new(true);

/// Rust allocates before `main`, and the first allocation reserves; so this is done before.
#[cfg(target_os = "linux")]
#[used]
// SAFETY: the loader calls what stands in this section, without a need for more than the C library.
#[unsafe(link_section = ".init_array")]
static RESERVE_LITTLE: extern "C" fn() = reserve_little;

#[cfg(target_os = "linux")]
extern "C" fn reserve_little() {
    // SAFETY: the function is the allocator's own, which is linked in above, and takes any number at any time.
    unsafe { mi_option_set(ARENA_RESERVE, ARENA_KIB) }
}

/// Gives the process a budget of half of the machine's memory, and an orderly end when memory is refused.
pub(crate) fn begin() {
    budget::on_refusal(end);
    let memory = of_group().into_iter().chain(of_machine()).min();
    budget::set_limit(memory.map_or(UNKNOWN, |bytes| bytes / 2));
    #[cfg(debug_assertions)]
    if let Some(number) = std::env::var(REFUSED).ok().and_then(|n| n.parse().ok()) {
        budget::refuse_allocation(number);
    }
}

/// Sets the budget of the process, in bytes.
pub(crate) fn keep_to(bytes: usize) {
    give_back_at_once();
    IS_DEFAULT.store(false, Ordering::Relaxed);
    budget::set_limit(bytes.saturating_sub(OWN_BYTES));
}

/// Sets the budget of a worker to its share of the default one. The workers are copies of one process. A budget that the
/// user has set holds for each worker.
pub(crate) fn share_among(workers: usize) {
    if IS_DEFAULT.load(Ordering::Relaxed)
        && let Some(limit) = budget::limit()
    {
        budget::set_limit(share(limit, budget::held(), workers));
    }
}

/// The copies share the memory that was held before; the rest is divided.
fn share(limit: usize, held: usize, workers: usize) -> usize {
    let rest = limit.saturating_sub(held) / workers.max(1);
    limit.min(held + rest.max(LEAST_SHARE))
}

/// Returns free memory to the system after a millisecond, so that unused memory does not fill a budget. This costs time, so it
/// is done only when the user has set the budget.
fn give_back_at_once() {
    // SAFETY: the function is the allocator's own, which is linked in above, and takes any number.
    unsafe { mi_option_set(PURGE_DELAY, 1) }
}

/// The message of a run that reached its budget: the bytes held, by use.
pub(crate) fn limit_reached() -> String {
    let mut text = String::new();
    let _ = write!(text, "{}", Reached(budget::usage()));
    text
}

struct Reached(Usage);

impl fmt::Display for Reached {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Usage { heap, stacks, rest } = self.0;
        write!(
            f,
            "the limit on memory was reached (--max-memory): objects take {}, stacks {}, code and all else {}",
            Megabytes(heap),
            Megabytes(stacks),
            Megabytes(rest)
        )
    }
}

struct Megabytes(usize);

impl fmt::Display for Megabytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tenths = self.0 / 100_000;
        write!(f, "{}.{} MB", tenths / 10, tenths % 10)
    }
}

/// Ends the process because memory was refused: writes what the program has printed, says why, and exits. Allocates nothing.
fn end(refusal: Refusal) -> ! {
    static IS_ENDING: AtomicBool = AtomicBool::new(false);
    if IS_ENDING.swap(true, Ordering::SeqCst) {
        // Another thread is ending the process.
        loop {
            std::thread::sleep(std::time::Duration::from_secs(1));
        }
    }
    printed::write_directly(write_directly);
    let mut message = Message::default();
    let label = match console::in_color() {
        true => "\x1b[1;31merror\x1b[0m",
        false => "error",
    };
    let _ = match refusal {
        Refusal::Limit => writeln!(message, "{label}: {}", Reached(budget::usage())),
        Refusal::System => writeln!(message, "{label}: the system has no more memory"),
    };
    write_directly(2, message.text());
    // SAFETY: ends the process, without anything that could need memory.
    unsafe { libc::_exit(Exit::Limit.code()) }
}

/// Writes bytes to a file descriptor by the system's own call.
fn write_directly(descriptor: i32, mut bytes: &[u8]) {
    while !bytes.is_empty() {
        // SAFETY: the bytes are readable; the call changes nothing in this process.
        let written = unsafe { libc::write(descriptor, bytes.as_ptr().cast(), bytes.len()) };
        match usize::try_from(written) {
            Ok(count) if count > 0 => bytes = &bytes[count.min(bytes.len())..],
            // A signal came between.
            Err(_) if io::Error::last_os_error().kind() == io::ErrorKind::Interrupted => {}
            // The reader is gone, and an error could not be written either.
            _ => return,
        }
    }
}

/// A text that is made without memory.
struct Message {
    bytes: [u8; 512],
    length: usize,
}

impl Default for Message {
    fn default() -> Message {
        Message {
            bytes: [0; 512],
            length: 0,
        }
    }
}

impl Message {
    fn text(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}

impl fmt::Write for Message {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let room = self.bytes.get_mut(self.length..self.length + text.len());
        room.ok_or(fmt::Error)?.copy_from_slice(text.as_bytes());
        self.length += text.len();
        Ok(())
    }
}

/// Bytes of memory that the machine has, if the system says so.
fn of_machine() -> Option<usize> {
    // SAFETY: the calls answer a number each.
    let [pages, page] = unsafe {
        [
            libc::sysconf(libc::_SC_PHYS_PAGES),
            libc::sysconf(libc::_SC_PAGESIZE),
        ]
    };
    usize::try_from(pages)
        .ok()?
        .checked_mul(usize::try_from(page).ok()?)
        .filter(|bytes| *bytes > 0)
}

/// Bytes of memory that the process's control group may have: the least of the limits on the way up from its own group.
fn of_group() -> Option<usize> {
    let groups = std::fs::read_to_string("/proc/self/cgroup").ok()?;
    let limits = groups.lines().filter_map(|line| {
        let mut fields = line.splitn(3, ':').skip(1);
        let (controllers, path) = (fields.next()?, fields.next()?);
        let (root, name) = match controllers {
            "" => ("/sys/fs/cgroup", "memory.max"),
            "memory" => ("/sys/fs/cgroup/memory", "memory.limit_in_bytes"),
            _ => return None,
        };
        least_limit(Path::new(root), path, name)
    });
    limits.min()
}

fn least_limit(root: &Path, path: &str, name: &str) -> Option<usize> {
    let group = root.join(path.trim_start_matches('/'));
    let ways = group
        .ancestors()
        .take_while(|folder| folder.starts_with(root));
    let limits = ways.filter_map(|folder| {
        let text = std::fs::read_to_string(folder.join(name)).ok()?;
        text.trim().parse().ok()
    });
    limits.min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_limit_of_a_group_and_those_above_holds() {
        let root = std::env::temp_dir().join(format!("tally-groups-{}", std::process::id()));
        let inner = root.join("a/b");
        std::fs::create_dir_all(&inner).expect("a folder");
        std::fs::write(inner.join("memory.max"), "max\n").expect("a file");
        std::fs::write(root.join("a/memory.max"), "5000\n").expect("a file");
        assert_eq!(least_limit(&root, "/a/b", "memory.max"), Some(5000));
        std::fs::write(inner.join("memory.max"), "4000\n").expect("a file");
        assert_eq!(least_limit(&root, "/a/b", "memory.max"), Some(4000));
        assert_eq!(least_limit(&root, "/", "memory.max"), None);
        std::fs::remove_dir_all(&root).expect("removed");
    }

    #[test]
    fn workers_divide_what_is_left_of_the_default() {
        const MIB: usize = 1 << 20;
        assert_eq!(share(1000 * MIB, 200 * MIB, 1), 1000 * MIB);
        assert_eq!(share(1000 * MIB, 200 * MIB, 4), 400 * MIB);
        assert_eq!(share(1000 * MIB, 200 * MIB, 100), 264 * MIB);
        assert_eq!(share(1000 * MIB, 990 * MIB, 4), 1000 * MIB);
    }

    #[test]
    fn a_message_holds_what_fits() {
        let mut message = Message::default();
        let _ = write!(message, "{} of objects", Megabytes(1_250_000));
        assert_eq!(message.text(), b"1.2 MB of objects");
        assert!(message.write_str(&"x".repeat(600)).is_err());
    }
}
