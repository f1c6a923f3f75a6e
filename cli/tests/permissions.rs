//! What a script learns of places that it may not use: nothing.

#![cfg(unix)]

#[allow(dead_code)] // each test binary uses its own part
mod support;

use support::Sandbox;

/// Prints the result for each path, of looking and of reading.
const PROBE: &str = "Smalltalk arguments do: [:path |\n\
    #(#exists #contents #entries #isDirectory #size) do: [:what |\n\
        Transcript show: what; show: ' '; showCr:\n\
            ([(path asFileReference perform: what) printString] on: Error do: [:e | e class name asString])]]";

fn probed(sandbox: &Sandbox, permissions: &[&str], path: &str) -> String {
    sandbox.write("probe.st", PROBE);
    let run = [&["run"], permissions, &["probe.st", "--", path]].concat();
    sandbox.tally(&run).exits(0).output().to_string()
}

#[test]
fn what_is_outside_gives_one_answer_be_it_there_or_not() {
    let sandbox = Sandbox::new("oracle");
    sandbox.write("ok/inner/here", "text");
    sandbox.write("closed/there", "secret");
    sandbox.write("closed/folder/there", "secret");
    let link = |to: &str, name: &str| std::os::unix::fs::symlink(to, sandbox.path(name)).unwrap();
    link("../closed", "ok/out");
    link("../closed/there", "ok/file");
    link("../closed/missing", "ok/nowhere");
    link("inner", "ok/in");
    link("round", "ok/round");
    let root = sandbox.path("").canonicalize().unwrap();
    let root = root.to_str().unwrap();
    for permissions in [&["--allow-read=ok"][..], &["--allow-write=ok"]] {
        let refused = probed(&sandbox, permissions, "/no/such/place");
        assert!(refused.contains("PermissionDenied"), "{refused}");
        for path in [
            "closed/there",
            "closed/missing",
            "closed",
            "missing",
            "ok/../closed/there",
            "ok/../closed/missing",
            "ok/../closed/folder/there",
            "ok/../missing/../closed/there",
            "ok/inner/../../closed/there",
            "ok/inner/../../closed/missing",
            "ok/missing/../../closed/there",
            "ok/missing/../../closed/missing",
            "ok/../../../../../../../../../../etc/shadow",
            "ok/../../../../../../../../../../etc/shadowx",
            "/etc/shadow",
            "/etc/shadowx",
            "ok/out/there",
            "ok/out/missing",
            "ok/out/folder/there",
            "ok/out/../closed/there",
            "ok/file",
            "ok/file/x",
            "ok/nowhere",
            "closed/../ok/inner/here",
            "missing/../ok/inner/here",
        ] {
            assert_eq!(probed(&sandbox, permissions, path), refused, "{path}");
        }
        let whole = format!("{root}closed/there");
        assert_eq!(probed(&sandbox, permissions, &whole), refused);
    }
    for path in ["ok/inner/here", "ok/in/here", "./ok/./inner/../inner/here"] {
        let found = probed(&sandbox, &["--allow-read=ok"], path);
        assert!(found.contains("contents 'text'"), "{path}: {found}");
    }
    let whole = format!("{root}/ok/inner/here");
    let found = probed(&sandbox, &["--allow-read=ok"], &whole);
    assert!(found.contains("contents 'text'"), "{found}");
    let missing = probed(&sandbox, &["--allow-read=ok"], "ok/missing");
    assert!(missing.contains("exists false"), "{missing}");
}

#[test]
fn a_place_may_be_allowed_through_a_link() {
    let sandbox = Sandbox::new("linked");
    sandbox.write("real/ok/here", "text");
    std::os::unix::fs::symlink("real", sandbox.path("link")).unwrap();
    for (allowed, path) in [
        ("--allow-read=link/ok", "link/ok/here"),
        ("--allow-read=link/ok", "real/ok/here"),
        ("--allow-read=link", "real/ok/here"),
        ("--allow-read=link/ok/here", "link/ok/here"),
    ] {
        let found = probed(&sandbox, &[allowed], path);
        assert!(
            found.contains("contents 'text'"),
            "{allowed} {path}: {found}"
        );
    }
}

#[test]
fn an_empty_value_allows_nothing() {
    let sandbox = Sandbox::new("empty-values");
    for option in ["--allow-read=", "--allow-write=", "--allow-env="] {
        for command in [&["run", option, "-e", "3"][..], &["test", option, "x.st"]] {
            let ran = sandbox.tally(command);
            ran.exits(2).says("a path or a name is expected after =");
        }
    }
    for option in ["--allow-read", "--allow-write", "--allow-env"] {
        sandbox.tally(&["run", option, "-e", "3"]).exits(0);
    }
}
