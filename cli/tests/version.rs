//! `tally --version` shows what decides about counts, as profiles hold it.

#[allow(dead_code)] // each test binary uses its own part
mod support;

use support::Sandbox;

#[test]
fn the_version_shows_counting_model_and_library() {
    let sandbox = Sandbox::new("version");
    let short = sandbox.tally(&["-V"]);
    let short = short.exits(0).output().trim_end().to_string();
    let whole = sandbox.tally(&["--version"]);
    let text = whole.exits(0).output().to_string();
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some(short.as_str()), "{text}");
    let facts: Vec<(&str, &str)> = lines.filter_map(|line| line.split_once(": ")).collect();
    let names: Vec<&str> = facts.iter().map(|fact| fact.0).collect();
    assert!(names.ends_with(&["counting model", "library"]), "{text}");
    let profile = sandbox.tally(&["profile", "-e", "3 + 4", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(profile.exits(0).output()).expect("JSON");
    for (name, value) in facts {
        match name {
            "counting model" => assert_eq!(json["model"].to_string(), value, "{text}"),
            "library" => assert_eq!(json["library"].as_str(), Some(value), "{text}"),
            other => assert_eq!(other, "commit", "{text}"),
        }
    }
}
