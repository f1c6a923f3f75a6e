//! Clocks that go on by work.

use std::fs;

use crate::support::Sandbox;
use crate::{EXAMPLES, figure, folder};

/// Circumstances; each example runs under two of them.
const OPTIONS: &[&[&str]] = &[
    &["--cpus", "1"],
    &[],
    &["--cpus", "2", "--slice", "3000", "--ties", "shuffle:4"],
    &["--costs", "cluster", "--jitter", "1000:3"],
    &["--policy", "scheduler=central,recheck=unlock"],
];

/// The ticks of all processors, which the timeline shows, are the work of the run, which is counted without the clocks.
#[test]
fn what_the_clocks_count_is_the_work_of_the_run() {
    let names = EXAMPLES
        .iter()
        .flat_map(|(name, ..)| [name.to_string(), format!("{name}-mended")]);
    for (number, name) in names.enumerate() {
        let sandbox = Sandbox::new("work");
        let file = format!("{name}.st");
        sandbox.write(&file, fs::read_to_string(folder().join(&file)).unwrap());
        for offset in 0..2 {
            let options = OPTIONS[(number + offset) % OPTIONS.len()];
            let clock = ["--clock", "work"];
            let run = sandbox.tally(&[&["run", &file, "--counts"], options, &clock].concat());
            let counts = run
                .error()
                .lines()
                .find_map(|line| line.strip_prefix("work "));
            let work: String = counts
                .unwrap_or_else(|| panic!("{run}"))
                .replace([' ', ','], "");
            let timeline = sandbox.tally(&[&["timeline", &file], options, &clock].concat());
            assert_eq!(
                figure(&timeline, "ticks ").to_string(),
                work,
                "{file} {options:?}"
            );
        }
    }
}

#[test]
fn a_microsecond_takes_100_000_units_of_work() {
    let sandbox = Sandbox::new("clock");
    sandbox.write(
        "p.st",
        "| start |\nObject separate new yourself.\nstart := Time microsecondClockValue.\n\
         (Delay forMilliseconds: 2) wait.\n(Time microsecondClockValue - start) printNl.\n",
    );
    // The messages around the delay take less than three microseconds.
    let ran = sandbox.tally(&["run", "p.st", "--clock", "work"]);
    let passed: u64 = ran
        .exits(0)
        .output()
        .lines()
        .last()
        .unwrap()
        .parse()
        .unwrap();
    assert!((2_000..2_003).contains(&passed), "{ran}");
    let timeline = sandbox.tally(&["timeline", "p.st", "--clock", "work"]);
    let makespan = figure(timeline.exits(0), "makespan ");
    assert!(makespan > 200_000_000, "{timeline}");
}

/// The numbers of costs are units of the clock, whatever that counts.
#[test]
fn charges_keep_their_numbers() {
    let sandbox = Sandbox::new("charges");
    sandbox.write("p.st", "Object separate new yourself printNl.\n");
    let makespan = |costs: &str| {
        let arguments = ["timeline", "p.st", "--clock", "work", "--costs", costs];
        figure(sandbox.tally(&arguments).exits(0), "makespan ")
    };
    let ideal = makespan("ideal");
    assert_eq!(makespan("call=5"), ideal + 5);
    assert_eq!(makespan("latency=7"), ideal + 14);
}
