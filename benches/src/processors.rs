//! The speed of processors in virtual time: requests, events that are kept or not, and the recording of the programs of
//! docs/TIMELINE-STUDY.md. Each figure of a request is compared with a program of sends that runs in the same round, because
//! machines differ.

use std::path::Path;
use std::time::Duration;

use crate::measure::{Command, median};
use crate::overhead;
use crate::report::{Row, Verdict};
use crate::root;

/// Headings of the figures of requests.
pub const COLUMNS: &[&str] = &["ns", "fib 32 ms", "ns where fib takes 44 ms", "limit"];
/// Headings of the figures of events.
pub const EVENT_COLUMNS: &[&str] = &["s", "limit s"];

/// What `fib 32` takes on the machine for which the limits are set, in seconds.
const FIB: f64 = 0.044;
/// Requests in a run.
const REQUESTS: u32 = 200_000;
/// Kinds of requests, what they are, and how many nanoseconds one may take.
const KINDS: [(&str, &str, f64); 2] = [
    ("query", "request and reply", 600.0),
    ("command", "command", 350.0),
];
/// Requests with replies that make ten million events.
const MANY: &str = "1430000";
/// Seconds that a tenth of 10⁸ events may take, without a trace and with one.
const EVENTS: [f64; 2] = [12.0, 30.0];
/// Seconds that a hundredth of the trace may take to be read.
const SEGMENT: f64 = 2.0;
/// The programs of the study's Figure 7.
const RECORDED: [&str; 6] = ["savages", "santa", "barber", "bus", "readers", "workers"];
/// How often such a program is repeated in a run.
const REPEATS: u32 = 2000;
/// A run fails that lasts longer.
const PATIENCE: Duration = Duration::from_secs(300);

fn command(tally: &Path, arguments: &[&str]) -> Command {
    Command::new(tally, &root())
        .within(PATIENCE)
        .with(arguments.iter().copied())
}

fn requests(tally: &Path, kind: &str) -> Command {
    let count = REQUESTS.to_string();
    let program = ["run", "benches/programs/requests.st", "--", kind];
    command(tally, &program).with([count])
}

/// Seconds of `fib`, of the program without requests, and of each kind of requests.
type Sample = (f64, f64, [f64; KINDS.len()]);

fn sample(tally: &Path) -> Result<Sample, String> {
    let fib = command(tally, &["run", "benches/programs/fib.st", "--", "32"]);
    let mut kinds = [0.0; KINDS.len()];
    for (seconds, (kind, ..)) in kinds.iter_mut().zip(KINDS) {
        *seconds = requests(tally, kind).seconds(1)?;
    }
    Ok((fib.seconds(1)?, requests(tally, "none").seconds(1)?, kinds))
}

/// What a request takes beside sends.
pub fn measure(tally: &Path, rounds: u32) -> Vec<Row> {
    let samples: Result<Vec<Sample>, String> = (0..rounds).map(|_| sample(tally)).collect();
    let samples = match samples {
        Ok(samples) => samples,
        Err(why) => return vec![Row::without_figures("requests", Verdict::Broken(why))],
    };
    let middle =
        |figure: &dyn Fn(&Sample) -> f64| median(&samples.iter().map(figure).collect::<Vec<_>>());
    let fib = middle(&|sample| sample.0);
    let rows = KINDS.iter().enumerate().map(|(index, (_, name, limit))| {
        let seconds = |sample: &Sample| (sample.2[index] - sample.1) / f64::from(REQUESTS);
        let nanoseconds = middle(&seconds) * 1e9;
        let comparable = middle(&|sample| seconds(sample) / sample.0) * FIB * 1e9;
        let figures = [nanoseconds, fib * 1e3, comparable, *limit];
        Row {
            name: (*name).to_string(),
            figures: figures.map(|figure| format!("{figure:.0}")).to_vec(),
            verdict: Verdict::of(comparable, *limit),
        }
    });
    rows.collect()
}

/// What ten million events take: a tenth of those of the target.
pub fn events(tally: &Path) -> Vec<Row> {
    let trace = std::env::temp_dir().join(format!("tally-{}.timeline", std::process::id()));
    let file = trace.display().to_string();
    let program = "benches/programs/requests.st";
    let end = ["--", "query", MANY];
    let [plain, recorded] = EVENTS;
    let runs = [
        (
            "10⁷ events",
            command(tally, &["run", program]).with(end),
            plain,
        ),
        (
            "… recorded",
            command(tally, &["timeline", program, "-o", &file]).with(end),
            recorded,
        ),
        (
            "a hundredth of the trace",
            command(
                tally,
                &["timeline", &file, "--from", "1400000", "--to", "1428600"],
            ),
            SEGMENT,
        ),
    ];
    let rows = runs.map(|(name, command, limit)| match command.seconds(1) {
        Ok(seconds) => Row {
            name: name.to_string(),
            figures: vec![format!("{seconds:.2}"), format!("{limit:.0}")],
            verdict: Verdict::of(seconds, limit),
        },
        Err(why) => Row::without_figures(name, Verdict::Broken(why)),
    });
    let _ = std::fs::remove_file(trace);
    rows.into()
}

/// Pairs of seconds of each program of the study, with a trace and without one.
pub fn recording(tally: &Path, rounds: u32) -> Vec<Row> {
    let folder = std::env::temp_dir().join(format!("tally-recording-{}", std::process::id()));
    let rows = RECORDED.map(|name| {
        let pairs = pairs(tally, name, &folder, rounds);
        match pairs {
            Ok(pairs) => overhead::row(name.to_string(), &[pairs], None),
            Err(why) => Row::without_figures(name, Verdict::Broken(why)),
        }
    });
    let _ = std::fs::remove_dir_all(folder);
    rows.into()
}

fn pairs(tally: &Path, name: &str, folder: &Path, rounds: u32) -> Result<Vec<(f64, f64)>, String> {
    let example = root().join(format!("examples/processors/{name}.st"));
    let text = std::fs::read_to_string(&example)
        .map_err(|error| format!("{}: {error}", example.display()))?;
    let [program, trace] = ["st", "timeline"].map(|end| folder.join(format!("{name}.{end}")));
    std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::write(&program, repeated(&text)?))
        .map_err(|error| format!("{}: {error}", program.display()))?;
    let [program, trace] = [program, trace].map(|path| path.display().to_string());
    let with = command(tally, &["timeline", &program, "-o", &trace]);
    let without = command(tally, &["run", &program]);
    (0..rounds)
        .map(|_| Ok((with.seconds(1)?, without.seconds(1)?)))
        .collect()
}

/// The program with its script, which follows the last class, in a loop.
fn repeated(text: &str) -> std::io::Result<String> {
    let (classes, script) = text
        .rsplit_once("\n]\n")
        .ok_or_else(|| std::io::Error::other("no script behind the classes"))?;
    Ok(format!(
        "{classes}\n]\n{REPEATS} timesRepeat: [\n{script}].\n"
    ))
}
