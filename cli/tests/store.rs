//! `tally store` from the outside: what it says of a store that is not there, is of another version, damaged, or no store.

use rusqlite::Connection;

use self::support::Sandbox;

#[allow(dead_code)] // each test binary uses its own part
mod support;

/// A sandbox with a store in which nothing is kept.
fn with_empty_store(name: &str) -> Sandbox {
    let sandbox = Sandbox::new(name);
    sandbox.write("empty.tallystore", empty_export());
    sandbox
        .tally(&["store", "import", "empty.tallystore"])
        .exits(0)
        .prints("0 measurements imported, 0 known before\n");
    sandbox
}

/// What `tally store export` would write of an empty store: the head and its digest.
fn empty_export() -> Vec<u8> {
    let mut bytes = b"\x89TALLS\r\n\x01".to_vec();
    let digest = blake3::hash(&bytes);
    bytes.extend(digest.as_bytes());
    bytes
}

fn connection(sandbox: &Sandbox) -> Connection {
    Connection::open(sandbox.path(".tally/store.sqlite")).expect("a database")
}

#[test]
fn without_a_store_there_is_nothing_to_do() {
    let sandbox = Sandbox::new("store-none");
    sandbox
        .tally(&["store", "list"])
        .exits(0)
        .prints("nothing is kept\n")
        .is_silent();
    sandbox
        .tally(&["store", "list", "--format", "json"])
        .exits(0)
        .prints(
            "{\n  \"schema\": \"tally.store/1\",\n  \"measurements\": [],\n  \"damaged\": 0\n}\n",
        );
    for command in [
        &["store", "export", "out"][..],
        &["store", "prune", "--keep", "1"],
        &["store", "verify"],
    ] {
        sandbox
            .tally(command)
            .exits(4)
            .says("error: nothing is kept yet: there is no .tally/store.sqlite\n");
    }
    // Asking leaves nothing behind.
    assert!(!sandbox.path(".tally").exists());
    sandbox.tally(&["store"]).exits(2);
    sandbox.tally(&["store", "prune"]).exits(2);
}

#[test]
fn an_empty_store_is_sound_and_stays_so() {
    let sandbox = with_empty_store("store-empty");
    sandbox
        .tally(&["store", "verify"])
        .exits(0)
        .prints("0 measurements in store.sqlite, all sound\n");
    sandbox
        .tally(&["store", "export", "out.tallystore"])
        .exits(0)
        .prints("0 measurements exported\n");
    let written = std::fs::read(sandbox.path("out.tallystore")).expect("a file");
    assert_eq!(written, empty_export());
    sandbox
        .tally(&["store", "prune", "--keep", "0", "--damaged"])
        .exits(0)
        .prints("0 measurements removed, 0 left\n");
    assert_eq!(sandbox.read(".tally/.gitignore"), "*\n");
}

#[test]
fn a_store_of_a_later_version_is_left_alone() {
    let sandbox = with_empty_store("store-later");
    let later = connection(&sandbox);
    later.pragma_update(None, "user_version", 9).expect("set");
    drop(later);
    let before = std::fs::read(sandbox.path(".tally/store.sqlite")).expect("a file");
    for command in [
        &["store", "list"][..],
        &["store", "verify"],
        &["store", "prune", "--damaged"],
        &["store", "export", "out"],
        &["store", "import", "empty.tallystore"],
    ] {
        sandbox.tally(command).exits(5).says(
            "error: a newer version of Tally made the store (its version is 9, this one knows 1)\n",
        );
    }
    let after = std::fs::read(sandbox.path(".tally/store.sqlite")).expect("a file");
    assert_eq!(before, after);
}

#[test]
fn a_row_that_cannot_be_read_is_found_and_can_be_removed() {
    let sandbox = with_empty_store("store-row");
    let store = connection(&sandbox);
    let sql = "INSERT INTO measurement (key, outside, inputs, subject, sends, payload, checksum) \
               VALUES (zeroblob(32), zeroblob(32), '[]', 'nothing', 1, x'00', zeroblob(32))";
    store.execute(sql, []).expect("a row");
    drop(store);
    sandbox
        .tally(&["store", "list"])
        .exits(0)
        .prints("nothing is kept\n1 damaged\n");
    sandbox.tally(&["store", "verify"]).exits(1).prints(
        "measurement 1: it is not as it was written\n\n\
         help: tally store prune --damaged removes what cannot be read\n",
    );
    sandbox
        .tally(&["store", "verify", "--format", "json"])
        .exits(1)
        .mentions("\"measurement 1: it is not as it was written\"");
    sandbox
        .tally(&["store", "export", "out.tallystore"])
        .exits(0)
        .prints("0 measurements exported\n")
        .says("warning: 1 measurement in the store cannot be read and is not exported\n");
    sandbox
        .tally(&["store", "prune", "--damaged"])
        .exits(0)
        .prints("1 measurement removed, 0 left\n");
    sandbox.tally(&["store", "verify"]).exits(0);
}

#[test]
fn what_is_no_store_is_named_and_left_alone() {
    let sandbox = Sandbox::new("store-other");
    sandbox.write(".tally/store.sqlite", "a text of another program");
    for command in [&["store", "list"][..], &["store", "verify"]] {
        sandbox.tally(command).exits(74).says(
            "error: .tally/store.sqlite is damaged; the next command that measures sets it aside and begins a new one\n",
        );
    }
    assert_eq!(
        sandbox.read(".tally/store.sqlite"),
        "a text of another program"
    );
}

#[test]
fn what_is_no_export_is_not_imported() {
    let sandbox = Sandbox::new("store-import");
    sandbox.write("text", "hello");
    let mut later = empty_export();
    later[8] = 2;
    sandbox.write("later", later);
    sandbox.write("short", &empty_export()[..20]);
    sandbox.write("empty", "");
    for (file, code, why) in [
        ("text", 74, "it is no file that tally store export wrote"),
        ("empty", 74, "it is no file that tally store export wrote"),
        ("later", 5, "another version of Tally wrote it"),
        ("short", 74, "it is damaged, or not all of it is there"),
    ] {
        sandbox
            .tally(&["store", "import", file])
            .exits(code)
            .says(&format!("error: cannot import {file}: {why}\n"));
    }
    sandbox
        .tally(&["store", "import", "none"])
        .exits(74)
        .says("error: cannot read none: no such file\n");
    assert!(!sandbox.path(".tally").exists());
}

#[test]
fn only_a_repository_can_tell_which_commits_are_gone() {
    let sandbox = with_empty_store("store-gone");
    sandbox.git(&["init", "--quiet"]);
    sandbox
        .tally(&["store", "prune", "--gone"])
        .exits(0)
        .prints("0 measurements removed, 0 left\n");
}
