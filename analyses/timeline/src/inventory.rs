//! The names in a timeline: features, sites of requests, and classes.

use std::collections::{BTreeMap, BTreeSet};

use tally_vm::Event;

use crate::sink::{Accepted, Described, Origin, Sink};

/// The most names of a kind that are kept.
const MOST: usize = 100_000;

/// What a timeline names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inventory {
    /// Features of requests, as they are shown.
    pub features: BTreeSet<String>,
    /// The files, lines and columns that send requests, and the features of the first of these.
    pub sites: BTreeMap<String, String>,
    /// The classes for which processors were created.
    pub processors: BTreeSet<String>,
    /// The classes of receivers.
    pub classes: BTreeSet<String>,
}

impl Sink for Inventory {
    fn processor(&mut self, _number: u32, _origin: Origin, class: &str) -> Accepted {
        if !class.is_empty() && self.processors.len() < MOST {
            self.processors.insert(class.to_string());
        }
        Ok(())
    }

    fn request(&mut self, _number: u32, request: &Described<'_>) -> Accepted {
        if request.selector.is_empty() {
            return Ok(());
        }
        let feature = format!("{}>>{}", request.class, request.selector);
        if let Some(site) = request.site
            && !self.sites.contains_key(site)
            && self.sites.len() < MOST
        {
            self.sites.insert(site.to_string(), feature.clone());
        }
        if self.features.len() < MOST {
            self.features.insert(feature);
            self.classes.insert(request.class.to_string());
        }
        Ok(())
    }

    fn event(&mut self, _event: &Event) -> Accepted {
        Ok(())
    }
}
