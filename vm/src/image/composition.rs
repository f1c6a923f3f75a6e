//! The composition of one side of a class.

use hashbrown::{HashMap, HashSet};

use super::Image;
use crate::base::{ClassId, MethodId, SymbolId};
use crate::bytecode::TraitChange;
use crate::image::Origin;

/// A trait in the composition of one side of a class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Used {
    /// The side of the trait whose methods are used.
    pub(crate) side: ClassId,
    /// In the order in which they apply.
    pub(crate) changes: Vec<TraitChange>,
}

/// A method that only sends one of these marks a requirement: a class must define the method.
const REQUIREMENTS: [&str; 2] = ["explicitRequirement", "requirement"];

/// The methods that a class is to have from its traits.
#[derive(Default)]
pub(crate) struct Wanted {
    pub(crate) order: Vec<SymbolId>,
    pub(crate) by_selector: HashMap<SymbolId, Offer>,
}

/// The traits' methods for a selector.
#[derive(Clone, Copy)]
pub(crate) struct Offer {
    pub(crate) method: MethodId,
    pub(crate) conflict: bool,
}

impl Offer {
    pub(crate) fn origin(self) -> Origin {
        if self.conflict {
            Origin::Conflict
        } else {
            Origin::Trait(self.method)
        }
    }
}

impl Image {
    /// The default composition of a class side: the class sides of the traits, unchanged.
    pub(crate) fn class_sides(&self, uses: &[Used]) -> Vec<Used> {
        let sides = uses.iter().map(|used| {
            let row = self.class(used.side);
            Used {
                side: if row.is_metaclass {
                    used.side
                } else {
                    row.other_side
                },
                changes: Vec::new(),
            }
        });
        sides.collect()
    }

    /// The instance variables that a composition adds, in order.
    pub(crate) fn trait_ivars(&self, uses: &[Used]) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for used in uses {
            for name in &self.class(used.side).own_ivars {
                if !names.contains(name) {
                    names.push(name.clone());
                }
            }
        }
        names
    }

    /// Variables of a class and of its traits. A variable that the class has or inherits is not added again.
    pub(crate) fn with_traits(
        &self,
        superclass: Option<ClassId>,
        own: &[String],
        uses: &[Used],
    ) -> Vec<String> {
        let inherited = superclass.map_or(&[][..], |above| &self.class(above).ivars);
        let mut all = own.to_vec();
        let brought = self.trait_ivars(uses).into_iter();
        all.extend(brought.filter(|name| !own.contains(name) && !inherited.contains(name)));
        all
    }

    /// Whether the composition can be one side's: it is made of traits, and none of them uses that side.
    pub(crate) fn check_composition(&self, id: ClassId, uses: &[Used]) -> Result<(), String> {
        for used in uses {
            let row = self.class(used.side);
            let instance_side = if row.is_metaclass {
                row.other_side
            } else {
                used.side
            };
            if !self.class(instance_side).is_trait {
                return Err(format!("{} is no trait", row.display_name()));
            }
            if used.side == id || self.uses_trait(used.side, id) {
                let name = self.class(id).display_name();
                return Err(format!(
                    "{name} cannot use itself, by way of {}",
                    row.display_name()
                ));
            }
        }
        Ok(())
    }

    /// Whether a trait is in the composition of a side, or in the composition of a trait that the side uses.
    pub(crate) fn uses_trait(&self, id: ClassId, wanted: ClassId) -> bool {
        let mut waiting = vec![id];
        let mut seen = HashSet::new();
        while let Some(next) = waiting.pop() {
            for used in &self.class(next).uses {
                if used.side == wanted {
                    return true;
                }
                if seen.insert(used.side) {
                    waiting.push(used.side);
                }
            }
        }
        false
    }

    /// The methods of a side by its composition.
    pub(crate) fn wanted(&self, id: ClassId) -> Wanted {
        let mut wanted = Wanted::default();
        for used in &self.class(id).uses {
            for (selector, method) in self.offered(used) {
                let conflict = self.method(method).origin == Origin::Conflict;
                let offer = Offer { method, conflict };
                match wanted.by_selector.get(&selector).copied() {
                    None => {
                        wanted.order.push(selector);
                        wanted.by_selector.insert(selector, offer);
                    }
                    Some(before) => {
                        let settled = self.settled_offer(before, offer);
                        wanted.by_selector.insert(selector, settled);
                    }
                }
            }
        }
        wanted
    }

    /// The same method by two ways is no conflict, and neither is a method that is only required.
    pub(crate) fn settled_offer(&self, before: Offer, offer: Offer) -> Offer {
        if !offer.conflict
            && (self.source(before.method) == self.source(offer.method)
                || self.is_requirement(offer.method))
        {
            return before;
        }
        if !before.conflict && self.is_requirement(before.method) {
            return offer;
        }
        Offer {
            conflict: true,
            ..before
        }
    }

    /// The methods of a trait as a composition changes them.
    pub(crate) fn offered(&self, used: &Used) -> Vec<(SymbolId, MethodId)> {
        let methods = &self.class(used.side).methods;
        let pairs = methods.selectors().iter();
        let mut offered: Vec<(SymbolId, MethodId)> = pairs
            .filter_map(|&selector| Some((selector, methods.get(selector)?)))
            .collect();
        for change in &used.changes {
            match change {
                TraitChange::Exclude(selector) => {
                    let excluded = self.symbols.find(selector);
                    offered.retain(|&(selector, _)| Some(selector) != excluded);
                }
                TraitChange::Alias { alias, selector } => {
                    let (alias, old) = (self.symbols.find(alias), self.symbols.find(selector));
                    let found = offered.iter().find(|(selector, _)| Some(*selector) == old);
                    if let (Some(alias), Some(&(_, method))) = (alias, found) {
                        offered.retain(|&(selector, _)| selector != alias);
                        offered.push((alias, method));
                    }
                }
            }
        }
        offered
    }

    /// The method of a trait, or of a class, from which a method was made.
    pub(crate) fn source(&self, method: MethodId) -> MethodId {
        let mut source = method;
        while let Origin::Trait(from) = self.method(source).origin {
            source = from;
        }
        source
    }

    pub(crate) fn is_requirement(&self, method: MethodId) -> bool {
        match &self.method(method).code.get().sites[..] {
            [only] => REQUIREMENTS.contains(&only.selector.as_str()),
            _ => false,
        }
    }
}
