//! Reports of made-up studies: compared with stored files, complete for any study, and harmless.

#![allow(
    clippy::unwrap_used,
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "made-up figures, in tests"
)]

mod made_up;

use tally_presentation::Page;
use tally_study::Study;
use tally_study::report::{csv, figures, html, json, markdown, text};

fn all() -> [(&'static str, Study); 5] {
    [
        ("rich", made_up::rich()),
        ("small", made_up::small()),
        ("odd", made_up::odd()),
        ("unreal", made_up::unreal()),
        ("empty", Study::default()),
    ]
}

fn as_markdown(study: &Study) -> String {
    markdown(study, |stem| format!("study/{stem}.svg"))
}

/// All outputs of a study, with their names.
fn everything(study: &Study) -> Vec<(String, String)> {
    let narrow = Page {
        width: Some(60),
        color: true,
    };
    let mut texts = vec![
        ("text".to_string(), text(study, Page::default())),
        ("narrow text".to_string(), text(study, narrow)),
        ("markdown".to_string(), as_markdown(study)),
        ("html".to_string(), html(study)),
    ];
    texts.extend(
        csv(study)
            .into_iter()
            .map(|(stem, text)| (format!("{stem}.csv"), text)),
    );
    texts.extend(
        figures(study)
            .iter()
            .map(|figure| (format!("{}.svg", figure.stem), figure.svg())),
    );
    texts
}

/// Holds a text against the file of that name, or writes it there.
fn is_as_kept(name: &str, text: &str) {
    let path = format!("{}/tests/reports/{name}", env!("CARGO_MANIFEST_DIR"));
    if std::env::var_os("TALLY_UPDATE").is_some() {
        std::fs::write(&path, text).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap();
    assert_eq!(kept, text, "{path}");
}

#[test]
fn texts_are_as_kept() {
    is_as_kept("rich.txt", &text(&made_up::rich(), Page::default()));
    is_as_kept("small.txt", &text(&made_up::small(), Page::default()));
    is_as_kept("empty.txt", &text(&Study::default(), Page::default()));
    let narrow = Page {
        width: Some(80),
        color: false,
    };
    is_as_kept("rich-80.txt", &text(&made_up::rich(), narrow));
}

#[test]
fn documents_are_as_kept() {
    is_as_kept("rich.md", &as_markdown(&made_up::rich()));
    is_as_kept("small.md", &as_markdown(&made_up::small()));
}

#[test]
fn figures_are_as_kept() {
    for figure in figures(&made_up::rich()) {
        is_as_kept(&format!("{}.svg", figure.stem), &figure.svg());
    }
}

#[test]
fn tables_are_as_kept() {
    let files = csv(&made_up::rich());
    let text: Vec<String> = files
        .iter()
        .map(|(stem, text)| format!("{stem}\n{}", text.replace("\r\n", "\n")))
        .collect();
    is_as_kept("rich.csvs", &text.join("\n"));
}

#[test]
fn the_page_is_as_kept() {
    is_as_kept("rich.html", &html(&made_up::rich()));
}

#[test]
fn nothing_is_written_that_is_no_number() {
    for (name, study) in all() {
        for (what, text) in everything(&study) {
            let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
            let bad: Vec<&str> = words
                .filter(|word| ["NaN", "inf", "Infinity"].contains(word))
                .collect();
            assert!(bad.is_empty(), "{what} of {name}: {bad:?}");
        }
    }
}

#[test]
fn the_same_study_gives_the_same_bytes() {
    assert_eq!(everything(&made_up::odd()), everything(&made_up::odd()));
}

#[test]
fn lines_end_where_the_page_ends() {
    for width in [40, 80, 120] {
        let page = Page {
            width: Some(width),
            color: false,
        };
        let text = text(&made_up::rich(), page);
        let longest = text
            .lines()
            .max_by_key(|line| tally_presentation::width(line))
            .unwrap();
        assert!(
            tally_presentation::width(longest) <= width,
            "{width}: {longest}"
        );
    }
}

#[test]
fn names_are_harmless() {
    let study = made_up::odd();
    for (what, text) in everything(&study) {
        let is_markup = what == "html" || what == "markdown" || what.ends_with(".svg");
        if is_markup {
            // The page's own script changes the theme.
            let scripts = usize::from(what == "html");
            assert_eq!(text.matches("<script").count(), scripts, "{what}");
            assert!(!text.contains("<img"), "{what}");
        }
        if what == "text" {
            assert!(!text.contains('\u{1b}'), "{what}");
        }
    }
}

#[test]
fn pages_and_figures_need_nothing_else() {
    for (name, study) in all() {
        let mut texts: Vec<String> = figures(&study).iter().map(|figure| figure.svg()).collect();
        texts
            .iter_mut()
            .for_each(|svg| *svg = svg.replace("http://www.w3.org/2000/svg", ""));
        texts.push(html(&study));
        for text in texts {
            for outside in ["http:", "https:", "@import", "url(", "<img", "{{"] {
                assert!(!text.contains(outside), "{outside} in {name}");
            }
        }
    }
}

#[test]
fn figures_are_well_formed() {
    for (name, study) in all() {
        for figure in figures(&study) {
            let svg = figure.svg();
            let (mut open, mut rest) = (Vec::new(), svg.as_str());
            while let Some((_, tag)) = rest.split_once('<') {
                let (tag, after) = tag.split_once('>').unwrap();
                rest = after;
                match tag.strip_prefix('/') {
                    Some(end) => assert_eq!(open.pop(), Some(end), "{} of {name}", figure.stem),
                    None if tag.ends_with('/') => {}
                    None => open.push(tag.split_whitespace().next().unwrap()),
                }
            }
            assert!(open.is_empty(), "{open:?} in {} of {name}", figure.stem);
        }
    }
}

#[test]
fn rows_of_a_table_are_as_long_as_its_heading() {
    for (name, study) in all() {
        for (stem, text) in csv(&study) {
            let fields = |line: &str| {
                let mut is_quoted = false;
                let separators = line.chars().filter(|c| {
                    is_quoted ^= *c == '"';
                    *c == ',' && !is_quoted
                });
                separators.count()
            };
            let lines: Vec<&str> = text.split_terminator("\r\n").collect();
            assert!(lines.len() > 1, "{stem} of {name}");
            assert!(
                lines.iter().all(|line| fields(line) == fields(lines[0])),
                "{stem} of {name}: {text}"
            );
        }
    }
}

#[test]
fn what_is_found_is_what_the_figures_say() {
    let rich = text(&made_up::rich(), Page::default());
    assert!(
        rich.contains("Every run of all 16 applications sent the same number of messages"),
        "{rich}"
    );
    assert!(
        rich.contains("Rankings of methods by counts are the same in every profile"),
        "{rich}"
    );
    let odd = text(&made_up::odd(), Page::default());
    assert!(!odd.contains("Every run of all"), "{odd}");
    assert!(
        odd.contains("The sends of 2 of 16 applications differ"),
        "{odd}"
    );
    assert!(odd.contains("parsing (<0.01 %)"), "{odd}");
    assert!(
        odd.contains(
            "Counts differ from those of the first run in 1 of 4 contexts: reference (program 0,"
        ),
        "{odd}"
    );
    assert!(
        odd.contains("differ between profiles of markup (ψ¹⁰ up to 0.44)"),
        "{odd}"
    );
    let small = text(&made_up::small(), Page::default());
    assert!(!small.contains("variation of counts"), "{small}");
}

#[test]
fn targets_are_held_against_what_was_measured() {
    let verdicts = |study: &Study| {
        let files = csv(study);
        let targets = files
            .into_iter()
            .find(|(stem, _)| *stem == "targets")
            .unwrap()
            .1;
        let count = |word: &str| targets.matches(&format!(",{word}\r\n")).count();
        ["met", "missed", "undetermined", "not measured"].map(count)
    };
    assert_eq!(verdicts(&made_up::rich()), [11, 1, 1, 2]);
    assert_eq!(verdicts(&made_up::small()), [0, 0, 0, 15]);
    assert_eq!(verdicts(&made_up::odd()), [8, 4, 1, 2]);
}

#[test]
fn json_has_every_part() {
    let text = json(&made_up::rich()).unwrap();
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(value["schema"], "tally.study/1");
    assert_eq!(value["applications"].as_array().unwrap().len(), 16);
    assert_eq!(value["counterexamples"][0]["name"], "factorial");
}

#[test]
fn of_very_many_applications_a_figure_shows_the_first() {
    let mut study = made_up::rich();
    let rows = study.applications.clone();
    study.applications = rows.iter().cycle().take(500).cloned().collect();
    let figures = figures(&study);
    let rates = figures
        .iter()
        .find(|figure| figure.stem == "rates")
        .unwrap();
    assert!(
        rates.caption.ends_with("The first 60 of 500 are shown."),
        "{}",
        rates.caption
    );
    assert_eq!(rates.svg().matches("<circle").count(), 61);
    assert!(text(&study, Page::default()).contains("500 applications with"));
}
