//! `tally new`: a project to start from. Its files are those in `template`, under other names; nothing that is there
//! already is ever touched.

mod name;

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use clap::Args;
use name::ProjectName;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::output;

/// The project's name in the template; no class can have a name that contains it.
const NAME: &str = "skeleton-project";
/// The name of its class in the template.
const CLASS: &str = "Skeleton";

/// The template: path and content of each file.
const TEMPLATE: &[(&str, &str)] = &[
    (".gitattributes", include_str!("template/gitattributes")),
    (
        ".github/workflows/tally.yml",
        include_str!("template/workflow.yml"),
    ),
    (".gitignore", include_str!("template/gitignore")),
    ("README.md", include_str!("template/README.md")),
    ("src/Skeleton.st", include_str!("template/src/Skeleton.st")),
    ("tally.toml", include_str!("template/tally.toml")),
    (
        "tests/SkeletonTest.st",
        include_str!("template/tests/SkeletonTest.st"),
    ),
];

#[derive(Clone, Debug, Args)]
#[command(after_help = "Nothing is overwritten: the folder must be new or empty.")]
pub(crate) struct NewArguments {
    /// The project's folder, which names its class: WordCounter for word-counter
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
}

pub(crate) fn new(arguments: &NewArguments) -> Result<Exit, Failure> {
    let name = ProjectName::new(&arguments.name)?;
    name.check_class()?;
    let folder = Path::new(&arguments.name);
    check_folder(folder, &arguments.name)?;
    let mut made = Made::default();
    for (path, text) in files(&name) {
        if let Err(error) = made.file(&folder.join(&path), &text) {
            made.undo();
            return Err(Failure::io(
                "write",
                &folder.join(path).display().to_string(),
                &error,
            ));
        }
    }
    output::write(&report(&arguments.name, &name), None)?;
    Ok(Exit::Success)
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
        Ok(_) if !folder.is_dir() => "exists and is not a folder",
        Ok(_) if fs::read_dir(folder).map_err(failed)?.next().is_none() => return Ok(()),
        Ok(_) => "is not empty",
    };
    let message = format!("{shown} {why}; nothing is overwritten, choose another name");
    Err(Failure::new(Exit::Usage, message))
}

fn report(shown: &str, name: &ProjectName) -> String {
    let mut text = format!("made {shown}:\n");
    for (path, _) in files(name) {
        let _ = writeln!(text, "  {path}");
    }
    let _ = write!(
        text,
        "next:\n  cd {shown}\n  tally test                   runs its tests\n  \
         tally test --counts update   writes tally.counts, what each test costs, to be committed\n"
    );
    text
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
