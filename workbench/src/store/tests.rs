//! The store under all that can happen to it: found again and not found, damaged, full, of another version, used by several
//! processes, one of which is killed.

use std::cell::RefCell;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use tally_comparison::{MeasuredMethod, MeasuredRun, MethodCounts, RunContext};
use tally_profiler::{ContextKind, CostVector, Ending, InputKind};

use super::*;
use crate::files::temporary::TemporaryFolder;

thread_local! {
    static SAID: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

fn listen(text: &str) {
    SAID.with_borrow_mut(|said| said.push(text.to_string()));
}

/// What was said since the last time.
fn said() -> Vec<String> {
    SAID.take()
}

struct Project {
    folder: TemporaryFolder,
}

impl Project {
    fn new() -> Project {
        said();
        Project {
            folder: TemporaryFolder::new("tally-store").expect("a folder"),
        }
    }

    fn workspace(&self) -> Workspace {
        Workspace::of(self.folder.path())
    }

    fn open(&self) -> Store {
        Store::open(&self.workspace(), Arc::new(listen))
    }

    fn file(&self) -> PathBuf {
        self.workspace().path(FILE)
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.folder.path().join(".tally")).expect("a folder");
        let mut names: Vec<String> = entries
            .map(|entry| {
                entry
                    .expect("an entry")
                    .file_name()
                    .into_string()
                    .expect("a text")
            })
            .collect();
        names.sort();
        names
    }
}

fn key(name: &str) -> Key {
    KeyBuilder::new("a test").add("name", name).key()
}

fn about(subject: &str) -> About {
    About {
        subject: subject.to_string(),
        commit: None,
    }
}

fn input(name: &str, digest: &str) -> Input {
    Input {
        kind: InputKind::File,
        name: name.to_string(),
        digest: Some(digest.to_string()),
    }
}

/// A measurement of one run that sent `sends` messages and read these inputs.
fn measurement(sends: u64, inputs: Vec<Input>) -> Measurement {
    let method = MeasuredMethod {
        name: "Example>>run".to_string(),
        class: "Example".to_string(),
        selector: "run".to_string(),
        package: "Examples".to_string(),
        file: "example.st".to_string(),
        line: 3,
        digest: 7,
        code: Some(8),
        is_library: false,
        sends: None,
        source: "run ^1".to_string(),
    };
    let run = MeasuredRun {
        name: String::new(),
        ending: Ending::Finished,
        is_reproducible: true,
        cost: CostVector {
            sends,
            ..CostVector::default()
        },
        processors: None,
        explorations: None,
        outcomes: Vec::new(),
        methods: vec![MethodCounts {
            method: 0,
            calls: 1,
            block_calls: 0,
            own: sends,
            total: sends,
            ..MethodCounts::default()
        }],
        contexts: vec![RunContext {
            parent: 0,
            kind: ContextKind::Run,
            method: None,
            block: 0,
            calls: 1,
            own: sends,
            work: 0,
        }],
        is_tree_complete: true,
        calls: Vec::new(),
        lines: Vec::new(),
    };
    Measurement {
        model: 1,
        library: "0123456789abcdef".to_string(),
        inputs,
        methods: vec![method],
        runs: vec![run],
        ..Measurement::default()
    }
}

fn same(input: &Input) -> Option<String> {
    input.digest.clone()
}

/// How many messages were sent in what is found.
fn found(store: &mut Store, key: Key) -> Option<u64> {
    let found = store.find(key, &mut same)?;
    Some(found.measurement.runs[0].cost.sends)
}

#[test]
fn a_measurement_is_found_by_its_key_as_long_as_its_inputs_are_the_same() {
    let project = Project::new();
    let mut store = project.open();
    let one = measurement(10, vec![input("data", "a")]);
    assert_eq!(
        store.add(key("k"), &one, &about("script")),
        Some(Added::New)
    );
    assert_eq!(found(&mut store, key("k")), Some(10));
    assert_eq!(found(&mut store, key("other")), None);
    let mut asked = Vec::new();
    let mut changed = |input: &Input| {
        asked.push(input.name.clone());
        Some("b".to_string())
    };
    assert!(store.find(key("k"), &mut changed).is_none());
    assert_eq!(asked, ["data"]);
    // Another run of the same key, which read something else, stands beside it.
    let two = measurement(20, vec![input("data", "b")]);
    assert_eq!(
        store.add(key("k"), &two, &about("script")),
        Some(Added::New)
    );
    let mut now = |_: &Input| Some("b".to_string());
    let again = store.find(key("k"), &mut now).expect("the second");
    assert_eq!(again.measurement, two);
    let mut now = |_: &Input| Some("a".to_string());
    assert_eq!(
        store
            .find(key("k"), &mut now)
            .expect("the first")
            .measurement,
        one
    );
    // Nothing to be found where something was read.
    assert!(store.find(key("k"), &mut |_| None).is_none());
    // All of it is there for the next command.
    drop(store);
    let mut store = Store::open(&project.workspace(), Arc::new(listen));
    assert_eq!(
        store
            .find(key("k"), &mut now)
            .expect("the first")
            .measurement,
        one
    );
    assert_eq!(said(), Vec::<String>::new());
    assert_eq!(
        project.names(),
        [".gitignore", "store.lock", "store.sqlite"]
    );
}

#[test]
fn what_was_added_first_stays_and_a_difference_is_told() {
    let project = Project::new();
    let mut store = project.open();
    let add = |store: &mut Store, sends| {
        store.add(key("k"), &measurement(sends, vec![]), &about("script"))
    };
    assert_eq!(add(&mut store, 10), Some(Added::New));
    assert_eq!(add(&mut store, 10), Some(Added::Known));
    assert_eq!(add(&mut store, 11), Some(Added::Differs));
    assert_eq!(found(&mut store, key("k")), Some(10));
}

#[test]
fn a_run_that_cannot_be_repeated_is_never_found_and_takes_the_place_of_the_last() {
    let project = Project::new();
    let mut store = project.open();
    for sends in [10, 20] {
        let mut one = measurement(sends, vec![]);
        one.runs[0].is_reproducible = false;
        assert_eq!(store.add(key("k"), &one, &about("clock")), Some(Added::New));
        assert_eq!(found(&mut store, key("k")), None);
    }
    let mut rows = Vec::new();
    let (database, _) = store.open.as_mut().expect("open");
    let mut take = |entry: database::Entry| {
        rows.push(entry.stored.expect("a row").sends);
        Ok(())
    };
    database.each(&mut take).expect("rows");
    assert_eq!(rows, [20]);
    // One that can be repeated is found beside it.
    store.add(key("k"), &measurement(30, vec![]), &about("clock"));
    assert_eq!(found(&mut store, key("k")), Some(30));
}

#[test]
fn trees_lead_to_keys_and_commits_to_measurements() {
    let project = Project::new();
    let mut store = project.open();
    assert_eq!(store.tree("t", key("request")), None);
    store.set_tree("t", key("request"), key("k"));
    assert_eq!(store.tree("t", key("request")), Some(key("k")));
    assert_eq!(store.tree("t", key("other request")), None);
    assert_eq!(store.tree("u", key("request")), None);
    store.set_tree("t", key("request"), key("l"));
    assert_eq!(store.tree("t", key("request")), Some(key("l")));
    let about = About {
        commit: Some("b".repeat(40)),
        ..about("script")
    };
    store.add(key("k"), &measurement(1, vec![]), &about);
    let one = store.find(key("k"), &mut same).expect("found");
    store.note_commit(&one, &"a".repeat(40));
    store.note_commit(&one, &"a".repeat(40));
    let mut commits = Vec::new();
    let (database, _) = store.open.as_mut().expect("open");
    let mut take = |entry: database::Entry| {
        commits.extend(entry.commits);
        Ok(())
    };
    database.each(&mut take).expect("rows");
    assert_eq!(commits, ["a".repeat(40), "b".repeat(40)]);
}

#[test]
fn keys_tell_names_values_and_lists_apart() {
    let keys = [
        KeyBuilder::new("p").add("a", "b").key(),
        KeyBuilder::new("q").add("a", "b").key(),
        KeyBuilder::new("p").add("ab", "").key(),
        KeyBuilder::new("p").add("a", "").add("b", "").key(),
        KeyBuilder::new("p").add_all("a", ["b"]).key(),
        KeyBuilder::new("p").add_all("a", ["b", ""]).key(),
        KeyBuilder::new("p").add_all("a", ["", "b"]).key(),
        KeyBuilder::new("p").key(),
    ];
    for (index, one) in keys.iter().enumerate() {
        for other in &keys[index + 1..] {
            assert_ne!(one, other);
        }
    }
}

#[test]
fn a_row_that_is_not_as_it_was_written_is_dropped_and_that_is_said() {
    for change in [
        "payload = substr(payload, 1, 20)",
        "payload = zeroblob(length(payload))",
        "inputs = '[]'",
        "inputs = 'no inputs'",
        "sends = sends + 1",
        "subject = 'other'",
        "checksum = zeroblob(32)",
        "checksum = x'00'",
        "outside = zeroblob(32)",
        "payload = 7",
    ] {
        let project = Project::new();
        let mut store = project.open();
        store.add(
            key("k"),
            &measurement(1, vec![input("a", "1")]),
            &about("script"),
        );
        let (database, _) = store.open.as_mut().expect("open");
        let sql = format!("UPDATE measurement SET {change}");
        database.connection().execute(&sql, []).expect("changed");
        assert_eq!(found(&mut store, key("k")), None, "{change}");
        let what = "a measurement in the store cannot be read; it is dropped";
        assert_eq!(said(), [what], "{change}");
        let added = store.add(
            key("k"),
            &measurement(1, vec![input("a", "1")]),
            &about("script"),
        );
        assert_eq!(added, Some(Added::New), "{change}");
        assert_eq!(found(&mut store, key("k")), Some(1));
        assert_eq!(said(), Vec::<String>::new());
    }
}

#[test]
fn a_payload_of_another_version_makes_room() {
    let project = Project::new();
    let mut store = project.open();
    store.add(key("k"), &measurement(1, vec![]), &about("script"));
    let (database, _) = store.open.as_mut().expect("open");
    // With the checksum that its writer would have written.
    let mut stored = Stored::new(key("k"), &measurement(1, vec![]), "script").expect("stored");
    stored.payload = b"what no program can read".to_vec();
    let sql = "UPDATE measurement SET payload = ?, checksum = ?";
    let values = rusqlite::params![stored.payload, stored.checksum().bytes()];
    database.connection().execute(sql, values).expect("changed");
    let added = store.add(key("k"), &measurement(1, vec![]), &about("script"));
    assert_eq!(added, Some(Added::New));
    assert_eq!(found(&mut store, key("k")), Some(1));
}

#[test]
fn a_store_of_a_later_version_is_not_touched() {
    let project = Project::new();
    let mut store = project.open();
    store.add(key("k"), &measurement(1, vec![]), &about("script"));
    let (database, _) = store.open.as_mut().expect("open");
    let sql = "ALTER TABLE tree ADD COLUMN more TEXT; PRAGMA user_version = 7";
    database.connection().execute_batch(sql).expect("changed");
    drop(store);
    let before = fs::read(project.file()).expect("a file");
    let mut store = project.open();
    assert_eq!(found(&mut store, key("k")), None);
    assert_eq!(
        store.add(key("l"), &measurement(1, vec![]), &about("script")),
        None
    );
    assert_eq!(
        said(),
        [
            "measurements are not stored: a newer version of Tally made the store (its version is 7, this one knows 1)"
        ]
    );
    assert_eq!(fs::read(project.file()).expect("a file"), before);
    assert_eq!(
        project.names(),
        [".gitignore", "store.lock", "store.sqlite"]
    );
}

#[test]
fn what_is_no_store_is_set_aside_and_nothing_of_it_is_lost() {
    let project = Project::new();
    let others = [
        b"this is no database, but a text of another program".to_vec(),
        // A database of another program.
        {
            let path = project.folder.path().join("other");
            let other = rusqlite::Connection::open(&path).expect("a database");
            other.execute_batch("CREATE TABLE t (a)").expect("a table");
            drop(other);
            fs::read(path).expect("a file")
        },
    ];
    for (number, bytes) in others.iter().enumerate() {
        drop(project.open());
        fs::write(project.file(), bytes).expect("written");
        let mut store = project.open();
        let name = format!("store.sqlite.damaged-{}", number + 1);
        assert_eq!(
            said(),
            [format!(
                "the store of measurements is damaged; it is begun anew, and the old one is kept as .tally/{name}"
            )]
        );
        assert_eq!(
            &fs::read(project.workspace().path(&name)).expect("a file"),
            bytes
        );
        let added = store.add(key("k"), &measurement(5, vec![]), &about("script"));
        assert_eq!(added, Some(Added::New));
        assert_eq!(found(&mut store, key("k")), Some(5));
    }
}

/// A store with some measurements in it, as bytes.
fn filled() -> (Vec<u8>, u64) {
    let project = Project::new();
    let mut store = project.open();
    let count = 30;
    for number in 0..count {
        let inputs = vec![input(&format!("data/{number}"), "digest"); 4];
        let mut one = measurement(number, inputs);
        one.arguments = vec![number.to_string().repeat(300)];
        store.add(key(&number.to_string()), &one, &about("script"));
        store.set_tree(&number.to_string(), key("r"), key(&number.to_string()));
    }
    drop(store);
    (fs::read(project.file()).expect("a file"), count)
}

/// Whatever is in the file, a measurement is found as it was or not at all, and the store can be used afterwards.
fn survives(bytes: &[u8], count: u64, what: &str) {
    let project = Project::new();
    project.workspace().prepare().expect("a folder");
    fs::write(project.file(), bytes).expect("written");
    let mut store = project.open();
    for number in 0..count {
        if let Some(sends) = found(&mut store, key(&number.to_string())) {
            assert_eq!(sends, number, "{what}");
        }
        let led = store.tree(&number.to_string(), key("r"));
        // A key that nothing has is no harm.
        assert!(led.is_none() || store.open.is_some(), "{what}");
    }
    let added = store.add(key("new"), &measurement(77, vec![]), &about("script"));
    let is_usable = store.open.is_some();
    drop(store);
    if added.is_some() {
        assert_eq!(found(&mut project.open(), key("new")), Some(77), "{what}");
    } else {
        // Only a later version is a reason to go without.
        assert!(!is_usable, "{what}: {:?}", said());
        assert!(
            said().iter().any(|text| text.contains("newer version")),
            "{what}"
        );
    }
}

#[test]
fn a_store_that_was_cut_off_anywhere_harms_nothing() {
    let (bytes, count) = filled();
    let mut ends: Vec<usize> = (0..bytes.len()).step_by(1777).collect();
    ends.extend([
        0,
        1,
        15,
        16,
        99,
        100,
        101,
        4095,
        4096,
        4097,
        bytes.len() - 1,
    ]);
    for end in ends {
        survives(&bytes[..end], count, &format!("cut off at {end}"));
    }
}

#[test]
fn a_store_that_was_written_over_anywhere_harms_nothing() {
    let (bytes, count) = filled();
    let mut places: Vec<usize> = (0..bytes.len()).step_by(997).collect();
    places.extend(0..110);
    for (turn, place) in places.into_iter().enumerate() {
        let mut broken = bytes.clone();
        let length = [1, 16, 700][turn % 3].min(broken.len() - place);
        for (number, byte) in broken[place..place + length].iter_mut().enumerate() {
            *byte ^= (number * 37 + turn * 11 + 1) as u8 | 1;
        }
        survives(&broken, count, &format!("{length} bytes at {place}"));
    }
}

#[test]
fn a_full_disk_costs_what_was_to_be_kept_and_no_more() {
    let project = Project::new();
    let mut store = project.open();
    store.add(key("k"), &measurement(1, vec![]), &about("script"));
    let (database, _) = store.open.as_mut().expect("open");
    let pages: i64 = database
        .connection()
        .pragma_query_value(None, "page_count", |row| row.get(0))
        .expect("a number");
    database
        .connection()
        .pragma_update(None, "max_page_count", pages)
        .expect("set");
    let mut large = measurement(2, vec![]);
    large.arguments = (0..5000_u64)
        .map(|number| number.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_string())
        .collect();
    for _ in 0..2 {
        assert_eq!(store.add(key("l"), &large, &about("script")), None);
    }
    // Said once.
    assert_eq!(
        said(),
        ["measurements cannot be kept: there is no more room on the disk"]
    );
    assert_eq!(found(&mut store, key("k")), Some(1));
    drop(store);
    let mut store = project.open();
    assert_eq!(found(&mut store, key("k")), Some(1));
    assert_eq!(
        store.add(key("l"), &large, &about("script")),
        Some(Added::New)
    );
}

#[test]
fn where_nothing_can_be_written_the_command_goes_on() {
    let project = Project::new();
    fs::write(project.folder.path().join(".tally"), "in the way").expect("written");
    let mut store = project.open();
    assert_eq!(
        store.add(key("k"), &measurement(1, vec![]), &about("script")),
        None
    );
    assert_eq!(found(&mut store, key("k")), None);
    assert_eq!(
        said(),
        ["measurements are not stored: the folder .tally cannot be written"]
    );
}

#[cfg(target_os = "linux")]
#[test]
fn a_store_that_may_only_be_read_is_read() {
    let project = Project::new();
    project
        .open()
        .add(key("k"), &measurement(1, vec![]), &about("script"));
    let (mut database, in_use) = project.open().open.take().expect("open");
    database
        .connection()
        .pragma_update(None, "query_only", true)
        .expect("set");
    let mut store = project.open();
    store.open = Some((database, in_use));
    assert_eq!(found(&mut store, key("k")), Some(1));
    assert_eq!(
        store.add(key("l"), &measurement(1, vec![]), &about("script")),
        None
    );
    assert_eq!(
        said(),
        ["measurements cannot be kept: the folder .tally cannot be written"]
    );
}

#[test]
fn a_damaged_store_that_others_use_stays_where_it_is() {
    let project = Project::new();
    let other = project.open();
    fs::write(project.file(), b"no store any more, but in use").expect("written");
    let mut store = project.open();
    assert_eq!(found(&mut store, key("k")), None);
    assert_eq!(
        said(),
        ["measurements are not stored: others use the store"]
    );
    drop(other);
    let mut store = project.open();
    assert_eq!(said().len(), 1);
    assert_eq!(
        store.add(key("k"), &measurement(1, vec![]), &about("script")),
        Some(Added::New)
    );
}

/// Where the processes of a test meet; set for the processes that a test starts.
const MEETING: &str = "TALLY_TEST_STORE";
const WORKERS: u64 = 4;
const EACH: u64 = 25;

/// Adds measurements that a number distinguishes, and some that others add too, and finds all of its own.
fn work(folder: &Path, number: u64) {
    let mut store = Store::open(&Workspace::of(folder), Arc::new(listen));
    for step in 0..EACH {
        let sends = number * 1000 + step;
        let own = key(&sends.to_string());
        let added = store.add(own, &measurement(sends, vec![]), &about("own"));
        assert!(
            matches!(added, Some(Added::New | Added::Known)),
            "{added:?}"
        );
        store.add(
            key(&format!("shared {step}")),
            &measurement(step, vec![]),
            &about("shared"),
        );
        assert_eq!(found(&mut store, own), Some(sends));
    }
    assert_eq!(said(), Vec::<String>::new());
}

/// What each of the processes below does; by itself, one of them.
#[test]
fn a_process_that_uses_the_store() {
    match std::env::var(MEETING) {
        Ok(meeting) => {
            let (number, folder) = meeting.split_once(' ').expect("number and folder");
            work(Path::new(folder), number.parse().expect("a number"));
        }
        Err(_) => work(Project::new().folder.path(), 1),
    }
}

fn worker(folder: &Path, number: u64) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    let meeting = format!("{number} {}", folder.display());
    command
        .args(["--exact", "store::tests::a_process_that_uses_the_store"])
        .env(MEETING, meeting)
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command
}

/// What a store holds is whole, and answers how many measurements it has.
fn check(project: &Project) -> usize {
    let mut database = Database::open_existing(&project.file()).expect("a store");
    assert_eq!(database.complaint().expect("checked"), None);
    let mut count = 0;
    let mut take = |entry: database::Entry| {
        assert!(entry.stored.expect("a sound row").is_consistent());
        count += 1;
        Ok(())
    };
    database.each(&mut take).expect("rows");
    count
}

#[test]
fn several_processes_use_one_store_at_once() {
    let project = Project::new();
    let workers: Vec<_> = (0..WORKERS)
        .map(|number| {
            worker(project.folder.path(), number)
                .spawn()
                .expect("a process")
        })
        .collect();
    for mut worker in workers {
        assert!(worker.wait().expect("its end").success());
    }
    assert_eq!(check(&project) as u64, WORKERS * EACH + EACH);
}

#[test]
fn a_process_that_is_killed_leaves_a_whole_store() {
    let project = Project::new();
    let mut most = 0;
    for turn in 0..25 {
        let mut victim = worker(project.folder.path(), turn)
            .spawn()
            .expect("a process");
        std::thread::sleep(Duration::from_millis(3 + turn * 4));
        // Its end may have come before.
        let _ = victim.kill();
        victim.wait().expect("its end");
        drop(project.open());
        let count = check(&project);
        assert!(count >= most, "{count} of {most} are left");
        most = count;
    }
    assert!(most > 0, "every process was killed before it did anything");
    work(project.folder.path(), 99);
    assert_eq!(said(), Vec::<String>::new());
}

fn exported(project: &Project) -> Vec<u8> {
    let mut export = transfer::Export::default();
    let mut database = Database::open_existing(&project.file()).expect("a store");
    let mut take = |entry: database::Entry| {
        let stored = entry.stored.expect("a row");
        export
            .add(stored, entry.commits)
            .ok_or(StoreError::TooLarge)
    };
    database.each(&mut take).expect("rows");
    export.finish()
}

#[test]
fn what_is_exported_can_be_imported_and_nothing_else() {
    let project = Project::new();
    let mut store = project.open();
    for number in 0..3 {
        let about = About {
            subject: "script".to_string(),
            commit: Some(number.to_string().repeat(40)),
        };
        store.add(
            key(&number.to_string()),
            &measurement(number, vec![]),
            &about,
        );
    }
    let bytes = exported(&project);
    let entries = transfer::read(&bytes).expect("entries");
    assert_eq!(entries.len(), 3);
    assert_eq!(entries[2].1, ["2".repeat(40)]);
    let elsewhere = Project::new();
    let mut other = elsewhere.open();
    other.add(key("1"), &measurement(111, vec![]), &about("ours"));
    let (database, _) = other.open.as_mut().expect("open");
    let added = database.add_all(&entries).expect("added");
    assert_eq!(added, [Added::New, Added::Differs, Added::New]);
    assert_eq!(found(&mut other, key("1")), Some(111));
    assert_eq!(found(&mut other, key("2")), Some(2));
    for end in 0..bytes.len() {
        transfer::read(&bytes[..end]).expect_err("cut off");
    }
    for place in 0..bytes.len() {
        let mut broken = bytes.clone();
        broken[place] ^= 1 << (place % 8);
        transfer::read(&broken).expect_err("changed");
    }
    let mut later = bytes;
    later[8] += 1;
    assert_eq!(transfer::read(&later), Err(transfer::Refused::Version));
}

#[test]
fn what_is_not_what_is_said_of_it_is_not_imported() {
    let row = |change: fn(&mut Stored)| {
        let mut stored = Stored::new(key("k"), &measurement(1, vec![]), "script").expect("stored");
        change(&mut stored);
        let mut export = transfer::Export::default();
        export.add(stored, vec![]).expect("added");
        transfer::read(&export.finish()).map(|entries| entries.len())
    };
    assert_eq!(row(|_| {}), Ok(1));
    let refused = Err(transfer::Refused::Entry(1));
    assert_eq!(row(|stored| stored.sends = 2), refused);
    assert_eq!(row(|stored| stored.inputs = "[1]".to_string()), refused);
    assert_eq!(row(|stored| stored.is_repeatable = false), refused);
    assert_eq!(row(|stored| stored.payload.truncate(9)), refused);
    let mut export = transfer::Export::default();
    let stored = Stored::new(key("k"), &measurement(1, vec![]), "script").expect("stored");
    export
        .add(stored, vec!["--help".to_string()])
        .expect("added");
    assert_eq!(
        transfer::read(&export.finish()),
        refused.map(|_: usize| vec![])
    );
}
