//! The HTML report and the flame graph in a real browser: clicks, keys and visible texts. The browser must report no
//! problem.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test that cannot be set up has nothing better to do, and times are for who runs it"
)]

mod imported;
mod made_up;
mod webdriver;

use tally_presentation::plot::{Series, SeriesPoint, history_svg};
use tally_profiler::{Measure, MethodProfile, Profile, flame_svg, html_report};
use webdriver::Browser;

/// A browser that shows a profile's report, 1,280 points wide.
fn opened(profile: &Profile, place: &str) -> Browser {
    let browser = Browser::start();
    browser.resize(1280, 860);
    let address = browser.write("report.html", &html_report(profile));
    browser.open(&format!("{address}{place}"));
    browser.wait_for("document.documentElement.dataset.ready");
    browser
}

fn assert_quiet(browser: &Browser) {
    assert_eq!(browser.console(), [] as [String; 0]);
}

fn names(browser: &Browser) -> Vec<String> {
    let names = browser.run(
        "return [...document.querySelectorAll('main tbody tr .name')].map(e => e.textContent);",
    );
    let names = names.as_array().unwrap().iter();
    names.map(|n| n.as_str().unwrap().to_string()).collect()
}

fn most_expensive(profile: &Profile, count: fn(&MethodProfile) -> u64) -> &MethodProfile {
    profile.methods.iter().max_by_key(|m| count(m)).unwrap()
}

#[test]
#[ignore = "needs chromedriver"]
fn rankings_are_sorted_filtered_and_clicked_through() {
    let profile = made_up::profile(40, 300);
    let browser = opened(&profile, "");
    browser.click("#views a[data-view=methods]");
    browser.wait_for("document.querySelectorAll('main tbody tr').length === 40");
    for (key, count) in [
        ("own", (|m| m.own) as fn(&MethodProfile) -> u64),
        ("calls", |m| m.calls),
        ("total", |m| m.total),
    ] {
        browser.click(&format!("th button[data-key={key}]"));
        browser.wait_for(&format!(
            "document.querySelector('[aria-sort=descending] [data-key={key}]')"
        ));
        assert_eq!(names(&browser)[0], most_expensive(&profile, count).name);
    }
    browser.click("th button[data-key=name]");
    browser.wait_for("document.querySelector('[aria-sort=ascending] [data-key=name]')");
    assert!(names(&browser).is_sorted());

    browser.press("main .search", "PARSER>>");
    browser.wait_for("location.hash.includes('q=PARSER')");
    let found = names(&browser);
    assert!(
        !found.is_empty() && found.iter().all(|name| name.contains("Parser>>")),
        "{found:?}"
    );

    browser.click("main tbody tr .name");
    browser.wait_for("location.hash.startsWith('#/method/')");
    assert_eq!(
        browser.text("document.querySelector('h1').textContent"),
        found[0]
    );
    browser.back();
    browser.wait_for("location.hash.includes('q=PARSER')");
    assert_eq!(names(&browser), found, "back leads to the filtered ranking");

    browser.click("[data-value=class]");
    browser.wait_for("location.hash.includes('by=class')");
    assert_eq!(names(&browser), [] as [&str; 0], "no class is called so");
    browser.run("location.hash = '#/methods?by=package'");
    browser.wait_for("document.querySelectorAll('main tbody tr').length > 3");
    browser.click("[data-value=library]");
    browser.wait_for("document.querySelectorAll('main tbody .dot.program').length === 0");
    assert!(
        names(&browser)
            .iter()
            .all(|name| name.starts_with("Collections-"))
    );
    assert_quiet(&browser);
}

#[test]
#[ignore = "needs chromedriver"]
fn a_method_leads_to_its_callers_callees_source_and_allocations() {
    let mut profile = made_up::profile(10, 60);
    profile.methods[0]
        .source
        .push_str(&"\"nothing\"\n".repeat(40));
    let browser = opened(&profile, "#/method/0");
    let script = most_expensive(&profile, |m| m.total);
    assert_eq!(
        browser.text("document.querySelector('h1').textContent"),
        script.name
    );

    let lines = browser.run(
        "return [...document.querySelectorAll('.source tr[data-line]')].map(e => e.children[1].textContent.replaceAll(',', '')).filter(Boolean).map(Number);",
    );
    let sends: u64 = lines
        .as_array()
        .unwrap()
        .iter()
        .map(|n| n.as_u64().unwrap())
        .sum();
    assert_eq!(sends, script.own, "the lines' sends are the method's own");
    assert!(
        browser
            .text("document.querySelectorAll('.source .send').length")
            .parse::<usize>()
            .unwrap()
            >= 5
    );
    assert!(
        browser
            .text("document.querySelector('main').textContent")
            .contains("Sends by place")
    );
    browser.wait_for(
        "[...document.querySelectorAll('h2')].some(e => e.textContent === 'Allocations')",
    );

    let lines = "document.querySelectorAll('.source tr[data-line]').length";
    let folded: usize = browser.text(lines).parse().unwrap();
    browser.click(".source .folded button");
    let whole = script.source.lines().count();
    assert_eq!(browser.text(lines), whole.to_string(), "after {folded}");
    assert!(folded < whole);

    // Into the most expensive callee, of which this is a caller, and by it back up.
    let callee = browser.text("[...document.querySelectorAll('.card')].find(e => e.querySelector('h2').textContent === 'Callees').querySelector('a.name').textContent");
    browser.run("[...document.querySelectorAll('.card')].find(e => e.querySelector('h2').textContent === 'Callees').querySelector('a.name').click()");
    browser.wait_for("location.hash !== '#/method/0'");
    assert_eq!(
        browser.text("document.querySelector('h1').textContent"),
        callee
    );
    let callers = browser.text("[...document.querySelectorAll('.card')].find(e => e.querySelector('h2').textContent === 'Callers').textContent");
    assert!(callers.contains(&script.name), "{callers}");
    browser.back();
    browser.wait_for("location.hash === '#/method/0'");
    assert_eq!(
        browser.text("document.querySelector('h1').textContent"),
        script.name
    );
    assert_quiet(&browser);
}

/// Clicks into the row that stands `row` rows above the root, a quarter of the picture from its left.
fn click_row(browser: &Browser, row: usize) {
    let place = browser.run(
        "const box = document.querySelector('canvas').getBoundingClientRect(); return [Math.round(box.left + box.width / 4), Math.round(box.bottom)];",
    );
    let (x, bottom) = (place[0].as_i64().unwrap(), place[1].as_i64().unwrap());
    browser.click_at(x, bottom - 21 * row as i64 - 10);
}

#[test]
#[ignore = "needs chromedriver"]
fn the_flame_graph_zooms_searches_and_turns() {
    let profile = made_up::profile(30, 200);
    let browser = opened(&profile, "#/flame");
    browser.run("document.querySelector('.well').scrollIntoView({block: 'end'})");
    click_row(&browser, 2);
    browser.wait_for("location.hash.includes('zoom=')");
    let zoomed = browser.text("document.querySelector('.crumbs [aria-current]').textContent");
    assert!(
        browser
            .text("document.querySelector('main').textContent")
            .contains(&format!("In this context: {zoomed}"))
    );
    assert_eq!(
        browser.text("document.querySelectorAll('.crumbs li').length"),
        "3"
    );
    browser.back();
    browser.wait_for("!location.hash.includes('zoom=')");
    assert_eq!(
        browser.text("document.querySelector('.crumbs [aria-current]').textContent"),
        "run"
    );

    // By keyboard: the root, its child, into it, out again.
    browser.press("canvas", "\u{e013}");
    browser.press("canvas", "\u{e013}");
    let said = browser.text("document.getElementById('status').textContent");
    assert!(said.starts_with("examples/planner.st: "), "{said}");
    browser.press("canvas", "\u{e007}");
    browser.wait_for("location.hash.includes('zoom=1')");
    browser.press("canvas", "\u{e00c}");
    browser.wait_for("!location.hash.includes('zoom=')");

    let wanted = most_expensive(&profile, |m| if m.class == "Parser" { m.total } else { 0 });
    browser.press("main .search", &format!("\"{}\"", wanted.name));
    browser.wait_for("document.querySelector('.found').textContent.includes('found')");
    let found = browser
        .text("document.querySelector('.found').textContent")
        .replace(',', "");
    assert!(
        found.contains(&format!("({})", wanted.total)),
        "{found} should tell {}",
        wanted.total
    );

    browser.click("[data-value=icicle]");
    browser.click("[data-value=objects]");
    browser
        .wait_for("location.hash.includes('by=objects') && location.hash.includes('shape=icicle')");
    assert!(
        browser
            .text("document.querySelector('canvas').getAttribute('aria-label')")
            .starts_with("Icicle of run by objects")
    );
    assert_quiet(&browser);
}

/// The number in a text such as "1,234 sends, 100.0% of the run.".
fn first_number(text: &str) -> u64 {
    let digits = text.chars().filter(|c| *c != ',');
    let digits: String = digits.take_while(char::is_ascii_digit).collect();
    digits.parse().unwrap()
}

#[test]
#[ignore = "needs chromedriver"]
fn a_bottom_up_graph_has_each_methods_own_sends_below_its_callers() {
    let profile = made_up::profile(30, 200);
    let browser = opened(&profile, "#/flame?shape=bottom-up");
    let about = "document.querySelector('main .card .hint').textContent";
    assert_eq!(first_number(&browser.text(about)), profile.cost.sends);
    let heaviest = most_expensive(&profile, |m| m.own);
    while browser.text("Boolean(document.querySelector('main .pager button'))") == "true" {
        browser.click("main .pager button");
    }
    // A method and its blocks have frames of their own.
    let name = serde_json::json!(heaviest.name).to_string();
    let rows = format!(
        "[...document.querySelectorAll('main tbody tr')].filter(e => e.querySelector('.name').textContent.replace('[] in ', '') === {name})"
    );
    let sum = format!(
        "{rows}.reduce((sum, e) => sum + Number(e.children[1].firstChild.textContent.replaceAll(',', '')), 0)"
    );
    assert_eq!(browser.text(&sum), heaviest.own.to_string());
    browser.run("document.querySelector('main tbody tr a.name').click()");
    browser.wait_for("location.hash.includes('zoom=')");
    browser.run("window.scrollTo(0, 0)");
    browser.click("[data-value=flame]");
    browser.wait_for("!location.hash.includes('shape=') && !location.hash.includes('zoom=')");
    assert_quiet(&browser);
}

#[test]
#[ignore = "needs chromedriver"]
fn a_method_stands_between_its_callers_and_callees() {
    let profile = made_up::profile(30, 200);
    let browser = opened(&profile, "#/methods?q=parser");
    browser.click("main tbody tr .name");
    browser.wait_for("document.querySelectorAll('.sandwich canvas').length === 2");
    let name = browser.text("document.querySelector('h1').textContent");
    for place in [0, 1] {
        let canvas = format!("document.querySelectorAll('.sandwich canvas')[{place}]");
        let label = browser.text(&format!("{canvas}.getAttribute('aria-label')"));
        assert!(label.contains(&name), "{label}");
        let down = "new KeyboardEvent('keydown', { key: 'ArrowDown', bubbles: true })";
        browser.run(&format!("{canvas}.dispatchEvent({down})"));
        let said = browser.text("document.getElementById('status').textContent");
        let method = profile.methods.iter().find(|m| m.name == name).unwrap();
        let total = tally_presentation::grouped(method.total);
        assert!(said.contains(&format!(": {total} send")), "{said}");
    }
    assert_quiet(&browser);
}

#[test]
#[ignore = "needs chromedriver"]
fn classes_are_boxes_of_methods_that_lead_to_their_pages() {
    let profile = made_up::profile(40, 300);
    let browser = opened(&profile, "#/classes");
    let boxes = "document.querySelectorAll('.blueprint a').length";
    assert_eq!(browser.text(boxes), "40");
    assert_ne!(
        browser.text("document.querySelectorAll('.blueprint .edge').length"),
        "0"
    );
    let height = |count: &str| -> f64 {
        let place = format!(
            "[...document.querySelectorAll('.blueprint a')].find(e => e.querySelector('title').textContent.startsWith({count}))"
        );
        let height = format!("{place}.querySelector('rect').getAttribute('height')");
        browser.text(&height).parse().unwrap()
    };
    let heaviest = most_expensive(&profile, |m| m.own);
    let lightest = profile.methods.iter().min_by_key(|m| m.own).unwrap();
    let [high, low] = [heaviest, lightest]
        .map(|m| height(&serde_json::json!(format!("{}:", m.name)).to_string()));
    assert!(high > low, "{high} {low}");

    // The key leads to the search field, and what is typed there stays text.
    browser.press("body", "/");
    browser.wait_for("document.activeElement.className === 'search'");
    browser.press("main .search", "a/b<i>");
    browser.wait_for("document.querySelectorAll('.blueprint a.pale').length === 40");
    browser.press("main .search", &"\u{e003}".repeat(6));
    browser.wait_for("document.querySelectorAll('.blueprint a.pale').length === 0");
    browser.run("document.querySelector('.blueprint a').dispatchEvent(new MouseEvent('click', { bubbles: true }))");
    browser.wait_for("location.hash.startsWith('#/method/')");
    assert_quiet(&browser);
}

#[test]
#[ignore = "needs chromedriver"]
fn tiles_are_as_wide_as_their_numbers() {
    let mut profile = made_up::profile(10, 60);
    profile.cost.instructions = u64::MAX;
    profile.cost.allocations.bytes = u64::MAX;
    let browser = opened(&profile, "");
    for width in [400, 720, 1280] {
        browser.resize(width, 800);
        let broken = "[...document.querySelectorAll('.tiles dd')].filter(e => e.scrollWidth > e.clientWidth || e.getClientRects().length > 1 || e.offsetHeight > 40).length";
        assert_eq!(browser.text(broken), "0", "{width}");
        let scrolls = "document.documentElement.scrollWidth > window.innerWidth";
        assert_eq!(browser.text(scrolls), "false", "{width}");
    }
    assert_quiet(&browser);
}

#[test]
#[ignore = "needs chromedriver"]
fn both_themes_and_narrow_windows_fit() {
    let profile = made_up::profile(10, 60);
    let browser = opened(&profile, "");
    let paper = || browser.text("getComputedStyle(document.body).backgroundColor");
    let before = paper();
    browser.click("#theme");
    assert_eq!(
        browser.text("document.documentElement.dataset.theme"),
        "dark"
    );
    assert_ne!(paper(), before);
    browser.click("#theme");
    assert_eq!(paper(), before);
    browser.run("localStorage.clear()");
    browser.prefer("dark");
    browser.wait_for("document.documentElement.dataset.theme === 'dark'");
    for width in [400, 720, 1280] {
        browser.resize(width, 800);
        for place in [
            "",
            "methods",
            "methods?by=package",
            "flame",
            "flame?shape=bottom-up",
            "classes",
            "method/1",
            "allocations",
        ] {
            browser.run(&format!("location.hash = '#/{place}'"));
            browser.wait_for("document.querySelector('main h1')");
            let scrolls = "document.documentElement.scrollWidth > window.innerWidth";
            assert_eq!(browser.text(scrolls), "false", "{place} at {width}");
            browser.assert_readable(place);
        }
    }
    for (width, place) in [(1280, "summary"), (400, "allocations")] {
        browser.resize(width, 800);
        browser.click("#theme");
        browser.assert_readable(place);
    }
    assert_quiet(&browser);
}

#[test]
#[ignore = "needs chromedriver"]
fn long_names_and_many_files_fit() {
    let mut profile = made_up::profile(30, 300);
    for method in &mut profile.methods {
        let long = "AbstractCustomerInvoiceRecalculationStrategyFactory";
        method.name = format!("{long}{}", method.name);
        method.package = format!("{long}-{}", method.package);
    }
    profile.files = (0..1000).map(|n| format!("src/File{n}.st")).collect();
    let browser = opened(&profile, "");
    assert_eq!(
        browser.text("document.querySelector('h1').textContent"),
        "src/File0.st, src/File1.st and 998 more"
    );
    for width in [400, 720, 1280] {
        browser.resize(width, 800);
        for place in ["", "methods", "flame", "classes", "method/1", "allocations"] {
            browser.run(&format!("location.hash = '#/{place}'"));
            browser.wait_for("document.querySelector('main h1')");
            let scrolls = "document.documentElement.scrollWidth > window.innerWidth";
            assert_eq!(browser.text(scrolls), "false", "{place} at {width}");
        }
    }
    let link = "document.querySelector('#views [aria-current]').getBoundingClientRect()";
    browser.resize(320, 800);
    browser.run("location.hash = '#/'");
    browser.run("location.hash = '#/allocations'");
    browser.wait_for(&format!(
        "{link}.right <= document.documentElement.clientWidth + 1"
    ));
    assert_quiet(&browser);
}

#[test]
#[ignore = "needs chromedriver"]
fn five_thousand_methods_open() {
    let profile = made_up::profile(5000, 120_000);
    let browser = Browser::start();
    let text = html_report(&profile);
    let address = browser.write("report.html", &text);
    for place in [
        "",
        "#/methods",
        "#/flame",
        "#/flame?shape=bottom-up",
        "#/classes",
        "#/method/1",
        "#/allocations",
    ] {
        // The best of three, because other load on the machine is not measured.
        let mut best = f64::MAX;
        for _ in 0..3 {
            browser.open(&format!("{address}{place}"));
            browser.wait_for("document.documentElement.dataset.ready");
            let loaded = "performance.getEntriesByType('navigation')[0].loadEventEnd";
            best = best.min(browser.text(loaded).parse().unwrap());
        }
        // The target is two seconds. The test prints the time and asserts nothing, because the time depends on the
        // machine.
        println!("{} bytes {place:15} {best:.0} ms", text.len());
        assert!(best < f64::MAX, "{place} never told when it was loaded");
    }
    assert_quiet(&browser);
}

#[test]
#[ignore = "needs chromedriver"]
fn hostile_names_stay_text() {
    let profile = made_up::hostile();
    let browser = opened(&profile, "");
    for place in [
        "",
        "methods",
        "methods?by=class",
        "flame",
        "flame?shape=bottom-up",
        "classes",
        "method/0",
        "method/1",
        "method/2",
        "allocations",
    ] {
        browser.run(&format!("location.hash = '#/{place}'"));
        browser.wait_for("document.querySelector('main h1')");
        assert_eq!(
            browser.text("String(window.broken)"),
            "undefined",
            "{place}"
        );
        assert_eq!(
            browser.text("document.querySelectorAll('main script, main img').length"),
            "0"
        );
    }
    browser.run("location.hash = '#/method/0'");
    browser.wait_for("location.hash === '#/method/0'");
    let shown = browser.text("document.querySelector('h1').textContent");
    assert!(
        profile.methods.iter().any(|method| method.name == shown),
        "{shown}"
    );
    assert_quiet(&browser);
}

#[test]
#[ignore = "needs chromedriver"]
fn the_svg_is_a_picture() {
    let browser = Browser::start();
    for (name, profile) in [
        ("small", made_up::profile(10, 60)),
        ("hostile", made_up::hostile()),
    ] {
        let address = browser.write(&format!("{name}.svg"), &flame_svg(&profile, Measure::Sends));
        browser.open(&address);
        assert_eq!(browser.text("document.documentElement.nodeName"), "svg");
        assert_eq!(
            browser.text("document.querySelectorAll('parsererror').length"),
            "0"
        );
        let first = browser.text("document.querySelector('g > title').textContent");
        assert!(
            first.starts_with("run: ") && first.contains("100.0%"),
            "{first}"
        );
        assert_eq!(browser.text("String(window.broken)"), "undefined");
    }
    assert_quiet(&browser);
}

#[test]
#[ignore = "needs chromedriver"]
fn the_svg_zooms_and_searches_by_itself() {
    let browser = Browser::start();
    let profile = made_up::profile(30, 200);
    browser.open(&browser.write("flame.svg", &flame_svg(&profile, Measure::Sends)));
    let seen = "[...document.querySelectorAll('.frame')].filter(e => getComputedStyle(e).display !== 'none').length";
    let whole: usize = browser.text(seen).parse().unwrap();
    let frame = "[...document.querySelectorAll('.frame')].find(e => e.dataset.at.startsWith('3 '))";
    let click = "dispatchEvent(new MouseEvent('click', { bubbles: true }))";
    browser.run(&format!("{frame}.{click}"));
    let width = format!("Number({frame}.querySelector('rect').getAttribute('width'))");
    assert_eq!(browser.text(&width), "1167.5");
    assert!(browser.text(seen).parse::<usize>().unwrap() < whole);
    assert_eq!(
        browser.text("document.querySelectorAll('.above').length"),
        "3"
    );
    browser.run(&format!("document.getElementById('zoomed').{click}"));
    assert_eq!(browser.text(seen), whole.to_string());

    browser.run("document.documentElement.dispatchEvent(new KeyboardEvent('keydown', { key: '/', bubbles: true }))");
    browser.press("input", "parser>>");
    let found = browser.text("document.getElementById('found').textContent");
    let marked = browser.text("document.querySelectorAll('.frame.found').length");
    assert!(found.starts_with(&format!("{marked} found: ")), "{found}");
    assert_ne!(marked, "0");
    let names = "[...document.querySelectorAll('.frame.found > title')].every(e => e.textContent.toLowerCase().includes('parser>>'))";
    assert_eq!(browser.text(names), "true");

    let address = browser.write(
        "hostile.svg",
        &flame_svg(&made_up::hostile(), Measure::Sends),
    );
    browser.open(&address);
    browser.run(&format!(
        "for (const frame of document.querySelectorAll('.frame')) frame.{click}"
    ));
    assert_eq!(browser.text("String(window.broken)"), "undefined");
    let elements = "document.querySelectorAll('script, image, img').length";
    assert_eq!(browser.text(elements), "1");
    assert_quiet(&browser);
}

#[test]
#[ignore = "needs chromedriver"]
fn a_plot_of_commits_is_a_picture() {
    let point = |number: u64| SeriesPoint {
        name: format!("<c{number}>"),
        count: (number % 9 != 4).then_some(number / 20 * 1000),
        step: if number.is_multiple_of(20) { 1000 } else { 0 },
        note: (number == 60).then(|| "<b>other</b> tests".to_string()),
    };
    let series = Series {
        title: "<script>window.broken = 1</script>".to_string(),
        unit: "sends".to_string(),
        points: (0..120).map(point).collect(),
    };
    let browser = Browser::start();
    browser.open(&browser.write("history.svg", &history_svg(&series)));
    assert_eq!(browser.text("document.documentElement.nodeName"), "svg");
    let errors = "document.querySelectorAll('parsererror, script').length";
    assert_eq!(browser.text(errors), "0");
    assert_eq!(
        browser.text("document.querySelectorAll('.up').length"),
        "10"
    );
    assert_eq!(browser.text("String(window.broken)"), "undefined");
    assert_quiet(&browser);
}
