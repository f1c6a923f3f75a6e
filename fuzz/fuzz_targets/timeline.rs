//! Feeds arbitrary bytes to the reader of traces, as a file and as the blocks of a file with right checksums. The reader may
//! refuse them but must not panic. Accepted bytes are shown in every view and as a page, as a whole and as a segment.
#![no_main]

use std::io::Cursor;

use libfuzzer_sys::fuzz_target;
use tally_presentation::Page;
use tally_timeline::trace::{Trace, forged};
use tally_timeline::{Extent, Figures, Lanes, Overview, View, Window, document, html_page, table, text};

const VIEWS: [View; 5] = [
    View::Summary,
    View::Processors,
    View::Features,
    View::Hotspots,
    View::Waits,
];

fn overview(extent: Extent) -> Overview {
    let to = extent.end.max(extent.window.from);
    let window = Window { to, ..extent.window };
    let lanes = Lanes::new(window, Some(20), Page::default());
    Overview::new(extent, Some(lanes), true).drawing()
}

fn show(figures: &Figures) {
    for view in VIEWS {
        let _ = text(figures, view, Some(20), Page::default());
        let _ = table(figures, view).csv();
    }
}

fn check(bytes: &[u8]) {
    let Ok(mut trace) = Trace::open(Cursor::new(bytes)) else {
        return;
    };
    let end = trace.end();
    let mut whole = overview(Extent::whole(end));
    if trace.replay(&mut whole).is_ok() {
        let figures = whole.finish();
        show(&figures);
        let _ = document(trace.head(), trace.ending(), &figures);
        let _ = html_page(trace.head(), trace.ending(), &figures);
    }
    let segment = Window {
        from: end / 3,
        to: end / 3 * 2,
    };
    let mut part = overview(Extent::segment(segment.from, segment.to, end));
    if trace.replay_segment(segment, &mut part).is_ok() {
        show(&part.finish());
    }
}

fuzz_target!(|bytes: &[u8]| {
    check(bytes);
    check(&forged(bytes));
});
