//! Predictions of services.

use std::path::Path;

use tally_predict::{
    Bound, COUNTERS, ErrorKind, PredictError, Service, ServiceDocument, Values, crossing_report,
    crossings, largest_within, parameters, service_report, within_report,
};
use tally_presentation::printable;

use super::reading::{failure, read};
use crate::arguments::Format;
use crate::console;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output;

/// What is to be shown of services.
pub(super) struct View<'a> {
    /// Inputs, as texts.
    pub(super) at: &'a [String],
    /// Bounds, as texts.
    pub(super) within: &'a [String],
    /// Whether the parts of functions are shown.
    pub(super) contexts: bool,
    pub(super) format: Format,
}

/// The service in a file.
pub(super) fn read_file(file: &Path) -> Result<Service, Failure> {
    read(file, ": ", |text| {
        let document: ServiceDocument =
            serde_json::from_str(text).map_err(|error| PredictError {
                kind: ErrorKind::Usage,
                message: format!("it is no service: {error}"),
            })?;
        document.service()
    })
}

/// Services with their values at the inputs, and how they compare.
pub(super) fn shown(services: &[Service], view: &View<'_>) -> Result<String, Failure> {
    let mut text = String::new();
    let mut documents = Vec::new();
    for service in services {
        let values = values(service, view.at)?;
        let bounds = view.within.iter().map(|text| {
            let bound = Bound::read(text).map_err(failure)?;
            let found = largest_within(service, &bound).map_err(failure)?;
            Ok((bound, found))
        });
        let bounds: Vec<_> = bounds.collect::<Result<_, Failure>>()?;
        if !text.is_empty() {
            text.push('\n');
        }
        let page = console::results_page();
        text.push_str(&service_report(service, &values, view.contexts, page));
        text.push_str(&within_report(service, &bounds));
        documents.push(service.document().with(&values, &bounds));
    }
    match (view.format, services) {
        (Format::Json, [_]) => output::json(&documents[0]),
        (Format::Json, _) => output::json(&documents),
        (Format::Human, [first, second]) => {
            text.push('\n');
            text.push_str(&compared(first, second)?);
            Ok(text)
        }
        (Format::Human, _) => Ok(text),
    }
}

/// What each function says at the inputs. One of them at least has to say something.
fn values(service: &Service, at: &[String]) -> Result<Values, Failure> {
    let table = service.functions.first().map(|one| &one.table);
    let Some(table) = table else {
        return Err(Failure::new(
            Exit::Incomparable,
            "the service has no function",
        ));
    };
    let rows = at.iter().map(|text| {
        let at = parameters(table, text).map_err(failure)?;
        let mut first_error = None;
        let mut all = Vec::new();
        for function in &service.functions {
            match function.value(&at) {
                Ok(value) => all.push(Some(value)),
                Err(error) => {
                    first_error.get_or_insert(error);
                    all.push(None);
                }
            }
        }
        match first_error {
            Some(error) if all.iter().all(Option::is_none) => Err(failure(error)),
            _ => Ok((at, all)),
        }
    });
    rows.collect()
}

/// Where the costs of two services cross.
fn compared(first: &Service, second: &Service) -> Result<String, Failure> {
    if (&first.library, first.model) != (&second.library, second.model) {
        let why = "the services were learnt with other libraries: learn them again with the same";
        return Err(Failure::new(Exit::Incomparable, why));
    }
    let names = match first.name == second.name {
        true => ["the first".to_string(), "the second".to_string()],
        false => [first, second].map(|one| printable(&one.name).into_owned()),
    };
    let mut text = String::new();
    for of in COUNTERS {
        if first.function(of).is_none() || second.function(of).is_none() {
            continue;
        }
        match crossings(first, second, of) {
            Ok(found) => text.push_str(&crossing_report([&names[0], &names[1]], of, &found)),
            Err(error) => text.push_str(&format!("{of}: {}\n", printable(&error.message))),
        }
    }
    Ok(text)
}
