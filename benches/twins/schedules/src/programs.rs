//! The programs. Both binaries include this file, and `crate::tool` is shuttle or loom there.
//! References are counted by the standard library, so that no tool spends steps on that.

use std::sync::Arc;

use schedule_twins::Ended;

use crate::tool::{Atomic, Condvar, Mutex, Semaphore, spawn};

pub type Program = Box<dyn Fn() -> Ended + Send + Sync>;

/// The program, and how many threads it has.
/// The first thread starts all others. With `takes_part` it also does the work of the last one.
pub fn program(name: &str, numbers: &[usize], takes_part: bool) -> (Program, usize) {
    let own = usize::from(!takes_part);
    match (name, numbers) {
        ("race", &[n]) => (Box::new(move || race(n, takes_part)), n + own),
        ("add", &[n, times]) => (Box::new(move || add(n, times, takes_part)), n + own),
        ("readers", &[n]) => (Box::new(move || readers(n, takes_part)), n + 1 + own),
        ("lastzero", &[n]) => (Box::new(move || lastzero(n, takes_part)), n + 1 + own),
        ("philosophers", &[n]) => (
            Box::new(move || philosophers(n, false, takes_part)),
            n + own,
        ),
        ("mended", &[n]) => (Box::new(move || philosophers(n, true, takes_part)), n + own),
        ("buffer", &[n, items]) => (Box::new(move || buffer(n, items, takes_part)), n + 1 + own),
        ("slots", &[n, items, room]) => (
            Box::new(move || slots(n, items, room, takes_part)),
            n + 1 + own,
        ),
        ("peterson", &[]) => (Box::new(move || peterson(takes_part)), 2 + own),
        _ => panic!("no program {name} of {numbers:?}"),
    }
}

fn cells(count: usize) -> Arc<Vec<Atomic>> {
    Arc::new((0..count).map(|_| Atomic::new(0)).collect())
}

type Work<T> = Box<dyn FnOnce() -> T + Send>;

/// Does all the work, each in a thread, and answers what came out.
fn together<T: Send + 'static>(mut all: Vec<Work<T>>, takes_part: bool) -> Vec<T> {
    let own = if takes_part { all.pop() } else { None };
    let threads: Vec<_> = all.into_iter().map(spawn).collect();
    let own = own.map(|work| work());
    let ends = threads.into_iter().map(|one| one.join().expect("no panic"));
    let mut ends: Vec<T> = ends.collect();
    ends.extend(own);
    ends
}

fn well(text: String) -> Ended {
    Ended {
        text,
        is_well: true,
    }
}

fn shown(numbers: impl IntoIterator<Item = usize>) -> String {
    let words: Vec<String> = numbers.into_iter().map(|n| n.to_string()).collect();
    words.join(" ")
}

fn race(n: usize, takes_part: bool) -> Ended {
    let x = cells(1);
    let add = |_| -> Work<()> {
        let x = Arc::clone(&x);
        Box::new(move || {
            let t = x[0].get();
            x[0].set(t + 1);
        })
    };
    together((0..n).map(add).collect(), takes_part);
    let x = x[0].get();
    Ended {
        text: x.to_string(),
        is_well: x == n,
    }
}

fn add(n: usize, times: usize, takes_part: bool) -> Ended {
    let x = cells(1);
    let add = |_| -> Work<()> {
        let x = Arc::clone(&x);
        Box::new(move || (0..times).for_each(|_| x[0].increase()))
    };
    together((0..n).map(add).collect(), takes_part);
    let x = x[0].get();
    Ended {
        text: x.to_string(),
        is_well: x == n * times,
    }
}

fn readers(n: usize, takes_part: bool) -> Ended {
    let x = cells(1);
    let work = |i: usize| -> Work<usize> {
        let x = Arc::clone(&x);
        match i {
            0 => Box::new(move || {
                x[0].set(1);
                1
            }),
            _ => Box::new(move || x[0].get()),
        }
    };
    let seen = together((0..=n).map(work).collect(), takes_part);
    well(shown(seen.into_iter().skip(1)))
}

fn lastzero(n: usize, takes_part: bool) -> Ended {
    let all = cells(n + 1);
    let work = |i: usize| -> Work<usize> {
        let all = Arc::clone(&all);
        match i {
            0 => Box::new(move || {
                let place = (0..=n).rev().find(|i| all[*i].get() == 0);
                place.expect("the first cell is zero")
            }),
            _ => Box::new(move || {
                all[i].set(all[i - 1].get() + 1);
                i
            }),
        }
    };
    let place = together((0..=n).map(work).collect(), takes_part)[0];
    let cells = shown(all.iter().map(Atomic::get));
    well(format!("{place}: {cells}"))
}

fn philosophers(n: usize, is_mended: bool, takes_part: bool) -> Ended {
    let forks: Arc<Vec<Mutex<()>>> = Arc::new((0..n).map(|_| Mutex::new(())).collect());
    let dine = |i: usize| -> Work<()> {
        let forks = Arc::clone(&forks);
        Box::new(move || {
            let (mut one, mut other) = (i, (i + 1) % n);
            if is_mended && i == n - 1 {
                (one, other) = (other, one);
            }
            let one = forks[one].lock().expect("no panic");
            let other = forks[other].lock().expect("no panic");
            drop(other);
            drop(one);
        })
    };
    together((0..n).map(dine).collect(), takes_part);
    well("all have eaten".into())
}

#[derive(Default)]
struct Place {
    item: Mutex<Option<usize>>,
    changed: Condvar,
}

impl Place {
    fn put(&self, new: usize) {
        let mut item = self.item.lock().expect("no panic");
        while item.is_some() {
            item = self.changed.wait(item).expect("no panic");
        }
        *item = Some(new);
        self.changed.notify_all();
    }

    fn take(&self) -> usize {
        let mut item = self.item.lock().expect("no panic");
        loop {
            if let Some(taken) = item.take() {
                self.changed.notify_all();
                return taken;
            }
            item = self.changed.wait(item).expect("no panic");
        }
    }
}

fn buffer(producers: usize, items: usize, takes_part: bool) -> Ended {
    let place = Arc::new(Place::default());
    let work = |p: usize| -> Work<String> {
        let place = Arc::clone(&place);
        match p {
            0 => Box::new(move || shown((0..producers * items).map(|_| place.take()))),
            _ => Box::new(move || {
                (1..=items).for_each(|i| place.put(p * 10 + i));
                String::new()
            }),
        }
    };
    well(together((0..=producers).map(work).collect(), takes_part).swap_remove(0))
}

struct Places {
    free: Semaphore,
    filled: Semaphore,
    items: Mutex<Vec<usize>>,
}

impl Places {
    fn put(&self, item: usize) {
        self.free.take();
        self.items.lock().expect("no panic").push(item);
        self.filled.give();
    }

    fn take(&self) -> usize {
        self.filled.take();
        let item = self.items.lock().expect("no panic").remove(0);
        self.free.give();
        item
    }
}

fn slots(producers: usize, items: usize, room: usize, takes_part: bool) -> Ended {
    let places = Arc::new(Places {
        free: Semaphore::new(room),
        filled: Semaphore::new(0),
        items: Mutex::new(Vec::new()),
    });
    let work = |p: usize| -> Work<String> {
        let places = Arc::clone(&places);
        match p {
            0 => Box::new(move || shown((0..producers * items).map(|_| places.take()))),
            _ => Box::new(move || {
                (1..=items).for_each(|i| places.put(p * 10 + i));
                String::new()
            }),
        }
    };
    well(together((0..=producers).map(work).collect(), takes_part).swap_remove(0))
}

fn peterson(takes_part: bool) -> Ended {
    // What the first and the second one want, and whose turn it is.
    let all = cells(3);
    let enter = |me: usize| -> Work<bool> {
        let all = Arc::clone(&all);
        Box::new(move || {
            all[me].set(1);
            all[2].set(2 - me);
            !(all[1 - me].get() == 1 && all[2].get() == 2 - me)
        })
    };
    let inside = together((0..2).map(enter).collect(), takes_part);
    Ended {
        text: format!("{} {}", inside[0], inside[1]),
        is_well: !(inside[0] && inside[1]),
    }
}
