//! `tally new`: makes a project from a template, or adds Tally to a folder that holds something already. Nothing that is there
//! already is ever touched.

mod existing;
mod name;

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use clap::Args;
use name::ProjectName;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::{console, output};

/// The project's name in the template; no class can have a name that contains it.
const NAME: &str = "skeleton-project";
/// The name of its class in the template.
const CLASS: &str = "Skeleton";
/// The folder that is meant by the name of the current one.
const HERE: &str = ".";

/// The settings in the template.
const SETTINGS: &str = "tally.toml";
/// The description in the template, which names its folders.
const README: &str = "README.md";
/// The files about the program itself in the template.
const PROGRAM: [&str; 2] = ["src/Skeleton.st", "tests/SkeletonTest.st"];

/// The template: path and content of each file.
const TEMPLATE: &[(&str, &str)] = &[
    (".gitattributes", include_str!("template/gitattributes")),
    (
        ".github/workflows/tally.yml",
        include_str!("template/workflow.yml"),
    ),
    (".gitignore", include_str!("template/gitignore")),
    (README, include_str!("template/README.md")),
    (PROGRAM[0], include_str!("template/src/Skeleton.st")),
    (SETTINGS, include_str!("template/tally.toml")),
    (PROGRAM[1], include_str!("template/tests/SkeletonTest.st")),
];

#[derive(Clone, Debug, Args)]
#[command(
    after_help = "Nothing is overwritten: the folder must be new or empty. tally new . adds the files that the current folder lacks.\n\
Where there is no git repository, one is made."
)]
pub(crate) struct NewArguments {
    /// The project's folder, which names its class: WordCounter for word-counter; . is the current folder
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
}

pub(crate) fn new(arguments: &NewArguments) -> Result<Exit, Failure> {
    if arguments.name == HERE {
        return existing::add_to(Path::new(HERE));
    }
    let name = ProjectName::new(&arguments.name)?;
    name.check_class()?;
    let folder = Path::new(&arguments.name);
    check_folder(folder, &arguments.name)?;
    let files: Vec<(String, String)> = files(&name).collect();
    make(folder, &files)?;
    let mut text = format!("made {}:\n", arguments.name);
    push_files(&files, &mut text);
    push_repository(folder, &arguments.name, &mut text);
    let _ = writeln!(text, "next:\n  cd {}", arguments.name);
    push_next(&mut text);
    output::write(&text, None)?;
    Ok(Exit::Success)
}

/// Makes files below a folder, all or none.
fn make(folder: &Path, files: &[(String, String)]) -> Result<(), Failure> {
    let mut made = Made::default();
    for (path, text) in files {
        if let Err(error) = made.file(&folder.join(path), text) {
            made.undo();
            let path = folder.join(path).display().to_string();
            return Err(Failure::io("write", &path, &error));
        }
    }
    Ok(())
}

/// The files of a project of that name.
fn files(name: &ProjectName) -> impl Iterator<Item = (String, String)> {
    let named = |text: &str| text.replace(CLASS, &name.class).replace(NAME, &name.folder);
    let files = TEMPLATE.iter();
    files.map(move |(path, text)| (path.replace(CLASS, &name.class), named(text)))
}

/// Fails if the project's path exists.
fn check_folder(folder: &Path, shown: &str) -> Result<(), Failure> {
    let failed = |error| Failure::io("look into", shown, &error);
    let why = match fs::symlink_metadata(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(failed(error)),
        Ok(_) if !folder.is_dir() => {
            format!(
                "{shown} exists and is not a folder; nothing is overwritten, choose another name"
            )
        }
        Ok(_) if fs::read_dir(folder).map_err(failed)?.next().is_none() => return Ok(()),
        Ok(_) => format!(
            "{shown} is not empty; nothing is overwritten, choose another name, or tally new . in that folder"
        ),
    };
    Err(Failure::new(Exit::Usage, why))
}

fn push_files(files: &[(String, String)], text: &mut String) {
    for (path, _) in files {
        let _ = writeln!(text, "  {path}");
    }
}

fn push_next(text: &mut String) {
    text.push_str(
        "  tally test                   runs its tests\n  \
         tally test --counts update   writes tally.counts, what each test costs, to be committed\n",
    );
}

/// Makes a git repository in the folder if it is in none. Without git the project is as good.
fn push_repository(folder: &Path, shown: &str, text: &mut String) {
    let is_in_one = fs::canonicalize(folder)
        .is_ok_and(|whole| whole.ancestors().any(|above| above.join(".git").exists()));
    if is_in_one {
        return;
    }
    let made = Command::new("git")
        .args(["init", "-q"])
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    match made {
        Ok(status) if status.success() => {
            let _ = writeln!(text, "made a git repository in {shown}");
        }
        _ => console::warning("no git repository was made: git init fails"),
    }
}

/// The files made so far, to be removed if the rest fails.
#[derive(Default)]
struct Made {
    folders: Vec<PathBuf>,
    files: Vec<PathBuf>,
}

impl Made {
    /// Makes a new file and the missing folders above it.
    fn file(&mut self, path: &Path, text: &str) -> io::Result<()> {
        if let Some(folder) = path.parent() {
            self.folder(folder)?;
        }
        let mut file = File::create_new(path)?;
        self.files.push(path.to_path_buf());
        file.write_all(text.as_bytes())
    }

    fn folder(&mut self, folder: &Path) -> io::Result<()> {
        if folder.as_os_str().is_empty() || folder.is_dir() {
            return Ok(());
        }
        if let Some(above) = folder.parent() {
            self.folder(above)?;
        }
        fs::create_dir(folder)?;
        self.folders.push(folder.to_path_buf());
        Ok(())
    }

    /// The first failure is reported. A file that cannot be removed stays.
    fn undo(self) {
        for file in &self.files {
            let _ = fs::remove_file(file);
        }
        for folder in self.folders.iter().rev() {
            let _ = fs::remove_dir(folder);
        }
    }
}
