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
        .says("bad.sre:1:9: probabilities of alternatives sum to 1, and these sum to 11/10");
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
        .mentions("whose variance is larger by");
}

/// A table of what a program counts: the function goes on where nothing was run.
#[test]
fn tables_of_counts_have_functions() {
    let sandbox = Sandbox::new("predicting");
    let counted = |sizes: &str| {
        let text = format!(
            "{sizes} do: [:n | | cost | cost := Compteur numberOfCallsIn: [ | c | c := OrderedCollection new. 1 to: n do: [:i | c add: i]].
            Transcript showCr: n printString, ',', cost printString]"
        );
        sandbox.write("count.st", text);
        sandbox
            .tally(&["run", "count.st"])
            .exits(0)
            .output()
            .to_string()
    };
    let rows = counted("(1 to: 300)");
    sandbox.write("add.csv", format!("n,sends\n{rows}"));
    let ran = sandbox.tally(&[
        "predict", "--fit", "add.csv", "--at", "n=20000", "--format", "json",
    ]);
    let found = json(ran.exits(0));
    assert_eq!(
        (&found["schema"], &found["class"]),
        (&"tally.fit/1".into(), &"exact".into())
    );
    let truth = counted("#(20000)");
    let value = found["values"][0]["value"].as_str().expect("a value");
    assert_eq!(format!("20000,{value}\n"), truth, "{found}");
    sandbox
        .tally(&["predict", "--fit", "add.csv"])
        .exits(0)
        .mentions("jumps(11, 2, 1)")
        .mentions("fits all 300 points, n from 1 to 300");
    sandbox.write(
        "odd.csv",
        "n,y\n1,1\n2,0\n3,0\n4,2\n5,10\n6,4\n7,40\n8,92\n",
    );
    let odd = ["predict", "--fit", "odd.csv"];
    sandbox.tally(&odd).exits(0).mentions("no function fits");
    let ran = sandbox.tally(&[&odd[..], &["--at", "9"]].concat());
    ran.exits(5)
        .says("no function fits the table, and it has no such row");
    let ran = sandbox.tally(&[&odd[..], &["--at", "m=9"]].concat());
    ran.exits(2).says("there is no parameter m");
    for wrong in [
        &["predict"][..],
        &["predict", "--at", "n=1", "x.sre"],
        &["predict", "--fit", "odd.csv", "x.sre"],
        &["predict", "--fit", "odd.csv", "--cpus", "2"],
    ] {
        sandbox.tally(wrong).exits(2);
    }
}
