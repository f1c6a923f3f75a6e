//! Figure 10: synchronization and polling of the hexapod by the delay of its poller.

use tally_presentation::figure::fixed;
use tally_presentation::grouped;
use tally_presentation::plot::{Axis, Curve, Dot, Figure, Points, Scatter, Shape};

use crate::text::{Table, replaced};
use crate::timelines::{Timeline, program};

/// Milliseconds that a tripod takes, in each of three walks.
const WALKS: [u64; 3] = [18, 21, 24];
/// Ticks of a millisecond.
const MILLISECOND: u64 = 1000;
/// Ticks of a poll without its delay: two milliseconds of radio, and what it executes.
const BODY: u64 = 2 * MILLISECOND + 26;
/// Ticks from the moment at which a poll reads the sensors to the moment at which the robot gets the command that follows.
const REACTION: u64 = 17;
/// Ticks in which a generator gives its commands and goes on to the next phase.
const COMMANDS: u64 = 6;
/// The first phases of a walk, which begin before the first poll or wait for a phase that does.
const FIRST: usize = 3;
/// Phases of a walk that count.
const PHASES: u64 = 12 - FIRST as u64;
/// Delays in milliseconds.
const MOST: u64 = 100;
const EVERY: usize = 2;
/// Delays in the table.
const SHOWN: [u64; 15] = [0, 2, 4, 8, 12, 16, 18, 20, 22, 24, 30, 40, 60, 80, 100];
/// Where the curve has its knee.
const KNEE: u64 = 22;
const RETRACT: &str = "Generator>>retract:of:own:other:";

/// From the begin of a phase to that of the next, by the closed form. A change at the moment x is seen (−x) mod (c + d) later.
/// All is in ticks, from the moment at which a poll reads the sensors.
fn step(delay: u64, time: u64) -> u64 {
    let (x, period) = (REACTION + time, BODY + delay);
    x + (period - x % period) % period
}

/// Synchronization of a phase by the closed form: the sum over two changes, which are the end of its tripod's last phase and the
/// end of the other tripod's.
fn synchronization(delay: u64, time: u64) -> u64 {
    2 * step(delay, time) - COMMANDS
}

/// Synchronization of a walk by the closed form in milliseconds, the mean of three.
fn closed(delay: u64) -> f64 {
    let walks = WALKS.map(|time| PHASES * synchronization(delay, time * MILLISECOND));
    mean(walks)
}

/// Polls a second by the closed form.
fn frequency(delay: u64) -> f64 {
    1e6 / (BODY + delay) as f64
}

/// The mean in milliseconds.
fn mean(ticks: [u64; 3]) -> f64 {
    ticks.iter().sum::<u64>() as f64 / (3 * MILLISECOND) as f64
}

/// A walk that was run.
struct Walk {
    /// The sum of the synchronization times of its phases, without the first ones.
    synchronization: u64,
    polls: u64,
    makespan: u64,
}

impl Walk {
    /// Runs a walk. Each phase and each poll takes what the closed forms say.
    fn of(delay: u64, time: u64) -> Walk {
        let arguments = [delay, time].map(|number| number.to_string());
        let options = ["--", &arguments[0], &arguments[1]];
        let timeline = Timeline::of(&program("hexapod.st"), &options);
        let [delay, time] = [delay, time].map(|number| number * MILLISECOND);
        let mut phases = timeline.requests_of(RETRACT);
        phases.sort_by_key(|phase| phase.executes);
        let phases = phases.iter().skip(FIRST);
        let phases: Vec<u64> = phases.map(|phase| phase.synchronization()).collect();
        let expected = [synchronization(delay, time); PHASES as usize];
        assert_eq!(phases, expected, "a delay of {delay} ticks");
        let polls = timeline.requests_of("Robot>>standing");
        let moments: Vec<u64> = polls.iter().filter_map(|poll| poll.executes).collect();
        for pair in moments.windows(2) {
            assert_eq!(pair[1] - pair[0], BODY + delay, "polls of a walk");
        }
        Walk {
            synchronization: phases.iter().sum(),
            polls: polls.len() as u64,
            makespan: timeline.makespan,
        }
    }
}

/// Three walks for each delay in milliseconds.
pub(crate) struct Walks(Vec<(u64, [Walk; 3])>);

impl Walks {
    pub(crate) fn all() -> Walks {
        let delays = (0..=MOST).step_by(EVERY);
        let walks = delays.map(|delay| (delay, WALKS.map(|time| Walk::of(delay, time))));
        Walks(walks.collect())
    }

    /// The mean of a figure of the three walks in milliseconds.
    fn mean(&self, delay: u64, figure: impl Fn(&Walk) -> u64) -> f64 {
        let row = self.0.iter().find(|(one, _)| *one == delay);
        let (_, walks) = row.expect("a delay that was run");
        mean(walks.each_ref().map(figure))
    }

    /// Synchronization and polls of the delays that are shown.
    pub(crate) fn table(&self) -> String {
        let mut table = Table::new(
            1,
            &[
                "delay d, ms",
                "polls a second, 1/(c + d)",
                "polls of a walk",
                "synchronization of a walk, ms",
                "by the closed form",
                "makespan, ms",
            ],
        );
        for delay in SHOWN {
            let synchronization = self.mean(delay, |walk| walk.synchronization);
            let makespan = self.mean(delay, |walk| walk.makespan);
            let polls = 1000.0 * self.mean(delay, |walk| walk.polls);
            table.row(&[
                delay.to_string(),
                fixed(frequency(delay * MILLISECOND), 1),
                fixed(polls, 1),
                fixed(synchronization, 1),
                fixed(closed(delay * MILLISECOND), 1),
                fixed(makespan, 1),
            ]);
        }
        table.text()
    }

    /// The flat start and what follows.
    pub(crate) fn knee(&self) -> String {
        let at = |delay| self.mean(delay, |walk| walk.synchronization);
        let [first, knee, last] = [0, KNEE, MOST].map(at);
        let most = (0..KNEE).step_by(EVERY).map(at).fold(first, f64::max);
        let slope = (last - knee) / (MOST - KNEE) as f64;
        let [often, seldom] = [0, KNEE].map(|delay| frequency(delay * MILLISECOND));
        format!(
            "From a delay of 0 to one of {KNEE} ms the synchronization of a walk goes from {first:.1} to {knee:.1} ms, and between them it is \
             {most:.1} ms at most. The polls go from {often:.0} to {seldom:.0} a second. From {KNEE} ms on, each further millisecond of delay costs {slope:.1} ms.\n"
        )
    }

    /// Synchronization of a walk against the delay.
    pub(crate) fn figure_10(&self) -> Figure {
        let dots = |(delay, _): &(u64, _)| (*delay, self.mean(*delay, |walk| walk.synchronization));
        figure(
            "figure-10",
            "Figure 10: synchronization of a walk by the delay of the poller",
            "synchronization, ms",
            self.0.iter().map(dots).collect(),
            closed,
        )
    }

    /// Polls a second against the delay.
    pub(crate) fn frequencies(&self) -> Figure {
        let dots = |(delay, walks): &(u64, [Walk; 3])| {
            let polls: u64 = walks.iter().map(|walk| walk.polls).sum();
            let makespans: u64 = walks.iter().map(|walk| walk.makespan).sum();
            (*delay, 1e6 * polls as f64 / makespans as f64)
        };
        figure(
            "figure-10-polls",
            "Figure 10: polls by the delay of the poller",
            "polls a second",
            self.0.iter().map(dots).collect(),
            frequency,
        )
    }
}

/// What was run as points, and a closed form of the delay in ticks as a curve.
fn figure(
    stem: &'static str,
    title: &str,
    upwards: &'static str,
    runs: Vec<(u64, f64)>,
    closed: fn(u64) -> f64,
) -> Figure {
    let ticks = (0..=MOST * MILLISECOND).step_by(200);
    let points: Vec<(f64, f64)> = ticks
        .map(|delay| (delay as f64 / MILLISECOND as f64, closed(delay)))
        .collect();
    let dots = runs.into_iter().map(|(delay, y)| Dot {
        name: String::new(),
        title: format!("{delay} ms: {y:.1}"),
        x: delay as f64,
        y,
    });
    let scatter = Scatter {
        title: title.to_string(),
        across: ("delay, ms", Axis::linear(vec![MOST as f64])),
        upwards: (
            upwards,
            Axis::linear(points.iter().map(|(_, y)| *y).collect()),
        ),
        series: vec![Points {
            name: "mean of three walks".to_string(),
            class: "first",
            shape: Shape::Circle,
            dots: dots.collect(),
        }],
        lines: Vec::new(),
        curves: vec![Curve {
            name: "closed form".to_string(),
            class: "second line",
            points,
        }],
        names: 0,
    };
    Figure::of_scatter(stem, "", &scatter)
}

/// The constant query as it is, under a rule, and with a variable for its answer.
pub(crate) fn cached() -> String {
    let mut table = Table::new(
        1,
        &["", "requests", "makespan", "makespan at latency 1,000"],
    );
    let text = program("hexapod.st");
    let edited = replaced(
        &text,
        "[ ^aSignaler retractionTime ]",
        "[ ^time ifNil: [ time := aSignaler retractionTime ] ]",
    );
    let rule = ["--if", "cache Signaler>>retractionTime"];
    for (name, text, rule) in [
        ("as it is", &text, &[][..]),
        ("`--if 'cache Signaler>>retractionTime'`", &text, &rule[..]),
        ("with a variable for its answer", &edited, &[][..]),
    ] {
        let [none, far] = ["latency=0", "latency=1000"].map(|costs| {
            let timeline = Timeline::of(
                text,
                &[&["--costs", costs], rule, &["--", "10", "21"]].concat(),
            );
            match timeline.trials.first() {
                Some(trial) => {
                    assert_eq!(trial.label, "checked");
                    (trial.requests, trial.after)
                }
                None => (timeline.requests.len() as u64, timeline.makespan),
            }
        });
        assert_eq!(none.0, far.0, "requests depend on the latency: {name}");
        table.row(&[
            name.to_string(),
            none.0.to_string(),
            grouped(none.1),
            grouped(far.1),
        ]);
    }
    table.text()
}
