//! Figures 2, 5 and 6: a transaction, and the market before and after its fix.

use tally_presentation::grouped;

use crate::text::{Table, code, replaced};
use crate::timelines::{Request, Timeline, example, picture, program};

const TRANSACTION: [&str; 2] = ["--from-call", "Application>>transact:log:"];
pub(crate) const DEAL: [&str; 2] = ["--from-call", "Deal>>first:second:"];
const BUY: &str = "Investor>>buy:";
const SELL: &str = "Investor>>sell:";
const LATENCIES: [u64; 5] = [0, 1, 2, 10, 100];

/// The picture of the transaction.
pub(crate) fn figure_2() -> String {
    let name = "transaction.st";
    picture(name, &program(name), &TRANSACTION)
}

/// The picture of the market.
pub(crate) fn figure_5() -> String {
    let name = "market.st";
    picture(name, &example(name), &DEAL)
}

/// The requests of the transaction. Moments begin with it.
pub(crate) fn transaction() -> String {
    let timeline = Timeline::of(&program("transaction.st"), &TRANSACTION);
    let mut table = Table::new(
        1,
        &["request", "called", "synchronizing", "executing", "waiting"],
    );
    let moment = |moment: u64| format!("{:02}", moment - timeline.from);
    let between = |from: Option<u64>, to: Option<u64>| {
        let both = from.zip(to);
        both.map_or(String::new(), |(from, to)| {
            format!("{} – {}", moment(from), moment(to))
        })
    };
    for request in &timeline.requests {
        table.row(&[
            code(&request.feature),
            request.called.map_or(String::new(), moment),
            between(request.synchronizes, request.executes),
            between(request.executes, request.returns),
            request.waiting.to_string(),
        ]);
    }
    table.text()
}

/// The market with `buy: self byCopy` in place of `buy: self`, and `sell:` alike.
fn edited() -> String {
    let messages = ["aMarket buy: self", "aMarket sell: self"];
    messages.iter().fold(example("market.st"), |text, message| {
        replaced(&text, message, &format!("{message} byCopy"))
    })
}

/// The metrics of Figure 6, of three versions of the market.
pub(crate) fn metrics() -> String {
    let versions = [example("market.st"), edited(), example("market-mended.st")];
    let timelines = versions.map(|version| Timeline::of(&version, &DEAL));
    let mut table = Table::new(1, &["", "`buy: self`", "`buy: self byCopy`", "`buy: id`"]);
    let mut row = |name: &str, figure: &dyn Fn(&Timeline) -> String| {
        let [naive, edited, mended] = timelines.each_ref().map(figure);
        table.row(&[name.to_string(), naive, edited, mended]);
    };
    row("requests", &|one| one.requests.len().to_string());
    row("of them `Investor>>id`", &|one| {
        one.requests_of("Investor>>id").len().to_string()
    });
    for feature in [BUY, SELL] {
        row(&format!("evaluations of `{feature}`"), &|one| {
            each(one, feature, |request| request.evaluations)
        });
    }
    for feature in [BUY, SELL] {
        let name = format!("`{feature}`: execution, waiting, useful %");
        row(&name, &|one| shares(one, feature));
    }
    row("queue of `Investor>>sell:`", &|one| {
        each(one, SELL, Request::queue)
    });
    for feature in [BUY, SELL] {
        row(&format!("synchronization of `{feature}`"), &|one| {
            each(one, feature, Request::synchronization)
        });
    }
    row("ticks", &|one| one.ticks.to_string());
    row("makespan", &|one| one.makespan.to_string());
    table.text()
}

/// A figure of each request of a feature.
fn each(timeline: &Timeline, feature: &str, figure: impl Fn(&Request) -> u64) -> String {
    let requests = timeline.requests_of(feature).into_iter();
    let figures: Vec<String> = requests.map(|one| figure(one).to_string()).collect();
    figures.join(", ")
}

/// Execution and waiting of a request of a feature, which are equal for all of them, and the useful part.
fn shares(timeline: &Timeline, name: &str) -> String {
    let requests = timeline.requests_of(name).into_iter();
    let mut figures: Vec<_> = requests.map(|one| (one.execution(), one.waiting)).collect();
    figures.dedup();
    let [(execution, waiting)] = figures[..] else {
        panic!("requests of {name} differ: {figures:?}")
    };
    let feature = timeline.feature(name);
    let useful = 100.0 * feature.useful.sum as f64 / feature.execution.sum as f64;
    format!("{execution}, {waiting}, {useful:.1}")
}

/// Makespans by latency, with their formulas.
pub(crate) fn latencies() -> String {
    let heads = LATENCIES.map(|latency| format!("L = {latency}"));
    let mut columns = vec!["", "requests", "ticks", "makespan"];
    columns.extend(heads.iter().map(String::as_str));
    let mut table = Table::new(1, &columns);
    let naive = example("market.st");
    table.row(&by_latency("`buy: self`", &naive, &[]));
    let rule = ["--if", "copy Investor"];
    table.row(&by_latency("`--if 'copy Investor'`", &naive, &rule));
    table.row(&by_latency("`buy: self byCopy`", &edited(), &[]));
    let mended = example("market-mended.st");
    table.row(&by_latency("`buy: id`", &mended, &[]));
    table.text()
}

/// A row: requests, ticks, and makespans, which are a linear function of the latency. With a rule, those of its run.
fn by_latency(name: &str, text: &str, rule: &[&str]) -> Vec<String> {
    let found = LATENCIES.map(|latency| {
        let costs = format!("latency={latency}");
        let timeline = Timeline::of(text, &[&DEAL[..], &["--costs", &costs], rule].concat());
        match timeline.trials.first() {
            Some(trial) => {
                assert_eq!(trial.label, "checked", "{rule:?}");
                [trial.requests, trial.ticks, trial.after]
            }
            None => {
                let requests = timeline.requests.len() as u64;
                [requests, timeline.ticks, timeline.makespan]
            }
        }
    });
    let [requests, ticks, first] = found[0];
    let slope = found[1][2] - first;
    for (latency, figures) in LATENCIES.into_iter().zip(found) {
        let expected = [requests, ticks, first + slope * latency];
        assert_eq!(figures, expected, "{name} at latency {latency}");
    }
    let formula = format!("{first} + {slope} L");
    let mut row = vec![
        name.to_string(),
        requests.to_string(),
        ticks.to_string(),
        formula,
    ];
    row.extend(found.map(|[.., makespan]| grouped(makespan)));
    row
}
