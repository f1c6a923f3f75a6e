//! docs/TIMELINE-STUDY.md: the evaluation of document 000 repeated in virtual time. The tables between `<!-- NAME -->` and
//! `<!-- end -->`, and the figures beside the document, are what the programs give. `TALLY_UPDATE=1` writes them anew.

#[path = "timeline_study/definitions.rs"]
mod definitions;
#[path = "timeline_study/hexapod.rs"]
mod hexapod;
#[path = "timeline_study/market.rs"]
mod market;
#[path = "timeline_study/overhead.rs"]
mod overhead;
#[allow(dead_code)] // each test binary uses its own part
mod support;
#[path = "timeline_study/text.rs"]
mod text;
#[path = "timeline_study/timelines.rs"]
mod timelines;

use std::fs;
use std::path::{Path, PathBuf};

use hexapod::Walks;

const BEGIN: &str = "<!-- ";
const END: &str = "<!-- end -->\n";

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs")
}

/// The parts of the document by their names.
fn parts(walks: &Walks) -> Vec<(&'static str, String)> {
    vec![
        ("transaction", market::transaction()),
        ("market", market::metrics()),
        ("latencies", market::latencies()),
        ("events", overhead::market_events()),
        ("equations", definitions::equations()),
        ("programs", overhead::programs()),
        ("processors", overhead::processors()),
        ("charged", overhead::charged()),
        ("delays", walks.table()),
        ("knee", walks.knee()),
        ("cached", hexapod::cached()),
        ("deviations", definitions::deviations()),
        ("spreads", definitions::spreads()),
    ]
}

/// The figures by the names of their files.
fn figures(walks: &Walks) -> Vec<(&'static str, String)> {
    vec![
        ("figure-2.svg", market::figure_2()),
        ("figure-5.svg", market::figure_5()),
        ("figure-7.svg", overhead::figure_7().svg()),
        ("figure-10.svg", walks.figure_10().svg()),
        ("figure-10-polls.svg", walks.frequencies().svg()),
    ]
}

/// The document with this part in its place.
fn with_part(document: &str, name: &str, part: &str) -> String {
    let mark = format!("{BEGIN}{name} -->\n");
    let (before, rest) = document
        .split_once(&mark)
        .unwrap_or_else(|| panic!("the document has no place for {name}"));
    let (_, after) = rest
        .split_once(END)
        .unwrap_or_else(|| panic!("the part {name} has no end"));
    format!("{before}{mark}\n{part}\n{END}{after}")
}

#[test]
fn the_study_of_timelines_says_what_the_programs_do() {
    let walks = Walks::all();
    let parts = parts(&walks);
    let path = docs().join("TIMELINE-STUDY.md");
    let committed = fs::read_to_string(&path).expect("docs/TIMELINE-STUDY.md");
    assert_eq!(committed.matches(END).count(), parts.len(), "parts");
    let document = parts.iter().fold(committed.clone(), |text, (name, part)| {
        with_part(&text, name, part)
    });
    let mut files = vec![(path, document)];
    for (name, figure) in figures(&walks) {
        assert!(
            committed.contains(&format!("(TIMELINE-STUDY/{name})")),
            "{name}"
        );
        files.push((docs().join("TIMELINE-STUDY").join(name), figure));
    }
    for (path, content) in files {
        if std::env::var_os("TALLY_UPDATE").is_some() {
            fs::write(&path, &content).expect("the file");
        }
        let committed = fs::read_to_string(&path).unwrap_or_default();
        let name = path.display();
        assert!(content == committed, "TALLY_UPDATE=1 writes {name} anew");
    }
}
