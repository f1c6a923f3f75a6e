//! Repositories of their own in temporary folders; what the user has is compared before and after, byte by byte.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use super::*;

/// A folder that goes away with its owner.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Folder {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("tally git tests {} {number}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        fs::create_dir_all(&folder).unwrap();
        Folder(fs::canonicalize(folder).unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn write(&self, name: &str, content: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    fn git(&self, arguments: &[&str]) -> String {
        let output = git(&self.0)
            .args([
                "-c",
                "user.name=A",
                "-c",
                "user.email=a@b",
                "-c",
                "commit.gpgsign=false",
            ])
            .args(["-c", "protocol.file.allow=always"])
            .args(arguments)
            .output()
            .unwrap();
        assert!(output.status.success(), "git {arguments:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    fn commit(&self, message: &str) -> String {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "-m", message]);
        self.git(&["rev-parse", "HEAD"]).trim().to_string()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Two commits, with names and contents that are easily broken, and changes that are not committed.
fn repository() -> (Folder, String, String) {
    let folder = Folder::new();
    folder.git(&["init", "-q", "-b", "main"]);
    folder.write("src/a b.st", "Object subclass: A [ one [ ^1 ] ]\n");
    folder.write("src/größe.st", "3 printNl.\r\n4 printNl.\r\n");
    folder.write("run.sh", "#!/bin/sh\n");
    #[cfg(unix)]
    {
        use std::os::unix::fs::{PermissionsExt as _, symlink};
        fs::set_permissions(folder.path("run.sh"), fs::Permissions::from_mode(0o755)).unwrap();
        symlink("src/a b.st", folder.path("link.st")).unwrap();
    }
    let first = folder.commit("one");
    folder.write("src/a b.st", "Object subclass: A [ one [ ^2 ] ]\n");
    let second = folder.commit("two");
    folder.write("src/a b.st", "changed and not committed\n");
    folder.write("staged.st", "staged\n");
    folder.git(&["add", "staged.st"]);
    folder.write("new.st", "not known to git\n");
    (folder, first, second)
}

/// Everything below a folder: what it is, and its bytes.
fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut waiting = vec![folder.to_path_buf()];
    while let Some(next) = waiting.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            let kind = fs::symlink_metadata(&path).unwrap().file_type();
            if kind.is_dir() {
                waiting.push(path);
            } else if kind.is_symlink() {
                let target = fs::read_link(&path).unwrap();
                found.insert(path, target.as_os_str().as_encoded_bytes().to_vec());
            } else {
                found.insert(path.clone(), fs::read(path).unwrap());
            }
        }
    }
    found
}

fn refused<T: std::fmt::Debug>(result: Result<T, Error>, kind: ErrorKind, text: &str) {
    let failure = format!("{:?}", result.unwrap_err());
    assert!(failure.contains(&format!("{kind:?}")), "{failure}");
    assert!(failure.contains(text), "{failure}");
}

#[test]
fn a_revision_is_written_and_nothing_of_the_users_changes() {
    let (folder, first, second) = repository();
    let before = (contents(&folder.0), folder.git(&["status", "--porcelain"]));
    let out = Folder::new();
    let export_to =
        |revision: &str, name: &str| export(&folder.0, revision, &out.path(name)).unwrap();
    let done = export_to("HEAD~1", "one");
    assert_eq!(done.commit, Commit(first));
    assert!(done.submodules.is_empty());
    assert_eq!(export_to("main", "two").commit, Commit(second));
    let after = (contents(&folder.0), folder.git(&["status", "--porcelain"]));
    assert!(before == after);
    let text = |name: &str| fs::read_to_string(out.path(name)).unwrap();
    assert_eq!(
        text("one/src/a b.st"),
        "Object subclass: A [ one [ ^1 ] ]\n"
    );
    assert_eq!(
        text("two/src/a b.st"),
        "Object subclass: A [ one [ ^2 ] ]\n"
    );
    assert_eq!(text("one/src/größe.st"), "3 printNl.\r\n4 printNl.\r\n");
    assert!(!out.path("two/new.st").exists() && !out.path("two/staged.st").exists());
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = fs::metadata(out.path("one/run.sh"))
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(mode & 0o100, 0o100);
        assert_eq!(
            fs::read_link(out.path("one/link.st")).unwrap(),
            Path::new("src/a b.st")
        );
        assert_eq!(done.files, 4);
    }
}

#[test]
fn filters_and_hooks_do_not_run() {
    let (folder, ..) = repository();
    let witness = folder.path(".git/witness");
    let touch = format!("touch '{}'; cat", witness.display());
    folder.git(&["config", "filter.f.smudge", &touch]);
    folder.git(&["config", "core.autocrlf", "true"]);
    folder.git(&["config", "core.fsmonitor", &touch]);
    folder.write(".gitattributes", "* filter=f\n");
    folder.commit("three");
    let hook = folder.path(".git/hooks/post-checkout");
    folder.write(
        ".git/hooks/post-checkout",
        &format!("#!/bin/sh\ntouch '{}'\n", witness.display()),
    );
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).unwrap();
    }
    assert!(hook.exists());
    let out = Folder::new();
    export(&folder.0, "HEAD", &out.path("x")).unwrap();
    assert!(is_clean(&folder.0).unwrap());
    assert!(!witness.exists());
    assert_eq!(
        fs::read_to_string(out.path("x/new.st")).unwrap(),
        "not known to git\n"
    );
}

#[test]
fn a_folder_in_use_is_not_written_to() {
    let (folder, ..) = repository();
    let out = Folder::new();
    out.write("mine", "mine");
    refused(
        export(&folder.0, "HEAD", &out.0),
        ErrorKind::Io,
        "is not empty",
    );
    assert_eq!(contents(&out.0).len(), 1);
}

#[test]
fn submodules_are_left_out_and_told() {
    let (inner, ..) = repository();
    let folder = Folder::new();
    folder.git(&["init", "-q", "-b", "main"]);
    folder.write("a.st", "1 printNl.\n");
    folder.git(&[
        "submodule",
        "add",
        "-q",
        inner.0.to_str().unwrap(),
        "sub module",
    ]);
    folder.commit("one");
    let out = Folder::new();
    let done = export(&folder.0, "HEAD", &out.path("x")).unwrap();
    assert_eq!(done.submodules, [PathBuf::from("sub module")]);
    assert!(out.path("x/a.st").exists() && !out.path("x/sub module").exists());
}

#[test]
fn roots_and_last_commits_are_found() {
    let (folder, first, second) = repository();
    assert_eq!(repository_root(&folder.path("src")).unwrap(), folder.0);
    assert_eq!(
        repository_root(&folder.path("src/a b.st")).unwrap(),
        folder.0
    );
    let last = |name: &str| last_commit_of(&folder.path(name)).unwrap().map(|c| c.0);
    assert_eq!(last("src/a b.st"), Some(second.clone()));
    assert_eq!(last("src"), Some(second));
    assert_eq!(last("src/größe.st"), Some(first));
    assert_eq!(last("new.st"), None);
    // Names are not patterns.
    assert_eq!(last("src/*.st"), None);
}

#[test]
fn a_tree_is_clean_or_not() {
    let (folder, ..) = repository();
    assert!(!is_clean(&folder.0).unwrap());
    folder.commit("three");
    assert!(is_clean(&folder.0).unwrap());
    folder.write("another.st", "");
    assert!(!is_clean(&folder.0).unwrap());
}

#[test]
fn what_cannot_be_found_is_told() {
    let outside = Folder::new();
    refused(
        repository_root(&outside.0),
        ErrorKind::Usage,
        "is in no git repository",
    );
    let (folder, ..) = repository();
    refused(
        commit_of(&folder.0, "nonsense"),
        ErrorKind::Usage,
        "there is no revision 'nonsense'",
    );
    refused(
        commit_of(&folder.0, "--help"),
        ErrorKind::Usage,
        "'--help' is no revision",
    );
    refused(
        commit_of(&folder.0, ""),
        ErrorKind::Usage,
        "'' is no revision",
    );
    refused(
        commit_of(&folder.0, "HEAD:src"),
        ErrorKind::Usage,
        "there is no revision",
    );
    let missing = folder.path("nowhere/at/all.st");
    refused(repository_root(&missing), ErrorKind::Io, "no such file");
}

#[test]
fn a_repository_without_commits_has_no_last_one() {
    let folder = Folder::new();
    folder.git(&["init", "-q"]);
    folder.write("a.st", "");
    assert_eq!(last_commit_of(&folder.path("a.st")).unwrap(), None);
    assert!(!is_clean(&folder.0).unwrap());
    refused(
        commit_of(&folder.0, "HEAD"),
        ErrorKind::Usage,
        "there is no revision 'HEAD'",
    );
}

#[test]
fn a_shallow_clone_says_that_it_is() {
    let (folder, first, _) = repository();
    let clone = Folder::new();
    let url = format!("file://{}", folder.0.display());
    clone.git(&["clone", "-q", "--depth", "1", &url, "c"]);
    let root = clone.path("c");
    commit_of(&root, "HEAD").unwrap();
    refused(commit_of(&root, &first), ErrorKind::Incomparable, "shallow");
    refused(
        commit_of(&root, "HEAD~1"),
        ErrorKind::Incomparable,
        "--unshallow",
    );
}

#[test]
fn names_that_lead_elsewhere_are_refused() {
    use super::export::tests_of_entries::path_of;
    for bad in [
        "../a",
        "/a",
        "a/../../b",
        ".git/config",
        "a/.GIT/hooks/x",
        "",
    ] {
        let row = format!("100644 blob 0123\t{bad}");
        refused(path_of(row.as_bytes()), ErrorKind::Io, "leads elsewhere");
    }
    assert_eq!(
        path_of(b"100644 blob 0123\ta/b c").unwrap(),
        Path::new("a/b c")
    );
    refused(path_of(b"100644 blob"), ErrorKind::Io, "unknown way");
    refused(
        path_of(b"040000 tree 0123\ta"),
        ErrorKind::Io,
        "unknown way",
    );
}

#[test]
fn variables_of_an_outer_git_do_not_mislead() {
    let (folder, _, second) = repository();
    let command = git(&folder.0);
    let removed: Vec<_> = command
        .get_envs()
        .filter(|(_, value)| value.is_none())
        .collect();
    assert_eq!(removed.len(), INHERITED.len());
    assert_eq!(commit_of(&folder.0, "HEAD").unwrap().0, second);
}

/// The address of a folder's repository.
fn url_of(folder: &Folder) -> String {
    format!("file://{}", folder.0.display())
}

#[test]
fn a_commit_is_fetched_with_its_files_and_no_hook_runs() {
    let (remote, first, second) = repository();
    let here = Folder::new();
    for (name, commit) in [("first", &first), ("second", &second)] {
        let clone = here.path(name);
        fetch(&url_of(&remote), commit, &clone).unwrap();
        let export = export(&clone, commit, &here.path("tree").join(name)).unwrap();
        assert_eq!(export.commit.0, *commit);
        let text = fs::read_to_string(here.path("tree").join(name).join("src/a b.st")).unwrap();
        assert!(
            text.contains(if name == "first" { "^1" } else { "^2" }),
            "{text}"
        );
        let hooks = clone.join(".git/hooks");
        assert!(!hooks.exists(), "a template brought hooks");
    }
}

#[test]
fn what_cannot_be_fetched_has_a_reason() {
    let (remote, first, _) = repository();
    let here = Folder::new();
    let unknown = "0123456789abcdef0123456789abcdef01234567";
    let refusal = fetch(&url_of(&remote), unknown, &here.path("a"));
    refused(
        refusal,
        ErrorKind::Usage,
        "the repository has no commit 0123456789",
    );
    let nowhere = format!("file://{}", here.path("nowhere").display());
    let refusal = fetch(&nowhere, &first, &here.path("b"));
    refused(refusal, ErrorKind::Io, "nowhere cannot be fetched: '");
    remote.git(&["tag", "-a", "-m", "it", "named"]);
    let tag = remote.git(&["rev-parse", "named"]).trim().to_string();
    let refusal = fetch(&url_of(&remote), &tag, &here.path("c"));
    refused(refusal, ErrorKind::Usage, "is no commit, but leads to");
    // A protocol that starts a program is not spoken.
    let refusal = fetch("ext::false", &first, &here.path("d"));
    refused(refusal, ErrorKind::Io, "transport 'ext' not allowed");
}
