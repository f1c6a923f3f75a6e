//! States in files: the same numbers, results and schedules as in memory, also after interruptions and with damaged files.

use std::fs;
use std::path::{Path, PathBuf};

use crate::random::program;
use crate::support::programs::modulo;
use crate::support::{Act, Actors, ok};
use tally_explore::Delivery::{Any, Causal, Fifo};
use tally_explore::{Findings, Limit, Options, Space, Spill};
use tempfile::TempDir;

type Random = Actors<fn(&mut Act<'_>)>;

/// States are in files as soon as they need more than half of this memory.
fn spilling(folder: &Path, memory: usize, options: &Options) -> Options {
    Options {
        spill: Some(Spill {
            folder: folder.to_path_buf(),
            program: "a program".to_string(),
            memory,
        }),
        ..options.clone()
    }
}

/// What an exploration found.
#[derive(Debug, PartialEq)]
struct Found {
    numbers: (u64, u64, u64),
    results: Vec<(String, u64)>,
    failures: String,
    waiting: String,
    verdict: String,
}

impl Found {
    fn new(space: &Space, findings: &Findings) -> Found {
        let results = findings.outcomes.iter();
        Found {
            numbers: (space.states(), space.transitions(), findings.lossy),
            results: results.map(|one| (one.text(), one.states)).collect(),
            failures: format!("{:?}", findings.failures),
            waiting: format!("{:?}", findings.waiting),
            verdict: format!("{:?} {:?}", findings.determinacy, findings.cycles),
        }
    }
}

/// Explores until `goes_on` says no to the batch with this number.
fn explored<F: FnMut(&mut Act<'_>)>(
    program: &mut Actors<F>,
    options: &Options,
    goes_on: &mut dyn FnMut(u64) -> bool,
) -> (Space, Found) {
    let start = program.start();
    let mut batches = 0;
    let watch = &mut |_| {
        batches += 1;
        goes_on(batches)
    };
    let mut space = ok(Space::explore(program, &start, options, watch));
    let findings = ok(space.findings(program, None));
    let found = Found::new(&space, &findings);
    (space, found)
}

/// A random program, and what an exploration in memory finds that keeps fingerprints alone.
fn cases() -> Vec<(String, Random, Options, Found)> {
    let mut cases = Vec::new();
    for seed in 0..120 {
        for delivery in [Any, Fifo, Causal] {
            let options = Options {
                delivery,
                max_states: 4_000,
                max_graph: 0,
                ..Options::default()
            };
            let mut program = program(seed, seed % 5 == 0);
            let (space, found) = explored(&mut program, &options, &mut |_| true);
            // The limit is looked at after other batches in files.
            if space.limit().is_none() {
                cases.push((
                    format!("seed {seed}, {delivery:?}"),
                    program,
                    options,
                    found,
                ));
            }
        }
    }
    assert!(cases.len() > 200, "{} programs end", cases.len());
    cases
}

#[test]
fn files_change_nothing() {
    let folder = TempDir::new().expect("a folder");
    let place = folder.path().join("states");
    let (mut spilled, mut largest) = (0, 0);
    for (name, mut program, options, expected) in cases() {
        for (memory, threads) in [(0, 1), (6_000, 1), (20_000, 3)] {
            let options = Options {
                threads,
                ..spilling(&place, memory, &options)
            };
            let was_spilled = &mut false;
            let start = program.start();
            let watch = &mut |progress: tally_explore::Progress| {
                *was_spilled |= progress.is_spilled;
                true
            };
            let mut space = ok(Space::explore(&mut program, &start, &options, watch));
            let findings = ok(space.findings(&mut program, None));
            let mut found = Found::new(&space, &findings);
            if !*was_spilled {
                // It may have kept its transitions, and knows of cycles then.
                found.verdict.clone_from(&expected.verdict);
            }
            assert_eq!(found, expected, "{name}, {memory} bytes");
            assert!(space.storage_error().is_none() && space.left_in().is_none());
            spilled += usize::from(*was_spilled);
            largest = largest.max(space.states());
            drop(space);
            assert!(files(&place).is_empty(), "{name}: files are left");
        }
    }
    assert!(spilled > 400, "{spilled} spilled");
    assert!(largest > 1_000, "{largest} states");
}

#[test]
fn interrupted_explorations_go_on() {
    let folder = TempDir::new().expect("a folder");
    let place = folder.path().join("states");
    let (mut resumed, mut interrupted, mut anew) = (0, 0, 0);
    for (name, mut program, options, expected) in cases() {
        let options = spilling(&place, 0, &options);
        let mut last = 0;
        for attempt in 1.. {
            // A killed process leaves its files, whatever it was doing.
            let (space, found) = explored(&mut program, &options, &mut |batch| batch <= attempt);
            resumed += u64::from(space.resumed().is_some());
            // An exploration that has confused names begins again. Files of the first one would be of no use.
            anew += u64::from(space.resumed().unwrap_or(0) < last);
            last = space.resumed().unwrap_or(0);
            if space.limit().is_none() {
                assert_eq!(found, expected, "{name}, attempt {attempt}");
                break;
            }
            assert_eq!(space.limit(), Some(Limit::Stopped), "{name}");
            assert_eq!(
                space.left_in().is_some(),
                !files(&place).is_empty(),
                "{name}"
            );
            interrupted += 1;
        }
        assert!(files(&place).is_empty(), "{name}: files are left");
    }
    let all = [resumed, interrupted, anew];
    assert!(resumed > 500 && interrupted > 500 && anew < 20, "{all:?}");
}

/// The paper's program for the range to 8, interrupted. Its files are complete.
fn interrupted(place: &Path) -> Options {
    let _ = fs::remove_dir_all(place);
    let options = spilling(place, 0, &Options::default());
    let (space, _) = explored(&mut modulo(1, 8, 0), &options, &mut |batch| batch < 9);
    assert_eq!(space.left_in(), Some(&*own(place)));
    options
}

/// The folder of the exploration that has left one.
fn own(place: &Path) -> PathBuf {
    let [folder] = files(place).try_into().expect("one folder");
    folder
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    files.sort();
    files
}

#[test]
fn damaged_files_are_not_used() {
    let folder = TempDir::new().expect("a folder");
    let place = folder.path().join("states");
    let (_, expected) = explored(
        &mut modulo(1, 8, 0),
        &spilling(&folder.path().join("whole"), 0, &Options::default()),
        &mut |_| true,
    );
    interrupted(&place);
    let names = files(&own(&place));
    assert!(names.len() > 6, "{names:?}");
    let (mut begun, mut resumed) = (0, 0);
    for name in &names {
        for damage in 0..4 {
            let options = interrupted(&place);
            let mut bytes = fs::read(name).unwrap_or_default();
            match (damage, bytes.len()) {
                (0, _) => drop(fs::remove_file(name)),
                (1, 0) => continue,
                (1, length) => bytes[length / 2] ^= 0x40,
                (2, length) => bytes.truncate(length / 2),
                // What was added after the last level is cut off.
                _ => bytes.extend(b"more"),
            }
            if damage > 0 {
                fs::write(name, &bytes).expect("it can be written");
            }
            let (space, found) = explored(&mut modulo(1, 8, 0), &options, &mut |_| true);
            assert_eq!(found, expected, "{}, damage {damage}", name.display());
            match space.resumed() {
                Some(_) => resumed += 1,
                None => begun += 1,
            }
        }
    }
    assert!(begun > 15 && resumed > 6, "{begun}, {resumed}");
}

/// A checkpoint with other contents, and with the digest of these.
fn forge(place: &Path, change: &dyn Fn(&mut serde_json::Value)) {
    let file = own(place).join("exploration.json");
    let text = fs::read_to_string(&file).expect("a checkpoint");
    let (text, _) = text.split_once('\n').expect("a digest");
    let mut value = serde_json::from_str(text).expect("a checkpoint");
    change(&mut value);
    let text = value.to_string();
    let digest = blake3::hash(text.as_bytes()).to_hex();
    fs::write(&file, format!("{text}\n{digest}\n")).expect("it can be written");
}

/// Names that no exploration writes, although all digests are right: nothing outside of the folder is touched.
#[test]
fn forged_names_do_no_harm() {
    let folder = TempDir::new().expect("a folder");
    let (place, outside) = (folder.path().join("states"), folder.path().join("outside"));
    fs::write(&outside, "mine").expect("a file");
    let nothing = blake3::hash(b"").to_hex().to_string();
    for name in [
        "../../outside",
        "/outside",
        "..",
        "",
        "more/../../../outside",
    ] {
        for of in ["level", "known", "appended"] {
            let options = interrupted(&place);
            forge(&place, &|value| {
                let stored = &mut value[of];
                let stored = if stored.is_array() {
                    &mut stored[0]
                } else {
                    stored
                };
                *stored = serde_json::json!({"name": name, "length": 0, "digest": nothing});
            });
            let (space, found) = explored(&mut modulo(1, 8, 0), &options, &mut |_| true);
            assert_eq!((space.resumed(), found.numbers.0), (None, 175), "{name}");
            assert_eq!(fs::read(&outside).expect("a file"), b"mine", "{name}");
        }
    }
}

/// Contents that no exploration writes, although all digests are right: nothing panics.
#[test]
fn forged_contents_do_no_harm() {
    let folder = TempDir::new().expect("a folder");
    let place = folder.path().join("states");
    let mut refused = 0;
    for seed in 0..150_u32 {
        let options = interrupted(&place);
        let of = ["level", "appended", "known"][seed as usize % 3];
        forge(&place, &|value| {
            let stored = &mut value[of];
            let nth = seed as usize / 3;
            let stored = match stored.as_array().map(Vec::len) {
                Some(length) => &mut stored[nth % length],
                None => stored,
            };
            let file = own(&place).join(stored["name"].as_str().expect("a name"));
            let mut bytes = fs::read(&file).expect("a file");
            for n in 0..1 + seed as usize % 7 {
                let place = (seed as usize * 131 + n * 17) % bytes.len().max(1);
                if let Some(byte) = bytes.get_mut(place) {
                    *byte = (seed as usize * 37 + n * 101) as u8;
                }
            }
            fs::write(&file, &bytes).expect("it can be written");
            stored["length"] = bytes.len().into();
            stored["digest"] = blake3::hash(&bytes).to_hex().to_string().into();
            for (name, number) in [("found", seed), ("nextFile", seed % 5)] {
                if seed % 11 == 0 {
                    value[name] = number.into();
                }
            }
            if seed % 13 == 0 {
                value["sums"]["levels"] = serde_json::json!([seed % 3, seed]);
            }
        });
        let (space, _) = explored(&mut modulo(1, 8, 0), &options, &mut |batch| batch < 60);
        refused += u32::from(space.limit() == Some(Limit::Storage) || space.resumed().is_none());
    }
    assert!(refused > 25, "{refused} are refused");
}

#[test]
fn files_of_another_program_are_not_used() {
    let folder = TempDir::new().expect("a folder");
    let place = folder.path().join("states");
    let options = interrupted(&place);
    // The same numbers stand for something else there.
    let (space, found) = explored(&mut modulo(1, 6, 0), &options, &mut |_| true);
    assert_eq!(space.resumed(), None);
    assert_eq!(found.numbers, (133, 322, 0));
    drop(space);
    let mut options = interrupted(&place);
    options.delivery = Any;
    let (space, _) = explored(&mut modulo(1, 8, 0), &options, &mut |_| true);
    assert_eq!(space.resumed(), None);
}

/// Nothing outside of the folder is changed, whatever stands in the places of its files.
#[cfg(unix)]
#[test]
fn links_are_not_followed() {
    use std::os::unix::fs::symlink;
    let folder = TempDir::new().expect("a folder");
    let (place, outside) = (folder.path().join("states"), folder.path().join("outside"));
    let kept = || fs::read_to_string(&outside).expect("it is there");
    fs::write(&outside, "mine").expect("a file");
    interrupted(&place);
    for name in files(&own(&place)) {
        let options = interrupted(&place);
        for is_link in [true, false] {
            let _ = fs::remove_file(&name).or_else(|_| fs::remove_dir_all(&name));
            match is_link {
                true => symlink(&outside, &name).expect("a link"),
                false => fs::create_dir_all(name.join("more")).expect("a folder"),
            }
            let (space, found) = explored(&mut modulo(1, 8, 0), &options, &mut |batch| batch < 99);
            assert_eq!((space.limit(), found.numbers.0), (None, 175), "{name:?}");
            drop(space);
            assert_eq!(kept(), "mine", "{name:?}");
            interrupted(&place);
        }
    }
    let own = own(&place);
    fs::remove_dir_all(&own).expect("a folder");
    let home = folder.path().join("home");
    fs::create_dir(&home).expect("a folder");
    fs::write(home.join("thesis"), "mine").expect("a file");
    symlink(&home, &own).expect("a link");
    let options = spilling(&place, 0, &Options::default());
    let (space, _) = explored(&mut modulo(1, 8, 0), &options, &mut |_| true);
    let why = space.storage_error().expect("an error").to_string();
    assert!(why.contains("no folder of its own"), "{why}");
    drop(space);
    assert_eq!(files(&home), [home.join("thesis")]);
}

#[test]
fn a_folder_that_cannot_be_used_ends_the_exploration() {
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("file");
    fs::write(&file, "").expect("a file");
    let options = spilling(&file.join("states"), 0, &Options::default());
    let (space, found) = explored(&mut modulo(1, 8, 0), &options, &mut |_| true);
    assert_eq!(space.limit(), Some(Limit::Storage));
    let why = space.storage_error().expect("an error").to_string();
    assert!(
        why.starts_with("cannot write ") && why.contains("states"),
        "{why}"
    );
    assert!(found.numbers.0 >= 1);

    let place = folder.path().join("states");
    let options = spilling(&place, 0, &Options::default());
    let (first, _) = explored(&mut modulo(1, 8, 0), &options, &mut |batch| batch < 9);
    let (second, _) = explored(&mut modulo(1, 8, 0), &options, &mut |_| true);
    let why = second.storage_error().expect("an error").to_string();
    assert!(why.contains("another exploration"), "{why}");
    drop((first, second));
    let (third, _) = explored(&mut modulo(1, 8, 0), &options, &mut |_| true);
    assert_eq!((third.limit(), third.states()), (None, 175));
}
