//! Which processor sent requests to which, and how long it waited for it.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use tally_presentation::figure::Style;
use tally_presentation::grouped;
use tally_presentation::table::{Table, Value};

use crate::following::Wait;
use crate::overview::Figures;
use crate::states::Cause;

/// The most pairs of processors.
const MOST_PAIRS: usize = 100_000;

/// What a client did with a supplier.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Link {
    /// Requests that it sent.
    pub requests: u64,
    /// Ticks in which it waited for answers.
    pub answers: u64,
    /// Ticks in which its scopes waited for locks and conditions, and the lock of this supplier came back last.
    pub locks: u64,
}

impl Link {
    /// Ticks of all waits.
    pub fn waited(&self) -> u64 {
        self.answers.saturating_add(self.locks)
    }

    fn add(&mut self, other: Link) {
        self.requests = self.requests.saturating_add(other.requests);
        self.answers = self.answers.saturating_add(other.answers);
        self.locks = self.locks.saturating_add(other.locks);
    }
}

/// Links by client and supplier.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Matrix {
    /// The links of pairs of processors.
    pub links: BTreeMap<(u32, u32), Link>,
    /// The links of pairs that did not fit.
    pub others: Link,
}

impl Matrix {
    fn link(&mut self, client: u32, supplier: u32) -> &mut Link {
        let pair = (client, supplier);
        if self.links.len() >= MOST_PAIRS && !self.links.contains_key(&pair) {
            return &mut self.others;
        }
        self.links.entry(pair).or_default()
    }

    pub(crate) fn sent(&mut self, client: u32, supplier: u32) {
        self.link(client, supplier).requests += 1;
    }

    /// A wait with this number of ticks in the part that is shown. The queue of a request is no wait of its client.
    pub(crate) fn waited(&mut self, wait: &Wait, ticks: u64) {
        let Some(supplier) = wait.supplier else {
            return;
        };
        let place = match wait.cause {
            // Processes wait inside their processors.
            Cause::Queue
            | Cause::Semaphore
            | Cause::Mutex
            | Cause::Monitor
            | Cause::SharedQueue
            | Cause::Suspended => return,
            Cause::Answer => &mut self.link(wait.client, supplier).answers,
            Cause::Lock | Cause::Condition => &mut self.link(wait.client, supplier).locks,
        };
        *place = place.saturating_add(ticks);
    }
}

/// What stands for client and supplier, and their link.
type Named = (String, String, Link);

/// What stands for pairs that did not fit.
const OTHERS: &str = "others";

/// The links between classes of processors.
fn by_class(figures: &Figures) -> Vec<Named> {
    let name = |number| match figures.processor_class(number) {
        "" => figures.processor_name(number),
        class => class.to_string(),
    };
    let mut named: BTreeMap<(String, String), Link> = BTreeMap::new();
    for ((client, supplier), link) in &figures.matrix.links {
        let key = (name(*client), name(*supplier));
        named.entry(key).or_default().add(*link);
    }
    let rows = named.into_iter();
    ordered(figures, rows.map(|((one, other), link)| (one, other, link)))
}

/// The links between processors.
fn by_processor(figures: &Figures) -> Vec<Named> {
    let name = |number| {
        let class = figures.processor_class(number);
        format!("{} {class}", figures.processor_name(number))
    };
    let name = |number| name(number).trim_end().to_string();
    let links = figures.matrix.links.iter();
    ordered(
        figures,
        links.map(|((client, supplier), link)| (name(*client), name(*supplier), *link)),
    )
}

/// Those that wait longest first.
fn ordered(figures: &Figures, links: impl Iterator<Item = Named>) -> Vec<Named> {
    let mut rows: Vec<Named> = links.collect();
    rows.sort_by_key(|(.., link)| Reverse((link.waited(), link.requests)));
    if figures.matrix.others != Link::default() {
        rows.push((
            OTHERS.to_string(),
            OTHERS.to_string(),
            figures.matrix.others,
        ));
    }
    rows
}

fn rows(figures: &Figures, per_processor: bool) -> Vec<Named> {
    match per_processor {
        true => by_processor(figures),
        false => by_class(figures),
    }
}

/// The matrix as a list: a row for each pair with a link.
pub(crate) fn matrix_table(figures: &Figures, per_processor: bool) -> Table {
    let reading = match per_processor {
        true => LIST.to_string(),
        false => format!("{LIST} Processors of a class are added up; --per-processor lists them."),
    };
    let mut table = Table::new("matrix", "Matrix", &reading)
        .name("client")
        .words("supplier")
        .number("requests", "", Style::Whole)
        .number("answers", "", Style::Whole)
        .number("locks", "", Style::Whole);
    for (client, supplier, link) in rows(figures, per_processor) {
        table.row([
            Value::from(client),
            supplier.into(),
            link.requests.into(),
            link.answers.into(),
            link.locks.into(),
        ]);
    }
    table
}

const LIST: &str = "Requests that a client sent to a supplier. Answers, locks: ticks in which it waited for answers, and for locks and conditions.";

/// The most clients or suppliers of a matrix with a column for each supplier.
const MOST_SIDE: usize = 12;

/// The matrix with a row for each client and a column for each supplier: requests, and ticks that the client waited. Nothing if there
/// are too many of them.
pub(crate) fn grid(figures: &Figures, per_processor: bool) -> Option<Table> {
    let rows = rows(figures, per_processor);
    let names = |of: fn(&Named) -> &String| {
        let mut names: Vec<&String> = rows.iter().map(of).collect();
        names.sort();
        names.dedup();
        names
    };
    let (clients, suppliers) = (names(|row| &row.0), names(|row| &row.1));
    if clients.len().max(suppliers.len()) > MOST_SIDE {
        return None;
    }
    let reading = "A row is a client, a column a supplier. A cell has the requests, and the ticks that the client waited for the supplier.";
    let mut table = Table::new("matrix", "Matrix", reading).name("client");
    for supplier in &suppliers {
        table = table.words(supplier);
    }
    for client in clients {
        let cell = |supplier: &&String| {
            let link = rows
                .iter()
                .find(|row| row.0 == *client && row.1 == **supplier);
            match link {
                Some((.., link)) => Value::from(format!(
                    "{} / {}",
                    grouped(link.requests),
                    grouped(link.waited())
                )),
                None => Value::from("·"),
            }
        };
        let cells = suppliers.iter().map(cell);
        table.row([Value::from(client.clone())].into_iter().chain(cells));
    }
    Some(table)
}
