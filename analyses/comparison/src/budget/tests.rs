//! Each budget is compared with the costs that it names, and budgets that name none are reported.

use proptest::prelude::*;

use super::*;

fn limit(cost: BudgetCost, kind: LimitKind, value: u64) -> BudgetLimit {
    BudgetLimit { cost, kind, value }
}

fn sends(kind: LimitKind, value: u64) -> BudgetLimit {
    limit(BudgetCost::Of(CostName::Sends), kind, value)
}

fn budget(scope: BudgetScope, limits: &[BudgetLimit]) -> Budget {
    Budget {
        scope,
        limits: limits.to_vec(),
        cpus: None,
    }
}

fn of_tests(pattern: &str, limits: &[BudgetLimit]) -> Budget {
    budget(BudgetScope::Test(pattern.to_string()), limits)
}

fn of_methods(pattern: &str, limits: &[BudgetLimit]) -> Budget {
    budget(BudgetScope::Method(pattern.to_string()), limits)
}

fn named(name: &str, limits: &[BudgetLimit]) -> Budget {
    budget(BudgetScope::Named(name.to_string()), limits)
}

fn counts(sends: u64, bytes: u64) -> TestCounts {
    TestCounts {
        sends,
        bytes,
        ..TestCounts::default()
    }
}

/// A whole run of three tests.
fn measured() -> Measurements {
    let tests = [
        ("TreeTest>>testLayout", counts(100, 80)),
        ("TreeTest>>testLayoutTwo", counts(200, 80)),
        ("ListTest>>testAdd", counts(50, 16)),
    ];
    let tests: BTreeMap<String, TestCounts> = tests
        .into_iter()
        .map(|(name, counts)| (name.to_string(), counts))
        .collect();
    let costs = MethodCosts {
        calls: 4,
        own: 40,
        total: 300,
    };
    let who = BTreeMap::from([("ListTest>>testAdd".to_string(), counts(20, 16))]);
    Measurements {
        known: Some(tests.keys().cloned().collect()),
        is_complete: true,
        tests,
        on_cpus: BTreeMap::new(),
        methods: [("Tree>>layout".to_string(), costs)].into(),
        named: [("add".to_string(), who)].into(),
        profiles: BTreeMap::new(),
    }
}

/// The report of one budget.
fn said(budget: Budget) -> String {
    let report = check_budgets(&[budget], &measured());
    assert_eq!(
        report.violations().next().is_none() && report.idle.is_empty(),
        report.is_kept()
    );
    report.text()
}

#[test]
fn limits_are_held_against_each_test_on_its_own() {
    use LimitKind::{Exact, Max, Ratchet};
    assert_eq!(
        said(of_tests("TreeTest>>testLayout*", &[sends(Max, 200)])),
        ""
    );
    assert_eq!(
        said(of_tests("TreeTest>>testLayout*", &[sends(Max, 150)])),
        "TreeTest>>testLayoutTwo has 200 sends, at most 150 allowed by the budget of tests 'TreeTest>>testLayout*': 50 more\n"
    );
    // A whole name means that test alone, a class all of its tests.
    assert_eq!(
        said(of_tests("TreeTest>>testLayout", &[sends(Max, 100)])),
        ""
    );
    assert_eq!(
        said(of_tests("TreeTest", &[sends(Exact, 200)])),
        "TreeTest>>testLayout has 100 sends, exactly 200 allowed by the budget of tests 'TreeTest': 100 fewer\n"
    );
    assert_eq!(
        said(of_tests("TreeTest", &[sends(Ratchet, 2000)])),
        "TreeTest>>testLayoutTwo has 200 sends, at most 2,000 allowed by the budget of tests 'TreeTest'; 200 would do\n"
    );
}

#[test]
fn methods_and_names_have_budgets() {
    let own = limit(BudgetCost::Own, LimitKind::Max, 39);
    assert_eq!(
        said(of_methods("Tree>>*", &[own])),
        "Tree>>layout has 40 own sends, at most 39 allowed by the budget of methods 'Tree>>*': 1 more\n"
    );
    let calls = limit(BudgetCost::Calls, LimitKind::Exact, 4);
    let total = limit(BudgetCost::Total, LimitKind::Max, 299);
    assert_eq!(
        said(of_methods("layout", &[calls, total])),
        "Tree>>layout has 300 sends in total, at most 299 allowed by the budget of methods 'layout': 1 more\n"
    );
    assert_eq!(
        said(named("add", &[sends(LimitKind::Max, 10)])),
        "ListTest>>testAdd has 20 sends, at most 10 allowed by the budget 'add': 10 more\n"
    );
}

#[test]
fn a_budget_for_nothing_is_found() {
    let all = [
        of_tests("TreeTest>>testLayuot*", &[sends(LimitKind::Max, 1)]),
        of_methods("Tree>>layuot", &[limit(BudgetCost::Own, LimitKind::Max, 1)]),
        named("ad", &[sends(LimitKind::Max, 1)]),
        named("add", &[sends(LimitKind::Max, 20)]),
    ];
    let report = check_budgets(&all, &measured());
    assert_eq!(report.idle, [0, 1, 2]);
    assert!(!report.is_kept());
    assert_eq!(report.summary(), "1 kept, 3 for nothing");
    // What was not all there may be somewhere else.
    let part = Measurements {
        known: None,
        is_complete: false,
        ..measured()
    };
    let report = check_budgets(&all, &part);
    assert_eq!(
        (report.idle.len(), report.open.as_slice()),
        (0, [0, 1, 2].as_slice())
    );
    assert!(report.is_kept());
}

#[test]
fn ratchets_are_tightened_to_the_largest_of_all_they_are_for() {
    let all = [
        of_tests(
            "TreeTest",
            &[
                sends(LimitKind::Ratchet, 500),
                limit(BudgetCost::Of(CostName::Bytes), LimitKind::Ratchet, 80),
            ],
        ),
        of_methods(
            "Tree>>layout",
            &[limit(BudgetCost::Total, LimitKind::Ratchet, 301)],
        ),
        named("add", &[sends(LimitKind::Ratchet, 21)]),
    ];
    let tightenings = |measured: &Measurements| {
        let report = check_budgets(&all, measured);
        let told = report
            .tightenings
            .iter()
            .map(|t| (t.budget, t.cost.name(), t.from, t.to));
        told.collect::<Vec<_>>()
    };
    let whole = [
        (0, "sends", 500, 200),
        (1, "total", 301, 300),
        (2, "sends", 21, 20),
    ];
    assert_eq!(tightenings(&measured()), whole);
    // A test that failed may cost more than all others.
    let mut part = measured();
    part.is_complete = false;
    part.tests.remove("TreeTest>>testLayoutTwo");
    assert_eq!(tightenings(&part), []);
    part.known = None;
    assert_eq!(tightenings(&part), []);
}

#[test]
fn violations_are_a_table() {
    let all = [
        of_tests("TreeTest", &[sends(LimitKind::Exact, 150)]),
        named("add", &[sends(LimitKind::Max, 10)]),
    ];
    let expected = "\
| budget of | cost | measured | allowed | difference |
| --- | --- | ---: | ---: | ---: |
| `TreeTest>>testLayout` | sends | 100 | exactly 150 | -50 |
| `TreeTest>>testLayoutTwo` | sends | 200 | exactly 150 | +50 |
| `add (ListTest>>testAdd)` | sends | 20 | 10 | +10 |
";
    assert_eq!(check_budgets(&all, &measured()).markdown(), expected);
    assert_eq!(check_budgets(&all[..0], &measured()).markdown(), "");
    assert_eq!(
        check_budgets(&all[..0], &measured()).summary(),
        "no budgets"
    );
}

proptest! {
    #[test]
    fn a_tightened_ratchet_holds_and_is_tight(
        sends in proptest::collection::vec(any::<u64>(), 1..5), value in any::<u64>()
    ) {
        let tests: BTreeMap<String, TestCounts> = sends
            .iter()
            .enumerate()
            .map(|(number, sends)| (format!("T>>test{number}"), counts(*sends, 0)))
            .collect();
        let measured = Measurements { known: Some(tests.keys().cloned().collect()), tests, ..Measurements::default() };
        let mut ratchet = of_tests("T", &[super::tests::sends(LimitKind::Ratchet, value)]);
        let report = check_budgets(std::slice::from_ref(&ratchet), &measured);
        let largest = sends.iter().copied().max().unwrap_or(0);
        prop_assert_eq!(report.is_kept(), largest <= value);
        if let [tightening] = report.tightenings[..] {
            ratchet.limits[0].value = tightening.to;
            let again = check_budgets(&[ratchet], &measured);
            prop_assert!(again.is_kept() && again.tightenings.is_empty());
        } else {
            prop_assert!(largest >= value);
        }
    }
}
