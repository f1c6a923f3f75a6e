//! Tests which reads are inputs, which are the run's own work, and that a second reading gives the same digests.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use proptest::prelude::*;
use tally_vm::{Host as _, Writing};

use super::*;
use crate::files::temporary::TemporaryFolder;
use crate::outside::host::{CommandHost, Events};
use crate::outside::permissions::Permissions;

/// A world for a program in which everything is allowed, and what it notes.
struct World {
    folder: TemporaryFolder,
    events: Arc<Events>,
    host: CommandHost,
}

impl World {
    fn new() -> World {
        let folder = TemporaryFolder::new("tally-inputs").expect("a folder");
        let events = Arc::<Events>::default();
        let host = CommandHost::keeping(
            Box::new(std::io::sink()),
            Box::new(std::io::sink()),
            Permissions::everything(),
            Arc::clone(&events),
        );
        World {
            folder,
            events,
            host,
        }
    }

    /// With a file that is there before the program runs.
    fn with(self, name: &str, text: &str) -> World {
        fs::write(self.path(name), text).expect("a file");
        self
    }

    fn path(&self, name: &str) -> String {
        let path = self.folder.path().join(name);
        path.to_str().expect("a text").to_string()
    }

    fn read(&mut self, name: &str) -> std::io::Result<Vec<u8>> {
        let path = self.path(name);
        self.host.read_file(&path)
    }

    fn write(&mut self, name: &str, text: &str) {
        let path = self.path(name);
        let written = self
            .host
            .write_file(&path, text.as_bytes(), Writing::Replace);
        written.expect("written");
    }

    /// The last parts of the names of the noted inputs, with their facts.
    fn noted(&self) -> Vec<(InputKind, String, Option<String>)> {
        let all = self.events.inputs().all();
        let short = |input: Input| {
            let name = input.name.rsplit('/').next().unwrap_or("").to_string();
            (input.kind, name, input.digest)
        };
        all.into_iter().map(short).collect()
    }

    fn kinds(&self) -> Vec<(InputKind, String)> {
        let noted = self.noted().into_iter();
        noted.map(|(kind, name, _)| (kind, name)).collect()
    }

    fn unrepeatable(&self) -> Option<Unrepeatable> {
        self.events.inputs().unrepeatable()
    }

    /// The inputs that are not what they were when they were noted.
    fn stale(&self) -> Vec<(InputKind, String)> {
        let permissions = Permissions::everything();
        let now = Now {
            folder: Path::new("/"),
            permissions: &permissions,
            standard_input: b"",
        };
        let all = self.events.inputs().all().into_iter();
        all.filter(|input| now.digest(input) != input.digest)
            .map(|input| {
                (
                    input.kind,
                    input.name.rsplit('/').next().unwrap_or("").into(),
                )
            })
            .collect()
    }
}

fn pair(kind: InputKind, name: &str) -> (InputKind, String) {
    (kind, name.to_string())
}

fn digest(text: &str) -> Option<String> {
    Some(Digest::of(text.as_bytes()).to_string())
}

#[test]
fn contents_names_and_facts_are_inputs_and_so_is_what_is_missing() {
    let mut world = World::new().with("data", "one");
    world.read("data").expect("contents");
    world.read("none").expect_err("nothing there");
    let folder = world.path("");
    world.host.file_names(&folder).expect("names");
    let path = world.path("data");
    world.host.file_facts(&path).expect("facts");
    let noted = world.noted();
    assert_eq!(
        noted[0],
        (InputKind::File, "data".to_string(), digest("one"))
    );
    assert_eq!(noted[1], (InputKind::File, "none".to_string(), None));
    assert_eq!(noted[2].0, InputKind::Folder);
    assert_eq!(noted[3].0, InputKind::Facts);
    assert_eq!(world.stale(), []);
    let world = world.with("data", "two two");
    let facts = pair(InputKind::Facts, "data");
    assert_eq!(
        world.stale(),
        [pair(InputKind::File, "data"), facts.clone()]
    );
    let world = world.with("none", "");
    assert_eq!(
        world.stale(),
        [
            pair(InputKind::File, "data"),
            pair(InputKind::File, "none"),
            pair(InputKind::Folder, ""),
            facts
        ]
    );
}

#[test]
fn what_the_run_wrote_itself_is_no_input() {
    let mut world = World::new();
    world.write("mine", "text");
    assert_eq!(world.read("mine").expect("contents"), b"text");
    let folder = world.path("folder");
    world.host.create_directory(&folder).expect("a folder");
    world.write("folder/inside", "more");
    world.read("folder/inside").expect("contents");
    world.read("folder/other").expect_err("nothing there");
    world.host.file_names(&folder).expect("names");
    // That there was room is all that the run depends on.
    assert_eq!(
        world.kinds(),
        [
            pair(InputKind::Facts, "folder"),
            pair(InputKind::Room, "folder"),
            pair(InputKind::Room, "mine")
        ]
    );
    assert_eq!(world.unrepeatable(), None);
}

#[test]
fn what_was_there_before_is_an_input_although_it_was_changed_later() {
    let mut world = World::new().with("data", "old").with("gone", "x");
    world.read("data").expect("contents");
    world.write("data", "new");
    world.write("made", "new");
    assert_eq!(world.read("data").expect("contents"), b"new");
    let gone = world.path("gone");
    world.host.delete_file(&gone).expect("deleted");
    world.host.file_facts(&gone).expect_err("nothing there");
    let folder = world.path("");
    let names = world.host.file_names(&folder).expect("names");
    assert_eq!(names, ["data", "made"]);
    assert_eq!(world.unrepeatable(), None);
    assert_eq!(
        world.kinds(),
        [
            pair(InputKind::File, "data"),
            pair(InputKind::Folder, ""),
            pair(InputKind::Facts, "gone"),
            pair(InputKind::Room, "data"),
            pair(InputKind::Room, "made"),
        ]
    );
    // As it was before.
    fs::remove_file(world.path("made")).expect("removed");
    let world = world.with("data", "old").with("gone", "x");
    assert_eq!(world.stale(), []);
}

#[test]
fn adding_to_a_file_and_moving_one_depend_on_its_contents() {
    let mut world = World::new().with("log", "a").with("old", "b");
    let log = world.path("log");
    world
        .host
        .write_file(&log, b"b", Writing::Append)
        .expect("written");
    assert_eq!(world.read("log").expect("contents"), b"ab");
    let (old, new) = (world.path("old"), world.path("new"));
    world.host.rename_file(&old, &new).expect("renamed");
    world.read("new").expect("contents");
    world.read("old").expect_err("nothing there");
    let noted = world.noted();
    let found = |kind, name: &str| {
        let mut noted = noted.iter();
        let found = noted.find(|noted| noted.0 == kind && noted.1 == name);
        found.map(|(_, _, digest)| digest.clone())
    };
    assert_eq!(found(InputKind::File, "log"), Some(digest("a")));
    assert_eq!(found(InputKind::File, "old"), Some(digest("b")));
    assert_eq!(found(InputKind::Facts, "new"), Some(None));
    assert_eq!(noted.len(), 6);
    assert_eq!(world.unrepeatable(), None);
}

#[test]
fn what_stands_in_the_way_of_a_change_is_an_input() {
    let mut world = World::new();
    let path = world.path("none/file");
    let written = world.host.write_file(&path, b"", Writing::Replace);
    written.expect_err("no folder");
    assert_eq!(
        world.kinds(),
        [
            pair(InputKind::Facts, "none"),
            pair(InputKind::Facts, "file"),
            pair(InputKind::Room, "file"),
        ]
    );
    assert_eq!(world.stale(), []);
    fs::create_dir(world.path("none")).expect("a folder");
    assert_eq!(
        world.stale(),
        [
            pair(InputKind::Facts, "none"),
            pair(InputKind::Room, "file")
        ]
    );
}

#[test]
fn what_cannot_be_repeated_says_why() {
    let mut world = World::new().with("data", "one");
    world.read("data").expect("contents");
    world.read("data").expect("contents");
    assert_eq!(world.unrepeatable(), None);
    let mut world = world.with("data", "two");
    world.read("data").expect("contents");
    assert_eq!(world.unrepeatable(), Some(Unrepeatable::Changed));
    // What was found first counts.
    assert_eq!(world.noted()[0].2, digest("one"));
    let mut world = World::new();
    world.host.milliseconds();
    assert_eq!(world.unrepeatable(), Some(Unrepeatable::Clock));
    let mut world = World::new().with("data", "one");
    let path = world.path("none");
    world.host.file_modified(&path).expect_err("nothing there");
    assert_eq!(world.unrepeatable(), None);
    assert_eq!(world.kinds(), [pair(InputKind::Facts, "none")]);
    let path = world.path("data");
    world.host.file_modified(&path).expect("a time");
    assert_eq!(world.unrepeatable(), Some(Unrepeatable::ModificationTime));
    let mut world = World::new();
    let (old, new) = (world.path("old"), world.path("new"));
    fs::create_dir(&old).expect("a folder");
    world.host.rename_file(&old, &new).expect("renamed");
    assert_eq!(world.unrepeatable(), Some(Unrepeatable::MovedFolder));
}

#[test]
fn memory_for_inputs_is_bounded() {
    let mut inputs = Inputs::default();
    for number in 0..=MOST_INPUTS {
        inputs.note_variable(&number.to_string(), None);
    }
    assert_eq!(inputs.all().len(), MOST_INPUTS);
    assert_eq!(inputs.unrepeatable(), Some(Unrepeatable::TooMuch));
    let mut inputs = Inputs::default();
    inputs.note_variable(&"x".repeat(MOST_BYTES), None);
    assert_eq!(inputs.all(), []);
    assert_eq!(inputs.unrepeatable(), Some(Unrepeatable::TooMuch));
}

#[test]
fn variables_and_the_working_directory_are_inputs() {
    let mut world = World::new();
    let path = world.host.environment("PATH").expect("allowed");
    world.host.environment("TALLY_NO_SUCH").expect("allowed");
    world.host.environment("A=B").expect("allowed");
    world.host.environment_names().expect("allowed");
    let noted = world.noted();
    assert_eq!(
        noted[1],
        (
            InputKind::Variable,
            "PATH".to_string(),
            digest(&path.expect("a path"))
        )
    );
    assert_eq!(
        noted[2],
        (InputKind::Variable, "TALLY_NO_SUCH".to_string(), None)
    );
    assert_eq!(noted[3].0, InputKind::VariableNames);
    assert_eq!(world.stale(), []);
    let folder = world.host.working_directory().expect("allowed");
    assert_eq!(world.noted().last().expect("one").2, digest(&folder));
}

#[test]
fn of_standard_input_only_what_was_read_counts() {
    let permissions = Permissions::everything();
    let digest_of = |input: &Input, bytes: &[u8]| {
        let now = Now {
            folder: Path::new("/"),
            permissions: &permissions,
            standard_input: bytes,
        };
        now.digest(input)
    };
    let mut inputs = Inputs::default();
    assert_eq!(inputs.all(), []);
    inputs.note_standard_input(b"one\n", false);
    let part = inputs.all().remove(0);
    assert_eq!(part.name, "4");
    assert_eq!(digest_of(&part, b"one\nmore"), part.digest);
    assert_ne!(digest_of(&part, b"two\nmore"), part.digest);
    assert_eq!(digest_of(&part, b"one"), None);
    inputs.note_standard_input(b"two", true);
    let whole = inputs.all().remove(0);
    assert_eq!(whole.name, "");
    assert_eq!(digest_of(&whole, b"one\ntwo"), whole.digest);
    assert_ne!(digest_of(&whole, b"one\ntwo\n"), whole.digest);
}

#[test]
fn what_lies_below_the_working_directory_goes_with_it() {
    let folder = Path::new("/the/folder");
    for (path, name) in [
        ("a/b", "a/b"),
        ("./a", "./a"),
        ("a/../b", "a/../b"),
        ("a/", "a/"),
        ("", ""),
        ("/the/folder/a/b", "a/b"),
        ("/the/folder", "."),
        ("/the/folder/", "."),
        ("../you", "/the/folder/../you"),
        ("a/../../you", "/the/folder/a/../../you"),
        ("/the/folder/../you", "/the/folder/../you"),
        ("/the/folders", "/the/folders"),
        ("/etc/passwd", "/etc/passwd"),
    ] {
        assert_eq!(name_from(folder, path), name, "{path}");
    }
}

#[test]
fn inputs_of_several_runs_are_held_against_each_other() {
    let input = |name: &str, text: &str| Input {
        kind: InputKind::File,
        name: name.to_string(),
        digest: digest(text),
    };
    let (all, agree) = merged([
        vec![input("b", "1")],
        vec![input("a", "2"), input("b", "1")],
    ]);
    assert_eq!(all, [input("a", "2"), input("b", "1")]);
    assert!(agree);
    let (_, agree) = merged([vec![input("b", "1")], vec![input("b", "2")]]);
    assert!(!agree);
}

/// Something that a program does with one of a few paths.
#[derive(Clone, Debug)]
enum Step {
    Read(usize),
    Facts(usize),
    Names(usize),
    Write(usize, Writing),
    Create(usize),
    Delete(usize),
    Rename(usize, usize),
}

const PATHS: [&str; 7] = ["a", "b", "f", "f/a", "f/b", "g", "g/a"];

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let path = || 0..PATHS.len();
    let step = prop_oneof![
        path().prop_map(Step::Read),
        path().prop_map(Step::Facts),
        path().prop_map(Step::Names),
        path().prop_map(|path| Step::Write(path, Writing::Replace)),
        path().prop_map(|path| Step::Write(path, Writing::Append)),
        path().prop_map(Step::Create),
        path().prop_map(Step::Delete),
        (path(), path()).prop_map(|(old, new)| Step::Rename(old, new)),
    ];
    prop::collection::vec(step, 1..12)
}

/// Does the steps, and answers all that the program could see of it.
fn perform(world: &mut World, steps: &[Step]) -> Vec<String> {
    let path = |world: &World, index: usize| world.path(PATHS[index]);
    let mut seen = Vec::new();
    for step in steps {
        seen.push(match step {
            Step::Read(index) => {
                let path = path(world, *index);
                format!("{:?}", world.host.read_file(&path).map_err(|e| e.kind()))
            }
            Step::Facts(index) => {
                let path = path(world, *index);
                let facts = world.host.file_facts(&path).map_err(|e| e.kind());
                format!("{:?}", facts.map(|f| (f.kind, f.size, f.is_link)))
            }
            Step::Names(index) => {
                let path = path(world, *index);
                format!("{:?}", world.host.file_names(&path).map_err(|e| e.kind()))
            }
            Step::Write(index, writing) => {
                let path = path(world, *index);
                let done = world.host.write_file(&path, b"more", *writing);
                format!("{:?}", done.map_err(|e| e.kind()))
            }
            Step::Create(index) => {
                let path = path(world, *index);
                let done = world.host.create_directory(&path);
                format!("{:?}", done.map_err(|e| e.kind()))
            }
            Step::Delete(index) => {
                let path = path(world, *index);
                format!("{:?}", world.host.delete_file(&path).map_err(|e| e.kind()))
            }
            Step::Rename(old, new) => {
                let (old, new) = (path(world, *old), path(world, *new));
                let done = world.host.rename_file(&old, &new);
                format!("{:?}", done.map_err(|e| e.kind()))
            }
        });
    }
    seen
}

/// What each of the paths holds before a program runs: nothing, a folder, or a text.
fn fill(world: &World, contents: &[Option<Option<&str>>]) {
    for (path, content) in PATHS.iter().zip(contents) {
        let place = world.path(path);
        // What stands above may be no folder.
        match content {
            None => {}
            Some(None) => drop(fs::create_dir(place)),
            Some(Some(text)) => drop(fs::write(place, text)),
        }
    }
}

fn worlds() -> impl Strategy<Value = Vec<Option<Option<&'static str>>>> {
    let content = prop_oneof![
        Just(None),
        Just(Some(None)),
        Just(Some(Some("one"))),
        Just(Some(Some("other"))),
    ];
    prop::collection::vec(content, PATHS.len())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// If a run is repeatable, then it goes the same way in every world that gives the digests that it noted; and what it
    /// noted holds in a world as it was before.
    #[test]
    fn equal_inputs_mean_equal_runs(before in worlds(), other in worlds(), same in 0_usize..128, steps in steps()) {
        // Worlds that differ in a few places only are the ones that matter.
        let other: Vec<_> = before
            .iter()
            .zip(&other)
            .enumerate()
            .map(|(place, (before, other))| if same >> place & 1 == 1 { *before } else { *other })
            .collect();
        let mut first = World::new();
        fill(&first, &before);
        let seen = perform(&mut first, &steps);
        if first.unrepeatable().is_some() {
            return Ok(());
        }
        let inputs = first.events.inputs().all();
        let root = first.folder.path().to_str().expect("a text").to_string();
        let permissions = Permissions::everything();
        for (contents, is_same) in [(&before, true), (&other, false)] {
            let mut second = World::new();
            fill(&second, contents);
            let now = Now { folder: Path::new("/"), permissions: &permissions, standard_input: b"" };
            let place = second.folder.path().to_str().expect("a text").to_string();
            let holds = inputs.iter().all(|input| {
                let moved = Input { name: input.name.replace(&root, &place), ..input.clone() };
                now.digest(&moved) == input.digest
            });
            prop_assert!(holds || !is_same, "the same world has other inputs: {inputs:?}");
            if holds {
                prop_assert_eq!(&seen, &perform(&mut second, &steps));
            }
        }
    }
}
