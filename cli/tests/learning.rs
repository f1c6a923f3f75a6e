//! `tally predict -e`: functions of programs are learnt, kept in files, and predict what larger runs count.

#[allow(dead_code)] // each test binary uses its own part
mod support;

use std::path::Path;

use serde_json::Value;
use support::{Ran, Sandbox};

/// A list of books, and a search in it.
const SHOP: &str = "Object subclass: Shop [
    | books |
    Shop class >> of: n [ | shop | shop := self new. 1 to: n do: [:i | shop add: i]. ^shop ]
    initialize [ books := OrderedCollection new ]
    add: anObject [ books add: anObject ]
    search: anObject [ ^books includes: anObject ]
    searchFast: anObject [ | low high |
        low := 1. high := books size.
        [low <= high] whileTrue: [ | middle |
            middle := low + high // 2.
            (books at: middle) = anObject ifTrue: [^true].
            (books at: middle) < anObject ifTrue: [low := middle + 1] ifFalse: [high := middle - 1]].
        ^false ]
]
ServiceInput subclass: ShopInput [
    sizes [ ^#(1 2 3 4 5 6 7 8 20 30) ]
    make: n [ ^Shop of: n ]
    call: aShop [ ^aShop search: 0 ]
]
";

fn json(ran: &Ran) -> Value {
    serde_json::from_str(ran.output()).unwrap_or_else(|error| panic!("{error}: {ran}"))
}

/// The predicted value of a counter.
fn value(document: &Value, of: &str) -> String {
    let values = document["values"].as_array().expect("values");
    let found = values.iter().find(|one| one["of"] == of).expect("a value");
    assert!(found.get("error").is_none(), "{found}");
    found["value"].as_str().expect("an exact value").to_string()
}

/// A text with 3000 in the place of n.
fn at_size(text: &str) -> String {
    let words = text.split_inclusive(|c: char| !c.is_alphanumeric());
    let words = words.map(|word| match word.strip_prefix('n') {
        Some(rest) if !rest.starts_with(char::is_alphanumeric) => format!("3000{rest}"),
        _ => word.to_string(),
    });
    words.collect()
}

#[test]
fn predictions_are_what_larger_runs_count() {
    let sandbox = Sandbox::new("learning");
    sandbox.write("shop.st", SHOP);
    for (given, expression) in [
        ("", "Shop of: n"),
        ("Shop of: n", "it search: 0"),
        ("Shop of: n", "it searchFast: 0"),
        ("", "(1 to: n) asArray sort"),
        ("Set new", "1 to: n do: [:i | it add: i]"),
        ("", "(String new: n) , (String new: n // 3)"),
    ] {
        let mut learn = vec!["predict", "shop.st", "-e", expression, "--at", "n=3000"];
        if !given.is_empty() {
            learn.extend(["--given", given]);
        }
        learn.extend(["--format", "json"]);
        let found = json(sandbox.tally(&learn).exits(0));
        assert_eq!(found["schema"], "tally.service/1");
        // The value that is given is made before; its cost is taken off.
        let cost = |text: &str| {
            let mut profile = vec!["profile", "-e", text, "--format", "json"];
            if text.contains("Shop") {
                profile.push("shop.st");
            }
            let ran = sandbox.tally(&profile);
            json(ran.exits(0))["cost"].clone()
        };
        let text = at_size(expression);
        let counted = match given {
            "" => cost(&text),
            _ => {
                let given = at_size(given);
                let all = cost(&format!("| it | it := {given}. {text}"));
                let before = cost(&given);
                let difference = all["sends"].as_u64().zip(before["sends"].as_u64());
                let difference = difference.map(|(all, before)| all - before);
                serde_json::json!({"sends": difference})
            }
        };
        let sends = counted["sends"].as_u64().expect("sends").to_string();
        assert_eq!(value(&found, "sends"), sends, "{expression}: {found}");
        if given.is_empty() {
            for (of, counted) in [
                ("repetitions", &counted["loops"]),
                ("steps", &counted["steps"]),
                ("objects", &counted["allocations"]["objects"]),
                ("bytes", &counted["allocations"]["bytes"]),
                ("work", &counted["work"]),
            ] {
                // The script of the file is an activation, too.
                if of != "work" || !expression.contains("Shop") {
                    let counted = counted.to_string();
                    assert_eq!(value(&found, of), counted, "{expression}: {of}");
                }
            }
        }
    }
}

/// Services of other libraries are not compared, and what is none is refused.
fn refuse_other_services(sandbox: &Sandbox) {
    let text = std::fs::read_to_string(sandbox.path("slow.service")).expect("a file");
    sandbox.write(
        "other.service",
        text.replace("\"library\": \"", "\"library\": \"f"),
    );
    let other = ["predict", "slow.service", "other.service"];
    sandbox.tally(&other).exits(5).says("learn them again");
    sandbox.write("cut.service", &text[..text.len() / 2]);
    sandbox
        .tally(&["predict", "cut.service"])
        .exits(2)
        .says("it is no service");
}

/// The formulas that are found have the same values in the language, where tests take them.
#[test]
fn formulas_have_one_meaning() {
    let sandbox = Sandbox::new("learning");
    let mut compared = 0;
    for expression in [
        "| all | all := OrderedCollection new. 1 to: n do: [:i | all add: i]",
        "| all | all := Set new. 1 to: n do: [:i | all add: i]",
        "(String new: n) , (String new: n // 3)",
        "| m | m := n. [m > 1] whileTrue: [m := m // 2]",
        "n even ifTrue: [n * n timesRepeat: []]",
        "| m | m := 1. [m * m <= n] whileTrue: [m := m + 1]",
        "n > 1000 ifTrue: [1 to: n do: [:i | i odd]]",
    ] {
        let learn = [
            "predict", "-e", expression, "--at", "n=2999", "--format", "json",
        ];
        let found = json(sandbox.tally(&learn).exits(0));
        for function in found["functions"].as_array().expect("functions") {
            let of = function["of"].as_str().expect("a name");
            let formula = function["formula"].as_str().unwrap_or_default();
            assert_eq!(function["class"], "exact", "{expression}: {of}");
            let text = format!("(CountedFormula of: '{formula}') valueAt: 2999");
            let ran = sandbox.tally(&["run", "-e", &text]);
            let said = ran.exits(0).output().trim().to_string();
            assert_eq!(said, value(&found, of), "{expression}: {formula}");
            compared += 1;
        }
    }
    assert_eq!(compared, 42);
}

#[test]
fn services_are_kept_bounded_and_compared() {
    let sandbox = Sandbox::new("learning");
    sandbox.write("shop.st", SHOP);
    let learn = |call: &str, service: &str, file: &str| {
        let made = format!("(Shop of: n) {call}");
        let arguments = [
            "predict",
            "shop.st",
            "-e",
            &made,
            "--service",
            service,
            "-o",
            file,
        ];
        sandbox.tally(&arguments).exits(0).mentions("exact");
    };
    learn("search: 0", "Shop>>search:", "slow.service");
    learn("searchFast: 0", "Shop>>searchFast:", "fast.service");
    let both = [
        "predict",
        "slow.service",
        "fast.service",
        "--within",
        "1000 sends",
    ];
    let ran = sandbox.tally(&both);
    ran.exits(0)
        .mentions("At most 1000 sends: up to n = 499, which needs 999")
        .mentions("Shop>>searchFast: needs fewer");
    let again = [
        "predict",
        "slow.service",
        "--at",
        "n=1_000_000",
        "--format",
        "json",
    ];
    let found = json(sandbox.tally(&again).exits(0));
    assert_eq!(value(&found, "sends"), "2000001");
    assert_eq!(found["service"], "Shop>>search:");
    // What is counted by context leaves out what the machine counts for the run alone.
    assert!(
        found["functions"]
            .as_array()
            .expect("functions")
            .iter()
            .all(|one| one["of"] != "steps")
    );
    refuse_other_services(&sandbox);
}

#[test]
fn classes_say_what_is_called() {
    let sandbox = Sandbox::new("learning");
    sandbox.write("shop.st", SHOP);
    let arguments = [
        "predict",
        "shop.st",
        "--input",
        "ShopInput",
        "--format",
        "json",
        "--at",
        "50",
    ];
    let found = json(sandbox.tally(&arguments).exits(0));
    let sends = &found["functions"][0];
    assert_eq!(sends["points"][8], serde_json::json!(["20", "42"]));
    assert_eq!(sends["formula"], "2*n + 2");
    assert_eq!(value(&found, "sends"), "102");
    let arguments = [
        "predict",
        "shop.st",
        "--input",
        "ShopInput",
        "--service",
        "Shop>>search:",
    ];
    sandbox.tally(&arguments).exits(0).mentions("2*n + 1");
}

/// Options, the exit code, and what is said.
type Mistake = (&'static [&'static str], i32, &'static str);

const MISTAKES: &[Mistake] = &[
    (&["-e", "Shop of: m"], 8, "nothing here is called `m`"),
    (
        &["-e", "(Shop of: n) find: 3"],
        1,
        "at n = 1: Instances of Shop do not understand #find:",
    ),
    (
        &["-e", "Shop of: n", "--service", "Shop>>search:"],
        4,
        "Shop>>search: is never called, whatever the size",
    ),
    (
        &[
            "-e",
            "[true] whileTrue",
            "--sizes",
            "n=1..3",
            "--max-sends",
            "1000",
        ],
        6,
        "at n = 1: ",
    ),
    (
        &["-e", "[true] whileTrue"],
        6,
        "the smallest size needs too many sends",
    ),
    (
        &["--service", "Shop>>search:"],
        2,
        "--service needs an expression",
    ),
    (&["--input", "Shop"], 1, "do not understand #sizes"),
    (
        &["-e", "Shop of: n", "--sizes", "n=9..1"],
        2,
        "sizes are given like",
    ),
    (
        &["-e", "Shop of: n", "--at", "k=1"],
        2,
        "there is no parameter k; there is n",
    ),
    (
        &["-e", "Shop of: n", "--within", "many sends"],
        2,
        "a bound is given like",
    ),
    (
        &[],
        2,
        "an expression is needed that uses the program at size n",
    ),
];

#[test]
fn mistakes_are_told_in_sentences() {
    let sandbox = Sandbox::new("learning");
    sandbox.write("shop.st", SHOP);
    for (arguments, code, message) in MISTAKES {
        let all = [&["predict", "shop.st"], *arguments].concat();
        sandbox.tally(&all).exits(*code).says(message);
    }
    let ran = sandbox.tally(&["predict", "-e", "n", "--fit", "x.csv"]);
    ran.exits(2);
    sandbox.write("t.csv", "n,y\n1,1\n");
    sandbox
        .tally(&["predict", "--fit", "t.csv", "--within", "1 sends"])
        .exits(2);
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/predict/z.sre");
    let example = example.to_str().expect("a path");
    sandbox
        .tally(&["predict", example, "--at", "n=1"])
        .exits(2)
        .says("a design has no inputs");
}
