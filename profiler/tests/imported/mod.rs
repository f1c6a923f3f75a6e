//! The pages of imported profiles: they have the views that their data allows, and say nothing of what it lacks.

use tally_profiler::{ImportFormat, Profile, import};

use super::webdriver::Browser;
use super::{assert_quiet, opened};

/// The profile in a text of another tool.
fn imported(name: &str, text: &str) -> Profile {
    let format = ImportFormat::of(name, text.as_bytes()).unwrap();
    import(format, name, text.as_bytes(), None).unwrap()
}

/// `main` calls `parse`, which calls itself and `read`.
const CALLGRIND: &str = "# callgrind format\nevents: Ir\nob=/bin/a\nfl=a.c\nfn=main\n1 10\ncfn=parse\ncalls=2 5\n2 200\n\
                         fn=parse\n5 100\ncfn=parse\ncalls=7 5\n6 900\ncfn=read\ncalls=20 9\n6 100\nfn=read\n9 100\n";

const FOLDED: &str =
    "# unit: samples\nmain;parse;read 3\nmain;parse;parse 4\nmain;write 5\nmain 1\n";

/// Words of our own profiles that an imported profile has no counts for.
const UNKNOWN: &str = "/\\b(sends?|methods?|objects?|blocks?|classes|allocations)\\b/i";

fn assert_says_nothing_unknown(browser: &Browser, views: &[&str]) {
    for view in views {
        browser.run(&format!("location.hash = '{view}'"));
        browser.wait_for("document.querySelector('main h1')");
        let found = browser.text(&format!(
            "String(document.body.innerText.replace(document.querySelector('.foot').innerText, '').match({UNKNOWN})?.[0])"
        ));
        assert_eq!(found, "undefined", "{view}");
    }
    assert_quiet(browser);
}

fn links(browser: &Browser) -> String {
    browser.text("[...document.querySelectorAll('#views a')].map(e => e.textContent).join()")
}

#[test]
#[ignore = "needs chromedriver"]
fn calls_without_a_tree_have_a_sandwich_of_direct_calls() {
    let browser = opened(&imported("a.callgrind", CALLGRIND), "#/methods?q=parse");
    assert_eq!(links(&browser), "Summary,Ranking,Modules");
    browser.click("main tbody tr .name");
    browser.wait_for("document.querySelectorAll('.sandwich canvas').length === 2");
    for (place, key, said) in [
        (0, "ArrowUp", "main: 200 Ir"),
        (1, "ArrowDown", "read: 100 Ir"),
    ] {
        let canvas = format!("document.querySelectorAll('.sandwich canvas')[{place}]");
        // To the function itself, and on to the direct call.
        for _ in 0..2 {
            let event = format!("new KeyboardEvent('keydown', {{ key: '{key}', bubbles: true }})");
            browser.run(&format!("{canvas}.dispatchEvent({event})"));
        }
        let status = browser.text("document.getElementById('status').textContent");
        assert!(status.starts_with(said), "{status}");
    }
    let views = [
        "#/",
        "#/methods",
        "#/methods?by=class",
        "#/methods?by=package",
        "#/classes",
        "#/method/0",
    ];
    assert_says_nothing_unknown(&browser, &views);
}

#[test]
#[ignore = "needs chromedriver"]
fn stacks_of_other_tools_are_a_flame_graph() {
    let browser = opened(&imported("a.folded", FOLDED), "#/flame?q=parse");
    assert_eq!(links(&browser), "Summary,Ranking,Flame graph,Modules");
    browser.wait_for("document.querySelector('.found').textContent.includes('samples')");
    let found = browser.text("document.querySelector('.found').textContent");
    assert_eq!(found, "2 contexts found: 53.8% of all samples (7)");
    browser.click("[data-value=bottom-up]");
    browser.wait_for("location.hash.includes('bottom-up')");
    let first = browser.text("document.querySelector('main tbody tr').innerText");
    assert!(first.contains("write") && first.contains('5'), "{first}");
    let views = [
        "#/",
        "#/methods",
        "#/methods?by=class",
        "#/flame",
        "#/flame?shape=bottom-up",
        "#/classes",
        "#/method/1",
    ];
    assert_says_nothing_unknown(&browser, &views);
    let page = browser.text("document.body.innerText");
    assert!(!page.contains("call "), "numbers of calls are not known");
}
