//! `tally explore --by computations`: executes one computation after the other, and keeps no states.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use serde::Serialize;
use tally_explore::{CountedComputations, CountingLimit, Written, count_computations};
use tally_presentation::page::{Page, push_title};
use tally_presentation::{Align, Layout, grouped, printable};
use tally_workbench::Error;
use tally_workbench::loading::Program;
use tally_workbench::workers::Interrupts;

use super::options::{DeadLetters, ExploreArguments, Format, refuse_without_states};
use super::progress::{Shown, interrupted};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::{console, output};

/// The most results that the report shows.
const MOST_RESULTS: usize = 20;
/// The most computations, unless an option says another number.
const MOST_COMPUTATIONS: u64 = 100_000_000;

/// Counts the computations of a program of actors.
pub(super) fn explore(arguments: &ExploreArguments, program: Program) -> Result<Exit, Failure> {
    refuse_options(arguments)?;
    let stop = Arc::<AtomicBool>::default();
    let (mut program, start) = program.actors(&arguments.turns(Arc::clone(&stop)))?;
    let interrupts = Interrupts::noted_in(stop)?;
    let options = arguments.options()?;
    let most = arguments.max_computations.unwrap_or(MOST_COMPUTATIONS);
    let mut shown = Shown::new();
    let counted = count_computations(
        &mut program,
        &start,
        options.delivery,
        most,
        &mut |computations| {
            shown.show_text(|| format!("{} computations", grouped(computations)));
            !interrupts.came()
        },
    );
    drop(shown);
    let counted = counted.map_err(Error::from)?;
    interrupts.end_at_once();
    if let Some(warning) = program.warning() {
        console::warning(warning);
    }
    let report = Report {
        counted: &counted,
        most,
    };
    let file = arguments.outputs.first().map(std::path::PathBuf::as_path);
    match arguments.format {
        Some(Format::Json) => output::write(&output::json(&report.document())?, file)?,
        _ if file.is_some() => output::write(&output::json(&report.document())?, file)?,
        _ => output::write(&report.text(console::results_page()), None)?,
    }
    if counted.results.iter().any(|one| one.failure.is_some()) {
        return Err(Failure::silent(Exit::Failed));
    }
    match counted.limit {
        None => Ok(Exit::Success),
        Some(CountingLimit::Stopped) => Err(interrupted()),
        Some(_) => Err(Failure::silent(Exit::Limit)),
    }
}

/// What needs states, or rules that depend on several messages at once.
fn refuse_options(arguments: &ExploreArguments) -> Result<(), Failure> {
    let is_json = |file: &std::path::PathBuf| file.extension().is_some_and(|it| it == "json");
    let options = [
        (
            arguments.dead_letters != DeadLetters::Count,
            "--dead-letters",
        ),
        (
            arguments.outputs.len() > 1 || !arguments.outputs.iter().all(is_json),
            "-o, but for one *.json,",
        ),
    ];
    let why = "needs the states, which --by computations does not keep";
    refuse_without_states(arguments, &options, why)
}

struct Report<'c> {
    counted: &'c CountedComputations,
    most: u64,
}

impl Report<'_> {
    fn limit(&self) -> Option<String> {
        self.counted.limit.map(|limit| match limit {
            CountingLimit::Computations => {
                format!("the limit of {} computations", grouped(self.most))
            }
            CountingLimit::Events => "the limit of 10,000 events in a computation".to_string(),
            CountingLimit::Parts => {
                "the limit of 20,000,000 actors and pending messages in a computation".to_string()
            }
            CountingLimit::Results => "the limit of 1,000,000 results".to_string(),
            CountingLimit::Stopped => "an interrupt".to_string(),
        })
    }

    fn verdict(&self) -> String {
        let results = &self.counted.results;
        let failing = results.iter().filter(|one| one.failure.is_some());
        let failing: u64 = failing.map(|one| one.computations).sum();
        match (failing, self.limit()) {
            (0, None) => match results.len() {
                1 => "No computation fails. There is one result.".to_string(),
                many => format!("No computation fails. There are {many} results."),
            },
            (0, Some(limit)) => {
                format!("Unknown: {limit} ended the exploration. No computation failed so far.")
            }
            (failing, limit) => {
                let several = if failing == 1 {
                    "computation fails"
                } else {
                    "computations fail"
                };
                let more = limit.map_or(String::new(), |limit| {
                    format!(" There may be more: {limit} ended the exploration.")
                });
                format!("{} {several}.{more}", grouped(failing))
            }
        }
    }

    fn text(&self, page: Page) -> String {
        let counted = self.counted;
        let mut text = page.wrapped(&format!("{}\n", self.verdict()));
        push_title("Results", page, &mut text);
        let mut layout = Layout::new(&[Align::Flexible, Align::Right]);
        layout.row(["result", "computations"]);
        for result in counted.results.iter().take(MOST_RESULTS) {
            layout.row([
                printable(&result.text()).into_owned(),
                grouped(result.computations),
            ]);
        }
        text.push_str(&layout.render_on(page));
        let more = counted.results.len().saturating_sub(MOST_RESULTS);
        if more > 0 {
            text.push_str(&format!("{more} more results.\n"));
        }
        push_title("Computations", page, &mut text);
        let several = match counted.computations {
            1 => "computation",
            _ => "computations",
        };
        let redundant = match counted.redundant {
            0 => "No run was redundant".to_string(),
            many => format!("{} runs were redundant", grouped(many)),
        };
        let line = format!(
            "{} {several}. {redundant}. {} events were executed.\n",
            grouped(counted.computations),
            grouped(counted.events)
        );
        text.push_str(&page.wrapped(&line));
        text
    }

    fn document(&self) -> Document<'_> {
        let counted = self.counted;
        let rows = counted.results.iter().map(|one| Row {
            written: &one.written,
            failure: one.failure.as_ref(),
            computations: one.computations,
        });
        Document {
            schema: "tally.computations/1",
            limit: self.limit(),
            computations: counted.computations,
            redundant: counted.redundant,
            events: counted.events,
            results: rows.collect(),
        }
    }
}

#[derive(Serialize)]
struct Document<'c> {
    schema: &'static str,
    /// Why there may be more computations; absent if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    limit: Option<String>,
    computations: u64,
    redundant: u64,
    events: u64,
    results: Vec<Row<'c>>,
}

#[derive(Serialize)]
struct Row<'c> {
    written: &'c [Written],
    /// The actor whose turn failed, and the message of the error.
    #[serde(skip_serializing_if = "Option::is_none")]
    failure: Option<&'c (String, String)>,
    computations: u64,
}
