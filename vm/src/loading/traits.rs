//! Traits: what a class gets from those it uses. A trait is a row of the class table without a superclass and
//! instances; a class that uses it holds a method of its own for each of the trait's, made of the same code. So lookup and counting know
//! nothing of traits. The parser of compositions is the compiler's, their objects are the library's.

use std::sync::Arc;

use hashbrown::{HashMap, HashSet};

use crate::base::{ClassId, MethodId, SymbolId};
use crate::bytecode::{
    Code, Op, SEND_WORDS, Site, TraitChange, TraitUse, Word, cache_word, empty_code,
};
use crate::image::{CodeCell, Method, Origin, Used};
use crate::machine::Vm;

/// What a method in conflict sends to its receiver.
const CONFLICT: &str = "traitConflict";

/// A method that does nothing but send one of these says that a class has to bring it.
const REQUIREMENTS: [&str; 2] = ["explicitRequirement", "requirement"];

/// The methods that a class is to have from its traits.
#[derive(Default)]
struct Wanted {
    order: Vec<SymbolId>,
    by_selector: HashMap<SymbolId, Offer>,
}

/// What the traits offer for a selector.
#[derive(Clone, Copy)]
struct Offer {
    method: MethodId,
    conflict: bool,
}

impl Offer {
    fn origin(self) -> Origin {
        if self.conflict {
            Origin::Conflict
        } else {
            Origin::Trait(self.method)
        }
    }
}

impl Vm {
    /// Looks the traits of a composition up.
    pub(crate) fn composition(&self, uses: &[TraitUse]) -> Result<Vec<Used>, String> {
        uses.iter()
            .map(|one| {
                let id = self
                    .find_class(&one.name)
                    .filter(|&id| self.class(id).is_trait)
                    .ok_or_else(|| format!("there is no trait {}", one.name))?;
                let side = if one.class_side {
                    self.class(id).other_side
                } else {
                    id
                };
                let changes = one.changes.clone();
                Ok(Used { side, changes })
            })
            .collect()
    }

    /// What a class side uses if nothing is said about it: the class sides of the traits, as they are.
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

    /// The instance variables that a composition brings, in order.
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

    /// Variables of a class and those that its traits bring, unless it has or inherits them.
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

    /// Gives a class that exists another composition, which was checked.
    pub(crate) fn change_composition(
        &mut self,
        id: ClassId,
        uses: Vec<Used>,
    ) -> Result<(), String> {
        let brought = self.trait_ivars(&uses);
        self.extend_class(id, &brought, &[])?;
        self.compose(id, uses);
        Ok(())
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

    /// Whether a side has another in its composition, or in that of a trait that it uses.
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

    /// Gives a side a composition, which was checked, and with it the methods.
    pub(crate) fn compose(&mut self, id: ClassId, uses: Vec<Used>) {
        let old = std::mem::replace(&mut self.image.classes[id.0 as usize].uses, uses);
        for used in old {
            self.image.classes[used.side.0 as usize]
                .users
                .retain(|&user| user != id);
        }
        for used in self.class(id).uses.clone() {
            let users = &mut self.image.classes[used.side.0 as usize].users;
            if !users.contains(&id) {
                users.push(id);
            }
        }
        self.flatten(id);
    }

    /// Something changed in the methods of a side: those who use it follow.
    pub(crate) fn methods_changed(&mut self, id: ClassId) {
        for user in self.class(id).users.clone() {
            self.flatten(user);
        }
    }

    /// Something changed in the variables of a trait's side: those who use it get what is new.
    pub(crate) fn variables_changed(&mut self, id: ClassId) {
        for user in self.class(id).users.clone() {
            let row = self.class(user);
            let mut own = row.own_ivars.clone();
            let new = self.class(id).own_ivars.iter();
            own.extend(new.filter(|name| !row.ivars.contains(name)).cloned());
            if own.len() > row.own_ivars.len() {
                // A class that has no room for them goes without, and reads them as nil.
                let _ = self.change_variables(user, own);
            }
        }
    }

    /// Brings the methods that a side has from traits up to date, and those of its users.
    pub(crate) fn flatten(&mut self, id: ClassId) {
        let mut waiting = vec![id];
        while let Some(next) = waiting.pop() {
            if self.flatten_one(next) {
                let users = self.class(next).users.iter();
                let new: Vec<ClassId> = users
                    .filter(|user| !waiting.contains(user))
                    .copied()
                    .collect();
                waiting.extend(new);
            }
        }
    }

    /// Answers whether anything changed.
    fn flatten_one(&mut self, id: ClassId) -> bool {
        let Wanted { order, by_selector } = self.wanted(id);
        let methods = &self.class(id).methods;
        let is_stale = |selector: &&SymbolId| {
            let method = methods.get(**selector);
            let from_trait = method.is_some_and(|id| self.method(id).origin != Origin::Own);
            from_trait && !by_selector.contains_key(*selector)
        };
        let stale: Vec<SymbolId> = if methods.is_empty() {
            Vec::new()
        } else {
            methods
                .selectors()
                .iter()
                .filter(is_stale)
                .copied()
                .collect()
        };
        let mut changed = !stale.is_empty();
        for selector in stale {
            self.take_method_out(id, selector);
        }
        for selector in order {
            let Some(offer) = by_selector.get(&selector) else {
                continue;
            };
            let origin = offer.origin();
            let existing = self.class(id).methods.get(selector);
            let stays = existing.map(|id| self.method(id).origin);
            if stays.is_some_and(|now| now == Origin::Own || now == origin) {
                continue;
            }
            changed = true;
            self.install_offer(id, selector, *offer);
        }
        changed
    }

    fn install_offer(&mut self, holder: ClassId, selector: SymbolId, offer: Offer) {
        let source = self.method(offer.method);
        let (unit, category) = (source.unit, source.category.clone());
        let plain_source = source.plain_source.clone();
        let code = if offer.conflict {
            let code = conflict(self.image.symbols.text(selector), source.code.get());
            CodeCell::ready(Arc::new(code))
        } else {
            source.code.clone()
        };
        self.put_method(Method {
            selector,
            holder,
            unit,
            category,
            code,
            current: true,
            plain_source,
            origin: offer.origin(),
        });
    }

    /// What the composition of a side says that its methods are to be.
    fn wanted(&self, id: ClassId) -> Wanted {
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

    /// The same method by two ways is no conflict, and neither is one that only is required.
    fn settled_offer(&self, before: Offer, offer: Offer) -> Offer {
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
    fn offered(&self, used: &Used) -> Vec<(SymbolId, MethodId)> {
        let methods = &self.class(used.side).methods;
        let pairs = methods.selectors().iter();
        let mut offered: Vec<(SymbolId, MethodId)> = pairs
            .filter_map(|&selector| Some((selector, methods.get(selector)?)))
            .collect();
        for change in &used.changes {
            match change {
                TraitChange::Exclude(selector) => {
                    let excluded = self.image.symbols.find(selector);
                    offered.retain(|&(selector, _)| Some(selector) != excluded);
                }
                TraitChange::Alias { alias, selector } => {
                    let (alias, old) = (
                        self.image.symbols.find(alias),
                        self.image.symbols.find(selector),
                    );
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

    /// The method of a trait, or of a class, that a method was made of.
    pub(crate) fn source(&self, method: MethodId) -> MethodId {
        let mut source = method;
        while let Origin::Trait(from) = self.method(source).origin {
            source = from;
        }
        source
    }

    fn is_requirement(&self, method: MethodId) -> bool {
        match &self.method(method).code.get().sites[..] {
            [only] => REQUIREMENTS.contains(&only.selector.as_str()),
            _ => false,
        }
    }
}

/// The code of a method in conflict: it says so to its receiver.
fn conflict(selector: &str, like: &Code) -> Code {
    let arguments = like.argument_count;
    let base = arguments + 1 + crate::bytecode::LINK_WORDS as u16;
    let words = vec![
        Word::new(Op::Send, 0, 0, 0, 0).0,
        cache_word(base, base),
        0,
        Word::new(Op::Return, 0, 0, 0, 0).0,
    ];
    debug_assert_eq!(words.len(), SEND_WORDS + 1);
    Code {
        argument_count: arguments,
        register_count: base + 1,
        words,
        sites: vec![Site {
            selector: CONFLICT.to_owned(),
            span: like.span,
            selector_span: like.span,
        }],
        span: like.span,
        digest: like.digest,
        ..empty_code(selector)
    }
}
