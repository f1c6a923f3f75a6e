//! Where a study goes: standard output, files whose names decide the format, folders for everything.

use std::path::{Path, PathBuf};

use tally_presentation::Page;
use tally_study::{Study, report};

use crate::exit::Exit;
use crate::failure::Failure;
use crate::{console, output};

/// Where a study goes.
pub(super) struct Outputs<'a>(Vec<(Kind, &'a Path)>);

#[derive(Clone, Copy)]
enum Kind {
    Html,
    Markdown,
    Json,
    Text,
    Folder,
    Standard,
}

impl Kind {
    fn of(path: &Path) -> Option<Kind> {
        if output::is_standard(path) {
            return Some(Kind::Standard);
        }
        let ending = path.extension().map(|ending| ending.to_string_lossy());
        match ending.as_deref() {
            Some("html") => Some(Kind::Html),
            Some("md") => Some(Kind::Markdown),
            Some("json") => Some(Kind::Json),
            Some("txt") => Some(Kind::Text),
            None => Some(Kind::Folder),
            Some(_) => path.is_dir().then_some(Kind::Folder),
        }
    }
}

impl<'a> Outputs<'a> {
    /// What the options mean. What would go wrong for sure goes wrong here, before anything is measured.
    pub(super) fn new(files: &'a [PathBuf]) -> Result<Outputs<'a>, Failure> {
        let mut outputs = Vec::new();
        for file in files {
            let kind = Kind::of(file).ok_or_else(|| {
                let why = format!(
                    "{}: the format is not known by its name; names end in .html, .md, .json or .txt, or are a folder's",
                    file.display()
                );
                Failure::new(Exit::Usage, why)
            })?;
            if let Some(folder) = file.parent().filter(|f| !f.as_os_str().is_empty())
                && !folder.is_dir()
            {
                let why = format!("there is no folder {}", folder.display());
                return Err(Failure::new(Exit::Io, why));
            }
            let folder = match kind {
                Kind::Folder => Some(file.clone()),
                // Its figures go there.
                Kind::Markdown => Some(file.with_extension("")),
                Kind::Html | Kind::Json | Kind::Text | Kind::Standard => None,
            };
            if let Some(folder) = folder.filter(|folder| folder.exists() && !folder.is_dir()) {
                let why = format!("{} is no folder", folder.display());
                return Err(Failure::new(Exit::Io, why));
            }
            outputs.push((kind, file.as_path()));
        }
        Ok(Outputs(outputs))
    }

    /// Writes the study everywhere; without files to standard output.
    pub(super) fn write(&self, study: &Study) -> Result<(), Failure> {
        if self.0.is_empty() {
            return output::write(&report::text(study, console::results_page()), None);
        }
        for (kind, path) in &self.0 {
            match kind {
                Kind::Html => output::write(&report::html(study), Some(path))?,
                Kind::Markdown => markdown(study, path)?,
                Kind::Json => output::write(&json(study)?, Some(path))?,
                Kind::Text => output::write(&report::text(study, Page::default()), Some(path))?,
                Kind::Folder => everything(study, path)?,
                Kind::Standard => {
                    output::write(&report::text(study, console::results_page()), None)?;
                }
            }
        }
        Ok(())
    }
}

fn json(study: &Study) -> Result<String, Failure> {
    report::json(study).map_err(|error| Failure::new(Exit::Internal, error.to_string()))
}

/// The text, and its figures in a folder beside it that has the text's name without its ending.
fn markdown(study: &Study, path: &Path) -> Result<(), Failure> {
    let folder = path.with_extension("");
    let name = folder.file_name().map(|name| name.to_string_lossy());
    let name = name.unwrap_or_default();
    let text = report::markdown(study, |figure| format!("{name}/{figure}.svg"));
    figures(study, &folder)?;
    output::write(&text, Some(path))
}

fn figures(study: &Study, folder: &Path) -> Result<(), Failure> {
    make(folder)?;
    for figure in report::figures(study) {
        let path = folder.join(format!("{}.svg", figure.stem));
        output::write(&figure.svg(), Some(&path))?;
    }
    Ok(())
}

fn make(folder: &Path) -> Result<(), Failure> {
    let made = std::fs::create_dir_all(folder);
    made.map_err(|error| Failure::io("make", &folder.display().to_string(), &error))
}

fn everything(study: &Study, folder: &Path) -> Result<(), Failure> {
    make(folder)?;
    let write = |name: &str, text: &str| output::write(text, Some(&folder.join(name)));
    write("study.txt", &report::text(study, Page::default()))?;
    let text = report::markdown(study, |figure| format!("{figure}.svg"));
    write("study.md", &text)?;
    write("study.html", &report::html(study))?;
    write("study.json", &json(study)?)?;
    for (name, table) in report::csv(study) {
        write(&format!("{name}.csv"), &table)?;
    }
    figures(study, folder)
}
