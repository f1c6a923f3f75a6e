//! The examples say at their heads what an exploration finds.

use std::fs;

use crate::support::Sandbox;
use crate::{examples, json, results};

/// A row of a table: states, transitions, computations, schedules, failing schedules and results.
fn expected(row: &str) -> Vec<Option<u128>> {
    let cells = row.split_whitespace().skip(1);
    let numbers = cells.map(|cell| cell.trim_end_matches('"').replace(',', "").parse().ok());
    numbers.collect()
}

#[test]
fn examples_find_what_they_say() {
    let sandbox = Sandbox::new("exploring");
    let (mut rows, mut counted) = (0, 0);
    let mut names: Vec<_> = fs::read_dir(examples())
        .unwrap()
        .map(|one| one.unwrap().path())
        .collect();
    names.sort();
    for path in names {
        let text = fs::read_to_string(&path).unwrap();
        let name = path.file_name().unwrap().to_str().unwrap();
        sandbox.write(name, &text);
        let Some(table) = text.split("    delivery ").nth(1) else {
            panic!("{name} has no table");
        };
        for delivery in ["any", "fifo", "causal"] {
            let mut lines = table.lines();
            let row = lines.find(|line| line.trim_start().starts_with(delivery));
            let Some(row) = row else {
                panic!("{name} has no row for {delivery}");
            };
            let wanted = expected(row);
            let ran = sandbox.tally(&["explore", name, "--format", "json", "--delivery", delivery]);
            let found = json(&ran);
            let number = |member: &str| match &found[member] {
                serde_json::Value::String(text) => text.parse().ok(),
                value => value.as_u64().map(u128::from),
            };
            let all = found["results"].as_array().unwrap().iter();
            let failing = all.filter(|one| !one["failure"].is_null());
            let mut failing = failing.map(|one| one["schedules"].as_str()?.parse::<u128>().ok());
            let failing = failing.try_fold(0, |sum, one| Some(sum + one?));
            let seen = [
                number("states"),
                number("transitions"),
                number("computations"),
                number("schedules"),
                failing,
                Some(results(&found).len() as u128),
            ];
            for (at, (wanted, seen)) in wanted.iter().zip(seen).enumerate() {
                if wanted.is_some() {
                    assert_eq!(*wanted, seen, "{name}, {delivery}, column {at}\n{ran}");
                }
            }
            if let Some(computations) = wanted[2] {
                let words = ["explore", name, "--by", "computations", "--format", "json"];
                let ran = sandbox.tally(&[&words[..], &["--delivery", delivery]].concat());
                let one_by_one = json(&ran);
                let numbers = (&one_by_one["computations"], &one_by_one["redundant"]);
                let expected = (computations as u64).into();
                assert_eq!(numbers, (&expected, &0.into()), "{name}, {delivery}\n{ran}");
                counted += 1;
            }
            rows += 1;
        }
    }
    assert!(rows >= 60 && counted >= 40, "{rows} {counted}");
}
