//! The HTML report of a difference in a real browser: clicks, keys and visible texts. The browser must report no problem.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot be set up has nothing better to do"
)]

#[path = "../../../profiler/tests/made_up/mod.rs"]
mod made_up;
#[path = "../../../profiler/tests/webdriver/mod.rs"]
mod webdriver;

use tally_comparison::explanation::explain;
use tally_comparison::{Measurement, difference, difference_html};
use tally_profiler::Profile;

use webdriver::Browser;

fn assert_quiet(browser: &Browser) {
    assert_eq!(browser.console(), [] as [String; 0]);
}

/// A browser that shows the report of the difference between two profiles.
fn compared(old: &Profile, new: &Profile) -> Browser {
    let (old, new) = (Measurement::of_profile(old), Measurement::of_profile(new));
    let explanation = explain(&old, &new);
    let sides = ["<b>v1</b>", "WORKTREE"];
    let html = difference_html(&difference(&old, &new), &explanation, &old, &new, sides);
    let browser = Browser::start();
    browser.resize(1280, 860);
    browser.open(&browser.write("difference.html", &html));
    browser.wait_for("document.documentElement.dataset.ready");
    browser
}

#[test]
#[ignore = "needs chromedriver"]
fn a_difference_is_zoomed_filtered_and_sorted() {
    let (old, new) = (made_up::profile(30, 200), made_up::profile(25, 170));
    let browser = compared(&old, &new);
    assert_eq!(
        browser.text("document.querySelector('h1').textContent"),
        "<b>v1</b> → WORKTREE"
    );
    browser.run("document.querySelector('.well').scrollIntoView({block: 'end'})");
    let place = browser.run(
        "const box = document.querySelector('canvas').getBoundingClientRect(); return [Math.round(box.left + box.width / 4), Math.round(box.bottom)];",
    );
    browser.click_at(
        place[0].as_i64().unwrap(),
        place[1].as_i64().unwrap() - 21 - 10,
    );
    browser.wait_for("document.querySelectorAll('.crumbs li').length === 2");
    browser.press("canvas", "\u{e00c}");
    browser.wait_for("document.querySelectorAll('.crumbs li').length === 1");
    // The keyboard moves to the first child, and the page announces it.
    browser.press("canvas", "\u{e013}");
    browser.press("canvas", "\u{e013}");
    let said = browser.text("document.getElementById('status').textContent");
    assert!(said.contains(": total "), "{said}");
    for width in ["before", "after", "both"] {
        browser.click(&format!("#flame [data-value={width}]"));
        let label = format!(
            "document.querySelector('canvas').getAttribute('aria-label').endsWith('width: {width}')"
        );
        browser.wait_for(&label);
    }
    browser.click("#tables [data-value=methods]");
    browser.click("#tables [data-value=all]");
    browser.press("#tables .search", "PARSER>>");
    browser.wait_for("[...document.querySelectorAll('#tables tbody .name')].every(e => e.textContent.includes('Parser>>'))");
    browser.click("#tables th button[data-key=calls]");
    browser.wait_for("document.querySelector('#tables [aria-sort=descending] [data-key=calls]')");
    assert_quiet(&browser);
}

#[test]
#[ignore = "needs chromedriver"]
fn the_sources_of_both_sides_stand_line_by_line_with_their_sends() {
    let (old, mut new) = (made_up::profile(30, 200), made_up::profile(30, 230));
    new.methods[0].digest = "ff".to_string();
    let source = &mut new.methods[0].source;
    *source = format!(
        "{}\n\"<img src=x onerror=window.broken=1>\"",
        source.trim_end()
    );
    let lines = source.lines().count();
    let browser = compared(&old, &new);
    let first = "document.querySelector('#sources details')";
    assert_eq!(
        browser.text(&format!("{first}.dataset.method")),
        new.methods[0].name
    );
    let rows = |kind: &str| browser.text(&format!("{first}.querySelectorAll('tr.{kind}').length"));
    assert_eq!([rows("new"), rows("gone")], ["1", "0"]);
    assert!(rows("same").parse::<usize>().unwrap() < lines);
    let sends = |column: usize| -> u64 {
        let cells = format!(
            "[...{first}.querySelectorAll('tbody tr')].map(e => Number(e.children[{column}].textContent.replaceAll(',', ''))).reduce((a, b) => a + b)"
        );
        browser.text(&cells).parse().unwrap()
    };
    assert_eq!(
        [sends(2), sends(3)],
        [old.methods[0].own, new.methods[0].own]
    );

    // The name of a method in the tables leads to its source.
    browser.click("#tables [data-value=methods]");
    browser.click("#tables tbody button.name");
    browser.wait_for("document.querySelectorAll('#sources details').length === 1");
    assert_eq!(browser.text("String(window.broken)"), "undefined");
    assert_quiet(&browser);
}

#[test]
#[ignore = "needs chromedriver"]
fn a_difference_fits_narrow_windows_and_both_themes_and_runs_no_name() {
    let browser = compared(&made_up::hostile(), &made_up::profile(10, 60));
    for theme in ["light", "dark"] {
        browser.prefer(theme);
        browser.wait_for(&format!(
            "document.documentElement.dataset.theme === '{theme}'"
        ));
        for width in [400, 720, 1280] {
            browser.resize(width, 800);
            browser.assert_readable("difference");
            let scrolls = "document.documentElement.scrollWidth > window.innerWidth";
            assert_eq!(browser.text(scrolls), "false", "{theme} at {width}");
        }
    }
    assert_eq!(browser.text("String(window.broken)"), "undefined");
    let elements = "document.querySelectorAll('main script, main img').length";
    assert_eq!(browser.text(elements), "0");
    assert_quiet(&browser);
}
