//! What is shown of a trace: a part of the run, and its figures.

use tally_timeline::{Circumstances, Extent, Figures, FirstCall, Lanes, Overview, Window};

use super::options::{Format, TimelineArguments, ViewName};
use super::outputs::Outputs;
use super::path;
use super::source::Source;
use crate::console;
use crate::exit::Exit;
use crate::failure::Failure;

/// The figures of the part of a run that is shown, with what a page shows if they are for one.
pub(super) fn figures(
    arguments: &TimelineArguments,
    outputs: &Outputs,
    segment: Option<Window>,
    source: &mut Source,
    is_page: bool,
) -> Result<Figures, Failure> {
    let extent = extent(arguments, segment, source)?;
    figures_of(arguments, outputs, extent, source, is_page)
}

/// The part of the run that is shown.
pub(super) fn extent(
    arguments: &TimelineArguments,
    segment: Option<Window>,
    source: &mut Source,
) -> Result<Extent, Failure> {
    let end = source.end();
    Ok(match (segment, &arguments.from_call) {
        (Some(Window { from, .. }), _) if from > end => {
            let why =
                format!("nothing happened from tick {from} on: the timeline ends at tick {end}");
            return Err(Failure::new(Exit::Nothing, why));
        }
        (Some(Window { from, to }), _) => Extent::segment(from, to, end),
        (None, Some(method)) => Extent::since(first_call(method, source)?, end),
        (None, None) => Extent::whole(end),
    })
}

/// The figures of a part of a run, with what a page shows if they are for one.
pub(super) fn figures_of(
    arguments: &TimelineArguments,
    outputs: &Outputs,
    extent: Extent,
    source: &mut Source,
    is_page: bool,
) -> Result<Figures, Failure> {
    let lanes = (arguments.view == ViewName::Processors).then(|| {
        let window = Window {
            from: extent.window.from,
            to: extent.end.max(extent.window.from),
        };
        Lanes::new(window, arguments.limit(), console::results_page())
    });
    let overview = Overview::new(extent, lanes, outputs.has(Format::Json));
    let mut overview = overview.under(Circumstances::of(source.head()));
    if is_page {
        overview = overview.drawing();
    }
    source.replay_part(extent, &mut overview)?;
    let mut figures = overview.finish();
    if arguments.view == ViewName::Path || is_page {
        figures.findings = Some(path::findings(source, &figures)?);
    }
    Ok(figures)
}

/// When the first activation of the method was.
fn first_call(method: &str, source: &mut Source) -> Result<u64, Failure> {
    let mut first = FirstCall::new(method);
    source.replay(&mut first)?;
    first.finish(source.end()).ok_or_else(|| {
        let why = format!(
            "'{method}' began no request: name a method with <separate>, or a feature of a request"
        );
        Failure::new(Exit::Usage, why)
    })
}
