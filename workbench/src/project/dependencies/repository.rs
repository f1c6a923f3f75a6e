//! What a folder of packages holds: the packages by name, and the baselines among them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use tally_compiler::bounds;

use super::baseline::{Baseline, BaselineFile, PREFIX};
use super::unknown;
use crate::error::{Error, ErrorKind};
use crate::loading::{PackageFolder, packages_in};

/// A folder of packages.
pub(super) struct Repository {
    pub(super) folder: PathBuf,
    /// The folders of its packages, by the names of the packages.
    pub(super) packages: BTreeMap<String, String>,
    /// Its baselines, by their names.
    pub(super) baselines: BTreeMap<String, Baseline>,
    /// The name of the baseline that decides, if one does.
    pub(super) main: Option<String>,
}

impl Repository {
    /// What is in a folder. A baseline is wanted by its name, or the only one is taken.
    pub(super) fn read(folder: PathBuf, wanted: Option<&str>) -> Result<Repository, Error> {
        let mut packages = BTreeMap::new();
        let mut baselines = BTreeMap::new();
        for package in packages_in(&folder)? {
            if let Some(name) = package.name.strip_prefix(PREFIX) {
                let read = read_baseline(&package);
                baselines.extend(read?.map(|baseline| (name.to_owned(), baseline)));
            }
            packages
                .entry(package.name)
                .or_insert_with(|| package.folder.display().to_string());
        }
        let main = match wanted {
            Some(name) if baselines.contains_key(name) => Some(name.to_owned()),
            Some(name) => {
                let what = "there is no baseline";
                return Err(unknown(what, name, baselines.keys().map(String::as_str)));
            }
            None => match baselines.len() {
                1 => baselines.keys().next().cloned(),
                _ => None,
            },
        };
        Ok(Repository {
            folder,
            packages,
            baselines,
            main,
        })
    }

    /// The baseline that decides.
    ///
    /// # Errors
    /// If there are several and none is named.
    pub(super) fn baseline(&self) -> Result<Option<&Baseline>, Error> {
        match &self.main {
            Some(name) => Ok(self.baselines.get(name)),
            None if self.baselines.is_empty() => Ok(None),
            None => {
                let names: Vec<&str> = self.baselines.keys().map(String::as_str).collect();
                let why = format!(
                    "it has several baselines, so name one by `baseline = \"…\"`, or name its packages: {}",
                    names.join(", ")
                );
                Err(Error::new(ErrorKind::Usage, why))
            }
        }
    }
}

/// The baseline of a package, if its class is in its files.
fn read_baseline(package: &PackageFolder) -> Result<Option<Baseline>, Error> {
    let mut files = Vec::new();
    for file in &package.files {
        files.push(BaselineFile {
            path: file.display().to_string(),
            text: read(file)?,
        });
    }
    Ok(Baseline::read(&package.name, &files))
}

fn read(file: &Path) -> Result<String, Error> {
    let failed = |error| Error::io("read", &file.display().to_string(), &error);
    let length = std::fs::metadata(file).map_err(failed)?.len();
    if bounds::too_long(length).is_some() {
        let why = format!("{} is too long", file.display());
        return Err(Error::new(ErrorKind::Source, why));
    }
    let bytes = std::fs::read(file).map_err(failed)?;
    // What is no text has no class in it. When it is loaded, that is an error.
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
