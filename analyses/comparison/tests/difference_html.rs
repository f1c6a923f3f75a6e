//! The HTML report of a difference as a text: complete, bounded, reproducible, and harmless for any measurements.
//! `browser` tests how it looks and works.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot be set up has nothing better to do"
)]

#[path = "../../../profiler/tests/made_up/mod.rs"]
mod made_up;

use serde_json::Value;
use tally_comparison::explanation::{Explanation, explain};
use tally_comparison::{Measurement, difference, difference_html};
use tally_profiler::Profile;

/// The longest report.
const LONGEST: usize = 5_000_000;

fn report(old: &Profile, new: &Profile, sides: [&str; 2]) -> String {
    let (old, new) = (Measurement::of_profile(old), Measurement::of_profile(new));
    let explanation = explain(&old, &new);
    difference_html(&difference(&old, &new), &explanation, &old, &new, sides)
}

/// What the page's script reads, as it stands in the file.
fn embedded(html: &str) -> &str {
    let start = "<script id=\"profile\" type=\"application/json\">";
    let (_, rest) = html.split_once(start).unwrap();
    rest.split_once("</script>").unwrap().0
}

fn data(html: &str) -> Value {
    serde_json::from_str(embedded(html)).unwrap()
}

fn sum(column: &Value) -> u64 {
    let counts = column.as_array().unwrap().iter();
    counts.map(|count| count.as_u64().unwrap()).sum()
}

fn length(column: &Value) -> usize {
    column.as_array().unwrap().len()
}

#[test]
fn it_needs_nothing_else_and_is_always_the_same() {
    let (old, new) = (made_up::profile(10, 60), made_up::profile(12, 80));
    let html = report(&old, &new, ["v1", "WORKTREE"]);
    assert_eq!(html, report(&old.clone(), &new.clone(), ["v1", "WORKTREE"]));
    for outside in ["http:", "https:", "@import", "url(", " src=", "{{"] {
        assert!(!html.contains(outside), "{outside}");
    }
    assert!(html.contains("<title>v1 → WORKTREE · Tally comparison</title>"));
}

#[test]
fn both_sides_are_in_the_tree_with_all_their_sends() {
    let (old, new) = (made_up::profile(30, 200), made_up::profile(25, 170));
    let data = data(&report(&old, &new, ["old", "new"]));
    let contexts = &data["contexts"];
    assert_eq!(sum(&contexts["own"][0]), old.cost.sends);
    assert_eq!(sum(&contexts["own"][1]), new.cost.sends);
    assert_eq!(length(&contexts["up"]), length(&contexts["own"][0]));
    // A removed context keeps its place: there are more contexts than on either side.
    assert!(length(&contexts["up"]) >= old.contexts.len().max(new.contexts.len()));
    let sends = data["costs"].as_array().unwrap().iter();
    let sends: Vec<&Value> = sends.filter(|cost| cost[0] == "sends").collect();
    assert_eq!(sends[0][1], old.cost.sends);
    assert_eq!(sends[0][2], new.cost.sends);
    let own = |side: usize| -> u64 {
        let methods = data["methods"].as_array().unwrap().iter();
        methods
            .map(|method| method["own"][side].as_u64().unwrap())
            .sum()
    };
    assert_eq!([own(0), own(1)], [old.cost.sends, new.cost.sends]);
    assert_ne!(length(&data["causes"]), 0);
}

#[test]
fn sources_have_the_sends_of_their_lines_or_say_that_these_are_not_known() {
    let old = made_up::profile(30, 200);
    let mut new = made_up::profile(30, 230);
    let edited = 0;
    new.methods[edited].digest = "ff".to_string();
    new.methods[edited].source.push_str("\n\"edited\"");
    let rows = |data: Value| data["sources"].as_array().unwrap().clone();
    let known = rows(data(&report(&old, &new, ["old", "new"])));
    assert_eq!(known[0]["name"], *new.methods[edited].name);
    for row in &known {
        for (side, own) in [
            (&row["sides"][0], &row["own"][0]),
            (&row["sides"][1], &row["own"][1]),
        ] {
            let Some(lines) = side["lines"].as_array() else {
                continue;
            };
            let sends = lines.iter().map(|line| line[1].as_u64().unwrap());
            assert_eq!(sends.sum::<u64>(), own.as_u64().unwrap(), "{row}");
        }
    }
    assert!(known.iter().all(|row| row["sides"][1]["text"].is_string()));
    assert!(known[0]["sides"][1]["lines"].is_array());

    new.sites.clear();
    let unknown = rows(data(&report(&old, &new, ["old", "new"])));
    assert_eq!(unknown.len(), known.len());
    for row in unknown {
        let is_known = row["sides"][1]["lines"].is_array();
        assert_eq!(is_known, row["own"][1] == 0, "{row}");
    }
}

#[test]
fn equal_sides_show_no_difference() {
    let profile = made_up::profile(10, 60);
    let data = data(&report(&profile, &profile, ["a", "b"]));
    assert_eq!(length(&data["sources"]), 0);
    assert_eq!(data["contexts"]["own"][0], data["contexts"]["own"][1]);
    assert_eq!(length(&data["causes"]), 0);
    assert_eq!(sum(&data["contexts"]["own"][0]), profile.cost.sends);
}

#[test]
fn a_report_of_a_large_program_stays_small_and_its_sums_whole() {
    let (old, new) = (
        made_up::profile(5000, 120_000),
        made_up::profile(4000, 90_000),
    );
    let measured = [Measurement::of_profile(&old), Measurement::of_profile(&new)];
    let [before, after] = &measured;
    let found = difference(before, after);
    let html = difference_html(&found, &Explanation::default(), before, after, ["a", "b"]);
    assert!(html.len() < LONGEST, "{} bytes", html.len());
    let data = data(&html);
    assert_eq!(sum(&data["contexts"]["own"][0]), old.cost.sends);
    assert_eq!(sum(&data["contexts"]["own"][1]), new.cost.sends);
    assert!(length(&data["contexts"]["up"]) > 10_000);
}

#[test]
fn no_name_is_markup() {
    let profile = made_up::hostile();
    let html = report(
        &profile,
        &made_up::profile(10, 60),
        ["<script>window.broken=1</script>", "</title>"],
    );
    assert!(!embedded(&html).contains(['<', '>', '&']));
    assert!(!html.contains("<script>window"));
    assert_eq!(html.matches("</title>").count(), 1);
}
