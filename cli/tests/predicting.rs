//! `tally predict`: designs, their distributions and mistakes.

#[allow(dead_code)] // each test binary uses its own part
mod support;

use std::path::Path;

use serde_json::Value;
use support::{Ran, Sandbox};

fn json(ran: &Ran) -> Value {
    serde_json::from_str(ran.output()).unwrap_or_else(|error| panic!("{error}: {ran}"))
}

#[test]
fn the_example_has_its_distributions() {
    let sandbox = Sandbox::new("predicting");
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/predict/z.sre");
    let example = example.to_str().expect("a path");
    let ran = sandbox.tally(&["predict", example, "--cpus", "1,2,3", "--format", "json"]);
    let found = json(ran.exits(0));
    assert_eq!(found["schema"], "tally.prediction/1");
    assert_eq!(
        (&found["of"], &found["scheduling"]),
        (&"Z".into(), &"list".into())
    );
    let moments = [(9.8, 20.71), (7.8, 8.71), (7.4, 7.99)];
    for (row, (mean, variance)) in found["rows"].as_array().expect("rows").iter().zip(moments) {
        assert_eq!(
            (&row["mean"], &row["variance"]),
            (&mean.into(), &variance.into())
        );
        let points = row["points"].as_array().expect("points");
        assert_eq!(points[0]["exact"], serde_json::json!(["2", "3/20"]));
        let sum: f64 = points
            .iter()
            .filter_map(|point| point["probability"].as_f64())
            .sum();
        assert!((sum - 1.0).abs() < 1e-12, "{row}");
    }
    let grid = ["predict", example, "--resolution", "64", "--format", "json"];
    let found = json(sandbox.tally(&grid).exits(0));
    let mean = found["rows"][0]["mean"].as_f64().expect("a mean");
    assert!((mean - 9.8).abs() < 1e-12, "{found}");
    assert_eq!(found["rows"][0]["grid"]["step"], 1.0);
    sandbox
        .tally(&["predict", example, "--cpus", "2", "--scheduling", "paper"])
        .exits(0)
        .mentions("for comparison only");
}

#[test]
fn mistakes_have_a_place_and_a_code() {
    let sandbox = Sandbox::new("predicting");
    sandbox.write("bad.sre", "x = a; (0.5: 1 | 0.6: 2)\na = 1");
    sandbox
        .tally(&["predict", "bad.sre"])
        .exits(2)
        .says("bad.sre:1:9: probabilities of alternatives are not negative and sum to 1, and these sum to 11/10");
    sandbox.write("nested.sre", "x = (a || (a; (a || a)))\na = 1");
    sandbox
        .tally(&["predict", "nested.sre", "--cpus", "1,3"])
        .exits(0);
    sandbox
        .tally(&["predict", "nested.sre", "--cpus", "2"])
        .exits(6)
        .says("a task has parallel tasks of its own");
    sandbox.write("bytes.sre", [0xff, 0xfe]);
    sandbox.tally(&["predict", "bytes.sre"]).exits(2);
    sandbox.tally(&["predict", "nothing.sre"]).exits(74);
    for options in [
        ["--cpus", "0"],
        ["--cpus", "1,x"],
        ["--quantiles", "0"],
        ["--quantiles", "-5"],
        ["--resolution", "0"],
    ] {
        let ran = sandbox.tally(&[&["predict", "nested.sre"], &options[..]].concat());
        ran.exits(2);
    }
    sandbox
        .tally(&["predict", "nested.sre", "-o", "no/where.txt"])
        .exits(74);
    // A grid says what it has added to the variance.
    sandbox.write(
        "long.sre",
        "x = a^500\na = [(1.37; 0.25) (2.9; 0.5) (7.001; 0.25)]",
    );
    sandbox
        .tally(&["predict", "long.sre", "--quantiles", "50,99.9"])
        .exits(0)
        .mentions("p99.9")
        .mentions("which makes the variance larger by");
}
