//! What ended each wait, overtakings and interleaved calls, in streams of events that are made by hand.

use tally_presentation::{Page, width};
use tally_timeline::View::{Features, Hotspots, Matrix, ProcessorMatrix, Summary, Waits};
use tally_timeline::{
    Circumstances, Described, Extent, Figures, Origin, Overview, Sink, table, text,
};
use tally_vm::{Event, EventKind};

use EventKind::{
    Answered, Called, Evaluated, Executes, Granted, Locks, Returns, Synchronizes, Unlocked, Wants,
};

/// A stream of events of five processors.
struct Stream(Overview);

impl Stream {
    fn new(circumstances: Circumstances) -> Stream {
        let overview = Overview::new(Extent::whole(100), None, false);
        let mut overview = overview.under(circumstances);
        for number in 0..5 {
            let origin = Origin {
                creator: 0,
                ordinal: number,
                time: 0,
            };
            overview.processor(number, origin, "P").expect("in order");
        }
        let mut stream = Stream(overview);
        stream.describes(0, "script", (0, 0), false);
        stream
    }

    /// A request of a feature that has the name of its class.
    fn describes(
        &mut self,
        number: u32,
        class: &str,
        (client, supplier): (u32, u32),
        is_local: bool,
    ) {
        self.describes_waiting(number, class, (client, supplier), is_local, false);
    }

    /// As [`Stream::describes`], with whether the client waits.
    fn describes_waiting(
        &mut self,
        number: u32,
        class: &str,
        (client, supplier): (u32, u32),
        is_local: bool,
        waits: bool,
    ) {
        let described = Described {
            class,
            selector: "go",
            client,
            supplier,
            sender: (number > 0).then_some(0),
            waits,
            is_local,
            is_callback: false,
            site: None,
        };
        self.0.request(number, &described).expect("room");
    }

    fn event(&mut self, time: u64, processor: u32, request: u32, kind: EventKind) {
        let event = Event {
            time,
            processor,
            kind,
            request,
        };
        self.0.event(&event).expect("a sound stream");
    }

    /// The script's request to a processor, which is taken up and ends at these moments.
    fn serves(&mut self, number: u32, class: &str, supplier: u32, times: [u64; 3]) {
        self.describes(number, class, (0, supplier), false);
        self.calls(number, supplier, times[0]);
        self.runs(number, supplier, times);
    }

    fn calls(&mut self, number: u32, supplier: u32, time: u64) {
        let waits = false;
        self.event(time, 0, number, Called { supplier, waits });
    }

    fn runs(&mut self, number: u32, supplier: u32, [_, from, to]: [u64; 3]) {
        self.event(from, supplier, number, Synchronizes);
        self.event(from, supplier, number, Executes);
        self.event(to, supplier, number, Returns);
    }

    /// A scope of a processor's own that waits for these locks from this moment on.
    fn scope(&mut self, number: u32, class: &str, processor: u32, wants: &[u32], time: u64) {
        self.describes(number, class, (processor, processor), true);
        self.event(time, processor, number, Synchronizes);
        self.event(time, processor, number, Locks);
        for &supplier in wants {
            self.event(time, processor, number, Wants { supplier });
        }
    }

    fn granted(&mut self, number: u32, processor: u32, time: u64) {
        self.event(time, processor, number, Granted);
    }

    fn unlocked(&mut self, processor: u32, time: u64) {
        self.event(time, processor, 0, Unlocked);
    }

    fn finish(self) -> Figures {
        self.0.finish()
    }
}

/// Rows of the view waits: cause, waiter, for, ended by, and ticks.
fn waits(figures: &Figures) -> Vec<String> {
    let csv = table(figures, tally_timeline::View::Waits).csv();
    let rows = csv.lines().skip(1);
    let rows = rows.map(|row| {
        let cells: Vec<&str> = row.split(',').collect();
        [cells[0], cells[2], cells[3], cells[5]].join(" ")
    });
    rows.collect()
}

fn with(change: impl FnOnce(&mut Stream), circumstances: Circumstances) -> Figures {
    let mut stream = Stream::new(circumstances);
    change(&mut stream);
    stream.finish()
}

fn usual(change: impl FnOnce(&mut Stream)) -> Figures {
    with(change, Circumstances::default())
}

/// The greatest number of overtakings, and the interleaved calls, of a feature.
fn counts(figures: &Figures, name: &str) -> (u64, u64) {
    let mut features = figures.features.iter();
    let found = features.find(|feature| feature.name == format!("{name}>>go"));
    found.map_or((0, 0), |one| (one.overtaken, one.interleaved))
}

#[test]
fn a_queue_ends_with_what_the_supplier_finished() {
    let figures = usual(|stream| {
        stream.serves(1, "First", 1, [1, 1, 5]);
        stream.serves(2, "Second", 1, [2, 5, 8]);
    });
    assert_eq!(waits(&figures), ["queue Second>>go First>>go 3"]);
}

/// The scope has ended its calls at 4, and holds the lock to 9.
#[test]
fn a_queue_ends_with_the_unlock_of_a_scope() {
    let figures = usual(|stream| {
        stream.scope(1, "Scope", 2, &[1], 1);
        stream.granted(1, 2, 1);
        stream.serves(2, "Inner", 1, [2, 2, 4]);
        stream.describes(3, "Outer", (0, 1), false);
        stream.calls(3, 1, 3);
        stream.unlocked(1, 9);
        stream.runs(3, 1, [3, 9, 12]);
    });
    assert_eq!(waits(&figures), ["queue Outer>>go Scope>>go 6"]);
}

#[test]
fn a_queue_ends_with_an_arrival_a_cpu_or_an_approval() {
    let late = |stream: &mut Stream| stream.serves(1, "Late", 1, [2, 6, 8]);
    for (circumstances, by) in [
        (Circumstances::default(), "–"),
        (
            Circumstances {
                latency: 4,
                has_few_cpus: true,
                is_central: true,
                ..Circumstances::default()
            },
            "arrival",
        ),
        (
            Circumstances {
                has_few_cpus: true,
                ..Circumstances::default()
            },
            "CPU",
        ),
        (
            Circumstances {
                is_central: true,
                ..Circumstances::default()
            },
            "scheduler",
        ),
    ] {
        let figures = with(late, circumstances);
        assert_eq!(waits(&figures), [format!("queue Late>>go {by} 4")]);
    }
}

/// The scope wants two locks. The one that comes back last is that of `Other`, at the moment at which the scope goes on.
#[test]
fn a_lock_ends_with_the_scope_that_was_unlocked() {
    let figures = usual(|stream| {
        stream.scope(1, "Some", 2, &[1], 1);
        stream.granted(1, 2, 1);
        stream.scope(2, "Other", 3, &[4], 1);
        stream.granted(2, 3, 1);
        stream.scope(3, "Waits", 0, &[1, 4], 2);
        stream.unlocked(1, 5);
        stream.unlocked(4, 9);
        stream.granted(3, 0, 9);
    });
    assert_eq!(waits(&figures), ["lock – Other>>go 7"]);
    // The wait counts with the supplier whose lock came back last.
    let link = figures.matrix.links.get(&(0, 4)).expect("a link");
    assert_eq!((link.requests, link.answers, link.locks), (0, 0, 7));
}

#[test]
fn a_condition_ends_with_the_scope_that_was_unlocked() {
    let figures = usual(|stream| {
        stream.scope(1, "Waits", 2, &[1], 1);
        stream.granted(1, 2, 1);
        stream.event(3, 2, 1, Evaluated(false));
        stream.scope(2, "Changes", 3, &[1], 4);
        stream.granted(2, 3, 4);
        stream.serves(3, "Sets", 1, [5, 5, 7]);
        stream.unlocked(1, 7);
        stream.granted(1, 2, 7);
        stream.event(8, 2, 1, Evaluated(true));
        stream.event(8, 2, 1, Executes);
    });
    assert_eq!(waits(&figures), ["condition – Changes>>go 4"]);
    assert_eq!(counts(&figures, "Waits"), (1, 0));
}

/// A condition that is false gives the locks back, and unlocks nothing.
#[test]
fn a_lock_ends_with_a_false_condition() {
    let figures = usual(|stream| {
        stream.scope(1, "False", 2, &[1], 1);
        stream.granted(1, 2, 1);
        stream.scope(2, "Waits", 3, &[1], 2);
        stream.event(6, 2, 1, Evaluated(false));
        stream.granted(2, 3, 6);
    });
    let rows = waits(&figures);
    assert!(rows.contains(&"lock – False>>go 4".to_string()), "{rows:?}");
    // `False` waits to the end of the timeline, and nothing ends that.
    assert!(rows.contains(&"condition – – 94".to_string()), "{rows:?}");
    assert_eq!(counts(&figures, "False"), (1, 0));
    assert_eq!(counts(&figures, "Waits"), (0, 0));
}

#[test]
fn an_answer_ends_with_the_request_or_with_a_callback() {
    let queries = |stream: &mut Stream, answered| {
        let waits = true;
        stream.describes_waiting(1, "Query", (0, 1), false, waits);
        stream.event(1, 0, 1, Called { supplier: 1, waits });
        stream.runs(1, 1, [1, 1, 5]);
        if answered > 6 {
            stream.describes(2, "Callback", (1, 0), false);
            stream.event(3, 0, 2, Synchronizes);
            stream.event(3, 0, 2, Executes);
            stream.event(7, 0, 2, Returns);
        }
        stream.event(answered, 0, 1, Answered);
    };
    for (answered, expected) in [
        (5, "answer Query>>go Query>>go 4"),
        (6, "answer Query>>go – 5"),
        (7, "answer Query>>go Callback>>go 6"),
    ] {
        let figures = usual(|stream| queries(stream, answered));
        assert!(
            waits(&figures).contains(&expected.to_string()),
            "{expected}"
        );
    }
}

/// Two requests outside of scopes overtake the scope, which waits for another lock too. One that came before it does not.
#[test]
fn requests_outside_of_scopes_overtake_scopes() {
    let figures = usual(|stream| {
        stream.scope(1, "Holds", 2, &[4], 1);
        stream.granted(1, 2, 1);
        stream.describes(2, "Alone", (0, 1), false);
        stream.calls(2, 1, 2);
        stream.scope(3, "Waits", 3, &[1, 4], 2);
        stream.runs(2, 1, [2, 2, 3]);
        stream.unlocked(1, 3);
        for number in 4..6 {
            let time = 10 * u64::from(number);
            stream.serves(number, "Alone", 1, [time, time, time + 1]);
            stream.unlocked(1, time + 1);
        }
    });
    assert_eq!(counts(&figures, "Waits"), (2, 0));
    assert_eq!(counts(&figures, "Alone"), (0, 0));
}

/// The script deposits twice after it has created the account, and processor 2 is served in between: outside of scopes that counts, in a scope it cannot happen.
#[test]
fn calls_that_others_come_between_are_interleaved() {
    let deposits = |others: &[u32]| {
        usual(|stream| {
            for (number, &client) in (1..).zip(others) {
                let time = 10 * u64::from(number);
                stream.describes(number, "Deposit", (client, 1), false);
                stream.runs(number, 1, [time, time, time + 1]);
                stream.unlocked(1, time + 1);
            }
        })
    };
    assert_eq!(counts(&deposits(&[0, 0, 0, 2]), "Deposit"), (0, 0));
    assert_eq!(counts(&deposits(&[0, 0, 2, 0]), "Deposit"), (0, 1));
    let scope = usual(|stream| {
        for (time, client) in [(1, 0), (10, 2), (20, 0)] {
            let number = time as u32;
            stream.scope(number, "Scope", client, &[1], time);
            stream.granted(number, client, time);
            stream.serves(number + 1, "Deposit", 1, [time + 1, time + 1, time + 2]);
            stream.unlocked(1, time + 3);
        }
    });
    assert_eq!(counts(&scope, "Deposit"), (0, 0));
}

/// Names that are longer than a line leave the lines as long as the page.
#[test]
fn every_view_fits_its_page() {
    let long = "AccountOfCustomerWithVeryLongName".repeat(2);
    let figures = usual(|stream| {
        stream.scope(1, &long, 2, &[1], 1);
        stream.granted(1, 2, 1);
        stream.scope(2, "Waits", 3, &[1], 2);
        for number in 3..9 {
            let time = 10 * u64::from(number);
            stream.serves(number, &format!("{long}{number}"), 1, [5, time, time + 3]);
        }
        stream.unlocked(1, 95);
        stream.granted(2, 3, 95);
    });
    for most in [60, 80, 120] {
        let page = Page {
            width: Some(most),
            color: false,
        };
        for view in [Summary, Features, Hotspots, Waits, Matrix, ProcessorMatrix] {
            let shown = text(&figures, view, None, page);
            // A single word cannot be broken.
            let is_too_long = |line: &&str| width(line) > most && line.trim().contains(' ');
            let found = shown.lines().find(is_too_long);
            assert_eq!(found, None, "{view:?} in {most} columns\n{shown}");
        }
    }
}

/// Names that differ in their middles only are shown whole, in place of columns.
#[test]
fn a_summary_shows_whole_names_if_it_can() {
    let figures = usual(|stream| {
        stream.serves(1, "ProcessorOfTheFirstKindOfRequests", 1, [1, 1, 5]);
        stream.serves(2, "ProcessorOfTheOtherKindOfRequests", 1, [2, 5, 8]);
    });
    let shown = |most| {
        let page = Page {
            width: Some(most),
            color: false,
        };
        text(&figures, Summary, None, page)
    };
    let narrow = shown(80);
    for name in ["First", "Other"] {
        let row = format!("\nProcessorOfThe{name}KindOfRequests>>go  ");
        assert!(narrow.contains(&row), "{narrow}");
    }
    assert!(
        narrow.contains("too short for tries, execution"),
        "{narrow}"
    );
    assert!(!shown(120).contains("too short"), "{}", shown(120));
    // There is no room even then.
    assert!(!shown(40).contains("too short"), "{}", shown(40));
}

/// A damaged trace can name any processor, in any order of events. Memory stays that of the processors that are described.
#[test]
fn processors_that_are_not_described_take_no_memory() {
    let mut stream = Stream::new(Circumstances::default());
    stream.describes(1, "Stranger", (1, u32::MAX), false);
    stream.describes(2, "Scope", (2, 2), true);
    stream.event(1, 1, 1, Wants { supplier: u32::MAX });
    stream.event(2, 2, 2, Locks);
    for supplier in [u32::MAX, u32::MAX - 1, 3] {
        stream.event(2, 2, 2, Wants { supplier });
    }
    // Conditions that were false without having been evaluated under locks.
    for time in 3..6 {
        stream.event(time, 2, 2, Evaluated(false));
    }
    stream.event(6, 2, 2, Granted);
    stream.event(7, 1, 1, EventKind::Cancelled);
    let figures = stream.0.finish();
    assert_eq!(figures.processors.len(), 5);
    let overtaken: Vec<u64> = figures.features.iter().map(|row| row.overtaken).collect();
    assert_eq!(overtaken, [0, 0]);
}
