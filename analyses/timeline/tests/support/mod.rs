//! Made-up timelines that keep the order in which engines decide events, and sinks that collect them.

#![allow(dead_code, reason = "each file of tests uses a part of this")]

pub(crate) mod exports;
pub(crate) mod philosophers;

use proptest::prelude::{Strategy, prop};
use tally_presentation::Page;
use tally_timeline::trace::{Ending, Head, Writer};
use tally_timeline::{Accepted, Described, Obstacle, Origin, Sink};
use tally_timeline::{Circumstances, Critical, Findings, running_shares, zeroing};
use tally_timeline::{Extent, Figures, Lanes, Overview, Window, feed};
use tally_vm::{
    Event, EventKind, ObstacleKind, Timeline, TimelineObstacle, TimelineProcessor, TimelineRequest,
};

/// What processes wait for.
const OBSTACLES: u64 = 7;

fn obstacle(number: u64) -> TimelineObstacle {
    let kinds = [
        ObstacleKind::Semaphore,
        ObstacleKind::Mutex,
        ObstacleKind::Monitor,
        ObstacleKind::SharedQueue,
        ObstacleKind::Suspended,
    ];
    let kind = kinds[number as usize % kinds.len()];
    TimelineObstacle {
        kind,
        object: match kind {
            ObstacleKind::Suspended => String::new(),
            kind => format!("{kind:?} #{number}"),
        },
        site: (!number.is_multiple_of(3)).then(|| format!("a.st:{number}:9")),
    }
}

/// Numbers from a seed.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.0 >> 33) % bound
    }
}

/// A run of these processors with about this number of requests. Each processor has its own clock and runs ahead of the others.
pub(crate) struct Run {
    pub(crate) timeline: Timeline,
    clocks: Vec<u64>,
    random: Random,
    /// The request that each processor executes all the time.
    outer: Vec<u32>,
}

impl Run {
    pub(crate) fn new(processors: u32, requests: u32, seed: u64) -> Run {
        let mut run = Run {
            timeline: Timeline::default(),
            clocks: vec![0],
            random: Random(seed),
            outer: vec![0],
        };
        run.timeline.processors.push(TimelineProcessor {
            path: Vec::new(),
            class: String::new(),
        });
        run.request("Script", "", 0, 0, None, (false, false));
        run.timeline.obstacles = (0..OBSTACLES).map(obstacle).collect();
        run.ran(0, 5);
        for number in 1..processors {
            run.create(number);
        }
        while (run.timeline.requests.len() as u32) < requests {
            run.exchange();
        }
        for number in (0..processors).rev() {
            run.ran(number, 3);
            run.note(number, run.outer[number as usize], EventKind::Returns);
        }
        run.timeline.end = run.clocks.iter().copied().max().unwrap_or(0);
        run
    }

    fn note(&mut self, processor: u32, request: u32, kind: EventKind) {
        let time = self.clocks[processor as usize];
        self.timeline.events.push(Event {
            time,
            processor,
            kind,
            request,
        });
    }

    fn ran(&mut self, processor: u32, ticks: u64) {
        self.clocks[processor as usize] += ticks;
        let request = self.outer[processor as usize];
        self.note(processor, request, EventKind::Ran(ticks));
    }

    fn request(
        &mut self,
        class: &str,
        selector: &str,
        client: u32,
        supplier: u32,
        sender: Option<u32>,
        (waits, is_local): (bool, bool),
    ) -> u32 {
        self.timeline.requests.push(TimelineRequest {
            site: Some("a.st:1:2".to_string()),
            class: class.to_string(),
            selector: selector.to_string(),
            client,
            supplier,
            sender,
            waits,
            is_local,
            is_callback: false,
        });
        self.timeline.requests.len() as u32 - 1
    }

    /// A processor, whose first request lasts to the end of the run.
    fn create(&mut self, number: u32) {
        let creator = self.random.below(number.into()) as u32;
        let mut path = self.timeline.processors[creator as usize].path.clone();
        path.push(number);
        self.timeline.processors.push(TimelineProcessor {
            path,
            class: "Worker".to_string(),
        });
        self.ran(creator, 2);
        self.clocks.push(self.clocks[creator as usize]);
        self.outer.push(self.outer[creator as usize]);
        self.note(number, self.outer[creator as usize], EventKind::Created);
        let sender = Some(self.outer[creator as usize]);
        let id = self.request("Worker", "run", creator, number, sender, (false, false));
        self.note(
            creator,
            id,
            EventKind::Called {
                supplier: number,
                waits: false,
            },
        );
        self.clocks[number as usize] += 4;
        self.note(number, id, EventKind::Synchronizes);
        self.note(number, id, EventKind::Executes);
        self.outer[number as usize] = id;
    }

    /// Some processor works, and then something happens to it.
    fn exchange(&mut self) {
        let count = self.clocks.len() as u64;
        let one = self.random.below(count) as u32;
        let ticks = 1 + self.random.below(40);
        self.ran(one, ticks);
        match self.random.below(5) {
            0 => self.scope(one),
            2 => self.block(one),
            1 => self.sleep(one),
            _ => self.query(one),
        }
    }

    /// Its process waits for a semaphore, up to what a request of another processor does.
    fn block(&mut self, one: u32) {
        let on = self.random.below(OBSTACLES) as u32;
        self.note(one, self.outer[one as usize], EventKind::Blocks { on });
        self.clocks[one as usize] += self.random.below(30);
        let other = self.random.below(self.clocks.len() as u64);
        let by = self.outer[other as usize];
        self.note(one, self.outer[one as usize], EventKind::Freed { by });
    }

    fn sleep(&mut self, one: u32) {
        self.note(one, self.outer[one as usize], EventKind::Sleeps);
        self.clocks[one as usize] += self.random.below(30);
        self.note(one, self.outer[one as usize], EventKind::Wakes);
    }

    /// An activation of its own that waits for locks, and sometimes for its condition.
    fn scope(&mut self, one: u32) {
        let sender = Some(self.outer[one as usize]);
        let id = self.request("Worker", "with:", one, one, sender, (false, true));
        self.note(one, id, EventKind::Synchronizes);
        self.note(one, id, EventKind::Locks);
        self.clocks[one as usize] += self.random.below(50);
        self.note(one, id, EventKind::Granted);
        if self.random.below(2) == 0 {
            self.ran(one, 1);
            self.note(one, id, EventKind::Evaluated(false));
            self.clocks[one as usize] += self.random.below(20);
            self.note(one, id, EventKind::Granted);
            self.ran(one, 1);
            self.note(one, id, EventKind::Evaluated(true));
        }
        self.note(one, id, EventKind::Executes);
        self.ran(one, 7);
        self.note(one, id, EventKind::Returns);
    }

    /// A query to another processor, which serves it as a callback of what it executes.
    fn query(&mut self, one: u32) {
        let count = self.clocks.len() as u64;
        let other = self.random.below(count) as u32;
        if other == one {
            return;
        }
        let sender = Some(self.outer[one as usize]);
        let selector = format!("query{}", self.random.below(40));
        let id = self.request("Server", &selector, one, other, sender, (true, false));
        self.note(
            one,
            id,
            EventKind::Called {
                supplier: other,
                waits: true,
            },
        );
        let from = self.clocks[one as usize].max(self.clocks[other as usize]);
        self.clocks[other as usize] = from + self.random.below(10);
        self.note(other, id, EventKind::Synchronizes);
        self.note(other, id, EventKind::Executes);
        let ticks = self.random.below(60);
        self.ran(other, ticks);
        self.note(other, id, EventKind::Returns);
        self.clocks[one as usize] = self.clocks[other as usize];
        self.note(one, id, EventKind::Answered);
        if self.random.below(20) == 0 {
            self.note(other, 0, EventKind::Unlocked);
        }
    }
}

pub(crate) fn head() -> Head {
    Head {
        settings: vec![("slice".to_string(), "7".to_string())],
        model: 2,
        program: 42,
        files: vec!["a.st".to_string(), "ß.st".to_string()],
        cpus: Some(4),
        costs: vec![("latency".to_string(), 7)],
    }
}

/// The trace of a timeline.
pub(crate) fn traced(timeline: &Timeline) -> Vec<u8> {
    let mut writer = Writer::new(Vec::new(), &head()).expect("a writer");
    feed(timeline, &mut writer).expect("a sound timeline");
    let (length, bytes) = writer
        .finish(Ending::Deadlock, timeline.end)
        .expect("bytes");
    assert_eq!(length, bytes.len() as u64);
    bytes
}

/// Collects events, and the processors before them.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Collected {
    pub(crate) events: Vec<Event>,
    pub(crate) processors: Vec<(Origin, String)>,
    pub(crate) requests: std::collections::BTreeMap<u32, String>,
    pub(crate) obstacles: std::collections::BTreeMap<u32, String>,
}

impl Sink for Collected {
    fn processor(&mut self, number: u32, origin: Origin, class: &str) -> Accepted {
        assert_eq!(number as usize, self.processors.len());
        self.processors.push((origin, class.to_string()));
        Ok(())
    }

    fn obstacle(&mut self, number: u32, obstacle: &Obstacle<'_>) -> Accepted {
        self.obstacles.insert(number, format!("{obstacle:?}"));
        Ok(())
    }

    fn request(&mut self, number: u32, request: &Described<'_>) -> Accepted {
        if number > 0 {
            self.requests.insert(number, format!("{request:?}"));
        }
        Ok(())
    }

    fn event(&mut self, event: &Event) -> Accepted {
        self.events.push(*event);
        Ok(())
    }
}

/// Adds the critical path of the timeline.
pub(crate) fn find_path(figures: &mut Figures, timeline: &Timeline) {
    let (window, end) = (figures.extent.window, timeline.end);
    let circumstances = Circumstances::default();
    let mut critical = Critical::new(window, circumstances);
    feed(timeline, &mut critical).expect("a sound timeline");
    let (path, names) = critical.finish(end);
    let shares = running_shares(&path);
    let found = zeroing(&shares, (window, end), circumstances, |pass| {
        feed(timeline, pass)
    });
    let found = found.expect("a sound timeline");
    figures.findings = Some(Findings::new(path, names).with_gains(found));
}

/// An overview with everything in it.
pub(crate) fn overview(extent: Extent) -> Overview {
    let window = Window {
        from: extent.window.from,
        to: extent.end.max(extent.window.from),
    };
    let lanes = Lanes::new(window, Some(50), Page::default());
    Overview::new(extent, Some(lanes), true)
}

/// All figures as text.
pub(crate) fn shown(figures: &Figures) -> String {
    use tally_timeline::View::{
        Features, Hotspots, Matrix, ProcessorMatrix, Processors, Summary, Waits,
    };
    let views = [
        Summary,
        Processors,
        Features,
        Hotspots,
        Waits,
        Matrix,
        ProcessorMatrix,
    ];
    let texts = views.map(|view| tally_timeline::text(figures, view, None, Page::default()));
    let table = tally_timeline::table(figures, Processors).csv();
    let mut all = format!("{}{table}", texts.concat());
    for (number, row) in &figures.listed {
        let moments = [row.called, row.synchronizes, row.executes, row.returns];
        let asker = row.asker.map(|asker| figures.names.full(asker));
        let feature = figures.names.full(row.feature);
        all += &format!("{number} {feature} {asker:?} {moments:?} {}\n", row.waiting);
    }
    all
}

/// Blocks of any kinds with any records, for `forged`.
pub(crate) fn odd_blocks() -> impl Strategy<Value = Vec<u8>> {
    let kind = prop::sample::select(b"EEESsPZIx".to_vec());
    let block = (kind, 0_u8..40, prop::collection::vec(0_u8..36, 0..90));
    prop::collection::vec(block, 0..8).prop_map(|blocks| {
        // A script, and two processors of it.
        let mut bytes = vec![b'P', 3, 13, 0, 0, 0, 0, 0, 0, 1, 1, 2, 0, 1, 2, 2, 0];
        for (kind, records, content) in blocks {
            bytes.extend([kind, records, content.len() as u8, 0]);
            bytes.extend(content);
        }
        bytes
    })
}
