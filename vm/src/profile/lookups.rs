//! Records the looked-up messages of a run and the methods that were found. From these follows which changes of a
//! program can change the run. Only lookups that miss the caches are seen. Caches are empty when the recording begins,
//! so each pair of class and selector is seen at least once. Sends that hit a cache cost nothing. Sends that the loop
//! short-cuts (`3 + 4`) are not looked up and not seen, as long as the library's methods stand behind them.

use crate::base::{ClassId, Dialect, MethodId, SymbolId};
use crate::bytecode::ShortCut;
use crate::image::Origin;
use crate::machine::Vm;
use crate::observers::Lookup;

/// Primitives that make a run depend on more than its lookups: on the set of classes, methods and globals, or on the
/// outside world, such as files.
const TELLTALES: &[&str] = &[
    "arrayElementsExchangeIdentity",
    "arrayElementsForwardIdentity",
    "behaviorAddClassVar",
    "behaviorAddMethod",
    "behaviorAllInstances",
    "behaviorCategory",
    "behaviorClassVarAt",
    "behaviorClassVarAtPut",
    "behaviorClassVarNames",
    "behaviorComment",
    "behaviorCompile",
    "behaviorCompileExpression",
    "behaviorIncludesSelector",
    "behaviorInstVarNames",
    "behaviorLocalSelectors",
    "behaviorLookupSelector",
    "behaviorMethodAt",
    "behaviorPools",
    "behaviorRemoveClassVar",
    "behaviorRemoveSelector",
    "behaviorSelectors",
    "behaviorSetCategory",
    "behaviorSetComment",
    "behaviorSetInstVars",
    "behaviorSubclasses",
    "behaviorTraitOrigin",
    "behaviorTraitUsers",
    "behaviorTraitUses",
    "behaviorUseTraits",
    "classDefine",
    "classDefineProblem",
    "classRemove",
    "classRename",
    "fileAppend",
    "fileBytes",
    "fileContents",
    "fileCreateDirectory",
    "fileDelete",
    "fileExists",
    "fileFacts",
    "fileNames",
    "fileRename",
    "fileWorkingDirectory",
    "fileWrite",
    "methodCategory",
    "methodFile",
    "methodGlobals",
    "methodIsInstalled",
    "methodLine",
    "methodLiterals",
    "methodMessages",
    "methodNumArgs",
    "methodPragmas",
    "methodPrimitive",
    "methodQuick",
    "methodReads",
    "methodSetCategory",
    "methodSource",
    "methodValue",
    "methodWrites",
    "objectBecome",
    "objectBecomeForward",
    "objectBecomeForwardCopyHash",
    "stdinNextLine",
    "stdinUpToEnd",
    "symbolIfThere",
    "systemArguments",
    "systemCalendarMicroseconds",
    "systemEnvironmentAt",
    "systemEnvironmentNames",
    "systemGlobalAt",
    "systemGlobalAtPut",
    "systemGlobalNames",
    "systemGlobalRemove",
    "systemIncludesGlobal",
    "traitDefine",
    "wrapperInstall",
    "wrapperUninstall",
];

/// The primitive that finds the methods of a class that have a pragma.
const PRAGMAS: &str = "behaviorSelectorsWithPragma";

/// Whether the loop has short cuts for a selector: sends of it need not be looked up.
pub fn is_short_cut(selector: &str) -> bool {
    ShortCut::of(Dialect::Smalltalk, selector).is_some()
}

impl Vm {
    /// Begins to note which messages are looked up. No count changes.
    pub fn record_lookups(&mut self) {
        self.flush_caches();
        self.observers.lookups = Some(Box::default());
        self.note_key_lookups();
    }

    /// Ends the recording and answers the lookups, in the order of classes and selectors.
    pub fn take_lookups(&mut self) -> Vec<Lookup> {
        let lookups = self.observers.lookups.take().unwrap_or_default();
        let made = lookups.made.into_iter();
        made.map(|((class, selector, found), is_sent)| Lookup {
            class,
            selector,
            found,
            is_sent,
        })
        .collect()
    }

    /// Whether code behind this lookup depends on more than the lookup itself: it reflects, or it reads the outside
    /// world.
    pub fn is_telltale(&self, lookup: &Lookup) -> bool {
        self.runs_primitive(lookup, |name| TELLTALES.binary_search(&name).is_ok())
    }

    /// Whether code behind this lookup finds the methods of a class that have a pragma.
    pub fn asks_for_pragmas(&self, lookup: &Lookup) -> bool {
        self.runs_primitive(lookup, |name| name == PRAGMAS)
    }

    fn runs_primitive(&self, lookup: &Lookup, is_such: impl Fn(&str) -> bool) -> bool {
        let method = lookup.found.filter(|_| lookup.is_sent);
        method.is_some_and(|method| {
            let code = self.method(method).code.get();
            code.primitive.as_deref().is_some_and(is_such)
        })
    }

    /// Notes that a program tested whether a class understands a message.
    pub(crate) fn note_question(&mut self, class: ClassId, selector: SymbolId) {
        if self.observers.lookups.is_some() {
            let found = self.lookup(class, selector);
            if let Some(lookups) = &mut self.observers.lookups {
                lookups.note(class, selector, found, false);
            }
        }
    }

    /// All methods that came with units of the program, replaced ones too, in the order in which they came.
    pub fn program_methods(&self) -> impl Iterator<Item = MethodId> {
        let library = self.library_unit_count();
        let numbered = (0..).map(MethodId).zip(self.image.methods.iter());
        numbered
            .filter(move |(_, method)| method.unit >= library)
            .map(|(id, _)| id)
    }

    /// The definition that a method comes from: a trait's for a method that the class has from the trait. A method in
    /// the place of conflicting ones has no definition.
    pub fn definition_of(&self, method: MethodId) -> Option<MethodId> {
        let source = self.image.source(method);
        (self.method(source).origin == Origin::Own).then_some(source)
    }
}

#[cfg(test)]
mod tests {
    use super::{PRAGMAS, TELLTALES};

    #[test]
    fn telltales_are_primitives_and_in_order() {
        assert!(TELLTALES.is_sorted());
        for name in TELLTALES.iter().chain(&[PRAGMAS]) {
            assert!(crate::primitives::find(name).is_some(), "{name}");
        }
    }
}
