//! Files, streams, arguments and the permissions of scripts.

use crate::support::Sandbox;

#[test]
fn missing_files_and_directories_exit_74_with_their_names() {
    let sandbox = Sandbox::new("missing");
    let ran = sandbox.tally(&["run", "no1.st", "no2.st"]);
    ran.exits(74)
        .prints("")
        .says("no1.st: no such file")
        .says("no2.st: no such file");
    sandbox
        .tally(&["run", "."])
        .exits(4)
        .says(". holds no package");
}

#[test]
fn the_limit_on_depth_is_not_the_librarys() {
    let sandbox = Sandbox::new("depth");
    sandbox
        .tally(&["run", "--max-depth", "1", "-e", "3"])
        .exits(0)
        .prints("3\n");
}

#[test]
fn an_empty_file_runs() {
    let sandbox = Sandbox::new("empty");
    sandbox.write("empty.st", "");
    sandbox
        .tally(&["run", "empty.st"])
        .exits(0)
        .prints("")
        .is_silent();
}

#[test]
fn standard_input_is_a_source_when_asked_for() {
    let ran = Sandbox::new("stdin").tally_reading("'hi' displayNl.", &["run", "-"]);
    ran.exits(0).prints("hi\n");
}

#[test]
fn a_script_reads_only_what_is_allowed() {
    let sandbox = Sandbox::new("reading");
    sandbox.write("open/data.txt", "secret");
    sandbox.write("closed/data.txt", "secret");
    let read = |path: &str| format!("(File contentsOf: '{path}') displayNl. nil");
    let open = read("open/data.txt");
    sandbox
        .tally(&["run", "-e", &open])
        .exits(1)
        .says("--allow-read");
    sandbox
        .tally(&["run", "--allow-read", "-e", &open])
        .exits(0)
        .prints("secret\nnil\n");
    sandbox
        .tally(&["run", "--allow-read=open", "-e", &open])
        .exits(0);
    for path in ["closed/data.txt", "open/../closed/data.txt"] {
        sandbox
            .tally(&["run", "--allow-read=open", "-e", &read(path)])
            .exits(1)
            .prints("");
    }
}

#[test]
fn a_script_writes_only_where_it_is_allowed() {
    let sandbox = Sandbox::new("writing");
    sandbox.write("open/old.txt", "old");
    sandbox.write("closed/old.txt", "old");
    let write = |path: &str| format!("'{path}' asFileReference contents: 'new \u{f6}'. nil");
    sandbox
        .tally(&["run", "-e", &write("open/old.txt")])
        .exits(1)
        .says("PermissionDenied")
        .says("--allow-write");
    for path in ["open/old.txt", "open/new.txt"] {
        sandbox
            .tally(&["run", "--allow-write=open", "-e", &write(path)])
            .exits(0);
        assert_eq!(sandbox.read(path), "new \u{f6}");
    }
    for path in ["closed/old.txt", "open/../closed/old.txt", "other.txt"] {
        for expression in [
            write(path),
            format!("'{path}' asFileReference delete"),
            format!("'{path}' asFileReference moveTo: 'open/moved' asFileReference"),
            format!("'open/new.txt' asFileReference moveTo: '{path}.x' asFileReference"),
            format!("'{path}.folder' asFileReference createDirectory"),
            format!("'{path}' asFileReference appendContents: 'x'"),
        ] {
            sandbox
                .tally(&["run", "--allow-write=open", "-e", &expression])
                .exits(1)
                .says("PermissionDenied");
        }
    }
    assert_eq!(sandbox.read("closed/old.txt"), "old");
}

#[cfg(unix)]
#[test]
fn links_lead_nowhere_that_is_not_allowed() {
    let sandbox = Sandbox::new("links");
    sandbox.write("open/a.txt", "a");
    sandbox.write("closed/b.txt", "b");
    sandbox.write(
        "links.st",
        "| file | file := Smalltalk arguments first asFileReference.\n\
         file contents: 'changed'.",
    );
    let link = |to: &str, from: &str| {
        std::os::unix::fs::symlink(to, sandbox.path(from)).expect("a link can be made");
    };
    link("../closed/b.txt", "open/file");
    link("../closed", "open/folder");
    link("../closed/none.txt", "open/nowhere");
    for path in [
        "open/file",
        "open/folder/b.txt",
        "open/folder/c.txt",
        "open/nowhere",
    ] {
        sandbox
            .tally(&["run", "--allow-write=open", "links.st", "--", path])
            .exits(1);
    }
    assert_eq!(sandbox.read("closed/b.txt"), "b");
    // A link itself may go, and what it leads to stays.
    let delete = "'open/folder' asFileReference deleteAll. 'open' asFileReference childNames";
    sandbox
        .tally(&[
            "run",
            "--allow-write=open",
            "--allow-read=open",
            "-e",
            delete,
        ])
        .exits(0)
        .prints("#('a.txt' 'file' 'nowhere')\n");
    assert_eq!(sandbox.read("closed/b.txt"), "b");
}

#[test]
fn files_and_folders_of_the_disk_do_what_those_in_memory_do() {
    let sandbox = Sandbox::new("disk");
    let program = include_str!("../../../tests/golden/library/files_and_folders_in_memory.st");
    let memory = "FileSystem memory root";
    assert!(program.contains(memory));
    sandbox.write(
        "files.st",
        program.replace(memory, "FileSystem disk workingDirectory / 'root'"),
    );
    let expected: Vec<&str> = program
        .lines()
        .filter_map(|line| Some(line.split_once("\"expect: ")?.1.trim_end_matches('"')))
        .collect();
    assert!(expected.len() > 40);
    sandbox
        .tally(&["run", "--allow-read", "--allow-write", "files.st"])
        .exits(0)
        .prints(&format!("{}\n", expected.join("\n")));
}

#[test]
fn a_script_reads_only_the_variables_that_are_allowed() {
    let sandbox = Sandbox::new("environment");
    let home = "(OSEnvironment current at: 'HOME') isString";
    sandbox
        .tally(&["run", "-e", home])
        .exits(1)
        .says("PermissionDenied")
        .says("--allow-env");
    sandbox
        .tally(&["run", "--allow-env=PATH", "-e", home])
        .exits(1);
    sandbox
        .tally(&["run", "--allow-env=HOME", "-e", home])
        .exits(0)
        .prints("true\n");
    sandbox
        .tally(&[
            "run",
            "--allow-env=HOME",
            "-e",
            "OSEnvironment current keys",
        ])
        .prints("#('HOME')\n");
    sandbox
        .tally(&[
            "run",
            "--allow-env",
            "-e",
            "OSEnvironment current getEnv: 'NO_SUCH_VARIABLE'",
        ])
        .exits(0)
        .prints("nil\n");
}

#[test]
fn standard_input_that_is_no_text_is_an_error() {
    let sandbox = Sandbox::new("binary-input");
    for expression in ["Stdin nextLine", "Stdin upToEnd", "Stdin next"] {
        sandbox
            .tally_reading_bytes(b"\xff\xfe\x00abc\n", &["run", "-e", expression])
            .exits(1)
            .says("not text in UTF-8");
    }
    sandbox
        .tally_reading(
            "a\nb",
            &[
                "run",
                "-e",
                "{Stdio stdin nextLine. Stdin upToEnd. Stdin nextLine}",
            ],
        )
        .exits(0)
        .prints("#('a' 'b' nil)\n");
}

#[test]
fn the_script_sees_its_arguments() {
    let sandbox = Sandbox::new("arguments");
    sandbox.write("a.st", "Smalltalk arguments printNl.");
    let ran = sandbox.tally(&["run", "a.st", "--", "--counts", "x y"]);
    ran.exits(0).prints("#('--counts' 'x y')\n");
}
