//! Which packages of a repository are loaded, and in which order: each behind what it requires.

use std::collections::{BTreeMap, HashSet};

use serde::Serialize;

use super::baseline::{ALL, Baseline, DEFAULT, PREFIX, Project, Remark};
use super::repository::Repository;
use super::{Resolved, named, unknown};
use crate::error::{Error, ErrorKind};
use crate::project::settings::dependency::{Choice, Dependency};

/// What the names of packages with tests end with.
const TESTS: &str = "-Tests";

/// A package that is loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loaded {
    /// Its name.
    pub name: String,
    /// Its folder.
    pub folder: String,
    /// Why it is loaded.
    pub why: Why,
}

/// Why a package is loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// `tally.toml` names it. Only then its tests run.
    Named,
    /// It is in this group of this baseline.
    Group {
        /// The group.
        group: String,
        /// The class of the baseline.
        baseline: String,
    },
    /// This package needs it.
    RequiredBy(String),
    /// It is one of the repository's packages that are no tests.
    All,
}

/// A baseline of another repository that is needed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Requirement {
    /// The name of the baseline.
    pub name: String,
    /// Where the requiring baseline says that it is.
    pub repository: Option<String>,
}

/// The baselines that dependencies provide.
pub(super) struct Provided {
    /// By their names in lower case: the names of the dependencies.
    by_name: BTreeMap<String, String>,
}

impl Provided {
    pub(super) fn by(dependencies: &[Dependency], repositories: &[Repository]) -> Provided {
        let mut by_name = BTreeMap::new();
        for (dependency, repository) in dependencies.iter().zip(repositories) {
            let baselines = repository.baselines.keys();
            for baseline in baselines.chain([&dependency.name]) {
                by_name.insert(baseline.to_lowercase(), dependency.name.clone());
            }
        }
        Provided { by_name }
    }

    fn provider(&self, baseline: &str) -> Option<&String> {
        self.by_name.get(&baseline.to_lowercase())
    }
}

/// The packages of a dependency that are loaded.
pub(super) fn choose(
    dependency: &Dependency,
    repository: &Repository,
    provided: &Provided,
) -> Result<Resolved, Error> {
    let default = [DEFAULT.to_owned()];
    let mut choosing = Choosing {
        repository,
        provided,
        steps: Vec::new(),
        seen: HashSet::new(),
        needs: HashSet::new(),
        resolved: Resolved {
            name: dependency.name.clone(),
            place: dependency.place.clone(),
            folder: repository.folder.clone(),
            baseline: None,
            groups: Vec::new(),
            packages: Vec::new(),
            missing: Vec::new(),
            absent: Vec::new(),
            remarks: Vec::new(),
            needs: Vec::new(),
        },
    };
    match &dependency.choice {
        Choice::Packages(names) => choosing.packages(names)?,
        Choice::Groups(names) => match repository.baseline()? {
            Some(baseline) => choosing.groups(baseline, names)?,
            None => {
                let why = "it has no baseline, so it has no groups; name its packages";
                return Err(Error::new(ErrorKind::Usage, why));
            }
        },
        Choice::Default => match repository.baseline()? {
            Some(baseline) => choosing.groups(baseline, &default)?,
            None => choosing.all(),
        },
    }
    let mut resolved = choosing.resolved;
    resolved.needs = choosing.needs.into_iter().collect();
    resolved.needs.retain(|need| *need != dependency.name);
    resolved.needs.sort();
    let named = named(&dependency.choice);
    for package in &mut resolved.packages {
        if matches!(dependency.choice, Choice::Packages(_)) && named.contains(&package.name) {
            package.why = Why::Named;
        }
    }
    match resolved.packages.is_empty() {
        true => Err(Error::new(ErrorKind::Nothing, nothing(&resolved))),
        false => Ok(resolved),
    }
}

/// That nothing is loaded, and what may be the cause.
fn nothing(resolved: &Resolved) -> String {
    let mut why = "nothing of it is loaded; name packages by `packages = [\"…\"]`".to_owned();
    if !resolved.absent.is_empty() {
        let names = resolved.absent.join(", ");
        why.push_str(&format!("; its repository lacks {names}"));
    }
    if let Some(remark) = resolved.remarks.iter().find(|remark| remark.decides()) {
        let Remark {
            file,
            line,
            column,
            message,
            ..
        } = remark;
        why.push_str(&format!("; {file}:{line}:{column}: {message}"));
    }
    why
}

/// What is still to be done, the next thing last. It is no recursion: a baseline decides how deep its requirements are.
enum Step<'b> {
    /// What a name means in a baseline.
    Name {
        baseline: &'b Baseline,
        name: &'b str,
        why: Why,
    },
    /// The package itself, behind what it requires.
    Package { name: &'b str, why: Why },
}

struct Choosing<'b> {
    repository: &'b Repository,
    provided: &'b Provided,
    steps: Vec<Step<'b>>,
    /// Names of baselines, and what was looked at in them.
    seen: HashSet<(&'b str, &'b str)>,
    /// The dependencies that are needed.
    needs: HashSet<String>,
    resolved: Resolved,
}

impl<'b> Choosing<'b> {
    /// The packages of these names and what they require.
    fn packages(&mut self, names: &'b [String]) -> Result<(), Error> {
        let known = &self.repository.packages;
        if let Some(name) = names.iter().find(|name| !known.contains_key(*name)) {
            let what = "there is no package";
            return Err(unknown(what, name, known.keys().map(String::as_str)));
        }
        // Where several baselines are there and none is named, the names alone decide.
        let baseline = self.repository.baseline().unwrap_or_default();
        if let Some(baseline) = baseline {
            self.decides(baseline, &[]);
        }
        for name in names {
            match baseline.filter(|baseline| baseline.package(name).is_some()) {
                Some(baseline) => self.push(baseline, name, &Why::Named),
                None => self.steps.push(Step::Package {
                    name,
                    why: Why::Named,
                }),
            }
            self.run();
        }
        Ok(())
    }

    /// What these groups of a baseline hold.
    fn groups(&mut self, baseline: &'b Baseline, names: &'b [String]) -> Result<(), Error> {
        let is_known = |name: &&String| {
            baseline.group(name).is_some() || [DEFAULT, ALL].contains(&name.as_str())
        };
        if let Some(name) = names.iter().find(|name| !is_known(name)) {
            let known = baseline.groups.iter().map(|group| group.name.as_str());
            let what = format!("{PREFIX}{} has no group", baseline.name);
            return Err(unknown(&what, name, known));
        }
        self.decides(baseline, names);
        for name in names {
            self.push(baseline, name, &Why::All);
            self.run();
        }
        Ok(())
    }

    /// All packages that are no tests and no baselines.
    fn all(&mut self) {
        let names = self.repository.packages.keys();
        for name in names.filter(|name| !name.ends_with(TESTS)) {
            self.package(name, Why::All);
        }
    }

    fn decides(&mut self, baseline: &Baseline, groups: &[String]) {
        self.resolved.baseline = Some(format!("{PREFIX}{}", baseline.name));
        self.resolved.groups = groups.to_vec();
        self.resolved
            .remarks
            .extend(baseline.remarks.iter().cloned());
    }

    fn push(&mut self, baseline: &'b Baseline, name: &'b str, why: &Why) {
        let why = why.clone();
        self.steps.push(Step::Name {
            baseline,
            name,
            why,
        });
    }

    /// Pushes names so that the first is looked at first.
    fn push_all(
        &mut self,
        baseline: &'b Baseline,
        names: impl DoubleEndedIterator<Item = &'b String>,
        why: &Why,
    ) {
        names.rev().for_each(|name| self.push(baseline, name, why));
    }

    fn run(&mut self) {
        while let Some(step) = self.steps.pop() {
            match step {
                Step::Package { name, why } => self.package(name, why),
                Step::Name {
                    baseline,
                    name,
                    why,
                } => {
                    if self.seen.insert((&baseline.name, name)) {
                        self.name(baseline, name, why);
                    }
                }
            }
        }
    }

    /// What a name means in a baseline: a group, a package, or another baseline.
    fn name(&mut self, baseline: &'b Baseline, name: &'b str, why: Why) {
        let in_group = || Why::Group {
            group: name.to_owned(),
            baseline: format!("{PREFIX}{}", baseline.name),
        };
        if let Some(package) = baseline.package(name) {
            let needed = Why::RequiredBy(name.to_owned());
            self.push_all(baseline, package.includes.iter(), &needed);
            self.steps.push(Step::Package { name, why });
            self.push_all(baseline, package.requires.iter(), &needed);
        } else if let Some(group) = baseline.group(name) {
            self.push_all(baseline, group.members.iter(), &in_group());
        } else if let Some(project) = baseline.project(name) {
            self.project(project, why);
        } else if [DEFAULT, ALL].contains(&name) {
            let packages = baseline.packages.iter().map(|one| &one.name);
            // Without a default group, nothing says that tests are wanted.
            let is_wanted = |one: &&String| name == ALL || !one.ends_with(TESTS);
            let wanted: Vec<&String> = packages.filter(is_wanted).collect();
            self.push_all(baseline, wanted.into_iter(), &in_group());
            let projects = baseline.projects.iter().map(|one| &one.name);
            self.push_all(baseline, projects, &in_group());
        } else {
            self.steps.push(Step::Package { name, why });
        }
    }

    /// Another baseline: one of the same repository, or of another dependency.
    fn project(&mut self, project: &'b Project, why: Why) {
        if let Some(own) = self.repository.baselines.get(&project.baseline) {
            let is_new =
                self.resolved.baseline.as_deref() != Some(&format!("{PREFIX}{}", own.name));
            let known = &self.resolved.remarks;
            if is_new && !own.remarks.iter().any(|remark| known.contains(remark)) {
                self.resolved.remarks.extend(own.remarks.iter().cloned());
            }
            match project.loads.is_empty() {
                true => self.push(own, DEFAULT, &why),
                false => self.push_all(own, project.loads.iter(), &why),
            }
        } else if let Some(provider) = self.provided.provider(&project.baseline) {
            self.needs.insert(provider.clone());
        } else {
            let requirement = Requirement {
                name: project.baseline.clone(),
                repository: project.repository.clone(),
            };
            if !self.resolved.missing.contains(&requirement) {
                self.resolved.missing.push(requirement);
            }
        }
    }

    fn package(&mut self, name: &str, why: Why) {
        let packages = &mut self.resolved.packages;
        if packages.iter().any(|one| one.name == name) {
            return;
        }
        match self.repository.packages.get(name) {
            // A baseline has nothing to run here.
            Some(_) if name.starts_with(PREFIX) && why != Why::Named => {}
            Some(folder) => packages.push(Loaded {
                name: name.to_owned(),
                folder: folder.clone(),
                why,
            }),
            None if self.resolved.absent.iter().any(|one| one == name) => {}
            None => self.resolved.absent.push(name.to_owned()),
        }
    }
}
