//! The primitives of SOM, named after the methods that bind them: `som:Class>>selector`. They never decline:
//! what a method's text cannot mend is an error that ends the run, as in the machines of SOM.

mod array;
mod class;
mod double;
mod integer;
mod number;
mod object;
mod string;
mod system;

use super::{Answer, Primitive};
use crate::base::{Stop, Value};
use crate::machine::Vm;
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

/// What a primitive of SOM says: a value, or why there is none.
pub(super) type Said = Result<Value, Failed>;

/// What a primitive says that needs the loop.
pub(super) type Asked = Result<Answer, Failed>;

/// As `rows!` one level up, for functions that say [`Said`] or [`Asked`].
macro_rules! som_rows {
    ($( $name:literal ( $arguments:literal ) => $function:expr, $doc:literal; )*) => {
        pub(in crate::primitives) const ROWS: &[$crate::primitives::Primitive] =
            &[ $( $crate::primitives::Primitive {
                name: $name,
                arguments: Some($arguments),
                is_open: false,
                doc: $doc,
                function: |vm, args| {
                    match $function(vm, args) {
                        Ok(said) => $crate::primitives::Answer::from(said),
                        Err(why) => $crate::primitives::som::fail(vm, &why),
                    }
                },
            }, )* ];
    };
}
use som_rows;

/// The modules' rows.
pub(super) const GROUPS: &[&[Primitive]] = &[
    UNKNOWN,
    object::ROWS,
    class::ROWS,
    integer::ROWS,
    double::ROWS,
    string::ROWS,
    array::ROWS,
    system::ROWS,
];

/// The name under which a method that wants a primitive of SOM which there is not finds one.
pub(super) const UNKNOWN_NAME: &str = "som:unknown";

const UNKNOWN: &[Primitive] = &[Primitive {
    name: UNKNOWN_NAME,
    arguments: None,
    is_open: false,
    doc: "A method that says `primitive` where the machine has none: ends the run.",
    function: |vm, _| fail(vm, &"there is no such primitive".into()),
}];

/// Primitives that need no other name than the one they have: what blocks do is the loop's business.
const SAME: &[(&str, &str)] = &[
    ("som:Block>>value", "blockValue"),
    ("som:Block1>>value", "blockValue"),
    ("som:Block2>>value:", "blockValue"),
    ("som:Block3>>value:with:", "blockValue"),
];

/// The row's name for a name that the compiler made from a method.
pub(super) fn row_name(name: &str) -> &str {
    SAME.iter()
        .find(|(som, _)| *som == name)
        .map_or(name, |(_, row)| row)
}

/// Ends the run with a message and a trace.
pub(super) fn fail(vm: &mut Vm, why: &Failed) -> Answer {
    vm.report_failure(&why.0);
    request(vm, Request::Stop(Stop::Failed))
}

/// Leaves a request that the loop carries out.
pub(super) fn request(vm: &mut Vm, request: Request) -> Answer {
    vm.run.request = request;
    Answer::REQUEST
}

/// What a value is, for messages.
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
