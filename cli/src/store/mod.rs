//! `tally store`: what is kept, to another place and back, less of it, and whether all of it is whole. Unlike the commands that
//! only use the store, these fail where it cannot be used.

pub(crate) mod arguments;

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;
use tally_presentation::{Align, Cell, Layout, grouped};

use self::arguments::{
    ExportArguments, ImportArguments, ListArguments, PruneArguments, StoreArguments, StoreCommand,
    VerifyArguments,
};
use crate::arguments::Format;
use crate::front::front;
use tally_workbench::revisions::git;
use tally_workbench::store::transfer::{self, Export};
use tally_workbench::store::{Added, Entry, FILE, OpenStore, StoreError, Stored};
use tally_workbench::{Error, ErrorKind};

use crate::exit::Exit;
use crate::failure::Failure;
use crate::{console, output};
use tally_workbench::project::Project;

const SCHEMA: &str = "tally.store/1";
/// Letters of a key or a commit that are shown.
const SHORT: usize = 8;
/// Commits of a measurement that are shown.
const SHOWN_COMMITS: usize = 2;

/// Runs `tally store`.
pub(crate) fn store(arguments: StoreArguments) -> Result<Exit, Failure> {
    let project = Project::here(&*front())?;
    match arguments.what {
        StoreCommand::List(arguments) => list(&project, &arguments),
        StoreCommand::Export(arguments) => export(&project, &arguments),
        StoreCommand::Import(arguments) => import(&project, &arguments),
        StoreCommand::Prune(arguments) => prune(&project, &arguments),
        StoreCommand::Verify(arguments) => verify(&project, &arguments),
    }
}

/// The store of a project, if it has one.
fn open(project: &Project) -> Result<Option<OpenStore>, Failure> {
    Ok(OpenStore::existing(&project.workspace())?)
}

fn failed(error: StoreError) -> Error {
    error.into()
}

fn nothing_kept() -> Failure {
    Failure::new(
        Exit::Nothing,
        "nothing is kept yet: there is no .tally/store.sqlite",
    )
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Listed {
    key: String,
    what: String,
    commits: Vec<String>,
    sends: u64,
    bytes: usize,
    inputs: usize,
    is_repeatable: bool,
}

#[derive(Serialize)]
struct ListDocument<'l> {
    schema: &'static str,
    measurements: &'l [Listed],
    damaged: usize,
}

fn list(project: &Project, arguments: &ListArguments) -> Result<Exit, Failure> {
    let mut listed = Vec::new();
    let mut damaged = 0;
    if let Some(mut open) = open(project)? {
        let database = &mut open.database;
        database
            .each(&mut |entry| {
                match entry.stored {
                    Some(stored) => listed.push(Listed {
                        key: stored.key.to_string(),
                        inputs: stored.inputs().map_or(0, |inputs| inputs.len()),
                        what: stored.subject,
                        commits: entry.commits,
                        sends: stored.sends,
                        bytes: stored.payload.len(),
                        is_repeatable: stored.is_repeatable,
                    }),
                    None => damaged += 1,
                }
                Ok(())
            })
            .map_err(failed)?;
    }
    let text = match arguments.format {
        Format::Human => list_for_people(&listed, damaged),
        Format::Json => output::json(&ListDocument {
            schema: SCHEMA,
            measurements: &listed,
            damaged,
        })?,
    };
    output::write(&text, None)?;
    Ok(Exit::Success)
}

fn list_for_people(listed: &[Listed], damaged: usize) -> String {
    let mut text = match listed.len() {
        0 => "nothing is kept\n".to_string(),
        1 => "1 measurement\n".to_string(),
        count => format!("{} measurements\n", grouped(count as u64)),
    };
    if damaged > 0 {
        text += &format!("{damaged} damaged\n");
    }
    if listed.is_empty() {
        return text;
    }
    use Align::{Flexible, Left, Right};
    let mut layout = Layout::new(&[Left, Right, Right, Right, Left, Flexible]);
    layout.row(["key", "sends", "bytes", "inputs", "commits", "what"]);
    for one in listed {
        let row: [Cell; 6] = [
            short(&one.key).into(),
            grouped(one.sends).into(),
            grouped(one.bytes as u64).into(),
            one.inputs.to_string().into(),
            commits_of(&one.commits).into(),
            one.what.as_str().into(),
        ];
        layout.row(row);
    }
    text.push('\n');
    text + &layout.render_on(console::results_page())
}

fn short(name: &str) -> &str {
    name.get(..SHORT).unwrap_or(name)
}

fn commits_of(commits: &[String]) -> String {
    let shown: Vec<&str> = commits
        .iter()
        .take(SHOWN_COMMITS)
        .map(|name| short(name))
        .collect();
    match commits.len().saturating_sub(SHOWN_COMMITS) {
        0 => shown.join(" "),
        more => format!("{} +{more}", shown.join(" ")),
    }
}

fn export(project: &Project, arguments: &ExportArguments) -> Result<Exit, Failure> {
    let mut open = open(project)?.ok_or_else(nothing_kept)?;
    let database = &mut open.database;
    let mut export = Export::default();
    let mut damaged = 0;
    database
        .each(&mut |entry| {
            match entry.stored.filter(Stored::is_consistent) {
                Some(stored) => export
                    .add(stored, entry.commits)
                    .ok_or(StoreError::TooLarge)?,
                None => damaged += 1,
            }
            Ok(())
        })
        .map_err(failed)?;
    if damaged > 0 {
        let are = if damaged == 1 { "is" } else { "are" };
        let count = measurements(damaged);
        console::warning(&format!(
            "{count} in the store cannot be read and {are} not exported"
        ));
    }
    let count = export.count;
    output::write_bytes(&export.finish(), Some(&arguments.file))?;
    output::write(&format!("{} exported\n", measurements(count)), None)?;
    Ok(Exit::Success)
}

fn measurements(count: usize) -> String {
    match count {
        1 => "1 measurement".to_string(),
        count => format!("{} measurements", grouped(count as u64)),
    }
}

fn import(project: &Project, arguments: &ImportArguments) -> Result<Exit, Failure> {
    let name = arguments.file.display().to_string();
    let bytes =
        std::fs::read(&arguments.file).map_err(|error| Failure::io("read", &name, &error))?;
    let entries = transfer::read(&bytes).map_err(|why| {
        let exit = match why {
            transfer::Refused::Version => Exit::Incomparable,
            _ => Exit::Io,
        };
        Failure::new(exit, format!("cannot import {name}: {why}"))
    })?;
    let mut open = OpenStore::made(&project.workspace()).map_err(failed)?;
    let done = open.database.add_all(&entries).map_err(failed)?;
    let count = |what| done.iter().filter(|added| **added == what).count();
    let (new, known, differ) = (
        count(Added::New),
        count(Added::Known),
        count(Added::Differs),
    );
    output::write(
        &format!("{} imported, {known} known before\n", measurements(new)),
        None,
    )?;
    if differ == 0 {
        return Ok(Exit::Success);
    }
    let why = format!(
        "{} in {name} differ from the kept measurements of the same runs; the kept ones stay",
        measurements(differ)
    );
    Err(Failure::new(Exit::Nondeterministic, why))
}

fn prune(project: &Project, arguments: &PruneArguments) -> Result<Exit, Failure> {
    let mut open = open(project)?.ok_or_else(nothing_kept)?;
    let database = &mut open.database;
    let mut kept = Vec::new();
    let mut removed = Vec::new();
    let mut commits = Commits::new(project, arguments.gone)?;
    database
        .each(&mut |entry| {
            match is_readable(&entry) {
                true => kept.push((entry.id, entry.commits)),
                false => removed.push(entry.id),
            }
            Ok(())
        })
        .map_err(failed)?;
    let mut left = Vec::new();
    for (id, names) in kept {
        match commits.are_gone(&names)? {
            true => removed.push(id),
            false => left.push(id),
        }
    }
    if let Some(keep) = arguments.keep {
        let too_many = left.len().saturating_sub(keep);
        removed.extend(left.drain(..too_many));
    }
    database.remove(&removed).map_err(failed)?;
    database.squeeze().map_err(failed)?;
    let text = format!(
        "{} removed, {} left\n",
        measurements(removed.len()),
        left.len()
    );
    output::write(&text, None)?;
    Ok(Exit::Success)
}

fn is_readable(entry: &Entry) -> bool {
    entry.stored.as_ref().is_some_and(Stored::is_consistent)
}

/// Which commits are still in the repository.
struct Commits {
    /// The repository, if it is needed.
    root: Option<std::path::PathBuf>,
    known: BTreeMap<String, bool>,
}

impl Commits {
    fn new(project: &Project, are_needed: bool) -> Result<Commits, Failure> {
        let here = match project.root.as_os_str().is_empty() {
            true => Path::new("."),
            false => &project.root,
        };
        let root = are_needed.then(|| git::repository_root(here)).transpose()?;
        Ok(Commits {
            root,
            known: BTreeMap::new(),
        })
    }

    /// Whether there are commits of these names, but none of them is there any more.
    fn are_gone(&mut self, names: &[String]) -> Result<bool, Failure> {
        for name in names {
            if self.is_there(name)? {
                return Ok(false);
            }
        }
        Ok(self.root.is_some() && !names.is_empty())
    }

    fn is_there(&mut self, name: &str) -> Result<bool, Failure> {
        let Some(root) = &self.root else {
            return Ok(true);
        };
        if let Some(known) = self.known.get(name) {
            return Ok(*known);
        }
        let is_there = match git::commit_of(root, name) {
            Ok(_) => true,
            Err(error) if error.kind() == ErrorKind::Usage => false,
            // What is missing in a shallow clone need not be gone.
            Err(error) => return Err(error.into()),
        };
        self.known.insert(name.to_string(), is_there);
        Ok(is_there)
    }
}

#[derive(Serialize)]
struct VerifyDocument<'v> {
    schema: &'static str,
    measurements: usize,
    findings: &'v [String],
}

fn verify(project: &Project, arguments: &VerifyArguments) -> Result<Exit, Failure> {
    let mut open = open(project)?.ok_or_else(nothing_kept)?;
    let database = &mut open.database;
    let mut findings: Vec<String> = database.complaint().map_err(failed)?.into_iter().collect();
    let mut count = 0;
    database
        .each(&mut |entry| {
            count += 1;
            findings.extend(finding(&entry));
            Ok(())
        })
        .map_err(failed)?;
    let text = match arguments.format {
        Format::Human => verify_for_people(count, &findings),
        Format::Json => output::json(&VerifyDocument {
            schema: "tally.store-verification/1",
            measurements: count,
            findings: &findings,
        })?,
    };
    output::write(&text, None)?;
    Ok(match findings.is_empty() {
        true => Exit::Success,
        false => Exit::Failed,
    })
}

fn finding(entry: &Entry) -> Option<String> {
    let Some(stored) = &entry.stored else {
        return Some(format!(
            "measurement {}: it is not as it was written",
            entry.id
        ));
    };
    match stored.is_consistent() {
        true => None,
        false => Some(format!(
            "measurement {} ({}): it cannot be read, or does not add up",
            entry.id,
            short(&stored.key.to_string())
        )),
    }
}

fn verify_for_people(count: usize, findings: &[String]) -> String {
    if findings.is_empty() {
        return format!("{} in {FILE}, all sound\n", measurements(count));
    }
    let lines: String = findings
        .iter()
        .map(|finding| format!("{finding}\n"))
        .collect();
    format!("{lines}\nhelp: tally store prune --damaged removes what cannot be read\n")
}
