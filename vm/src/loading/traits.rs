//! Traits: the methods that a class gets from the traits that it uses. A trait is a row of the class table without a
//! superclass and instances. A class that uses a trait holds its own copy of each method, made of the same code. So
//! lookup and counting know nothing of traits. The compiler parses compositions, and the library defines their objects.

use std::sync::Arc;

use crate::base::{ClassId, SymbolId};
use crate::bytecode::{
    Code, Op, SEND_WORDS, Site, TraitChange, TraitUse, Word, cache_word, empty_code,
};
use crate::image::{CodeCell, Method, Offer, Origin, Used, Wanted};
use crate::machine::Vm;

/// The message that a method in conflict sends to its receiver.
const CONFLICT: &str = "traitConflict";

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

    /// Gives an existing class a new composition, which was checked.
    pub(crate) fn change_composition(
        &mut self,
        id: ClassId,
        uses: Vec<Used>,
    ) -> Result<(), String> {
        let brought = self.image.trait_ivars(&uses);
        self.extend_class(id, &brought, &[])?;
        self.compose(id, uses);
        Ok(())
    }

    /// Gives a side a composition, which was checked, and with it the methods.
    pub(crate) fn compose(&mut self, id: ClassId, uses: Vec<Used>) {
        if uses.is_empty() && self.class(id).uses.is_empty() {
            return;
        }
        for change in uses.iter().flat_map(|used| &used.changes) {
            // No code may have named the alias yet.
            if let TraitChange::Alias { alias, .. } = change {
                self.image.symbols.intern(alias);
            }
        }
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

    /// The methods of a side have changed, so its users change too.
    pub(crate) fn methods_changed(&mut self, id: ClassId) {
        for user in self.class(id).users.clone() {
            self.flatten(user);
        }
    }

    /// The variables of a trait's side have changed, so its users get the new ones.
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

    /// Updates the methods that a side has from traits, and the methods of its users.
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
        let Wanted { order, by_selector } = self.image.wanted(id);
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
}

/// The code of a method in conflict: it reports the conflict to its receiver.
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
            discarded: false,
        }],
        span: like.span,
        digest: like.digest,
        ..empty_code(selector)
    }
}
