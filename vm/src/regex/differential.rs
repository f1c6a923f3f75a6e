//! The matcher, the engine and a second library agree on random expressions and texts.

use fancy_regex::{RegexBuilder, RegexInput};
use proptest::prelude::*;

use super::*;

/// Expressions with all constructs, most of them well formed.
fn expressions() -> impl Strategy<Value = String> {
    let atom = prop::sample::select(vec![
        "a",
        "b",
        "B",
        "é",
        "k",
        "1",
        "_",
        ".",
        r"\w",
        r"\W",
        r"\d",
        r"\s",
        "[ab]",
        "[^a]",
        "[a-c1]",
        "[[:alpha:]_]",
        ":isVowel:",
        ":^isVowel:",
        "^",
        "$",
        r"\b",
        r"\B",
        r"\<",
        r"\>",
        r"\n",
        "-",
        "日",
    ]);
    atom.prop_map(str::to_string)
        .prop_recursive(5, 24, 4, |inner| {
            let marks = vec![
                "*", "+", "?", "*?", "+?", "??", "{2}", "{1,2}", "{2,}", "{,2}?", "{0}",
            ];
            let kinds = vec!["", "", "?:", "?=", "?!", "?<=", "?<!"];
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(|parts| parts.concat()),
                prop::collection::vec(inner.clone(), 2..4).prop_map(|parts| parts.join("|")),
                (inner.clone(), prop::sample::select(marks))
                    .prop_map(|(part, mark)| format!("{part}{mark}")),
                (inner.clone(), prop::sample::select(kinds.clone()))
                    .prop_map(|(part, kind)| format!("({kind}{part})")),
                (inner.clone(), prop::sample::select(kinds), inner)
                    .prop_map(|(part, kind, end)| format!("({kind}{part}){end}")),
            ]
        })
}

const TEXTS: &str = "[abBAkK1_é日ß\r\n -]{0,12}";

/// The limits of the library. A text of a few characters needs no more.
const MOST: u64 = 1_000_000;

/// What a library finds that is neither the engine nor the matcher.
fn reference(
    pattern: &str,
    ignores_case: bool,
    text: &str,
    at: usize,
    anchored: bool,
) -> Option<Option<Groups>> {
    let regex = RegexBuilder::new(pattern)
        .case_insensitive(ignores_case)
        .multi_line(true)
        .crlf(true)
        .build()
        .ok()?;
    let input = RegexInput::new(text).from_pos(at).anchored(anchored);
    let captures = regex.captures_input(input).ok()?;
    Some(captures.map(|captures| {
        (0..captures.len())
            .map(|group| captures.get(group).map(|group| group.range()))
            .collect()
    }))
}

fn find(regex: &Regex, text: &str, at: usize, mode: Mode) -> Option<Option<Groups>> {
    let (found, _) = regex.find(text.as_bytes(), at..text.len(), mode, MOST);
    found.ok()
}

/// The same expression, matched by the matcher even if it does not look around itself.
fn by_matcher(source: &str, ignores_case: bool) -> Option<Regex> {
    let tree = dialect::translate(source).ok()?;
    Some(Regex {
        groups: tree.groups() + 1,
        nodes: tree.count(),
        engine: Engine::backtracking(&tree, ignores_case).ok()?,
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn matches_are_those_of_others(source in expressions(), text in TEXTS, ignores_case: bool) {
        let Ok(tree) = dialect::translate(&source) else {
            return Ok(());
        };
        let Some(matcher) = by_matcher(&source, ignores_case) else {
            return Ok(());
        };
        let engine = Regex::new(&source, ignores_case);
        let starts = text.char_indices().map(|(at, _)| at).chain([text.len()]);
        for at in starts {
            for mode in [Mode::Search, Mode::Prefix, Mode::Whole] {
                let pattern = match mode {
                    Mode::Whole => format!("(?:{tree})\\z"),
                    _ => tree.to_string(),
                };
                let found = find(&matcher, &text, at, mode);
                if let Ok(engine) = &engine {
                    prop_assert_eq!(&found, &find(engine, &text, at, mode), "engine: {} {:?} {}", &pattern, mode, at);
                }
                if let Some(expected) = reference(&pattern, ignores_case, &text, at, mode != Mode::Search) {
                    prop_assert_eq!(&found, &Some(expected), "{} {:?} {}", &pattern, mode, at);
                }
            }
        }
    }

    #[test]
    fn no_text_makes_an_expression_of_any_form_panic(
        source in r"([()|*+?{}\[\]^$.:,0-3abwWsSdDB<>\\\-é!=]|\\[wWsSdDbB<>n]|\(\?[:=!]|\(\?<[=!]|\[:alpha:\]|:isDigit:){0,24}",
        text in TEXTS,
        ignores_case: bool,
    ) {
        if let Ok(regex) = Regex::new(&source, ignores_case) {
            let found = find(&regex, &text, 0, Mode::Search);
            let whole = find(&regex, &text, 0, Mode::Whole);
            prop_assert!(!matches!((found, whole), (Some(None), Some(Some(_)))));
        }
    }
}

#[test]
fn deep_expressions_and_long_texts_need_little_stack() {
    let text = "ab".repeat(10_000);
    let deep = format!("(?=a){}a|b{}*", "(".repeat(38), ")".repeat(38));
    for source in [deep.as_str(), "(?=a)(a|b)*(?!c)", "(?<=b)(a|b)*?(?=$)"] {
        let regex = Regex::new(source, false).expect(source);
        assert!(matches!(regex.engine, Engine::Backtracking(_)));
        let (found, _) = regex.find(text.as_bytes(), 0..text.len(), Mode::Search, u64::MAX);
        assert!(found.expect(source).is_some(), "{source}");
    }
}

#[test]
fn a_search_ends_when_its_steps_are_used_up() {
    let regex = Regex::new("(?=(a+)+c)b", false).expect("an expression");
    let text = [b'a'; 100];
    let (found, steps) = regex.find(&text, 0..100, Mode::Search, 12_345);
    assert_eq!((found, steps), (Err(OutOfSteps), 12_345));
    // Two classes: the look around begins, a class that does not match, and the same at the end.
    let regex = Regex::new("(?=b)b", false).expect("an expression");
    assert_eq!(regex.find(b"a", 0..1, Mode::Search, 100), (Ok(None), 6));
}
