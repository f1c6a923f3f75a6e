//! Figures 3 and 7: the events that the paper's tool records, and what they cost by the size of the buffer.

use tally_presentation::figure::measure;
use tally_presentation::grouped;
use tally_presentation::plot::{Axis, Curve, Figure, Scatter};

use crate::text::Table;
use crate::timelines::{Timeline, example};

/// Ticks of an event.
const EVENT: u64 = 1;
/// Ticks of writing a buffer.
const FLUSH: u64 = 100;
/// The programs, and the classes of their curves.
const PROGRAMS: [(&str, &str); 6] = [
    ("savages", "first line"),
    ("santa", "second line"),
    ("barber", "fourth line"),
    ("bus", "fifth line"),
    ("readers", "sixth line"),
    ("workers", "eighth line"),
];
/// Sizes of buffers in the table.
const BUFFERS: [u64; 4] = [1, 10, 100, 1000];

/// Events of Figure 3, and what they are in a trace.
const EVENTS: [(&str, &str); 8] = [
    ("processor start", "`created`"),
    ("processor end", "none: the last event of the processor"),
    ("separate feature call, at the client", "`called`"),
    ("separate feature request, at the supplier", "`called`"),
    ("synchronization start", "`synchronizes`"),
    ("precondition evaluation", "`evaluated`, true or false"),
    ("execution start", "`executes`"),
    ("return", "`returns`"),
];

/// Events of each processor, in the order of `EVENTS`.
fn events(timeline: &Timeline) -> Vec<[u64; 8]> {
    let mut all = vec![[1, 1, 0, 0, 0, 0, 0, 0]; timeline.processors.len()];
    for request in &timeline.requests {
        if !request.is_local {
            all[request.client][2] += 1;
            all[request.supplier][3] += 1;
        }
        let own = &mut all[request.supplier];
        own[4] += u64::from(request.synchronizes.is_some());
        own[5] += request.evaluations;
        own[6] += u64::from(request.executes.is_some());
        own[7] += u64::from(request.returns.is_some());
    }
    all
}

/// The events of the market.
pub(crate) fn market_events() -> String {
    let timeline = Timeline::of(&example("market.st"), &[]);
    let all = events(&timeline);
    let mut table = Table::new(2, &["event of Figure 3", "in a trace", "in the market"]);
    for (index, (event, ours)) in EVENTS.iter().enumerate() {
        let count: u64 = all.iter().map(|own| own[index]).sum();
        table.row(&[*event, ours, &count.to_string()]);
    }
    table.text()
}

/// Ticks that a processor with these events spends on measuring.
fn measuring(events: u64, buffer: u64) -> u64 {
    events * EVENT + events.div_ceil(buffer) * FLUSH
}

/// What was recorded of a program.
struct Recorded {
    name: &'static str,
    makespan: u64,
    /// Class and number of events of each processor.
    processors: Vec<(String, u64)>,
}

impl Recorded {
    fn of(name: &'static str) -> Recorded {
        Recorded::with(name, &[])
    }

    fn with(name: &'static str, options: &[&str]) -> Recorded {
        let timeline = Timeline::of(&example(&format!("{name}.st")), options);
        let classes = timeline.processors.iter().map(|one| match &one.class[..] {
            "" => "script".to_string(),
            class => class.to_string(),
        });
        let counts = events(&timeline).into_iter();
        Recorded {
            name,
            makespan: timeline.makespan,
            processors: classes.zip(counts.map(|own| own.iter().sum())).collect(),
        }
    }

    /// The processor with the most events.
    fn busiest(&self) -> &(String, u64) {
        let processors = self.processors.iter();
        let busiest = processors.max_by_key(|(_, events)| *events);
        busiest.expect("the script is a processor")
    }

    /// The overhead of the busiest processor by buffers of 1 to 1,000 events, without points between two equal ones.
    fn curve(&self) -> Vec<(f64, f64)> {
        let (_, most) = self.busiest();
        let at = |buffer: u64| self.overhead(*most, buffer);
        let is_corner = |buffer: &u64| {
            matches!(buffer, 1 | 1000)
                || at(buffer - 1) != at(*buffer)
                || at(buffer + 1) != at(*buffer)
        };
        let corners = (1..=1000).filter(is_corner);
        corners.map(|buffer| (buffer as f64, at(buffer))).collect()
    }

    /// The events of all processors.
    fn events(&self) -> u64 {
        self.processors.iter().map(|(_, events)| events).sum()
    }

    /// Ticks in per cent of the makespan.
    fn percent(&self, ticks: u64) -> f64 {
        100.0 * ticks as f64 / self.makespan as f64
    }

    /// Overhead of a processor with these events, in per cent.
    fn overhead(&self, events: u64, buffer: u64) -> f64 {
        self.percent(measuring(events, buffer))
    }
}

fn all_recorded() -> [Recorded; 6] {
    PROGRAMS.map(|(name, _)| Recorded::of(name))
}

/// Events of the programs, and the overhead of the processor that has the most.
pub(crate) fn programs() -> String {
    let heads = BUFFERS.map(|buffer| format!("b = {}", grouped(buffer)));
    let mut columns = vec![
        "program",
        "makespan",
        "processors",
        "events",
        "in 1,000 ticks",
    ];
    columns.extend(["most events", "of a"]);
    columns.extend(heads.iter().map(String::as_str));
    let mut table = Table::new(1, &columns);
    for one in all_recorded() {
        let events = one.events();
        let (class, most) = one.busiest();
        let mut row = vec![one.name.to_string(), grouped(one.makespan)];
        row.push(one.processors.len().to_string());
        row.extend([events, 1000 * events / one.makespan, *most].map(grouped));
        row.push(class.clone());
        row.extend(BUFFERS.map(|buffer| measure(one.overhead(*most, buffer))));
        table.row(&row);
    }
    table.text()
}

/// The same for all processors, by their classes and events.
pub(crate) fn processors() -> String {
    let heads = BUFFERS.map(|buffer| format!("b = {}", grouped(buffer)));
    let mut columns = vec!["program", "class", "processors", "events"];
    columns.extend(heads.iter().map(String::as_str));
    let mut table = Table::new(2, &columns);
    for one in all_recorded() {
        let mut kinds = one.processors.clone();
        kinds.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        for alike in kinds.chunk_by(|a, b| a == b) {
            let (class, events) = &alike[0];
            let mut row = vec![one.name.to_string(), class.clone()];
            row.extend([alike.len().to_string(), grouped(*events)]);
            row.extend(BUFFERS.map(|buffer| measure(one.overhead(*events, buffer))));
            table.row(&row);
        }
    }
    table.text()
}

/// Runs in which events are charged where they happen, beside what the closed form says of one processor and of all. An activation
/// of a processor's own and the end of a processor have no charge.
pub(crate) fn charged() -> String {
    let mut table = Table::new(
        1,
        &[
            "program",
            "ticks of an event",
            "events",
            "of the busiest processor, %",
            "run, %",
            "of all processors, %",
        ],
    );
    for plain in all_recorded() {
        for buffer in [1000, 10, 1] {
            let event = EVENT + FLUSH / buffer;
            let taken = 4 * event;
            let costs = format!("create={event},call={event},receive={taken},evaluate={event}");
            let run = Recorded::with(plain.name, &["--costs", &costs]);
            let (_, most) = plain.busiest();
            let least = plain.percent(event * most);
            let found = plain.percent(run.makespan - plain.makespan);
            let greatest = plain.percent(event * plain.events());
            assert!(least < found && found < greatest, "{}", plain.name);
            let mut row = vec![plain.name.to_string(), event.to_string()];
            row.push(grouped(run.events()));
            row.extend([least, found, greatest].map(measure));
            table.row(&row);
        }
    }
    table.text()
}

/// Overhead against the size of the buffer.
pub(crate) fn figure_7() -> Figure {
    let curves: Vec<Curve> = PROGRAMS
        .iter()
        .map(|(name, class)| Curve {
            name: (*name).to_string(),
            class,
            points: Recorded::of(name).curve(),
        })
        .collect();
    let points = curves.iter().flat_map(|curve| &curve.points);
    let (across, upwards) = points.copied().unzip();
    let scatter = Scatter {
        title: "Figure 7: overhead of recording by the size of the buffer".to_string(),
        across: ("events in the buffer", Axis::logarithmic(across)),
        upwards: ("overhead, %", Axis::logarithmic(upwards)),
        series: Vec::new(),
        lines: Vec::new(),
        curves,
        names: 0,
    };
    Figure::of_scatter("figure-7", "", &scatter)
}
