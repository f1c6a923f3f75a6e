//! Figure 4: the paper's definitions computed from the moments of requests, beside the metrics of the report; and programs in which
//! they differ.

use crate::market::DEAL;
use crate::text::{Table, code};
use crate::timelines::{Feature, Request, Timeline, example, program};

/// Equation 4's waiting time, as section 3.3 computes it: synchronous calls and synchronizations that the processor of the
/// request recorded while it executed.
fn waiting(timeline: &Timeline, request: &Request) -> u64 {
    let processor = request.supplier;
    let Some((begin, end)) = request.executes.zip(request.returns) else {
        return 0;
    };
    let is_inside = |moment: Option<u64>| moment.is_some_and(|at| begin < at && at <= end);
    let all = timeline.requests.iter();
    let calls = all.clone().filter(|one| {
        !one.is_local && one.waits && one.client == processor && is_inside(one.called)
    });
    let calls = calls.map(|one| one.queue() + one.synchronization() + one.execution());
    let nested =
        all.filter(|one| one.is_local && one.supplier == processor && is_inside(one.synchronizes));
    calls.sum::<u64>() + nested.map(Request::synchronization).sum::<u64>()
}

/// Equation 4.
fn useful(timeline: &Timeline, request: &Request) -> i64 {
    signed(request.execution()) - signed(waiting(timeline, request))
}

/// Equation 9, with the lifetime up to the end of the timeline.
fn idle(timeline: &Timeline, processor: usize) -> i64 {
    let own = timeline.requests.iter();
    let busy = own
        .filter(|one| one.supplier == processor)
        .map(|one| one.synchronization() + one.execution());
    signed(lifetime(timeline, processor)) - signed(busy.sum())
}

/// From the creation to the end of the timeline, or the part of it that is shown.
fn lifetime(timeline: &Timeline, processor: usize) -> u64 {
    timeline.to - timeline.processors[processor].created.max(timeline.from)
}

/// Equation 7, with the last event of the processor as its end.
fn lifetime_by_events(timeline: &Timeline, processor: usize) -> u64 {
    let moments = timeline.requests.iter().flat_map(|one| {
        let called = one.called.filter(|_| one.client == processor);
        let own = [one.called, one.synchronizes, one.executes, one.returns];
        let own = own.map(|moment| moment.filter(|_| one.supplier == processor));
        own.into_iter().chain([called]).flatten()
    });
    let begin = timeline.processors[processor].created.max(timeline.from);
    moments.max().map_or(0, |last| last - begin)
}

fn signed(number: u64) -> i64 {
    i64::try_from(number).expect("ticks of a small program")
}

/// The metrics of the market by equations 1 to 6, which are those of the report.
pub(crate) fn equations() -> String {
    let timeline = Timeline::of(&example("market.st"), &DEAL);
    let mut table = Table::new(
        1,
        &[
            "feature",
            "requests (6)",
            "evaluations (5)",
            "queue (1)",
            "synchronization (2)",
            "execution (3)",
            "waiting",
            "useful (4)",
        ],
    );
    for feature in &timeline.features {
        let found = by_equations(&timeline, feature);
        assert_eq!(found, of_the_report(feature), "{}", feature.name);
        let cells = found.iter().map(i64::to_string);
        let cells: Vec<String> = [code(&feature.name)].into_iter().chain(cells).collect();
        table.row(&cells);
    }
    table.text()
}

fn by_equations(timeline: &Timeline, feature: &Feature) -> [i64; 7] {
    let requests = timeline.requests_of(&feature.name);
    let sum = |figure: &dyn Fn(&Request) -> u64| -> i64 {
        signed(requests.iter().map(|request| figure(request)).sum())
    };
    [
        sum(&|request| u64::from(request.executes.is_some())),
        sum(&|request| request.evaluations),
        sum(&Request::queue),
        sum(&Request::synchronization),
        sum(&Request::execution),
        sum(&|request| waiting(timeline, request)),
        requests
            .iter()
            .map(|request| useful(timeline, request))
            .sum(),
    ]
}

fn of_the_report(feature: &Feature) -> [i64; 7] {
    let sums = [
        &feature.evaluations,
        &feature.queue,
        &feature.synchronization,
        &feature.execution,
        &feature.waiting,
        &feature.useful,
    ];
    let [
        evaluations,
        queue,
        synchronization,
        execution,
        waiting,
        useful,
    ] = sums.map(|spread| signed(spread.sum));
    let requests = signed(feature.requests);
    [
        requests,
        evaluations,
        queue,
        synchronization,
        execution,
        waiting,
        useful,
    ]
}

/// Where the report deviates from the definitions.
pub(crate) fn deviations() -> String {
    let mut table = Table::new(2, &["program", "metric", "by the paper", "here"]);
    let mut row = |program: &str, metric: &str, paper: i64, here: u64| {
        let figures = [paper.to_string(), here.to_string()];
        assert_ne!(figures[0], figures[1], "{program} is no counter-example");
        table.row(&[program, metric, &figures[0], &figures[1]]);
    };
    let nested = Timeline::of(&program("nested.st"), &["--from-call", "Client>>go:"]);
    let name = "Client>>go:";
    let request = nested.requests_of(name)[0];
    row(
        "nested.st",
        "waiting time of `Client>>go:`",
        signed(waiting(&nested, request)),
        nested.feature(name).waiting.sum,
    );
    row(
        "nested.st",
        "useful time of `Client>>go:` (4)",
        useful(&nested, request),
        nested.feature(name).useful.sum,
    );
    let callback = Timeline::of(&program("callback.st"), &["--from-call", "Client>>go:"]);
    let client = index(&callback, "#1");
    row(
        "callback.st",
        "idle time of the client (9)",
        idle(&callback, client),
        callback.processors[client].states.idle,
    );
    let far = [&DEAL[..], &["--costs", "latency=10"]].concat();
    let far = Timeline::of(&example("market.st"), &far);
    let name = "Investor>>buy:";
    let waits = far.requests_of(name).into_iter();
    row(
        "market.st, `--costs latency=10`",
        "waiting time of `Investor>>buy:`",
        signed(waits.map(|one| waiting(&far, one)).sum()),
        far.feature(name).waiting.sum,
    );
    let market = Timeline::of(&example("market.st"), &DEAL);
    let investor = index(&market, "#2");
    row(
        "market.st",
        "lifetime of the first investor (7)",
        signed(lifetime_by_events(&market, investor)),
        lifetime(&market, investor),
    );
    let stuck = Timeline::of_deadlock(&example("philosophers.st"));
    let name = "Philosopher>>eat:with:";
    row(
        "philosophers.st",
        "requests of `Philosopher>>eat:with:` (6)",
        by_equations(&stuck, stuck.feature(name))[0],
        stuck.feature(name).requests,
    );
    table.text()
}

fn index(timeline: &Timeline, name: &str) -> usize {
    let mut processors = timeline.processors.iter();
    let found = processors.position(|processor| processor.name == name);
    found.unwrap_or_else(|| panic!("no processor {name}"))
}

/// Deviations that Figure 6 prints, and those of a population and of a sample.
pub(crate) fn spreads() -> String {
    let mut table = Table::new(
        1,
        &[
            "queue times in Figure 6, ms",
            "printed",
            "of a population",
            "of a sample",
        ],
    );
    for (times, printed) in [
        ([19.0, 10.0], "4"),
        ([0.0, 10.0], "5"),
        ([5137.0, 15282.0], "5072"),
    ] {
        let [first, second] = times;
        let half: f64 = (first - second) / 2.0;
        let [population, sample] = [half.abs(), half.abs() * 2f64.sqrt()];
        table.row(&[
            format!("{first}, {second}"),
            printed.to_string(),
            format!("{population:.1}"),
            format!("{sample:.1}"),
        ]);
    }
    table.text()
}
