//! Reports of explorations: text, trees, diagrams, JSON and CSV.

use quick_xml::Reader;
use quick_xml::events::Event;

use crate::support::programs::{election, modulo, ping_pong};
use crate::support::{Act, Actors, ok};
use tally_explore::{Computations, Exploration, FRONTIER, Findings, Machine, Options, Space};
use tally_presentation::Page;

struct Explored<F> {
    program: Actors<F>,
    space: Space,
    computations: Option<Computations>,
    findings: Findings,
}

fn explored<F: FnMut(&mut Act<'_>)>(mut program: Actors<F>) -> Explored<F> {
    let start = program.start();
    let options = Options::default();
    let mut space = ok(Space::explore(&mut program, &start, &options, &mut |_| {
        true
    }));
    let computations = ok(space.computations(&mut program, 1_000));
    let findings = ok(space.findings(&mut program, computations.as_ref()));
    Explored {
        program,
        space,
        computations,
        findings,
    }
}

/// How often elements with each class are in an SVG, which is well formed.
fn classes(svg: &str, wanted: &str) -> usize {
    let mut reader = Reader::from_str(svg);
    let mut count = 0;
    loop {
        match reader.read_event().expect("the SVG is well formed") {
            Event::Eof => return count,
            Event::Start(element) | Event::Empty(element) => {
                let name = String::from_utf8_lossy(element.name().as_ref()).into_owned();
                let class = element
                    .try_get_attribute("class")
                    .expect("attributes are well formed");
                let class = class.map(|class| String::from_utf8_lossy(&class.value).into_owned());
                let found = format!("{name}.{}", class.unwrap_or_default());
                count += usize::from(found == wanted);
            }
            _ => {}
        }
    }
}

/// For looking at pictures: `TALLY_PICTURES=folder`.
fn keep(name: &str, text: &str) {
    if let Ok(folder) = std::env::var("TALLY_PICTURES") {
        std::fs::write(std::path::Path::new(&folder).join(name), text)
            .expect("the folder is there");
    }
}

#[test]
fn the_papers_tree_has_17_nodes_and_3_dotted_lines() {
    let Explored {
        program,
        space,
        findings,
        ..
    } = explored(modulo(1, 4, 0));
    let tree = space.tree(&findings, &program).unwrap();
    assert_eq!((tree.nodes.len(), tree.merged()), (17, 3));
    let merged = tree.nodes.iter().filter_map(|node| {
        let first = &tree.nodes[node.merged?];
        Some((node.name.as_str(), first.name.as_str()))
    });
    let expected = [
        ("C(0,1,1,2,1)", "C(0,1,1,1,1)"),
        ("C(0,1,1,1,2,1)", "C(0,1,1,1,1,1)"),
        ("C(0,1,1,2,2,1)", "C(0,1,1,1,1,2)"),
    ];
    assert_eq!(merged.collect::<Vec<_>>(), expected);
    let results = tree.nodes.iter().filter_map(|node| {
        let result = node.result.as_deref()?;
        Some((node.name.as_str(), node.choice.as_str(), result))
    });
    let expected = [
        ("C(0,1,1,1,1,1,1,1)", "r ← join: 1", "1"),
        ("C(0,1,1,1,1,2,1,1)", "r ← join: 3", "3"),
    ];
    assert_eq!(results.collect::<Vec<_>>(), expected);
    let svg = tree.svg("Computations of the range 1..4");
    keep("tree4.svg", &svg);
    assert_eq!(
        classes(&svg, "circle.") + classes(&svg, "circle.filled"),
        14
    );
    assert_eq!(classes(&svg, "circle.merged"), 3);
    assert_eq!(classes(&svg, "path.merged"), 3);
    let dot = tree.dot();
    assert_eq!(dot.matches("style=dotted").count(), 3);
    assert_eq!(dot.matches("style=filled").count(), 2);
}

#[test]
fn large_trees_have_the_paths_to_results() {
    let Explored {
        program,
        space,
        findings,
        ..
    } = explored(election(&[4, 3, 2, 1]));
    let tree = space.tree(&findings, &program).unwrap();
    assert!(tree.is_partial);
    let results = tree
        .nodes
        .iter()
        .filter(|node| node.result.is_some())
        .count();
    assert_eq!(results, findings.outcomes.len());
    keep("election.svg", &tree.svg("Election"));
    let Explored {
        program,
        space,
        findings,
        ..
    } = explored(modulo(1, 6, 0));
    let tree = space.tree(&findings, &program).unwrap();
    assert_eq!(tree.nodes.len() as u64, space.transitions() + 1);
    let svg = tree.svg("Computations of the range 1..6");
    keep("tree6.svg", &svg);
    assert_eq!(classes(&svg, "circle.failed"), 1);
}

#[test]
fn the_papers_diagram_is_drawn() {
    let Explored {
        program,
        space,
        computations,
        ..
    } = explored(modulo(1, 4, 1));
    let computations = computations.unwrap();
    let machine = Machine::uniform(1);
    let diagram = computations.diagram(0, &space, &machine, &program).unwrap();
    let svg = diagram.svg("The computation that writes 1");
    keep("tdd4.svg", &svg);
    assert_eq!(classes(&svg, "circle.filled"), 3);
    assert_eq!(classes(&svg, "circle."), 7);
    // Creations, the dotted ones, are three; two of them are on the heaviest path.
    assert_eq!(
        classes(&svg, "path.new") + classes(&svg, "path.new critical"),
        3
    );
    assert_eq!(
        classes(&svg, "path.critical") + classes(&svg, "path.new critical"),
        7
    );
}

fn reported<F: FnMut(&mut Act<'_>)>(program: Actors<F>, machine: &Machine) -> [String; 3] {
    let Explored {
        program,
        space,
        computations,
        findings,
    } = explored(program);
    let prices = space.prices(computations.as_ref(), machine, FRONTIER);
    let exploration = Exploration {
        space: &space,
        findings: &findings,
        computations: computations.as_ref(),
        prices: Some(&prices),
    };
    let text = exploration.text(&program, Page::default());
    [text, exploration.json(), exploration.csv()]
}

#[test]
fn the_papers_program_is_reported() {
    let [text, json, csv] = reported(modulo(1, 4, 0), &Machine::uniform(1));
    keep("report4.txt", &text);
    keep("report4.json", &json);
    let expected = "\
No schedule fails, and all of them end.
Bounded nondeterminism: there are 2 results.

Results
result  computations  schedules  states
1                  1          3       1
3                  1          3       1

States
14 states and 16 transitions, when messages arrive in order from each sender to each target. 2 computations. If equal states were not merged, the tree would have 27 nodes and 6 schedules.

Costs
Work 26, Depth 26.
- Work = 7·or(send) + 6·os(send) + 3·os(new) + 3·or(new) + 3·o(beh) + 4·o(dispose)
- Depth = 6·or(send) + 5·os(send) + 3·os(new) + 2·or(new) + 3·o(beh) + 3·o(dispose) + 4·L
- Critical path: r ← start: 1 to: 4, a1 new, a1 ← range: r from: 1 to: 4, a11 new, a11 ← range: a1 from: 1 to: 2, a1 ← join: 3, a1 ← join: 7, r ← join: 1
";
    assert_eq!(text, expected);
    let document: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(document["schema"], "tally.exploration/1");
    assert_eq!(document["states"], 14);
    assert_eq!(document["determinacy"], "bounded");
    assert_eq!(document["schedules"], "6");
    assert_eq!(document["results"][1]["written"][0]["outputs"][0], "3");
    assert_eq!(document["costs"]["bounds"]["largest"]["depth"], 26);
    let rows = "computation,result,failed,turns,cost,depth\n1,1,false,7,26,26\n2,3,false,7,26,26\n";
    assert_eq!(csv, rows);
}

#[test]
fn failures_and_cycles_are_reported() {
    let [text, json, csv] = reported(modulo(1, 6, 0), &Machine::default());
    keep("report6.txt", &text);
    assert!(text.starts_with("A schedule fails: ZeroDivide in a1 (1 final state).\n"));
    assert!(text.contains("\nZeroDivide in a1\nA shortest schedule:\n- r ← start: 1 to: 6\n"));
    assert!(text.contains("\n- a1 ← join: 6 of a12#3\n"));
    let document: serde_json::Value = serde_json::from_str(&json).unwrap();
    let schedule = &document["failures"][0]["schedule"];
    assert_eq!(schedule.as_array().unwrap().len(), 14);
    assert_eq!(schedule[13]["target"], "a1");
    assert_eq!(csv.matches("a1 fails: ZeroDivide,true").count(), 4);
    let [text, json, _] = reported(ping_pong(-1), &Machine::default());
    keep("reportx.txt", &text);
    assert!(text.starts_with("A computation may go on for ever.\n"));
    assert!(text.contains("It repeats:\n- a2 ← ball of a1#1\n- a1 ← ball of a2#1\n"));
    let document: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(document["cycles"], "fair");
    assert_eq!(document["costs"]["bounds"], serde_json::Value::Null);
}

/// Figure 2 of the paper, with names of this program.
#[test]
fn states_are_written_as_in_the_paper() {
    let Explored {
        mut program,
        mut space,
        findings,
        ..
    } = explored(modulo(1, 4, 0));
    let tree = space.tree(&findings, &program).unwrap();
    let text = ok(space.notation(&tree, &mut program));
    keep("notation.txt", &text);
    let first = "\
Ex C(0) = ∅
Bx C(0) = {r(Root(0, 1))^0}
Px C(0) = {[r.start: 1 to: 4, –]}

Ex C(0,1) = Ex C(0) ∪ {[r(Root(0, 1)).start: 1 to: 4, –]^1}
Bx C(0,1) = {r(Join(r, 0, 0, 1, 1))^1, a1(Node(0))^0}
Px C(0,1) = {[a1.range: r from: 1 to: 4, r^1]}
";
    assert!(text.starts_with(first), "{text}");
    assert!(text.contains("C(0,1,1,2,1) ≡ C(0,1,1,1,1)\n"));
    let last = "\
Ex C(0,1,1,1,1,2,1,1) = Ex C(0,1,1,1,1,2,1) ∪ {[r(Join(r, 0, 0, 1, 1)).join: 3, a1^3]^2}
Bx C(0,1,1,1,1,2,1,1) = ∅
Px C(0,1,1,1,1,2,1,1) = ∅
r wrote 3
";
    assert!(text.contains(last), "{text}");
}
