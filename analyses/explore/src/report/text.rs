//! The report for people.

use tally_presentation::columns::Layout;
use tally_presentation::page::{Page, push_item, push_strong, push_title};
use tally_presentation::{Align, counted, grouped, printable};

use super::Exploration;
use crate::costs::Cost;
use crate::depth::Bounds;
use crate::findings::{Cycles, Determinacy, Outcome};
use crate::program::Program;
use crate::walk::ScheduleStep;

/// The most rows of a list.
const MOST: usize = 20;
/// Characters of a result in a list.
const MOST_OF_RESULT: usize = 100;
/// The most forms of Work that are listed.
const FORMS: usize = 4;
/// The most steps of a schedule. The first and the last ones are shown.
const STEPS: usize = 60;

impl Exploration<'_> {
    /// The report for a page: verdict, results, numbers, costs, failures and what waits.
    pub fn text<P: Program>(&self, program: &P, page: Page) -> String {
        let mut text = String::new();
        push_strong(&self.verdict(), page, &mut text);
        push_sentence(&self.determinacy(), page, &mut text);
        self.push_results(page, &mut text);
        self.push_numbers(page, &mut text);
        self.push_costs(program, page, &mut text);
        self.push_failures(page, &mut text);
        self.push_waiting(page, &mut text);
        text
    }

    fn verdict(&self) -> String {
        let findings = self.findings;
        let failing: u64 = findings.failures.iter().map(|failure| failure.states).sum();
        if let Some(failure) = findings.failures.first() {
            let ends = counted(failing, "final state", "final states");
            return format!(
                "A schedule fails: {} in {} ({ends}).",
                failure.text, failure.actor
            );
        }
        match (findings.cycles, self.space.limit_text()) {
            (Cycles::Fair, _) => "A computation may go on for ever.".to_string(),
            (_, Some(limit)) => {
                format!("Unknown: {limit} ended the exploration. No schedule failed so far.")
            }
            (Cycles::NotLookedFor, None) => {
                "No schedule fails. Cycles were not looked for.".to_string()
            }
            (Cycles::Unfair, None) => {
                "No schedule fails, and all of them end in which every message arrives.".to_string()
            }
            _ => "No schedule fails, and all of them end.".to_string(),
        }
    }

    fn determinacy(&self) -> String {
        let results = self.findings.outcomes.len() as u64;
        let results = counted(results, "result", "results");
        match self.findings.determinacy {
            Determinacy::Internal => {
                "Internally determinate: there is one computation.".to_string()
            }
            Determinacy::External => {
                "Externally determinate: several computations have one result.".to_string()
            }
            Determinacy::Bounded => format!("Bounded nondeterminism: there are {results}."),
            Determinacy::Unbounded => {
                "Unbounded: there is a computation without end in which every message arrives."
                    .to_string()
            }
            Determinacy::Unknown => {
                format!("The determinacy is unknown: at least {results}.")
            }
        }
    }

    fn push_results(&self, page: Page, text: &mut String) {
        let outcomes = &self.findings.outcomes;
        if outcomes.is_empty() {
            return;
        }
        push_title("Results", page, text);
        let mut layout = Layout::new(&[Align::Left, Align::Right, Align::Right, Align::Right]);
        layout.row(["result", "computations", "schedules", "states"]);
        for outcome in outcomes.iter().take(MOST) {
            layout.row(row(outcome));
        }
        text.push_str(&layout.render_on(page));
        push_more(outcomes.len(), page, text);
    }

    fn push_numbers(&self, page: Page, text: &mut String) {
        let findings = self.findings;
        push_title("States", page, text);
        let mut sentence = format!(
            "{} and {}, when messages arrive {}.",
            counted(self.space.states(), "state", "states"),
            counted(self.space.transitions(), "transition", "transitions"),
            self.space.delivery_text()
        );
        for rule in self.space.policy.texts() {
            sentence.push_str(&format!(" By the policy, {rule}."));
        }
        match findings.computations {
            Some(count) => {
                let count = counted(count, "computation", "computations");
                sentence.push_str(&format!(" {count}."));
            }
            None if findings.cycles == Cycles::None && self.space.policy.is_empty() => {
                sentence.push_str(" Computations were not counted: --by computations counts them.");
            }
            None => sentence.push_str(" Computations were not counted."),
        }
        if let (Some(nodes), Some(schedules)) = (findings.nodes, findings.schedules) {
            sentence.push_str(&format!(
                " If equal states were not merged, the tree would have {} nodes and {}.",
                large(nodes),
                match schedules {
                    1 => "1 schedule".to_string(),
                    _ => format!("{} schedules", large(schedules)),
                }
            ));
        }
        if findings.cycles == Cycles::Unfair {
            sentence.push_str(
                " States repeat, but only while a message stays pending that could arrive.",
            );
        }
        if findings.lossy > 0 {
            let lossy = counted(findings.lossy, "transition loses", "transitions lose");
            sentence.push_str(&format!(" {lossy} messages to disposed actors."));
        }
        push_sentence(&sentence, page, text);
        if let Some(warning) = self.growth() {
            push_sentence(&warning, page, text);
        }
    }

    /// A warning if the states of one level are ten times those of three levels before.
    fn growth(&self) -> Option<String> {
        const MANY: u64 = 10_000;
        let levels = &self.space.levels;
        let ends = levels
            .iter()
            .skip(1)
            .copied()
            .chain([self.space.states() as u32]);
        let sizes: Vec<u64> = levels
            .iter()
            .zip(ends)
            .map(|(start, end)| u64::from(end - start))
            .collect();
        let grows = |place: &usize| sizes[*place] > MANY && sizes[*place] > sizes[place - 3] * 10;
        let place = (3..sizes.len()).find(grows)?;
        let mailbox = self.space.largest_mailbox(levels[place]);
        let mailbox = mailbox.map(|(actor, count)| {
            format!(" The fullest mailbox there is that of {actor}, with {count} messages.")
        });
        Some(format!(
            "The states grow tenfold within 3 turns: from {} after {} to {}.{}",
            grouped(sizes[place - 3]),
            counted(place as u64 - 3, "turn", "turns"),
            grouped(sizes[place]),
            mailbox.unwrap_or_default()
        ))
    }

    fn push_costs<P: Program>(&self, program: &P, page: Page, text: &mut String) {
        let Some(prices) = self.prices else { return };
        push_title("Costs", page, text);
        let Some(bounds) = &prices.bounds else {
            push_sentence("The costs have no bound, or are not known.", page, text);
            return;
        };
        push_sentence(&cost_sentence(bounds), page, text);
        let works: Vec<String> = prices.work.iter().map(ToString::to_string).collect();
        match &works[..] {
            [] => {}
            [work] => push_item(&format!("Work = {work}"), page, text),
            [..] if works.len() > FORMS => {
                let count = grouped(works.len() as u64);
                push_item(&format!("Work has {count} forms"), page, text);
            }
            works => push_item(&format!("Work = {}", works.join(", or ")), page, text),
        }
        if let Some(depth) = &prices.depth {
            push_item(&format!("Depth = {depth}"), page, text);
        }
        // Without costs all paths are equally heavy.
        let deepest = prices.deepest().filter(|_| bounds.largest.depth > 0);
        let deepest = deepest.zip(self.computations);
        let diagram = deepest.and_then(|(number, computations)| {
            computations.diagram(number, self.space, &prices.machine, program)
        });
        if let Some(diagram) = diagram {
            let nodes = diagram.critical.iter().map(|place| {
                let node = &diagram.nodes[*place];
                let name = &diagram.lifelines[node.lifeline];
                match &node.message {
                    Some(message) => format!("{name} ← {message}"),
                    None => format!("{name} new"),
                }
            });
            let nodes: Vec<String> = nodes.collect();
            push_item(
                &format!("Critical path: {}", shortened(&nodes).join(", ")),
                page,
                text,
            );
        }
    }

    fn push_failures(&self, page: Page, text: &mut String) {
        for failure in self.findings.failures.iter().take(MOST) {
            let title = format!("{} in {}", failure.text, failure.actor);
            push_title(&title, page, text);
            push_sentence("A shortest schedule:", page, text);
            push_steps(&failure.schedule, page, text);
        }
        push_more(self.findings.failures.len(), page, text);
        if let Some(livelock) = &self.findings.livelock {
            push_title("A cycle in which every message arrives", page, text);
            if !livelock.stem.is_empty() {
                push_sentence("It is reached by:", page, text);
                push_steps(&livelock.stem, page, text);
            }
            push_sentence("It repeats:", page, text);
            push_steps(&livelock.cycle, page, text);
        }
    }

    fn push_waiting(&self, page: Page, text: &mut String) {
        let waiting = &self.findings.waiting;
        if waiting.is_empty() {
            return;
        }
        push_title("Left waiting", page, text);
        push_sentence("Actors that are not disposed at the end:", page, text);
        for one in waiting.iter().take(MOST) {
            let states = match one.states {
                1 => "in 1 final state".to_string(),
                count => format!("in the first of {} final states", grouped(count)),
            };
            let item = format!("{}, as {}, {states}", one.actor, one.behaviour);
            push_item(&item, page, text);
        }
        push_more(waiting.len(), page, text);
    }
}

fn cost_sentence(bounds: &Bounds) -> String {
    let Bounds {
        least,
        largest,
        is_exact,
    } = bounds;
    let range = |of: fn(&Cost) -> u64, is_exact: bool| {
        let (low, high) = (grouped(of(least)), grouped(of(largest)));
        match (low == high, is_exact) {
            (true, true) => low,
            (_, true) => format!("{low} to {high}"),
            (_, false) => format!("≥ {low} and ≤ {high}"),
        }
    };
    let work = range(|cost| cost.work, true);
    let depth = range(|cost| cost.depth, *is_exact);
    format!("Work {work}, Depth {depth}.")
}

fn row(outcome: &Outcome) -> [String; 4] {
    let number = |number: Option<u128>| number.map_or("–".to_string(), large);
    [
        cut(&printable(&outcome.text())),
        number(outcome.computations.map(u128::from)),
        number(outcome.schedules),
        grouped(outcome.states),
    ]
}

/// A text of a cell, which is cut off if it is long.
fn cut(text: &str) -> String {
    match text.char_indices().nth(MOST_OF_RESULT) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_string(),
    }
}

/// A number that may be the largest one, which stands for all larger ones.
fn large(number: u128) -> String {
    match (number, u64::try_from(number)) {
        (u128::MAX, _) => "more than 10^38".to_string(),
        (_, Ok(number)) => grouped(number),
        _ => tally_presentation::number::in_groups(&number.to_string()),
    }
}

fn push_sentence(sentence: &str, page: Page, text: &mut String) {
    text.push_str(&page.wrapped(&printable(sentence)));
    text.push('\n');
}

/// Says how many rows of a list are left out.
fn push_more(count: usize, page: Page, text: &mut String) {
    if count > MOST {
        let more = grouped((count - MOST) as u64);
        push_sentence(&format!("… and {more} more."), page, text);
    }
}

fn push_steps(steps: &[ScheduleStep], page: Page, text: &mut String) {
    let steps: Vec<String> = steps.iter().map(ToString::to_string).collect();
    for step in shortened(&steps) {
        push_item(&step, page, text);
    }
}

/// A list without its middle, if it is long.
fn shortened(steps: &[String]) -> Vec<String> {
    if steps.len() <= STEPS {
        return steps.to_vec();
    }
    let half = STEPS / 2;
    let mut short = steps[..half].to_vec();
    short.push(format!(
        "… {} more …",
        grouped((steps.len() - 2 * half) as u64)
    ));
    short.extend_from_slice(&steps[steps.len() - half..]);
    short
}
