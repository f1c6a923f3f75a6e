//! The pages of `tally history`, `tally test --coverage` and `tally compare`: what they hold agrees with the other reports, and a
//! browser shows it without a problem.

#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot be set up has nothing better to do"
)]

#[allow(dead_code)] // each test binary uses its own part
mod support;
#[path = "../../profiler/tests/webdriver/mod.rs"]
mod webdriver;

use std::fs;
use std::path::Path;

use serde_json::Value;
use support::Sandbox;
use webdriver::Browser;

const CACHE: &str = "Object subclass: Cache [\n\
    | items |\n\
    items [ ^items ifNil: [items := Dictionary new] ]\n\
    at: key put: value [ ^self items at: key put: value ]\n\
    at: key [ ^self items at: key ifAbsent: [nil] ]\n\
    never [ ^self items size + 1 ]\n]\n";
const TESTS: &str = "TestCase subclass: CacheTest [\n\
    testPut [ self assert: (Cache new at: 1 put: 2) equals: 2 ]\n\
    testGet [ self assert: (Cache new at: 1) isNil ]\n]\n";

/// A project of four commits: the second makes a test dearer, the third cannot be loaded, the fourth has a test more.
fn project(name: &str) -> Sandbox {
    let sandbox = Sandbox::new(name);
    sandbox.write("tally.toml", "[project]\npaths = [\"src\", \"tests\"]\n");
    sandbox.write("tests/CacheTest.st", TESTS);
    sandbox.git(&["init", "-q", "-b", "main"]);
    let commit = |cache: &str, subject: &str| {
        sandbox.write("src/Cache.st", cache);
        sandbox.git(&["add", "tally.toml", "src", "tests"]);
        sandbox.git(&["commit", "-q", "-m", subject]);
    };
    let dearer = CACHE.replace(
        "at: key [ ^",
        "at: key [ self items size.\n    self items size.\n    ^",
    );
    commit(CACHE, "A cache");
    commit(&dearer, "Look twice </script><b>");
    commit(&format!("{dearer}Object subclass: [ ^( ]"), "Break it");
    let more = TESTS.replace(
        "testGet [",
        "testNew [ self assert: Cache new notNil ]\ntestGet [",
    );
    sandbox.write("tests/CacheTest.st", more);
    commit(&dearer, "Mend it, and one more test");
    sandbox
}

/// What the script of a page reads.
fn data(html: &str) -> Value {
    let start = "<script id=\"profile\" type=\"application/json\">";
    let (_, rest) = html.split_once(start).unwrap();
    serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap()
}

fn is_harmless(html: &str) {
    assert!(html.contains("default-src 'none'"));
    assert_eq!(html.matches("<script").count(), 2);
    for outside in ["http:", "https:", "@import", "url(", " src=", "<b>"] {
        assert!(!html.contains(outside), "{outside}");
    }
}

#[test]
fn the_page_of_a_history_holds_what_its_json_holds() {
    let sandbox = project("history-page");
    let outputs = ["history", "-o", "h.html", "-o", "h.json", "-o", "h.svg"];
    sandbox.tally(&outputs).exits(0);
    let html = sandbox.read("h.html");
    is_harmless(&html);
    let (page, json): (Value, Value) = (
        data(&html),
        serde_json::from_str(&sandbox.read("h.json")).unwrap(),
    );
    let commits = page["commits"].as_array().unwrap();
    let known = json["commits"].as_array().unwrap();
    assert_eq!(commits.len(), 4);
    for (index, (shown, known)) in commits.iter().zip(known).enumerate() {
        assert_eq!(shown["subject"], known["subject"]);
        assert_eq!(shown["count"], known["count"]);
        let tests = page["tests"].as_array().unwrap().iter();
        let sum: u64 = tests
            .filter_map(|test| test["counts"][index].as_u64())
            .sum();
        assert_eq!(sum, known["count"].as_u64().unwrap_or(0), "{shown}");
    }
    assert_eq!(page["tests"].as_array().unwrap().len(), 3);
    assert!(commits[3]["note"].as_str().unwrap().contains("1 test more"));
    assert_eq!(page["tests"][0]["name"], "CacheTest>>testGet");
    let dashed = page["dashed"].as_str().unwrap();
    assert!(sandbox.read("h.svg").contains(dashed));
}

#[test]
fn the_ending_of_a_name_decides_the_format_of_coverage() {
    let sandbox = project("coverage-page");
    let ran = sandbox.tally(&[
        "test",
        "--coverage=c.html",
        "--coverage=html=same.html",
        "--coverage=c.json",
        "--coverage=c.info",
        "--coverage=c.txt",
    ]);
    ran.exits(0);
    let html = sandbox.read("c.html");
    is_harmless(&html);
    assert_eq!(html, sandbox.read("same.html"));
    assert!(sandbox.read("c.info").starts_with("TN:"));
    assert!(sandbox.read("c.txt").contains("Not covered:"));
    let json: Value = serde_json::from_str(&sandbox.read("c.json")).unwrap();
    assert_eq!(json["schema"], "tally.coverage/1");
    let page = data(&html);
    let files = page["files"].as_array().unwrap();
    let cache = files.iter().find(|file| file["name"] == "src/Cache.st");
    let cache = cache.unwrap();
    assert_eq!(cache["never"], serde_json::json!([["Cache>>never", 8]]));
    assert_eq!(cache["shares"][0], serde_json::json!([3, 4]));
    assert!(cache["text"].as_str().unwrap().contains("never ["));
    let line = |number: u64| {
        let lines = cache["lines"].as_array().unwrap().iter();
        lines.clone().find(|line| line[0] == number).unwrap()[1].clone()
    };
    assert_eq!([line(8), line(5)], [0, 1]);
    let ran = sandbox.tally(&["test", "--coverage=c.xyz"]);
    ran.exits(2).says("a file whose name ends in .html");
}

#[test]
fn a_comparison_knows_the_sends_of_lines_of_versions_that_it_measured() {
    let sandbox = project("line-page");
    let ran = sandbox.tally(&["compare", "HEAD~3", "HEAD~2", "-o", "d.html"]);
    ran.exits(0);
    let html = sandbox.read("d.html");
    is_harmless(&html);
    let page = data(&html);
    let edited = &page["sources"][0];
    assert_eq!(edited["name"], "Cache>>at:");
    let sides = [&edited["sides"][0]["lines"], &edited["sides"][1]["lines"]];
    // `items` and `at:ifAbsent:`; with two pairs of `items` and `size` before.
    let known = [
        serde_json::json!([[0, 2]]),
        serde_json::json!([[0, 2], [1, 2], [2, 2]]),
    ];
    assert_eq!(sides, [&known[0], &known[1]]);
}

#[test]
#[ignore = "needs chromedriver"]
fn the_pages_are_driven_in_a_browser() {
    let sandbox = project("driven-pages");
    sandbox
        .tally(&["history", "-o", "h.html", "-o", "h.svg"])
        .exits(0);
    sandbox.tally(&["test", "--coverage=c.html"]).exits(0);
    let browser = Browser::start();
    let ready = "document.documentElement.dataset.ready";

    browser.open(&browser.write("h.html", &sandbox.read("h.html")));
    browser.wait_for(ready);
    let lines = "document.querySelectorAll('.drawing path.line').length";
    assert_eq!(browser.text(lines), "1");
    browser.wait_for(
        "document.querySelector('.dashes').textContent.startsWith('Dashed: not comparable')",
    );
    browser.click("#tests tbody tr:nth-child(1) button");
    browser.click("#tests tbody tr:nth-child(2) button");
    assert_eq!(browser.text(lines), "2");
    browser.press(".drawing", "\u{e014}");
    let tip = "document.querySelector('.tip').textContent";
    browser.wait_for(&format!("{tip}.includes('A cache')"));
    browser.press(".drawing", "\u{e014}");
    browser.wait_for(&format!("{tip}.includes('Look twice </script><b>')"));
    assert!(browser.text(tip).contains("(+4)"), "{}", browser.text(tip));
    browser.click("#tests .tools button");
    assert_eq!(browser.text(lines), "1");
    fits(&browser);

    browser.open(&browser.write("c.html", &sandbox.read("c.html")));
    browser.wait_for(ready);
    browser.click("#shares [data-value=classes]");
    browser.press("#shares .search", "cachetest");
    browser.wait_for("document.querySelectorAll('#shares tbody tr').length === 1");
    browser.click("#shares tbody button.name");
    browser.wait_for("document.querySelector('[data-file=\"tests/CacheTest.st\"]').open");
    browser.run("document.querySelector('[data-file=\"src/Cache.st\"]').open = true");
    browser.wait_for("document.querySelector('[data-file=\"src/Cache.st\"] tr.never-ran')");
    fits(&browser);

    let profiled = ["profile", "--test", "CacheTest", "-o", "p.html"];
    sandbox.tally(&profiled).exits(0);
    browser.open(&browser.write("p.html", &sandbox.read("p.html")));
    browser.wait_for(ready);
    browser.run("location.hash = '#/flame'");
    browser.wait_for("document.querySelectorAll('select.tests option').length === 4");
    browser.run("const field = document.querySelector('select.tests'); field.selectedIndex = 3; field.dispatchEvent(new Event('change'))");
    browser.wait_for("document.querySelector('.crumbs').textContent === 'CacheTest>>testPut'");
    fits(&browser);

    browser.open(&browser.write("h.svg", &sandbox.read("h.svg")));
    assert_eq!(
        browser.text("document.querySelectorAll('parsererror').length"),
        "0"
    );
    assert_eq!(browser.console(), [] as [String; 0]);
}

/// A page of an example in a browser, and what the run said.
fn timeline_in_browser(example: &str, options: &[&str]) -> (Sandbox, Browser, support::Ran) {
    let sandbox = Sandbox::new(&format!("page-of-{example}"));
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/processors");
    sandbox.write(example, fs::read(folder.join(example)).unwrap());
    let arguments = [&["timeline", example, "-o", "t.html"], options].concat();
    let ran = sandbox.tally(&arguments);
    let browser = Browser::start();
    browser.resize(1280, 900);
    browser.open(&browser.write("t.html", &sandbox.read("t.html")));
    browser.wait_for("document.documentElement.dataset.ready");
    (sandbox, browser, ran)
}

#[test]
#[ignore = "needs chromedriver"]
fn the_page_shows_the_deadlock_that_the_run_reports() {
    let (_sandbox, browser, ran) = timeline_in_browser("philosophers.st", &[]);
    // error: deadlock: #10 → #6 → … → #10
    let reported = ran.error();
    let (_, circle) = reported.split_once("deadlock: ").unwrap();
    let circle: Vec<&str> = circle.lines().next().unwrap().split(" → ").collect();
    browser.click("main a[href*='at=']");
    browser.wait_for("document.querySelector('#moment')");
    let shown = browser.text("[...document.querySelectorAll('#moment [aria-label=Circles] .name')].map((e) => e.textContent.split(' ')[0]).join(' ')");
    let shown: Vec<&str> = shown.split(' ').collect();
    assert_eq!(shown.len(), circle.len());
    // The same circle, from another place on.
    let start = shown.iter().position(|name| name == &circle[0]).unwrap();
    let around = shown[start..].iter().chain(&shown[1..=start]);
    assert!(around.eq(&circle), "{shown:?} {circle:?}");
    assert_eq!(
        browser.text("document.querySelectorAll('.waiting .node.bad').length"),
        "5"
    );
    fits(&browser);
    assert_eq!(browser.console(), [] as [String; 0]);
}

#[test]
#[ignore = "needs chromedriver"]
fn the_page_shows_the_path_and_the_cpus_of_a_run() {
    for (example, costs) in [
        ("market.st", "latency=10"),
        ("workers.st", "switch=3,call=2"),
    ] {
        let options = ["--costs", costs, "--cpus", "2"];
        let (sandbox, browser, _) = timeline_in_browser(example, &options);
        let wanted = ["timeline", example, "--view", "path", "--format", "json"];
        let ran = sandbox.tally(&[&wanted[..], &options].concat());
        let document: Value = serde_json::from_str(ran.output()).unwrap();
        let shares = document["path"]["shares"].as_array().unwrap().iter();
        let shares = shares.map(|row| row["share"].as_u64().unwrap());
        browser.run("location.hash = '#/path'");
        browser.wait_for("document.querySelector('[aria-label=\"Shares of the path\"]')");
        let shown = browser.run("return [...document.querySelectorAll('[aria-label=\"Shares of the path\"] [data-label=share]')].map((e) => Number(e.firstChild.textContent.replace(/,/g, '')));");
        assert_eq!(shown, Value::from(shares.collect::<Vec<u64>>()));
        // The CPUs are busy while processors run and are charged.
        let processors = document["processors"].as_array().unwrap().iter();
        let states = processors.map(|row| &row["states"]);
        let busy: u64 = states
            .flat_map(|row| ["running", "overhead"].map(|state| row[state].as_u64().unwrap_or(0)))
            .sum();
        browser.run("location.hash = '#/processors'");
        browser.wait_for("document.querySelector('.well.lanes canvas')");
        let lanes = browser.run("return [...document.querySelectorAll('[aria-label=CPUs] [data-label=busy]')].map((e) => Number(e.firstChild.textContent.replace(/,/g, '')));");
        let lanes = lanes.as_array().unwrap().iter();
        let lanes: Vec<u64> = lanes.map(|one| one.as_u64().unwrap()).collect();
        assert_eq!(lanes.len(), 2);
        assert_eq!(lanes.iter().sum::<u64>(), busy, "{lanes:?}");
        fits(&browser);
        assert_eq!(browser.console(), [] as [String; 0]);
    }
}

/// The page has a button for its theme and is never wider than the window.
fn fits(browser: &Browser) {
    for theme in ["light", "dark"] {
        browser.run("window.scrollTo(0, 0)");
        browser.run("document.getElementById('theme').click()");
        for width in [400, 720, 1280] {
            browser.resize(width, 800);
            browser.assert_readable(theme);
            let scrolls = "document.documentElement.scrollWidth > window.innerWidth";
            assert_eq!(browser.text(scrolls), "false", "{theme} at {width}");
        }
    }
}
