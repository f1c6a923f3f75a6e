//! Rules: what they mean, and what is said of texts that are no rules.

use super::*;
use crate::difference::{MethodDifference, Outcomes, RunDifference};
use tally_profiler::{Costs, Ending, ProcessorCosts};

fn example() -> Difference {
    let costs = |sends| Costs {
        sends,
        objects: 7,
        work: sends * 105,
        processors: Some(ProcessorCosts {
            span: sends / 5,
            ticks: 1500,
            waiting: 9,
        }),
        ..Costs::default()
    };
    let run = |name: &str, before, after| RunDifference {
        name: name.to_string(),
        endings: (Ending::Finished, Ending::Finished),
        before: costs(before),
        after: costs(after),
        outcomes: Outcomes::default(),
    };
    let method = |name: &str, before, after| MethodDifference {
        name: name.to_string(),
        before: MethodSide {
            total: before,
            ..MethodSide::default()
        },
        after: MethodSide {
            total: after,
            ..MethodSide::default()
        },
        ..MethodDifference::default()
    };
    Difference {
        before: costs(1000),
        after: costs(1010),
        runs: vec![run("ATest>>testA", 1000, 1010)],
        methods: vec![method("Json>>a", 100, 101), method("Json>>b", 0, 1)],
        ..Difference::default()
    }
}

/// The outcome of a rule for the example: the number of violations, or that the rule is idle.
fn said(rule: &str) -> String {
    let outcome = Rule::parse(rule).unwrap().check(&example());
    match (outcome.is_idle, outcome.violations.len()) {
        (true, _) => "idle".to_string(),
        (false, count) => count.to_string(),
    }
}

#[test]
fn rules_say_what_they_mean() {
    let table = [
        ("sends>+0", "1"),
        ("increase", "1"),
        ("sends > +10", "0"),
        ("sends>=+10", "1"),
        ("sends>+1%", "0"),
        ("sends>=+1%", "1"),
        ("sends>+0.999999%", "1"),
        ("sends<-0", "0"),
        ("sends!=0", "1"),
        ("allocations!=0", "0"),
        ("allocations=0", "1"),
        ("work>+0", "1"),
        ("work>+1049", "1"),
        ("work>+1%", "0"),
        ("called>+0", "0"),
        ("span>+0", "1"),
        ("span>+2", "0"),
        ("span>=+1%", "1"),
        ("ticks>+0", "0"),
        ("waiting!=0", "0"),
        ("requests>+0", "idle"),
        ("any", "1"),
        ("test>+0", "1"),
        ("test(B*)>+0", "idle"),
        ("total(Json*)>+0", "2"),
        ("total(Json*)>+1%", "1"),
        ("total(Json*)>+0.5%", "2"),
        ("total(Xml*)>+0", "idle"),
        ("calls>+0", "0"),
    ];
    for (rule, expected) in table {
        assert_eq!(said(rule), expected, "{rule}");
    }
}

/// A makespan of 200 that becomes 210.
#[test]
fn rules_about_timelines() {
    let counts = [
        (TimelineCount::Makespan, 200, 210),
        (TimelineCount::Waiting, 7, 7),
    ];
    let table = [
        ("makespan>+0", "1"),
        ("makespan>+10", "0"),
        ("makespan>=+5%", "1"),
        ("makespan>+5%", "0"),
        ("waiting!=0", "0"),
        ("requests>+0", "idle"),
        ("span>+0", "idle"),
        ("sends>+0", "idle"),
        ("any", "1"),
    ];
    for (text, expected) in table {
        let outcome = Rule::parse(text).unwrap().check_timelines(false, &counts);
        let said = match outcome.is_idle {
            true => "idle".to_string(),
            false => outcome.violations.len().to_string(),
        };
        assert_eq!(said, expected, "{text}");
    }
    let same = Rule::parse("any").unwrap().check_timelines(true, &counts);
    assert!(same.violations.is_empty());
    // Profiles have no makespan.
    let outcome = Rule::parse("makespan>+0").unwrap().check(&example());
    assert!(outcome.is_idle && outcome.violations.is_empty());
}

#[test]
fn what_is_no_rule_is_told_with_its_place() {
    let table = [
        ("", "at character 1: expected any, sends"),
        ("send>+0", "at character 1: expected any, sends"),
        ("sends(A)>+0", "at character 1: expected own(…)"),
        ("sends", "at character 6: expected one of >"),
        (
            "sends>",
            "at character 7: expected a difference with its sign",
        ),
        (
            "sends>1000",
            "at character 7: expected a difference with its sign",
        ),
        (
            "sends>+1.5",
            "at character 7: expected a difference with its sign",
        ),
        (
            "sends>+99999999999%",
            "at character 7: expected a difference",
        ),
        ("sends>+1 %!", "at character 11: expected the end"),
        ("total(A>+1", "at character 11: expected a closing bracket"),
        ("total()>+1", "at character 7: expected a name"),
        ("ünder>+1", "at character 1: expected any"),
    ];
    for (text, expected) in table {
        let error = Rule::parse(text).unwrap_err().to_string();
        assert!(error.starts_with(expected), "{text}: {error}");
    }
}

#[test]
fn a_violation_is_a_sentence() {
    let outcome = Rule::parse("total(*>>a)>+0").unwrap().check(&example());
    assert_eq!(
        outcome.violations[0].to_string(),
        "total(*>>a)>+0: sends below it of Json>>a are 101, 100 before (+1)"
    );
}
