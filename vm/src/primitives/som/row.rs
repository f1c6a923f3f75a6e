//! Shared by the rows of SOM's primitives: the form of a row, failures, and checks of the kinds of arguments.

use crate::base::{Stop, Value};
use crate::machine::Vm;
use crate::primitives::Answer;
use crate::run::{Args, Request};

/// Why a primitive cannot answer.
pub(super) struct Failed(Box<str>);

impl From<String> for Failed {
    fn from(why: String) -> Failed {
        Failed(why.into())
    }
}

impl From<&str> for Failed {
    fn from(why: &str) -> Failed {
        Failed(why.into())
    }
}

/// The result of a primitive of SOM: a value, or an error.
pub(super) type Said = Result<Value, Failed>;

/// The result of a primitive of SOM that needs the loop.
pub(super) type Asked = Result<Answer, Failed>;

/// As `rows!` one level up, for functions with the result [`Said`] or [`Asked`].
macro_rules! som_rows {
    ($( $name:literal ( $arguments:literal ) => $function:expr, $doc:literal $(, $charge:ident)?; )*) => {
        pub(crate) const ROWS: &[$crate::primitives::Primitive] =
            &[ $( $crate::primitives::Primitive {
                name: $name,
                arguments: Some($arguments),
                is_open: false,
                // An error of a primitive of SOM ends the run by a request.
                reach: $crate::primitives::Reach::Requests,
                is_ordered: false,
                doc: $doc,
                charge: $crate::primitives::row::rows!(@charge $($charge)?),
                function: |vm, args| {
                    match $function(vm, args) {
                        Ok(said) => $crate::primitives::Answer::from(said),
                        Err(why) => $crate::primitives::som::row::fail(vm, &why),
                    }
                },
            }, )* ];
    };
}
pub(super) use som_rows;

/// Ends the run with a message and a trace.
pub(super) fn fail(vm: &mut Vm, why: &Failed) -> Answer {
    vm.report_failure(&why.0);
    request(vm, Request::Stop(Stop::Failed))
}

/// Leaves a request to the loop.
pub(super) fn request(vm: &mut Vm, request: Request) -> Answer {
    vm.run.request = request;
    Answer::REQUEST
}

/// A short description of a value, for messages.
pub(super) fn description(vm: &Vm, value: Value) -> String {
    format!(
        "an instance of {}",
        vm.class(vm.class_of(value)).display_name()
    )
}

/// The symbol that an argument has to be.
pub(super) fn symbol(vm: &Vm, args: Args, index: usize) -> Result<crate::base::SymbolId, Failed> {
    let value = args.at(vm, index);
    value
        .as_symbol()
        .ok_or_else(|| format!("expected a Symbol, not {}", description(vm, value)).into())
}

/// The text of the String or Symbol that an argument has to be.
pub(super) fn text_argument(vm: &Vm, args: Args, index: usize) -> Result<String, Failed> {
    let value = args.at(vm, index);
    vm.text_of(value)
        .ok_or_else(|| format!("expected a String, not {}", description(vm, value)).into())
}
