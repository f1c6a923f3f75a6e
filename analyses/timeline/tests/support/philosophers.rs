//! A deadlock of philosophers, event by event.

use tally_vm::{Event, EventKind, Timeline, TimelineProcessor, TimelineRequest};

/// Philosophers who hold their left forks; the last one reaches out for the right one at the last moment. The script waits for an answer
/// of the first. Forks have the numbers from 1 on, philosophers those behind them.
pub(crate) fn philosophers(count: u32) -> Timeline {
    let mut timeline = Timeline {
        end: u64::from(10 + count - 1),
        ..Timeline::default()
    };
    add_processors(&mut timeline, count);
    add_requests(&mut timeline, count);
    for number in 1..=2 * count {
        note(&mut timeline, 0, number, 0, EventKind::Created);
    }
    for (step, forks) in [(0, 0), (1, 1)] {
        for number in 0..count {
            let (philosopher, request) = (count + 1 + number, 1 + 2 * number + step);
            let time = u64::from(10 * step + number);
            let supplier = 1 + (number + forks) % count;
            let mut next = |kind| note(&mut timeline, time, philosopher, request, kind);
            next(EventKind::Synchronizes);
            next(EventKind::Locks);
            next(EventKind::Wants { supplier });
            if step == 0 {
                next(EventKind::Granted);
                next(EventKind::Executes);
            }
        }
    }
    let called = EventKind::Called {
        supplier: count + 1,
        waits: true,
    };
    let place = timeline.events.iter().position(|event| event.time > 10);
    let event = Event {
        time: 10,
        processor: 0,
        kind: called,
        request: 1 + 2 * count,
    };
    timeline.events.insert(place.unwrap_or(0), event);
    timeline
}

fn note(timeline: &mut Timeline, time: u64, processor: u32, request: u32, kind: EventKind) {
    timeline.events.push(Event {
        time,
        processor,
        kind,
        request,
    });
}

fn add_processors(timeline: &mut Timeline, count: u32) {
    let mut add = |path: Vec<u32>, class: &str| {
        timeline.processors.push(TimelineProcessor {
            path,
            class: class.to_string(),
        });
    };
    add(Vec::new(), "");
    (1..=count).for_each(|number| add(vec![number], "Fork"));
    (1..=count).for_each(|number| add(vec![count + number], "Philosopher"));
}

fn add_requests(timeline: &mut Timeline, count: u32) {
    let mut add = |selector: &str, client, supplier, waits| {
        timeline.requests.push(TimelineRequest {
            class: "Philosopher".to_string(),
            selector: selector.to_string(),
            client,
            supplier,
            sender: None,
            waits,
            is_local: client == supplier,
            is_callback: false,
            site: None,
        });
    };
    add("", 0, 0, false);
    for philosopher in count + 1..=2 * count {
        add("takeLeft:", philosopher, philosopher, false);
        add("eat:", philosopher, philosopher, false);
    }
    add("mood", 0, count + 1, true);
}
