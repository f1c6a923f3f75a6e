//! The HTML report and the SVG flame graph as texts: complete, bounded, reproducible, and harmless for any profile.
//! `browser` tests how they look and work.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot be set up has nothing better to do"
)]

mod made_up;

use proptest::prelude::*;
use serde_json::Value;
use tally_profiler::{
    Allocated, Allocation, Call, Context, ContextKind, Measure, Profile, Site, flame_svg,
    html_report,
};

/// The longest report.
const LONGEST: usize = 5_000_000;

fn data(html: &str) -> Value {
    let start = "<script id=\"profile\" type=\"application/json\">";
    let (_, rest) = html.split_once(start).unwrap();
    let (json, _) = rest.split_once("</script>").unwrap();
    serde_json::from_str(json).unwrap()
}

/// The sum of a column; an empty one holds zeros.
fn sum(column: &Value) -> u64 {
    let counts = column.as_array().unwrap().iter();
    counts.map(|count| count.as_u64().unwrap()).sum()
}

fn length(column: &Value) -> usize {
    column.as_array().unwrap().len()
}

#[test]
fn a_report_needs_nothing_else_and_is_always_the_same() {
    let profile = made_up::profile(10, 60);
    let html = html_report(&profile);
    assert_eq!(html, html_report(&profile.clone()));
    for outside in ["http:", "https:", "@import", "url(", " src=", "{{"] {
        assert!(!html.contains(outside), "{outside}");
    }
    let svg = flame_svg(&profile, Measure::Sends);
    assert_eq!(svg, flame_svg(&profile.clone(), Measure::Sends));
    // Namespaces are names; nothing is fetched.
    let rest = svg.replace("http://www.w3.org/2000/svg", "");
    let rest = rest.replace("http://www.w3.org/1999/xhtml", "");
    assert!(!rest.contains("http"));
}

#[test]
fn a_report_holds_all_counts_of_a_small_profile() {
    let profile = made_up::profile(30, 200);
    let data = data(&html_report(&profile));
    let methods = &data["methods"];
    assert_eq!(length(&methods["name"]), 30);
    assert_eq!(sum(&methods["own"]), profile.cost.sends);
    assert_eq!(sum(&methods["calls"]), profile.cost.activations);
    assert_eq!(sum(&methods["blockCalls"]), profile.cost.blocks);
    let contexts = &data["contexts"];
    assert_eq!(length(&contexts["up"]), 200);
    assert_eq!(sum(&contexts["own"]), profile.cost.sends);
    assert_eq!(sum(&data["sites"]["sends"]), profile.cost.sends);
    assert_eq!(
        sum(&data["allocations"]["bytes"]),
        profile.cost.allocations.bytes
    );
    assert_eq!(length(&data["edges"]["caller"]), profile.calls.len());
    assert_eq!(data["sources"].as_object().unwrap().len(), 30);
    let first = data["methods"]["total"][0].as_u64().unwrap();
    assert_eq!(
        first,
        profile.methods.iter().map(|m| m.total).max().unwrap()
    );
}

#[test]
fn totals_of_groups_count_recursion_once() {
    let mut profile = made_up::profile(3, 40);
    for method in &mut profile.methods {
        method.class = "Same".to_string();
    }
    let data = data(&html_report(&profile));
    assert_eq!(data["classes"]["name"], serde_json::json!(["Same"]));
    assert_eq!(
        data["classes"]["total"],
        serde_json::json!([profile.cost.sends])
    );
}

#[test]
fn a_large_profile_makes_a_report_of_bounded_size_whose_sums_are_whole() {
    let profile = made_up::profile(5000, 120_000);
    let html = html_report(&profile);
    assert!(html.len() <= LONGEST, "{}", html.len());
    let data = data(&html);
    assert_eq!(length(&data["methods"]["name"]), 5000);
    let contexts = &data["contexts"];
    assert_eq!(sum(&contexts["own"]), profile.cost.sends);
    assert_eq!(sum(&contexts["bytes"]), profile.cost.allocations.bytes);
    // The frame for contexts that were cut off states their number.
    let columns = contexts["method"].as_array().unwrap().iter();
    let of = columns.zip(contexts["number"].as_array().unwrap());
    let counted = of.map(|(method, block)| match method.as_i64() {
        Some(-3) => block.as_u64().unwrap(),
        _ => 1,
    });
    assert_eq!(counted.sum::<u64>(), 120_000);
    assert!(flame_svg(&profile, Measure::Sends).len() <= LONGEST);
}

#[test]
fn endless_names_sources_and_numbers_do_not_make_an_endless_report() {
    let mut profile = made_up::profile(60, 20_000);
    let long = "<&x>".repeat(200_000);
    for method in &mut profile.methods {
        method.name = format!("{}{long}", method.name);
        method.class = method.name.clone();
        method.source = long.clone();
    }
    profile.files = vec![long.clone(); 300];
    profile.arguments = profile.files.clone();
    for context in &mut profile.contexts {
        (context.calls, context.own) = (u64::MAX, u64::MAX);
    }
    let html = html_report(&profile);
    assert!(html.len() <= LONGEST, "{}", html.len());
    let data = data(&html);
    assert_eq!(
        data["leftOut"]["sources"],
        60 - data["leftOut"]["methods"].as_u64().unwrap()
    );
    assert!(data["about"]["moreFiles"].as_u64().unwrap() > 0);
    assert!(flame_svg(&profile, Measure::Sends).len() <= LONGEST);
}

#[test]
fn counts_beyond_the_reach_of_scripts_stay_exact() {
    let mut profile = made_up::profile(2, 3);
    profile.methods[0].total = u64::MAX;
    profile.methods[0].cumulative = 1 << 53;
    let data = data(&html_report(&profile));
    assert_eq!(data["methods"]["total"][0], "18446744073709551615");
    assert_eq!(data["methods"]["cumulative"][0], "9007199254740992");
    assert!(data["methods"]["total"][1].is_u64());
}

#[test]
fn a_tree_a_hundred_thousand_deep_is_no_trouble() {
    let mut profile = made_up::profile(2, 3);
    let link = |index: u32| Context {
        parent: index.checked_sub(1),
        kind: ContextKind::Method,
        method: Some(index % 2),
        block: 0,
        calls: 1,
        own: 1,
        total: 0,
        allocations: Allocated::default(),
        ..Context::default()
    };
    profile.contexts = (0..100_000).map(link).collect();
    let html = html_report(&profile);
    assert!(html.len() <= LONGEST, "{}", html.len());
    assert_eq!(sum(&data(&html)["contexts"]["own"]), 100_000);
    let svg = flame_svg(&profile, Measure::Sends);
    assert!(svg.contains("Frames above row 400 are not drawn"));
    assert_eq!(svg.matches("cropped\"").count(), 1);
}

#[test]
fn profiles_without_tree_sites_and_sources_are_shown_as_far_as_they_go() {
    let mut profile = made_up::profile(5, 20);
    profile.contexts.clear();
    profile.calls.clear();
    profile.sites.clear();
    profile.allocations.clear();
    for method in &mut profile.methods {
        method.source.clear();
    }
    let data = data(&html_report(&profile));
    assert_eq!(length(&data["contexts"]["up"]), 0);
    assert_eq!(length(&data["classes"]["name"]), 0);
    assert_eq!(data["sources"], serde_json::json!({}));
    assert!(
        flame_svg(&profile, Measure::Sends).contains("This profile has no calling-context tree.")
    );
    let nothing = made_up::empty("nothing.st");
    assert!(html_report(&nothing).contains("nothing.st"));
    assert!(flame_svg(&nothing, Measure::Sends).ends_with("</svg>\n"));
}

#[test]
fn hostile_texts_are_data_and_never_markup() {
    let profile = made_up::hostile();
    let html = html_report(&profile);
    // The page's own: one element for data, one for the script.
    assert_eq!(html.matches("<script").count(), 2);
    assert_eq!(html.matches("</script").count(), 2);
    for markup in ["<img", "<!--", "<svg onload"] {
        assert!(!html.contains(markup), "{markup}");
    }
    let data = data(&html);
    let names = data["methods"]["name"].as_array().unwrap();
    for method in &profile.methods {
        assert!(
            names.contains(&Value::from(method.name.clone())),
            "{}",
            method.name
        );
    }
    let svg = flame_svg(&profile, Measure::Sends);
    // Its own script, after all names.
    assert_eq!(svg.matches("<script").count(), 1);
    assert_eq!(svg.matches("]]>").count(), 1);
    for markup in ["<img", "<!--", "<svg onload", "\u{0}", "\u{1b}"] {
        assert!(!svg.contains(markup), "{markup}");
    }
}

#[test]
fn a_flame_graph_is_as_wide_as_the_run_and_each_frame_as_its_sends() {
    let mut profile = made_up::profile(2, 2);
    let context = |parent, method, own, total| Context {
        parent,
        kind: ContextKind::Method,
        method,
        block: 0,
        calls: 3,
        own,
        total,
        allocations: Allocated::default(),
        ..Context::default()
    };
    profile.contexts = vec![
        Context {
            kind: ContextKind::Run,
            ..context(None, None, 0, 8)
        },
        context(Some(0), Some(0), 2, 8),
        Context {
            kind: ContextKind::Block,
            block: 1,
            ..context(Some(1), Some(1), 4, 4)
        },
        context(Some(1), Some(1), 2, 2),
    ];
    profile.methods[1].name = "A>>b:".to_string();
    let svg = flame_svg(&profile, Measure::Sends);
    let frames = [
        "<g class=\"frame rest\" data-at=\"0 0 8\"><title>run: 8 sends, 100.0%</title><rect x=\"16\" y=\"100\" width=\"1167.50\" height=\"17\" rx=\"1\"/><text x=\"20\" y=\"112\">run</text></g>",
        "<g class=\"frame program\" data-at=\"1 0 8\"><title>examples/planner.st: 8 sends, 100.0%; 2 of them its own; 3 calls</title><rect x=\"16\" y=\"82\" width=\"1167.50\" height=\"17\" rx=\"1\"/>",
        "<title>[] in A&gt;&gt;b:: 4 sends, 50.0%; 4 of them its own; 3 calls</title><rect x=\"16\" y=\"64\" width=\"583.50\"",
        "<title>A&gt;&gt;b:: 2 sends, 25.0%; 2 of them its own; 3 calls</title><rect x=\"600\" y=\"64\" width=\"291.50\"",
    ];
    for frame in frames {
        assert!(svg.contains(frame), "{frame}\nis not in\n{svg}");
    }
}

prop_compose! {
    fn any_context()(
        parent in proptest::option::of(0_u32..40),
        kind in 0..4,
        method in proptest::option::of(0_u32..20),
        calls in any::<u64>(),
        own in any::<u64>(),
        objects in any::<u64>(),
    ) -> Context {
        let kinds = [ContextKind::Run, ContextKind::Method, ContextKind::Block, ContextKind::Other];
        Context {
            parent, method, calls, own,
            kind: kinds[kind as usize],
            block: method.unwrap_or(0),
            total: own,
            allocations: Allocated { objects, bytes: own }, ..Context::default() }
    }
}

prop_compose! {
    /// A profile whose indices lead anywhere and whose counts do not add up.
    fn any_profile()(
        contexts in proptest::collection::vec(any_context(), 0..40),
        numbers in proptest::collection::vec((0_u32..50, 0_u32..50, any::<u64>()), 0..20),
        text in any::<String>(),
    ) -> Profile {
        let mut profile = made_up::profile(10, 12);
        profile.contexts = contexts;
        for (one, other, count) in numbers {
            profile.calls.push(Call {
                caller: Some(one), callee: other, calls: count, block_calls: count, total: count, ..Call::default() });
            profile.sites.push(Site {
                method: one, line: count as usize, column: other as usize, selector: text.clone(),
                is_super: true, sends: count, calls: count, total: count, ..Site::default() });
            profile.allocations.push(Allocation {
                context: one, class: text.clone(), site: Some(other), objects: count, bytes: count,
            });
            profile.methods[0].name.clone_from(&text);
            profile.methods[1].source.clone_from(&text);
            profile.methods[one as usize % 10].own = count;
        }
        profile
    }
}

proptest! {
    #[test]
    fn no_profile_is_too_odd(profile in any_profile()) {
        let html = html_report(&profile);
        prop_assert_eq!(html.matches("</script").count(), 2);
        let data = data(&html);
        let first_up = data["contexts"]["up"].get(0).and_then(Value::as_u64);
        prop_assert_eq!(first_up, (!profile.contexts.is_empty()).then_some(0));
        let svg = flame_svg(&profile, Measure::Sends);
        prop_assert!(svg.ends_with("</svg>\n"));
        prop_assert_eq!(svg.matches("<g ").count(), svg.matches("</g>").count());
    }
}
