//! The selectors of messages that the machine sends itself.

use crate::base::SymbolId;

macro_rules! machine_selectors {
    ($( $field:ident $text:literal )+) => {
        /// Selectors that the machine sends by itself.
        #[derive(Clone, Copy)]
        pub(crate) struct Selectors {
            $( pub(crate) $field: SymbolId, )+
        }

        /// Their texts; they are the first symbols of every machine.
        pub(crate) const MACHINE_SELECTORS: [&str; [$( $text ),+].len()] = [$( $text ),+];

        impl Selectors {
            pub(crate) fn new([$( $field ),+]: [SymbolId; MACHINE_SELECTORS.len()]) -> Selectors {
                Selectors { $( $field ),+ }
            }
        }
    };
}

machine_selectors! {
    does_not_understand "doesNotUnderstand:"
    must_be_boolean "mustBeBoolean"
    cannot_return "cannotReturn:"
    recursion_too_deep "recursionTooDeep"
    unknown_global "unknownGlobal:"
    escaped_block "escapedBlock:"
    does_not_understand_arguments "doesNotUnderstand:arguments:"
}
