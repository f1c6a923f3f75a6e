//! Made-up studies: a rich one with data for every section, a small one, and one whose figures are NaN or infinite.

use tally_study::data::{Context, Cost, Form, Missing};
use tally_study::results::{
    ApplicationRow, Correlation, CostRow, CostTable, CounterexampleRow, Estimate, HeldOut,
    Inlining, InliningRow, Interval, InvarianceRow, LeaveOneOut, Line, MemoRow, MethodModelRow,
    MethodRegression, Model, ModelRow, NamedError, Point, ProxyRow, RateRow, Regression, Regressor,
    StabilityRow, Study, Summary,
};

/// Name, milliseconds, sends a millisecond, variation of time.
const APPLICATIONS: [(&str, f64, f64, f64); 16] = [
    ("collections", 2412.0, 61_250.0, 1.21),
    ("bignum", 1830.0, 9_410.0, 0.84),
    ("simulation", 1404.0, 58_730.0, 0.66),
    ("sorting", 960.0, 70_310.0, 0.92),
    ("parsing", 711.0, 55_002.0, 2.10),
    ("markup", 488.0, 47_840.0, 1.75),
    ("layout", 402.0, 52_119.0, 0.71),
    ("syntax", 266.0, 60_043.0, 1.02),
    ("clones", 148.0, 41_720.0, 1.33),
    ("metamodel", 97.0, 63_900.0, 2.87),
    ("queries", 61.0, 66_480.0, 1.90),
    ("streams", 44.0, 57_312.0, 3.05),
    ("numeric", 29.0, 72_850.0, 2.44),
    ("exceptions", 14.0, 38_270.0, 4.12),
    ("reflection", 8.3, 49_660.0, 5.31),
    ("text", 4.1, 33_480.0, 7.92),
];

fn interval(low: f64, high: f64) -> Interval {
    Interval { low, high }
}

fn application(index: usize) -> ApplicationRow {
    let (name, milliseconds, rate, variation) = APPLICATIONS[index];
    let number = index as u64;
    let sends = (milliseconds * rate).round();
    let bytes_for_each = if name == "bignum" { 1 } else { 9 + number % 4 };
    ApplicationRow {
        name: name.to_string(),
        about: format!("a program about {name}, with what belongs to it"),
        lines: 310 + number * 37,
        classes: 6 + number % 9,
        methods: 70 + number * 11,
        tests: 14 + number * 3,
        runs: 10,
        seconds: milliseconds / 1000.0,
        sends,
        time_variation: Some(variation),
        sends_variation: Some(0.0),
        rate,
        cost: Some(Cost {
            sends: sends as u64,
            loops: sends as u64 / 7,
            activations: sends as u64 / 2,
            blocks: sends as u64 / 5,
            objects: sends as u64 / 11,
            bytes: sends as u64 * bytes_for_each,
            steps: sends as u64 * 4,
            primitives: sends as u64 / 3,
            ..Cost::default()
        }),
        residual: Some((rate / 56_000.0 - 1.0) * 100.0),
    }
}

fn line(slope: f64, intercept: f64, degrees: f64) -> Line {
    Line {
        intercept,
        slope,
        through_origin: intercept == 0.0,
        error: 9_402_117.0,
        slope_error: 1_913.42,
        slope_interval: interval(slope - 4_100.0, slope + 4_100.0),
        degrees,
    }
}

fn points() -> Vec<Point> {
    let point = |(name, milliseconds, rate, _): (&str, f64, f64, f64)| Point {
        name: name.to_string(),
        milliseconds,
        sends: (milliseconds * rate).round(),
    };
    APPLICATIONS.into_iter().map(point).collect()
}

fn left_out(scale: f64) -> LeaveOneOut {
    let error = |(index, (name, _, rate, _)): (usize, &(&str, f64, f64, f64))| NamedError {
        name: name.to_string(),
        error: (rate / 52_000.0 - 1.0) * 100.0 * scale + index as f64 * 0.1,
    };
    let errors: Vec<NamedError> = APPLICATIONS.iter().enumerate().map(error).collect();
    LeaveOneOut {
        worst: errors
            .iter()
            .max_by(|a, b| a.error.abs().total_cmp(&b.error.abs()))
            .cloned(),
        median: Some(13.4 * scale),
        errors,
    }
}

fn costs(form: Form, against: Form, fixed: f64, share: f64) -> CostTable {
    let row = |(index, (name, without, _, _)): (usize, (&str, f64, f64, f64))| {
        let overhead = share + fixed / without * 100.0 + (index % 3) as f64 * 0.3 - 0.3;
        CostRow {
            name: name.to_string(),
            methods: matches!(form, Form::Wrapped | Form::WrappedPackage)
                .then_some(70 + index as u64 * 11),
            without,
            with: without * (1.0 + overhead / 100.0),
            overhead,
            interval: Some(interval(overhead - 0.9, overhead + 1.1)),
        }
    };
    let rows: Vec<CostRow> = APPLICATIONS.into_iter().enumerate().map(row).collect();
    let overheads = || rows.iter().map(|row| row.overhead);
    CostTable {
        form,
        against,
        median: Some(share + fixed / 122.0 * 100.0),
        lowest: Some(overheads().fold(f64::INFINITY, f64::min)),
        highest: Some(overheads().fold(f64::NEG_INFINITY, f64::max)),
        mean: Some(share + fixed / 90.0 * 100.0),
        rows,
    }
}

fn methods(application: &str, many: usize, correlation: f64) -> MethodRegression {
    let point = |number: usize| {
        let milliseconds = 700.0 / (1.0 + number as f64).powf(1.3);
        Point {
            name: format!("Parser{number}>>parseAt:on:"),
            milliseconds,
            sends: (milliseconds * (40_000.0 + ((number * 7919) % 23) as f64 * 1_500.0)).round(),
        }
    };
    MethodRegression {
        application: application.to_string(),
        points: (0..many).map(point).collect(),
        least_samples: 20,
        line: Some(line(54_210.37, 0.0, many as f64 - 1.0)),
        correlation: Some(Correlation {
            pearson: Some(correlation),
            rank: Some(correlation - 0.02),
            logarithms: Some(correlation - 0.01),
        }),
    }
}

fn inlining(name: &str, messages: u64, inlined: u64) -> InliningRow {
    InliningRow {
        name: name.to_string(),
        messages,
        inlined,
        share: Some(inlined as f64 / messages as f64 * 100.0),
    }
}

fn model(name: &str, regressors: &[Regressor], scale: f64, correlation: f64) -> ModelRow {
    let nanoseconds = regressors
        .iter()
        .enumerate()
        .filter(|(index, _)| index % 3 != 2);
    ModelRow {
        name: name.to_string(),
        regressors: regressors.to_vec(),
        model: Model {
            nanoseconds: nanoseconds
                .map(|(index, r)| (*r, 17.9 * scale / (1.0 + index as f64)))
                .collect(),
            programs: 16,
            spread: Some(0.31 * scale),
        },
        correlation: Some(correlation),
        leave_one_out: left_out(scale),
    }
}

fn context(name: &str, about: &str, build: &str) -> Context {
    Context {
        schema: "tally.study-data/2".to_string(),
        name: name.to_string(),
        about: about.to_string(),
        tally: "0.1.0".to_string(),
        build: build.to_string(),
        binary: String::from("0123456789abcdef"),
        library: "5f0c2b7e91d4a866".to_string(),
        model: 1,
        processor: "AMD EPYC 7B13".to_string(),
        system: "linux x86_64".to_string(),
        processors: 2,
    }
}

const CONTEXTS: [(&str, &str, &str); 4] = [
    ("normal", "this build, without options", "release"),
    (
        "reference",
        "reference mode: no cache, no short cut",
        "release",
    ),
    (
        "heap 64 KiB",
        "a heap that is collected all the time",
        "release",
    ),
    ("debug", "the build for debugging", "debug"),
];

fn counterexample(
    name: &str,
    about: &str,
    sends: f64,
    milliseconds: f64,
    vector: f64,
) -> CounterexampleRow {
    let by_sends = sends / 52_000.0;
    CounterexampleRow {
        name: name.to_string(),
        about: about.to_string(),
        sends,
        milliseconds,
        rate: sends / milliseconds,
        cost: None,
        by_sends: Some(by_sends),
        factor_by_sends: Some(milliseconds / by_sends),
        by_vector: Some(milliseconds / vector),
        factor_by_vector: Some(vector),
    }
}

/// Sends and work over some programs.
fn proxies() -> Vec<ProxyRow> {
    let row = |group: &str, number: &str, error: f64| ProxyRow {
        group: group.to_string(),
        number: number.to_string(),
        programs: 16,
        correlation: Some(1.0 - error / 1000.0),
        factor: Some(error * 1e-8),
        leave_one_out: left_out(error / 10.0),
        median_interval: Some(interval(error * 0.5, error * 2.0)),
        spread: Some(error / 100.0),
        spread_interval: Some(interval(error / 150.0, error / 80.0)),
    };
    vec![
        row("the basket", "sends", 30.0),
        row("the basket", "work", 10.0),
        row("held-out programs", "sends", 40.0),
        row("held-out programs", "work", 4.0),
        row("all", "work", 12.0),
    ]
}

/// A study with something in every part.
pub(crate) fn rich() -> Study {
    const ALL: [Regressor; 8] = [
        Regressor::Sends,
        Regressor::Loops,
        Regressor::Activations,
        Regressor::Blocks,
        Regressor::Objects,
        Regressor::Bytes,
        Regressor::Steps,
        Regressor::Primitives,
    ];
    Study {
        schema: "tally.study/1".to_string(),
        contexts: CONTEXTS
            .iter()
            .map(|(name, about, build)| context(name, about, build))
            .collect(),
        missing: vec![Missing {
            application: String::new(),
            context: "aarch64".to_string(),
            form: Form::Counted,
            why: "no linker for aarch64-unknown-linux-gnu".to_string(),
        }],
        applications: (0..APPLICATIONS.len()).map(application).collect(),
        summary: Some(Summary {
            time_variation: Some(2.38),
            sends_variation: Some(0.0),
            ratio: None,
            lowest_rate: 9_410.0,
            mean_rate: 52_398.0,
            highest_rate: 72_850.0,
            rate_variation: Some(29.7),
        }),
        over_applications: Some(Regression {
            points: points(),
            through_origin: line(52_113.6, 0.0, 15.0),
            with_intercept: Some(line(53_871.21, -2_410_334.0, 14.0)),
            correlation: Correlation {
                pearson: Some(0.9312),
                rank: Some(0.9824),
                logarithms: Some(0.9871),
            },
            leave_one_out: left_out(1.0),
        }),
        proxies: proxies(),
        held_out: vec![
            HeldOut {
                name: "ledger".to_string(),
                sends: 28_096_569.0,
                milliseconds: 533.0,
                deviation: Some(4.1),
                predicted: Some(566.3),
                interval: Some(interval(526.2, 613.0)),
                is_inside: Some(true),
                by_sends: Some(Estimate {
                    milliseconds: 540.3,
                    interval: interval(280.0, 1_043.0),
                }),
                by_vector: Some(Estimate {
                    milliseconds: 541.0,
                    interval: interval(430.0, 680.0),
                }),
            },
            HeldOut {
                name: "words".to_string(),
                sends: 1_204_331.0,
                milliseconds: 21.2,
                deviation: Some(0.8),
                predicted: Some(67.1),
                interval: Some(interval(62.0, 73.0)),
                is_inside: Some(false),
                by_sends: None,
                by_vector: None,
            },
        ],
        over_methods: vec![
            methods("parsing", 62, 0.9803),
            methods("markup", 31, 0.9644),
            MethodRegression {
                application: "text".to_string(),
                least_samples: 20,
                ..MethodRegression::default()
            },
        ],
        rates: CONTEXTS
            .iter()
            .enumerate()
            .map(|(index, (name, about, _))| RateRow {
                context: name.to_string(),
                about: about.to_string(),
                applications: 16,
                rate: 52_113.6 / (1.0 + index as f64),
                interval: Some(interval(
                    48_013.6 / (1.0 + index as f64),
                    56_213.6 / (1.0 + index as f64),
                )),
                time_variation: Some(2.38 + index as f64),
                sends_variation: Some(0.0),
                correlation: Some(0.9312),
            })
            .collect(),
        invariance: CONTEXTS
            .iter()
            .map(|(name, about, _)| InvarianceRow {
                context: name.to_string(),
                about: about.to_string(),
                applications: 16,
                runs: 480,
                differing: Vec::new(),
            })
            .collect(),
        counting: costs(Form::Counted, Form::Uncounted, 0.0, 0.4),
        profiling: vec![
            costs(Form::Recorded, Form::Counted, 0.4, 12.0),
            costs(Form::Wrapped, Form::Counted, 9.0, 310.0),
            costs(Form::WrappedPackage, Form::Counted, 3.0, 90.0),
        ],
        stability: APPLICATIONS
            .iter()
            .enumerate()
            .map(|(index, (name, ..))| StabilityRow {
                application: name.to_string(),
                profiles: 10,
                methods: 70 + index as u64 * 11,
                counted_total: Some(0.0),
                counted_own: Some(0.0),
                sampled_total: Some(0.4 + index as f64 * 0.71),
                sampled_own: (index < 15).then_some(1.9 + index as f64 * 0.9),
                random: 86.0 + index as f64 * 9.0,
            })
            .collect(),
        inlining: Inlining {
            written: vec![
                inlining("library", 14_210, 3_102),
                inlining("basket", 11_844, 2_981),
            ],
            executed: APPLICATIONS
                .iter()
                .map(|(name, time, rate, _)| {
                    inlining(name, (time * rate * 1.3) as u64, (time * rate * 0.3) as u64)
                })
                .collect(),
            all_executed: inlining("all", 600_000_000, 138_000_000),
        },
        memoisation: vec![MemoRow {
            application: "layout".to_string(),
            variant: "layout-forgetful".to_string(),
            about: "bounds of a node".to_string(),
            sends_without: 36_120_400.0,
            sends_with: 20_951_838.0,
            sends_saved: Some(42.0),
            milliseconds_without: 693.0,
            milliseconds_with: 402.0,
            time_saved: 42.0,
        }],
        models: vec![
            model("sends alone", &ALL[..1], 1.0, 0.9312),
            model("steps alone", &ALL[6..7], 0.8, 0.95),
            model(
                "sends, allocations and primitives",
                &[ALL[0], ALL[4], ALL[5], ALL[7]],
                0.4,
                0.99,
            ),
            model("the cost vector", &ALL, 0.3, 0.9968),
        ],
        method_models: vec![
            MethodModelRow {
                application: "parsing".to_string(),
                methods: 62,
                by_sends: Some(0.91),
                by_vector: Some(0.95),
                error_by_sends: Some(24.1),
                error_by_vector: Some(17.0),
            },
            MethodModelRow {
                application: "markup".to_string(),
                methods: 31,
                by_sends: Some(0.88),
                by_vector: Some(0.86),
                error_by_sends: Some(30.2),
                error_by_vector: Some(31.5),
            },
        ],
        counterexamples: vec![
            counterexample(
                "factorial",
                "big integers: the work is in primitives",
                30_120.0,
                812.0,
                61.0,
            ),
            counterexample("copying", "copies long strings", 210_400.0, 377.0, 2.6),
            counterexample(
                "garbage",
                "a heap full of objects that live",
                8_120_000.0,
                402.0,
                1.3,
            ),
            counterexample(
                "looping",
                "inlined loops without a send",
                41_000.0,
                95.0,
                0.9,
            ),
            counterexample(
                "quick",
                "accessors and nothing else",
                50_000_000.0,
                391.0,
                1.1,
            ),
        ],
    }
}

/// One application that ran once.
pub(crate) fn small() -> Study {
    Study {
        schema: "tally.study/1".to_string(),
        contexts: vec![context("normal", "this build, without options", "release")],
        applications: vec![ApplicationRow {
            runs: 1,
            residual: None,
            cost: None,
            ..application(3)
        }],
        summary: Some(Summary {
            lowest_rate: 70_310.0,
            mean_rate: 70_310.0,
            highest_rate: 70_310.0,
            ..Summary::default()
        }),
        ..Study::default()
    }
}

/// A rich study in which counts differ and names are as bad as can be.
pub(crate) fn odd() -> Study {
    let mut study = rich();
    study.applications[2].sends_variation = Some(0.31);
    study.applications[2].name = "<script>alert(1)</script>|`*_[a](b)\u{1b}[31m,\"\n".to_string();
    study.applications[4].sends_variation = Some(1e-9);
    if let Some(summary) = &mut study.summary {
        summary.sends_variation = Some(0.02);
        summary.ratio = Some(119.0);
    }
    study.invariance[1].differing = (0..9).map(|number| format!("program {number}")).collect();
    study.stability[5].counted_own = Some(0.44);
    study.counterexamples.truncate(1);
    study.counterexamples[0].name = "</svg><img src=x onerror=alert(1)>".to_string();
    study
}

/// A study whose figures are all no numbers, or too large, or below 0.
pub(crate) fn unreal() -> Study {
    let mut study = rich();
    let bad = [
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        1e308,
        -1e308,
        0.0,
        5e-324,
    ];
    let mut next = bad.iter().copied().cycle();
    let mut number = || next.next().unwrap_or(0.0);
    for row in &mut study.applications {
        (row.seconds, row.sends, row.rate) = (number(), number(), number());
        (row.time_variation, row.sends_variation, row.residual) =
            (Some(number()), Some(number()), Some(number()));
        row.cost = Some(Cost::default());
    }
    if let Some(regression) = &mut study.over_applications {
        for point in &mut regression.points {
            (point.milliseconds, point.sends) = (number(), number());
        }
        let lines = std::iter::once(&mut regression.through_origin);
        for line in lines.chain(&mut regression.with_intercept) {
            (line.slope, line.intercept, line.error) = (number(), number(), number());
            line.slope_interval = interval(number(), number());
        }
        regression.correlation.pearson = Some(number());
    }
    for row in &mut study.held_out {
        (row.milliseconds, row.predicted) = (number(), Some(number()));
        row.interval = Some(interval(number(), number()));
    }
    for methods in &mut study.over_methods {
        for point in &mut methods.points {
            (point.milliseconds, point.sends) = (number(), number());
        }
    }
    for costs in study.profiling.iter_mut().chain([&mut study.counting]) {
        (costs.median, costs.mean, costs.lowest, costs.highest) = (
            Some(number()),
            Some(number()),
            Some(number()),
            Some(number()),
        );
        for row in &mut costs.rows {
            (row.with, row.without, row.overhead) = (number(), number(), number());
            row.interval = Some(interval(number(), number()));
        }
    }
    for row in &mut study.stability {
        (row.counted_total, row.sampled_total, row.random) =
            (Some(number()), Some(number()), number());
    }
    for row in &mut study.models {
        for error in &mut row.leave_one_out.errors {
            error.error = number();
        }
        row.leave_one_out.median = Some(number());
    }
    for row in &mut study.counterexamples {
        (row.factor_by_sends, row.factor_by_vector, row.rate) =
            (Some(number()), Some(number()), number());
    }
    study
}
