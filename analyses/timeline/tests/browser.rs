//! Pages of timelines in a real browser: figures, clicks, keys and addresses. The browser must report no problem.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test that cannot be set up has nothing better to do, and times are for who runs it"
)]

mod support;
#[path = "../../../profiler/tests/webdriver/mod.rs"]
mod webdriver;

use std::cmp::Reverse;

use serde_json::{Value, json};
use support::philosophers::philosophers;
use support::{Run, find_path, head};
use tally_timeline::trace::Ending;
use tally_timeline::{Extent, Origin, Overview, Sink as _, document, feed, html_page};
use tally_vm::{Event, EventKind, Timeline};
use webdriver::Browser;

/// A page and the JSON document of the same figures.
fn reports(timeline: &Timeline, extent: Extent) -> (String, Value) {
    let mut overview = Overview::new(extent, None, true).drawing();
    feed(timeline, &mut overview).unwrap();
    let mut figures = overview.finish();
    find_path(&mut figures, timeline);
    let page = html_page(&head(), Ending::Deadlock, &figures);
    let document = document(&head(), Ending::Deadlock, &figures);
    (page, serde_json::to_value(document).unwrap())
}

/// A browser that shows a page, 1,280 points wide, and the address of the page.
fn opened(page: &str, place: &str) -> (Browser, String) {
    let browser = Browser::start();
    browser.resize(1280, 860);
    let address = browser.write("timeline.html", page);
    open(&browser, &format!("{address}{place}"));
    (browser, address)
}

fn open(browser: &Browser, address: &str) {
    browser.open(address);
    browser.wait_for("document.documentElement.dataset.ready");
}

fn go(browser: &Browser, place: &str) {
    browser.run(&format!("location.hash = {}", json!(place)));
    browser.wait_for(&format!("location.hash === {}", json!(place)));
}

fn assert_quiet(browser: &Browser) {
    assert_eq!(browser.console(), [] as [String; 0]);
}

/// The rows of a table by its label: names, then cells by the titles of their columns. All pages of it are shown.
fn rows(browser: &Browser, label: &str) -> Vec<Value> {
    let script = format!(
        "const card = document.querySelector('[aria-label=' + {} + ']').closest('.sheet').parentElement;
        for (let more; (more = card.querySelector('.pager button'));) more.click();
        return [...card.querySelectorAll('tbody tr')].map((row) => Object.fromEntries([...row.children].map((cell) =>
            [cell.dataset.label, (cell.querySelector('.share') ? cell.firstChild : cell.querySelector('.name') ?? cell).textContent.replace(/[,!]/g, '').trim()])));",
        json!(format!("'{label}'"))
    );
    browser.run(&script).as_array().unwrap().clone()
}

fn number(row: &Value, column: &str) -> u64 {
    row[column].as_str().unwrap().parse().unwrap()
}

/// The sum of a member of rows.
fn sum(rows: &Value, member: &str) -> u64 {
    let rows = rows.as_array().unwrap().iter();
    rows.map(|row| row[member].as_u64().unwrap()).sum()
}

fn row<'r>(rows: &'r [Value], column: &str, name: &Value) -> &'r Value {
    rows.iter().find(|row| row[column] == *name).unwrap()
}

fn assert_features(browser: &Browser, document: &Value) {
    const COLUMNS: [(&str, &str); 5] = [
        ("queue", "queue"),
        ("sync", "synchronization"),
        ("execution", "execution"),
        ("waiting", "waiting"),
        ("evaluations", "evaluations"),
    ];
    go(browser, "#/features");
    let shown = rows(browser, "Features");
    let features = document["features"].as_array().unwrap();
    assert_eq!(shown.len(), features.len());
    for feature in features {
        let row = row(&shown, "feature", &feature["name"]);
        for (column, metric) in COLUMNS {
            assert_eq!(
                number(row, column),
                feature[metric]["sum"],
                "{column} of {row}"
            );
        }
        assert_eq!(number(row, "requests"), feature["requests"]);
    }
}

/// Ticks that processors wait for others.
fn waited(document: &Value) -> u64 {
    let waits = ["answer", "lock", "condition", "blocked"];
    let processors = document["processors"].as_array().unwrap().iter();
    let ticks = processors.flat_map(|row| waits.map(|state| row["states"][state].as_u64()));
    ticks.flatten().sum()
}

/// The summary starts with the greatest shares of the path, and has the processor that runs longest.
fn assert_longest_shares(browser: &Browser, document: &Value) {
    let first = browser.text("document.querySelector('main .card [aria-label]').ariaLabel");
    let shown = rows(browser, &first);
    assert_eq!(shown.len(), 3);
    for (place, row) in shown.iter().enumerate() {
        let share = &document["path"]["shares"][place];
        assert_eq!(row["feature"], share["feature"]);
        assert_eq!(number(row, "ticks"), share["share"]);
    }
    let processors = document["processors"].as_array().unwrap().iter();
    let most = processors.map(|row| row["states"]["running"].as_u64());
    let most = most.max().flatten().unwrap();
    let busiest = browser.text("[...document.querySelectorAll('main .more')].map((e) => e.textContent.replace(/,/g, '')).find((text) => text.startsWith('Busiest'))");
    assert!(busiest.contains(&format!(" {most} of ")), "{busiest}");
}

fn assert_processors(browser: &Browser, document: &Value) {
    go(browser, "#/processors");
    let shown = rows(browser, "Processors");
    let processors = document["processors"].as_array().unwrap();
    assert_eq!(shown.len(), processors.len());
    for processor in processors {
        let row = row(&shown, "processor", &processor["name"]);
        for (state, ticks) in processor["states"].as_object().unwrap() {
            let shown = row.get(state).map_or(0, |_| number(row, state));
            assert_eq!(shown, *ticks, "{state} of {row}");
        }
    }
}

#[test]
#[ignore = "needs chromedriver"]
fn the_figures_are_those_of_the_document() {
    let run = Run::new(30, 3000, 9);
    for extent in [
        Extent::whole(run.timeline.end),
        Extent::segment(100, 1500, run.timeline.end),
    ] {
        let (page, document) = reports(&run.timeline, extent);
        let (browser, _) = opened(&page, "");
        let tiles = browser.text("[...document.querySelectorAll('.tiles dd')].map((e) => e.textContent.replace(/,/g, '')).join()");
        let expected = [
            document["makespan"].as_u64().unwrap(),
            document["ticks"].as_u64().unwrap(),
            document["processors"].as_array().unwrap().len() as u64,
            sum(&document["features"], "requests"),
            waited(&document),
        ];
        let expected = expected.map(|figure| figure.to_string()).join(",");
        assert_eq!(tiles, expected);
        assert_longest_shares(&browser, &document);
        assert_features(&browser, &document);
        assert_processors(&browser, &document);
        for (place, table, column, member) in [
            ("#/waits", "Waits", "ticks", "waits"),
            ("#/matrix", "Pairs", "requests", "matrix"),
        ] {
            go(&browser, place);
            let shown = rows(&browser, table);
            let all: u64 = shown.iter().map(|row| number(row, column)).sum();
            assert_eq!(all, sum(&document[member], column), "{place}");
        }
        assert_quiet(&browser);
    }
}

/// The middle of the time that the lanes show, their top and their bottom.
fn middle(browser: &Browser) -> [i64; 3] {
    let place = browser.run("const box = document.querySelector('.well canvas').getBoundingClientRect(); return [Math.round(box.left + 190 + (box.width - 190) / 2), Math.round(box.top), Math.round(box.bottom)];");
    [0, 1, 2].map(|at| place[at].as_i64().unwrap())
}

/// What a page shows of its selections.
fn selections(browser: &Browser) -> Value {
    browser.run(
        "return { zoom: document.querySelector('.tools .number').textContent, search: document.querySelector('main .search').value,
            pressed: [...document.querySelectorAll('main [aria-pressed=true]')].map((e) => e.dataset.value),
            request: document.querySelector('#request h2')?.textContent ?? null, found: document.querySelector('.found').textContent };",
    )
}

/// A query that executes for some ticks.
fn query(document: &Value) -> &Value {
    let requests = document["requests"].as_array().unwrap().iter();
    let mut queries = requests.filter(|row| row["waits"] == true);
    let is_long = |row: &&Value| {
        let moment = |name: &str| row[name].as_u64().unwrap_or(0);
        moment("returns") > moment("executes") + 40
    };
    queries.find(is_long).unwrap()
}

#[test]
#[ignore = "needs chromedriver"]
fn an_address_restores_what_was_selected() {
    let run = Run::new(6, 200, 4);
    let (page, document) = reports(&run.timeline, Extent::whole(run.timeline.end));
    let (browser, address) = opened(&page, "#/processors");
    let feature = query(&document)["feature"].as_str().unwrap();

    // By keyboard, the pointer and the tools to a place, and by its address to the same.
    browser.press("canvas", "+");
    browser.press("canvas", "\u{e014}");
    browser.wait_for("location.hash.includes('from=')");
    browser.press("main .search", feature);
    browser.wait_for("location.hash.includes('feature=')");
    browser.click("[data-value=class]");
    browser.wait_for("location.hash.includes('group=class')");
    // The second group, below the axis and the critical path.
    let place = browser.run("const box = document.querySelector('.well canvas').getBoundingClientRect(); return [Math.round(box.left + 30), Math.round(box.top + 24 + 23 + 22 + 10)];");
    browser.click_at(place[0].as_i64().unwrap(), place[1].as_i64().unwrap());
    browser.wait_for("location.hash.includes('open=')");
    browser.click("[data-value=states]");
    browser.wait_for("location.hash.includes('bars=states')");
    browser.press("canvas", "n");
    browser.wait_for("location.hash.includes('request=')");
    let shown = selections(&browser);
    assert_eq!(shown["pressed"], json!(["states", "class"]));
    assert_eq!(shown["search"], feature);
    let requests = document["requests"].as_array().unwrap().iter();
    let found = requests.filter(|row| row["feature"].as_str().unwrap().contains(feature));
    let found = format!("{} request", found.count());
    assert!(
        shown["found"].as_str().unwrap().starts_with(&found),
        "{shown}"
    );
    let whole = browser.text("location.hash");
    open(&browser, &format!("{address}{whole}"));
    assert_eq!(selections(&browser), shown);
    assert_eq!(browser.text("location.hash"), whole);
    assert_quiet(&browser);
}

#[test]
#[ignore = "needs chromedriver"]
fn a_request_has_its_moments_and_leads_to_its_caller() {
    let run = Run::new(6, 200, 4);
    let (page, document) = reports(&run.timeline, Extent::whole(run.timeline.end));
    let query = query(&document);
    let (browser, _) = opened(&page, &format!("#/processors?request={}", query["number"]));
    let facts = browser.run("return Object.fromEntries([...document.querySelectorAll('#request dt')].map((e) => [e.textContent, e.nextSibling.textContent.replace(/,/g, '')]));");
    for (name, member) in [
        ("called", "called"),
        ("taken up", "synchronizes"),
        ("begins", "executes"),
        ("ends", "returns"),
    ] {
        assert_eq!(facts[name], query[member].to_string(), "{name}");
    }
    let is_at = |member: &str| format!("location.hash.endsWith('request={}')", query[member]);
    browser.press("canvas", "c");
    browser.wait_for(&is_at("sender"));
    browser.back();
    browser.wait_for(&is_at("number"));
    browser.press("canvas", "\u{e00c}");
    browser.wait_for("!document.querySelector('#request')");
    assert_quiet(&browser);
}

#[test]
#[ignore = "needs chromedriver"]
fn a_bar_is_selected_by_a_click() {
    let run = Run::new(3, 40, 2);
    let (page, document) = reports(&run.timeline, Extent::whole(run.timeline.end));
    let requests = document["requests"].as_array().unwrap();
    let moment = |row: &Value, name: &str| row[name].as_u64().unwrap();
    // The longest query. What its supplier executes around it begins earlier.
    let ended = requests
        .iter()
        .filter(|row| row["waits"] == true && row["returns"].is_u64());
    let longest = ended.max_by_key(|row| moment(row, "returns") - moment(row, "executes"));
    let longest = longest.unwrap();
    let (from, to) = (moment(longest, "executes"), moment(longest, "returns"));
    let (browser, _) = opened(&page, &format!("#/processors?from={from}&to={to}"));
    let [x, top, bottom] = middle(&browser);
    // Its bar is somewhere below the middle of the axis.
    let wanted = format!("location.hash.includes('request={}')", longest["number"]);
    let is_found = (top + 30..bottom).step_by(5).any(|y| {
        browser.click_at(x, y);
        browser.text(&wanted) == "true"
    });
    assert!(is_found, "{longest}");
    browser.wait_for("document.querySelector('#request')");
    assert_quiet(&browser);
}

#[test]
#[ignore = "needs chromedriver"]
fn a_page_fits_narrow_windows_and_both_themes_and_runs_no_name() {
    let mut timeline = Run::new(8, 300, 6).timeline;
    let hostile = "</script><img src=x onerror=window.broken=1>\u{1b}\"'\u{202e}";
    for request in &mut timeline.requests {
        request.class = format!("{hostile}{}", request.class);
        request.site = Some(hostile.to_string());
    }
    for processor in &mut timeline.processors {
        processor.class = hostile.to_string();
    }
    let (page, document) = reports(&timeline, Extent::whole(timeline.end));
    let (browser, _) = opened(&page, "");
    let last = document["requests"].as_array().unwrap().last().unwrap();
    let selected = format!("#/processors?request={}", last["number"]);
    let waiting = format!("#/processors?at={}&cpus=shown", timeline.end / 2);
    for place in [
        "#/",
        "#/features",
        "#/waits",
        "#/path",
        "#/matrix",
        &selected,
        &waiting,
    ] {
        go(&browser, place);
        for theme in ["light", "dark"] {
            browser.prefer(theme);
            browser.wait_for(&format!(
                "document.documentElement.dataset.theme === '{theme}'"
            ));
            for width in [400, 720, 1280] {
                browser.resize(width, 800);
                browser.assert_readable(place);
                let scrolls = "document.documentElement.scrollWidth > window.innerWidth";
                assert_eq!(browser.text(scrolls), "false", "{place} {theme} at {width}");
            }
        }
    }
    assert_eq!(browser.text("String(window.broken)"), "undefined");
    let elements = "document.querySelectorAll('main script, main img').length";
    assert_eq!(browser.text(elements), "0");
    assert_quiet(&browser);
}

#[test]
#[ignore = "needs chromedriver"]
fn a_deadlock_is_a_circle_at_the_end_and_not_before() {
    const CARD: &str = "document.querySelector('#moment')";
    let lists = |browser: &Browser, label: &str| {
        browser.run(&format!("return [...{CARD}.querySelectorAll('[aria-label={label}] li')].map((e) => e.textContent);"))
    };
    for count in [2, 3, 7] {
        let timeline = philosophers(count);
        let (page, _) = reports(&timeline, Extent::whole(timeline.end));
        let (browser, address) = opened(&page, "#/");
        // The summary leads there.
        browser.click("main a[href*='at=']");
        browser.wait_for(CARD);
        let name = |number: u32| format!("#{} Philosopher", count + 1 + number % count);
        let waits = |number: u32| {
            let fork = 1 + (number + 1) % count;
            format!(" → lock of #{fork} → {}", name(number + 1))
        };
        let circle: String = (0..count).map(waits).collect();
        let circle = format!("Deadlock: {}{circle}", name(0));
        assert_eq!(lists(&browser, "Circles"), json!([circle]));
        let chain = format!("script → answer → {} in a circle", name(0));
        assert_eq!(lists(&browser, "Chains"), json!([chain]));
        let drawn = "['.node', '.node.bad', 'line'].map((one) => document.querySelectorAll('.waiting ' + one).length).join()";
        assert_eq!(
            browser.text(drawn),
            format!("{},{count},{}", count + 1, count + 1)
        );
        assert_eq!(
            browser.text(&format!(
                "{CARD}.textContent.includes('In queues: #{} Philosopher 1 request')",
                count + 1
            )),
            "true"
        );
        // A tick before, the last philosopher does not wait yet.
        let before = timeline.end - 1;
        open(&browser, &format!("{address}#/processors?at={before}"));
        browser.wait_for(CARD);
        assert_eq!(lists(&browser, "Circles"), json!([]));
        let waits: String = (0..count - 1).map(waits).collect();
        let chain = lists(&browser, "Chains")[0].as_str().unwrap().to_string();
        let expected = format!("script → answer → {}{waits}", name(0));
        assert!(chain.starts_with(&expected), "{chain} {expected}");
        browser.press("canvas", "e");
        browser.wait_for(&format!("location.hash.includes('at={}')", timeline.end));
        browser.press("canvas", "\u{e00c}");
        browser.wait_for(&format!("!{CARD}"));
        assert_quiet(&browser);
    }
}

/// A part is seen with some time around it, and the request that is executed in it is selected.
fn assert_part_is_shown(browser: &Browser, document: &Value, place: usize, part: &Value) {
    browser.run(&format!(
        "document.querySelectorAll('[aria-label=\"Parts of the path\"] tbody a')[{place}].click()"
    ));
    browser.wait_for("document.querySelector('.well.lanes')");
    let zoom = browser.run("return new URLSearchParams(location.hash.split('?')[1]).toString().match(/\\d+/g).map(Number);");
    let [from, to] = [0, 1].map(|at| zoom[at].as_u64().unwrap());
    let [begin, end] = ["from", "to"].map(|moment| part[moment].as_u64().unwrap());
    assert!(from <= begin && end <= to && to - from <= 2 * (end - begin) + 4);
    let selected = row(document["requests"].as_array().unwrap(), "number", &zoom[2]);
    assert_eq!(selected["feature"], part["feature"]);
    assert_eq!(selected["supplier"], part["processor"]);
    // A click on the part in its lane does the same.
    go(browser, &format!("#/processors?from={from}&to={to}"));
    browser.wait_for("!document.querySelector('#request')");
    let [x, top, _] = middle(browser);
    browser.click_at(x, top + 24 + 8);
    browser.wait_for(&format!("location.hash.endsWith('request={}')", zoom[2]));
}

#[test]
#[ignore = "needs chromedriver"]
fn the_path_is_that_of_the_document_and_its_parts_lead_to_their_moments() {
    let run = Run::new(6, 200, 4);
    for extent in [
        Extent::whole(run.timeline.end),
        Extent::segment(100, 900, run.timeline.end),
    ] {
        let (page, document) = reports(&run.timeline, extent);
        let (browser, _) = opened(&page, "#/path");
        let path = &document["path"];
        let shown = rows(&browser, "Shares of the path");
        let shares = path["shares"].as_array().unwrap();
        assert_eq!(shown.len(), shares.len());
        let text = |value: &Value| match value {
            Value::Null => "–".to_string(),
            Value::String(text) => text.clone(),
            number => number.to_string(),
        };
        for share in shares {
            let is_row = |row: &&Value| {
                row["how"] == share["how"] && row["feature"] == text(&share["feature"])
            };
            let row = shown.iter().find(is_row).unwrap();
            for column in ["share", "gained", "slack", "blame"] {
                assert_eq!(row[column], text(&share[column]), "{column} of {row}");
            }
        }
        let parts = path["parts"].as_array().unwrap();
        let listed = rows(&browser, "Parts of the path");
        assert_eq!(listed.len(), parts.len());
        let length = |part: &Value| part["to"].as_u64().unwrap() - part["from"].as_u64().unwrap();
        let mut by_length: Vec<&Value> = parts.iter().collect();
        by_length.sort_by_key(|part| Reverse(length(part)));
        for (row, part) in listed.iter().zip(&by_length) {
            for moment in ["from", "to"] {
                assert_eq!(row[moment], text(&part[moment]));
            }
        }
        let is_running = |part: &&Value| part["how"] == "running" && part["feature"] != "script";
        let place = by_length.iter().position(is_running).unwrap();
        assert_part_is_shown(&browser, &document, place, by_length[place]);
        assert_quiet(&browser);
    }
}

#[test]
#[ignore = "needs chromedriver"]
fn timelines_without_time_are_shown() {
    for extent in [Extent::whole(0), Extent::segment(3, 9, 2)] {
        let (page, _) = reports(&Timeline::default(), extent);
        let (browser, _) = opened(&page, "");
        for place in [
            "#/processors?at=0",
            "#/features",
            "#/waits",
            "#/path",
            "#/matrix",
            "#/",
        ] {
            go(&browser, place);
            browser.wait_for("document.querySelector('main h1')");
        }
        assert_quiet(&browser);
    }
}

#[test]
#[ignore = "needs chromedriver"]
fn the_tracks_count_requests_in_queues_and_processors_that_run() {
    let run = Run::new(9, 150, 8);
    assert!(run.timeline.end <= 8192, "a column of the tracks is a tick");
    let (page, document) = reports(&run.timeline, Extent::whole(run.timeline.end));
    let requests = document["requests"].as_array().unwrap();
    let end = document["to"].as_u64().unwrap();
    let queued = |row: &&Value, moment: u64| {
        let called = row["called"].as_u64().unwrap_or(u64::MAX);
        called <= moment && row["synchronizes"].as_u64().unwrap_or(end) > moment
    };
    let waiting = requests
        .iter()
        .filter(|row| queued(row, row["called"].as_u64().unwrap_or(0)));
    let (browser, _) = opened(&page, "#/");
    let mut most = 0;
    for row in waiting.take(8) {
        let moment = row["called"].as_u64().unwrap();
        let tick = format!(
            "#/processors?from={moment}&to={}&request={}",
            moment + 1,
            row["number"]
        );
        go(&browser, &tick);
        browser.wait_for("document.querySelector('#request')");
        let tip = browser.text(
            "(() => { const canvas = document.querySelector('canvas.tracks'), box = canvas.getBoundingClientRect();
                canvas.dispatchEvent(new PointerEvent('pointermove', { clientX: box.left + 500, clientY: box.top + 9 }));
                return [...document.querySelectorAll('.tip span')].map((e) => e.textContent).join('; '); })()",
        );
        let all: Vec<&Value> = requests.iter().filter(|row| queued(row, moment)).collect();
        let its = all
            .iter()
            .filter(|other| other["supplier"] == row["supplier"]);
        most = most.max(all.len());
        assert!(
            tip.contains(&format!("requests in queues: {};", all.len())),
            "{moment}: {tip}"
        );
        let name = &document["processors"][row["supplier"].as_u64().unwrap() as usize]["name"];
        let queue = format!(
            "in the queue of {}: {};",
            name.as_str().unwrap(),
            its.count()
        );
        assert!(tip.contains(&queue), "{moment}: {queue} {tip}");
    }
    assert!(most > 0, "nothing was queued");
    assert_quiet(&browser);
}

/// A hundred lanes of this number of intervals each.
fn lanes(intervals: u64) -> String {
    let end = intervals * 4;
    let mut overview = Overview::new(Extent::whole(end), None, false).drawing();
    for processor in 0..100 {
        let origin = Origin {
            ordinal: processor,
            ..Origin::default()
        };
        overview.processor(processor, origin, "Worker").unwrap();
    }
    for interval in 1..=intervals {
        for processor in 0..100 {
            let kind = match (interval + u64::from(processor)) % 2 {
                0 => EventKind::Ran(4),
                _ => EventKind::Charged(4),
            };
            let event = Event {
                time: interval * 4,
                processor,
                kind,
                request: 0,
            };
            overview.event(&event).unwrap();
        }
    }
    html_page(&head(), Ending::Finished, &overview.finish())
}

/// `cargo test -p tally-timeline --test browser -- --ignored --nocapture a_million` prints the times.
#[test]
#[ignore = "needs chromedriver"]
fn a_million_intervals_open_and_move() {
    let (browser, _) = opened(&lanes(10_000), "#/processors");
    let ready = "performance.getEntriesByName('ready')[0].startTime";
    browser.run(
        "window.frames_drawn = 0; const canvas = document.querySelector('.well canvas'), box = canvas.getBoundingClientRect(), start = performance.now();
        const step = (now) => {
            if (now - start > 2000) { window.frames_a_second = window.frames_drawn / 2; return; }
            const deltaY = window.frames_drawn++ % 80 < 40 ? -120 : 120;
            canvas.dispatchEvent(new WheelEvent('wheel', { deltaY, ctrlKey: true, clientX: box.left + 600, clientY: box.top + 100, bubbles: true, cancelable: true }));
            requestAnimationFrame(step);
        };
        requestAnimationFrame(step);",
    );
    browser.wait_for("window.frames_a_second");
    let frames = browser.text("window.frames_a_second");
    println!("ready after {} ms, {frames} frames/s", browser.text(ready));
    assert!(frames.parse::<f64>().unwrap() > 1.0, "{frames}");
    let shown = rows(&browser, "Processors");
    assert_eq!(shown.len(), 100);
    for row in shown {
        assert_eq!(
            [number(&row, "running"), number(&row, "overhead")],
            [20_000; 2]
        );
    }
    assert_quiet(&browser);
}
