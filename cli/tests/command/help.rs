//! Help: one map of the commands in all places, and two layers of a bounded length.

use std::fs;
use std::path::Path;

use crate::support::Sandbox;

/// The lines of a layer at most.
const MOST: usize = 48;

/// The lines of the map that a text has between two empty lines.
fn map_in(text: &str) -> Vec<String> {
    let lines = text.lines().skip_while(|line| !line.starts_with("WRITE "));
    let lines = lines.take_while(|line| line.starts_with(|c: char| c.is_ascii_uppercase()));
    lines.map(str::to_string).collect()
}

fn document(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name);
    fs::read_to_string(path).expect(name)
}

#[test]
fn help_readme_and_guide_have_one_map() {
    let sandbox = Sandbox::new("map");
    let map = map_in(sandbox.tally(&["--help"]).exits(0).output());
    assert!(map.len() >= 5, "{map:?}");
    // The second layer lists all commands instead.
    let all = sandbox.tally(&["--help-all"]);
    assert!(map_in(all.exits(0).output()).is_empty(), "{all}");
    assert_eq!(map_in(&document("README.md")), map);
    let summary = document("docs/guide/src/SUMMARY.md");
    let parts = summary.lines().filter_map(|line| line.strip_prefix("# "));
    let parts: Vec<String> = parts
        .skip(1)
        .map(|part| {
            let (question, commands) = part.split_once(": ").unwrap();
            format!("{question:<8}  {}", commands.replace(", ", "  "))
        })
        .collect();
    assert_eq!(parts, map);
}

#[test]
fn every_layer_of_help_fits_on_a_screen() {
    let sandbox = Sandbox::new("layers");
    let all = sandbox.tally(&["--help-all"]);
    let names = all.exits(0).output().lines();
    let names = names.filter_map(|line| line.strip_prefix("  ")?.split_once("  "));
    let names = names.map(|(name, _)| name.to_string());
    let names: Vec<String> = names
        .filter(|name| !name.is_empty() && name.chars().all(|c| c.is_ascii_lowercase()))
        .collect();
    assert!(names.len() >= 20, "{names:?}");
    let none: &[&str] = &[];
    let commands = names.iter().map(|name| vec![name.as_str()]);
    for command in commands.chain([none.to_vec()]) {
        for layer in ["--help", "-h", "--help-all"] {
            let words: Vec<&str> = command.iter().copied().chain([layer]).collect();
            let ran = sandbox.tally(&words);
            let lines = ran.exits(0).is_silent().output().lines().count();
            assert!((5..=MOST).contains(&lines), "{lines} lines: {words:?}");
        }
    }
}

#[test]
fn the_layers_share_the_options_among_them() {
    let sandbox = Sandbox::new("rare");
    for command in ["run", "test", "profile", "compare"] {
        let first = sandbox.tally(&[command, "--help"]);
        let second = sandbox.tally(&[command, "--help-all"]);
        for option in ["--gc-stress", "--no-caches", "--class-path", "--nursery"] {
            assert!(
                !first.exits(0).output().contains(option),
                "{command} {option}"
            );
            second.exits(0).mentions(option);
        }
        first.mentions("--max-sends");
        assert!(!second.output().contains("--max-sends"), "{command}");
    }
    let (first, all) = (sandbox.tally(&["--help"]), sandbox.tally(&["--help-all"]));
    for command in ["study", "calibrate", "convert", "store", "disassemble"] {
        let row = format!("\n  {command} ");
        assert!(!first.output().contains(&row), "{command}");
        all.mentions(&row);
    }
    // What help does not show is there all the same.
    sandbox.tally(&["disassemble", "--help"]).exits(0);
    let bash = sandbox.tally(&["completions", "bash"]);
    bash.exits(0)
        .mentions("--gc-stress")
        .mentions("disassemble");
}

#[test]
fn the_command_help_is_the_option() {
    let sandbox = Sandbox::new("help-command");
    for command in ["test", "store"] {
        let by_option = sandbox.tally(&[command, "--help"]);
        let by_command = sandbox.tally(&["help", command]);
        by_command.exits(0).prints(by_option.output());
    }
    let ran = sandbox.tally(&["help", "tset"]);
    ran.exits(2)
        .says("error: there is no command tset; did you mean test?");
}
