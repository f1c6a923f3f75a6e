//! Ways to run programs: this build as users run it, this build with options, other builds. To the study each is a context.

use std::path::Path;
use std::str::FromStr;

use tally_study::data::NORMAL;

use crate::exit::Exit;
use crate::failure::Failure;
use tally_workbench::loading::MachineSettings;

/// A way to run programs.
#[derive(Clone, Debug)]
pub(super) struct Way {
    /// What the study calls it.
    pub(super) name: String,
    /// What it is, in words for people.
    pub(super) about: String,
    /// The command and its first arguments; this command if there is none.
    pub(super) command: Vec<String>,
    pub(super) machine: MachineSettings,
    /// How often at most.
    pub(super) rounds: u32,
}

impl Default for Way {
    fn default() -> Way {
        Way {
            name: NORMAL.to_string(),
            about: "this build, without options".to_string(),
            command: Vec::new(),
            machine: MachineSettings::default(),
            rounds: u32::MAX,
        }
    }
}

/// Another build of the command, as a user names it: `NAME=COMMAND`, the command's words with spaces between them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OtherBuild {
    name: String,
    command: Vec<String>,
}

impl FromStr for OtherBuild {
    type Err = String;

    fn from_str(text: &str) -> Result<OtherBuild, String> {
        let expected = "NAME=COMMAND is expected, such as debug=target/debug/tally";
        let (name, command) = text.split_once('=').ok_or(expected)?;
        // A command may have spaces in its name, if it is one word.
        let command: Vec<String> = match Path::new(command).exists() {
            true => vec![command.to_string()],
            false => command.split_whitespace().map(str::to_string).collect(),
        };
        if name.trim().is_empty() || command.is_empty() {
            return Err(expected.to_string());
        }
        let name = name.trim();
        if name == NORMAL {
            return Err(format!("'{NORMAL}' is this build"));
        }
        Ok(OtherBuild {
            name: name.to_string(),
            command,
        })
    }
}

/// Ways of this build beside the normal one: name, what it is, how often at most, and what it changes.
type Change = fn(&mut MachineSettings);
const OWN: [(&str, &str, u32, Change); 5] = [
    ("no caches", "without caches of lookups", 3, |m| {
        m.no_caches = true
    }),
    (
        "no short cuts",
        "without short cuts for arithmetic and access",
        3,
        |m| m.no_shortcuts = true,
    ),
    ("reference", "without any optimisation", 3, |m| {
        m.reference = true
    }),
    (
        "nursery 64 KiB",
        "a collection of new objects each 64 KiB",
        2,
        |m| m.nursery = Some(64 << 10),
    ),
    (
        "nursery 16 MiB",
        "a collection of new objects each 16 MiB",
        2,
        |m| m.nursery = Some(16 << 20),
    ),
];
/// Runs by other builds.
const RUNS_OF_OTHERS: u32 = 2;

/// All ways: the normal one, those that this build has by its options, other builds. All of them have the user's options, which
/// their descriptions name, so that runs with other options are never mistaken for these.
pub(super) fn ways(machine: &MachineSettings, others: &[OtherBuild]) -> Result<Vec<Way>, Failure> {
    let options = told_options(machine)?;
    let about = |what: &str| match options.is_empty() {
        true => what.to_string(),
        false => format!("{what}; {options}"),
    };
    let mut ways = vec![Way {
        about: match options.is_empty() {
            true => "this build, without options".to_string(),
            false => format!("this build; {options}"),
        },
        machine: machine.clone(),
        ..Way::default()
    }];
    for (name, what, rounds, change) in OWN {
        let mut changed = machine.clone();
        change(&mut changed);
        ways.push(Way {
            name: name.to_string(),
            about: about(what),
            command: Vec::new(),
            machine: changed,
            rounds,
        });
    }
    for other in others {
        if ways.iter().any(|way| way.name == other.name) {
            let why = format!("--also: there is a context '{}' already", other.name);
            return Err(Failure::new(Exit::Usage, why));
        }
        ways.push(Way {
            name: other.name.clone(),
            about: about("another build"),
            command: absolute(&other.command),
            machine: machine.clone(),
            rounds: RUNS_OF_OTHERS,
        });
    }
    Ok(ways)
}

/// The options of the machine that are not as usual, for people: `seed 7, reference true`.
fn told_options(machine: &MachineSettings) -> Result<String, Failure> {
    let values = |machine: &MachineSettings| match serde_json::to_value(machine) {
        Ok(serde_json::Value::Object(values)) => Ok(values),
        _ => Err(Failure::new(Exit::Internal, "options have no JSON")),
    };
    let usual = values(&MachineSettings::default())?;
    let mut told = Vec::new();
    for (name, value) in values(machine)? {
        if usual.get(&name) != Some(&value) {
            told.push(format!("{} {value}", name.replace('_', " ")));
        }
    }
    Ok(told.join(", "))
}

/// The command's words, those that are files here with their whole paths: it is started in another folder.
fn absolute(words: &[String]) -> Vec<String> {
    let whole = |word: &String| match std::fs::canonicalize(word) {
        Ok(path) if word.contains('/') => path.to_string_lossy().into_owned(),
        _ => word.clone(),
    };
    words.iter().map(whole).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_build_has_a_name_and_a_command() {
        let build: OtherBuild = "arm=qemu-aarch64 -L /usr/arm ./tally"
            .parse()
            .expect("a build");
        assert_eq!(build.name, "arm");
        assert_eq!(build.command, ["qemu-aarch64", "-L", "/usr/arm", "./tally"]);
        for wrong in [
            "",
            "arm",
            "=tally",
            "arm=",
            "arm= ",
            "normal=tally",
            " normal =x",
        ] {
            assert!(wrong.parse::<OtherBuild>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn names_of_ways_are_unique() {
        let mut names: Vec<_> = ways(&MachineSettings::default(), &[])
            .expect("ways")
            .into_iter()
            .map(|way| way.name)
            .collect();
        assert_eq!(names[0], NORMAL);
        names.sort();
        names.dedup();
        assert_eq!(names.len(), 6);
    }

    #[test]
    fn the_users_options_are_named_and_names_are_taken_once() {
        let machine = MachineSettings {
            seed: 7,
            reference: true,
            ..MachineSettings::default()
        };
        let ways = |others: &[OtherBuild]| super::ways(&machine, others);
        let about: Vec<String> = ways(&[])
            .expect("ways")
            .into_iter()
            .map(|way| way.about)
            .collect();
        assert_eq!(about[0], "this build; reference true, seed 7");
        assert!(
            about
                .iter()
                .all(|about| about.ends_with("; reference true, seed 7"))
        );
        let other: OtherBuild = "reference=x".parse().expect("a build");
        assert!(ways(std::slice::from_ref(&other)).is_err());
        let other: OtherBuild = "mine=x".parse().expect("a build");
        assert!(ways(&[other.clone(), other]).is_err());
    }
}
