//! Ways to run programs: this build as users run it, this build with options, other builds. To the study each is a context.

use std::path::Path;
use std::str::FromStr;

use tally_study::data::NORMAL;

use crate::arguments::MachineArguments;

/// A way to run programs.
#[derive(Clone, Debug)]
pub(super) struct Way {
    /// What the study calls it.
    pub(super) name: String,
    /// What it is, in words for people.
    pub(super) about: String,
    /// The command and its first arguments; this command if there is none.
    pub(super) command: Vec<String>,
    pub(super) machine: MachineArguments,
    /// How often at most.
    pub(super) rounds: u32,
}

impl Default for Way {
    fn default() -> Way {
        Way {
            name: NORMAL.to_string(),
            about: "this build, without options".to_string(),
            command: Vec::new(),
            machine: MachineArguments::default(),
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
        if name == NORMAL {
            return Err(format!("'{NORMAL}' is this build"));
        }
        Ok(OtherBuild {
            name: name.trim().to_string(),
            command,
        })
    }
}

/// All ways: the normal one, those that this build has by its options, other builds.
pub(super) fn ways(machine: &MachineArguments, others: &[OtherBuild]) -> Vec<Way> {
    let with = |name: &str, about: &str, rounds, change: &dyn Fn(&mut MachineArguments)| {
        let mut machine = machine.clone();
        change(&mut machine);
        Way {
            name: name.to_string(),
            about: about.to_string(),
            command: Vec::new(),
            machine,
            rounds,
        }
    };
    let mut ways = vec![
        with(NORMAL, "this build, without options", u32::MAX, &|_| {}),
        with("no caches", "without caches of lookups", 3, &|m| {
            m.no_caches = true
        }),
        with(
            "no short cuts",
            "without short cuts for arithmetic and access",
            3,
            &|m| {
                m.no_shortcuts = true;
            },
        ),
        with("reference", "without any optimisation", 3, &|m| {
            m.reference = true
        }),
        with(
            "nursery 64 KiB",
            "a collection of new objects each 64 KiB",
            2,
            &|m| {
                m.nursery = Some(64 << 10);
            },
        ),
        with(
            "nursery 16 MiB",
            "a collection of new objects each 16 MiB",
            2,
            &|m| {
                m.nursery = Some(16 << 20);
            },
        ),
    ];
    ways.extend(others.iter().map(|other| Way {
        name: other.name.clone(),
        about: "another build".to_string(),
        command: absolute(&other.command),
        machine: machine.clone(),
        rounds: 2,
    }));
    ways
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
        for wrong in ["", "arm", "=tally", "arm=", "arm= ", "normal=tally"] {
            assert!(wrong.parse::<OtherBuild>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn names_of_ways_are_unique() {
        let mut names: Vec<_> = ways(&MachineArguments::default(), &[])
            .into_iter()
            .map(|way| way.name)
            .collect();
        assert_eq!(names[0], NORMAL);
        names.sort();
        names.dedup();
        assert_eq!(names.len(), 6);
    }
}
