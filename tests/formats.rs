//! Profiles of all examples and golden programs go out in every format and come back: recordings and JSON
//! unchanged, the others with the same sums, by function and as a whole.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::Arc;

use libtest_mimic::{Failed, Trial};
use tally_profiler::recording::{from_recording, to_recording};
use tally_profiler::{Context, ContextKind, ExportFormat, Profile, from_json, to_json};
use tally_tests::modes::PROFILE;
use tally_tests::observe::{Options, compile, observe};
use tally_tests::readers::{self, Counts};
use tally_tests::{example_programs, files_below, root};

use crate::checks::Checked;

type Count = fn(&Context) -> u64;

/// Ticks after which a program is stopped; its profile then ends in the middle, and has to be as sound.
const MOST_TICKS: u64 = 3_000_000;

/// A test for each example, and one for each folder of golden programs.
pub(crate) fn trials() -> Result<Vec<Trial>, Box<dyn std::error::Error>> {
    let mut trials = Vec::new();
    for path in example_programs()? {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let name = format!("formats/examples/{name}");
        trials.push(Trial::test(name, move || match check_program(&path)? {
            true => Ok(()),
            false => Err(Failed::from("it does not compile")),
        }));
    }
    for folder in ["counting", "language", "library"] {
        let path = root().join("tests/golden").join(folder);
        let name = format!("formats/golden/{folder}");
        trials.push(Trial::test(name, move || Ok(check_folder(&path)?)));
    }
    Ok(trials)
}

fn check_folder(folder: &Path) -> Checked {
    let mut checked = 0;
    for path in files_below(folder, "st").map_err(|error| error.to_string())? {
        let ran = check_program(&path);
        checked += u32::from(ran.map_err(|why| format!("{}: {why}", path.display()))?);
    }
    match checked > 20 {
        true => Ok(()),
        false => Err(format!("only {checked} programs")),
    }
}

/// Checks the profile of a program; answers whether it is one, for some golden programs are there not to compile.
fn check_program(path: &Path) -> Result<bool, String> {
    let source = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let Some(unit) = compile(&name, &source)?.unit else {
        return Ok(false);
    };
    let options = Options {
        max_ticks: Some(MOST_TICKS),
        max_memory: Some(256 << 20),
        ..Options::default()
    };
    let seen = observe(&Arc::new(unit), &options, &PROFILE)?;
    let profile = seen.profile.ok_or("no profile")?;
    check(&profile)?;
    Ok(true)
}

fn check(profile: &Profile) -> Checked {
    comes_back(profile)?;
    let sums = Sums::of(profile);
    callgrind(profile, &sums)?;
    let own = sums.counts(|context| context.own);
    let mut folded = readers::folded(&written(profile, "folded")?)?;
    // A profile without a send has a line with zero for each stack.
    folded.retain(|_, count| *count > 0);
    same("folded stacks", &folded, &own)?;
    speedscope(profile, &sums)?;
    lines(profile)
}

fn comes_back(profile: &Profile) -> Checked {
    let bytes = to_recording(profile).map_err(|error| error.to_string())?;
    let recorded = from_recording(&bytes).map_err(|error| error.to_string())?;
    let text = to_json(profile).map_err(|error| error.to_string())?;
    let read = from_json(&text).map_err(|error| error.to_string())?;
    match recorded == *profile && read == *profile {
        true => Ok(()),
        false => Err("what was written does not come back".to_string()),
    }
}

fn written(profile: &Profile, format: &str) -> Result<String, String> {
    let format = ExportFormat::named(format).ok_or("no such format")?;
    let bytes = (format.write)(profile, tally_profiler::Measure::Sends)
        .map_err(|error| error.to_string())?;
    String::from_utf8(bytes).map_err(|error| error.to_string())
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, found: &T, expected: &T) -> Checked {
    match found == expected {
        true => Ok(()),
        false => Err(format!("{what}: {found:?} instead of {expected:?}")),
    }
}

/// The contexts of each function by the name that docs/FORMATS.md gives to it.
struct Sums<'p> {
    contexts: BTreeMap<String, Vec<&'p Context>>,
    /// Whether some activation of the function stands below another.
    recurs: HashMap<String, bool>,
}

impl<'p> Sums<'p> {
    fn of(profile: &'p Profile) -> Sums<'p> {
        let mut sums = Sums {
            contexts: BTreeMap::new(),
            recurs: HashMap::new(),
        };
        let names = Names::of(profile);
        for context in &profile.contexts {
            let name = names.name(context);
            let mut above = context.parent;
            let mut recurs = false;
            while let Some(index) = above {
                let ancestor = &profile.contexts[index as usize];
                let key = |c: &Context| (c.kind, c.method, c.block);
                recurs |= key(ancestor) == key(context);
                above = ancestor.parent;
            }
            *sums.recurs.entry(name.clone()).or_default() |= recurs;
            sums.contexts.entry(name).or_default().push(context);
        }
        sums
    }

    fn sum(&self, name: &str, count: impl Fn(&Context) -> u64) -> u64 {
        let contexts = self.contexts.get(name).into_iter().flatten();
        contexts.map(|context| count(context)).sum()
    }

    /// A count by function, where it is not zero.
    fn counts(&self, count: impl Fn(&Context) -> u64) -> Counts {
        let names = self.contexts.keys();
        let counts = names.map(|name| (name.clone(), self.sum(name, &count)));
        counts.filter(|(_, count)| *count > 0).collect()
    }
}

struct Names<'p> {
    profile: &'p Profile,
    bearers: HashMap<&'p str, usize>,
}

impl<'p> Names<'p> {
    fn of(profile: &'p Profile) -> Names<'p> {
        let mut bearers: HashMap<&str, usize> = HashMap::new();
        for method in &profile.methods {
            *bearers.entry(&method.name).or_default() += 1;
        }
        Names { profile, bearers }
    }

    fn name(&self, context: &Context) -> String {
        let method = context
            .method
            .map(|method| &self.profile.methods[method as usize]);
        let method = method.map(|method| match self.bearers[method.name.as_str()] {
            1 => method.name.clone(),
            _ => format!("{} @{}", method.name, method.digest),
        });
        let method = method.unwrap_or_default();
        match (context.kind, context.block) {
            (ContextKind::Run, _) => "run".to_string(),
            (ContextKind::Other, _) => "other".to_string(),
            (ContextKind::Method, _) => method,
            (ContextKind::Block, 1) => format!("[] in {method}"),
            (ContextKind::Block, number) => format!("[] in {method} #{number}"),
        }
    }
}

fn callgrind(profile: &Profile, sums: &Sums<'_>) -> Checked {
    let read = readers::callgrind(&written(profile, "callgrind")?)?;
    let cost = &profile.cost;
    let Made { objects, bytes } = Made::of(profile);
    let whole = [cost.sends, cost.activations, cost.blocks, objects, bytes];
    same("callgrind's own costs", &read.total(), &whole)?;
    same("callgrind's totals", &read.stated, &vec![whole; 2])?;
    for (name, contexts) in &sums.contexts {
        let own = read
            .own
            .get(name)
            .ok_or_else(|| format!("callgrind lacks {name}"))?;
        same(name, &own[0], &sums.sum(name, |context| context.own))?;
        let calls = sums.sum(name, |context| context.calls);
        let (called, incoming) = read.incoming(name);
        let is_counted = contexts.iter().all(|c| c.calls > 0 && c.parent.is_some());
        if is_counted {
            same(&format!("calls of {name}"), &called, &calls)?;
        }
        if !sums.recurs[name] {
            let total = sums.sum(name, |context| context.total);
            same(
                &format!("inclusive cost of {name}"),
                &read.inclusive(name)[0],
                &total,
            )?;
            if is_counted {
                same(
                    &format!("cost of calls of {name}"),
                    &incoming,
                    &read.inclusive(name),
                )?;
            }
        }
    }
    Ok(())
}

/// What was allocated, all together.
struct Made {
    objects: u64,
    bytes: u64,
}

impl Made {
    fn of(profile: &Profile) -> Made {
        let made = profile.cost.allocations;
        Made {
            objects: made.objects,
            bytes: made.bytes,
        }
    }
}

fn speedscope(profile: &Profile, sums: &Sums<'_>) -> Checked {
    let text = written(profile, "speedscope")?;
    let file = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    let axes: [(&str, Count); 4] = [
        ("sends", |context| context.own),
        ("objects allocated", |context| context.allocations.objects),
        ("bytes allocated", |context| context.allocations.bytes),
        ("work", |context| context.work),
    ];
    for (name, count) in axes {
        let mut read = readers::speedscope(&file, name)?;
        read.retain(|_, count| *count > 0);
        same(&format!("speedscope's {name}"), &read, &sums.counts(count))?;
    }
    Ok(())
}

fn lines(profile: &Profile) -> Checked {
    let read = readers::lines(&written(profile, "lines")?)?;
    let calls = profile.sites.iter().map(|site| site.calls).sum();
    let Made { objects, bytes } = Made::of(profile);
    let work = profile.sites.iter().map(|site| site.work).sum();
    let sums = [profile.cost.sends, calls, objects, bytes, work];
    same("lines", &read, &sums)
}
