//! The library inside the binary. It is packed when the binary is built, and read without unpacking it as a whole.
//! Classes are defined at once. A method's code is unpacked when it is first needed.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::Image;
use crate::base::SymbolId;
use crate::bytecode::{ClassDefinition, Definition, MethodDefinition, Unit};
use crate::image::MACHINE_SELECTORS;

/// A library: tables that are read in place from the binary, and data that a machine copies.
#[derive(Serialize, Deserialize)]
pub(crate) struct Packed<'a> {
    pub(crate) digest: u64,
    /// The symbols with the smallest numbers: the machine's own, then the library's selectors, sorted.
    #[serde(borrow)]
    pub(crate) symbols: Strings<'a>,
    pub(crate) categories: Vec<&'a str>,
    /// The code of all methods, each for itself.
    pub(crate) codes: &'a [u8],
    pub(crate) units: Vec<PackedUnit<'a>>,
}

#[derive(Serialize, Deserialize)]
pub(crate) struct PackedUnit<'a> {
    pub(crate) name: &'a str,
    pub(crate) source: &'a [u8],
    pub(crate) classes: Vec<ClassDefinition>,
    /// The methods, grouped by the side of their class.
    #[serde(borrow)]
    pub(crate) sides: Vec<PackedSide<'a>>,
    /// The whole unit, when its script does more than define.
    #[serde(borrow)]
    pub(crate) script: Option<&'a [u8]>,
}

/// The methods of one side of a class.
#[derive(Serialize, Deserialize)]
pub(crate) struct PackedSide<'a> {
    pub(crate) class: &'a str,
    pub(crate) class_side: bool,
    pub(crate) rows: &'a [u8],
}

/// Texts, one behind the other.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Strings<'a> {
    text: &'a str,
    /// Where each ends, four bytes each.
    ends: &'a [u8],
}

impl<'a> Strings<'a> {
    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.ends.len() / size_of::<u32>()
    }

    /// The text with this number.
    pub(crate) fn get(&self, index: usize) -> Option<&'a str> {
        let start = index.checked_sub(1).map_or(Some(0), |n| self.end(n))?;
        self.text.get(start..self.end(index)?)
    }

    fn end(&self, index: usize) -> Option<usize> {
        let (ends, _) = self.ends.as_chunks();
        ends.get(index).map(|&end| u32::from_le_bytes(end) as usize)
    }
}

/// A method as it stands in the packed library.
pub(crate) struct Row {
    pub(crate) selector: SymbolId,
    pub(crate) category: u32,
    pub(crate) code: (u32, u32),
}

pub(crate) const ROW_BYTES: usize = 4 * size_of::<u32>();

impl Row {
    fn to_bytes(&self) -> [u8; ROW_BYTES] {
        let words = [self.selector.0, self.category, self.code.0, self.code.1];
        let mut bytes = [0; ROW_BYTES];
        let (places, _) = bytes.as_chunks_mut();
        for (place, word) in places.iter_mut().zip(words) {
            *place = word.to_le_bytes();
        }
        bytes
    }

    fn from_bytes(bytes: &[u8; ROW_BYTES]) -> Row {
        let (places, _) = bytes.as_chunks();
        let word = |n: usize| places.get(n).map_or(0, |&bytes| u32::from_le_bytes(bytes));
        Row {
            selector: SymbolId(word(0)),
            category: word(1),
            code: (word(2), word(3)),
        }
    }
}

/// Methods of one side of a class, where they stand in the packed library.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Rows(pub(crate) &'static [u8]);

impl Rows {
    /// The rows, in the order of the definitions.
    pub(crate) fn iter(self) -> impl Iterator<Item = Row> {
        let (rows, _) = self.0.as_chunks();
        rows.iter().map(Row::from_bytes)
    }
}

/// Packs compiled library units, in the order in which they are to be defined.
///
/// # Errors
/// A sentence, when a unit has definitions that a library cannot have or cannot be written.
pub fn pack_library(units: &[Unit], digest: u64) -> Result<Vec<u8>, String> {
    let mut packer = Packer::new(units);
    for unit in units {
        packer.add(unit)?;
    }
    let Packer {
        symbols,
        categories,
        codes,
        sides,
        scripts,
    } = packer;
    let text = symbols.concat();
    let ends: Vec<u8> = symbols
        .iter()
        .scan(0, |end, symbol| {
            *end += symbol.len() as u32;
            Some(end.to_le_bytes())
        })
        .flatten()
        .collect();
    let packed = Packed {
        digest,
        symbols: Strings {
            text: &text,
            ends: &ends,
        },
        categories: categories.to_vec(),
        codes: &codes,
        units: units
            .iter()
            .zip(&sides)
            .zip(&scripts)
            .map(|((unit, sides), script)| pack_unit(unit, sides, script.as_deref()))
            .collect(),
    };
    postcard::to_allocvec(&packed).map_err(|e| e.to_string())
}

/// One side of a class while a library is packed: name, side, rows.
type Side<'a> = (&'a str, bool, Vec<u8>);

struct Packer<'a> {
    symbols: Vec<&'a str>,
    categories: Vec<&'a str>,
    codes: Vec<u8>,
    sides: Vec<Vec<Side<'a>>>,
    scripts: Vec<Option<Vec<u8>>>,
}

impl<'a> Packer<'a> {
    fn new(units: &'a [Unit]) -> Packer<'a> {
        let methods = || {
            units
                .iter()
                .flat_map(classes)
                .flat_map(|class| &class.methods)
        };
        let selectors: BTreeSet<&str> = methods().map(|m| m.code.selector.as_str()).collect();
        let categories: BTreeSet<&str> = methods().map(|m| m.category.as_str()).collect();
        let others = selectors
            .into_iter()
            .filter(|selector| !MACHINE_SELECTORS.contains(selector));
        Packer {
            symbols: MACHINE_SELECTORS.into_iter().chain(others).collect(),
            categories: categories.into_iter().collect(),
            codes: Vec::new(),
            sides: Vec::new(),
            scripts: Vec::new(),
        }
    }

    fn add(&mut self, unit: &'a Unit) -> Result<(), String> {
        let mut sides: Vec<Side<'a>> = Vec::new();
        for method in classes(unit).flat_map(|class| &class.methods) {
            let row = self.row(method)?;
            let here = |side: &&mut Side<'a>| side.0 == method.class && side.1 == method.class_side;
            match sides.iter_mut().find(here) {
                Some(side) => side.2.extend(row),
                None => sides.push((&method.class, method.class_side, row.to_vec())),
            }
        }
        self.sides.push(sides);
        let mut script = None;
        for definition in &unit.definitions {
            match definition {
                Definition::Class(_) => {}
                Definition::Evaluation { .. } => {
                    script = Some(postcard::to_allocvec(unit).map_err(|e| e.to_string())?);
                }
                Definition::Extension { class, .. } => {
                    return Err(format!("{}: the library cannot extend {class}", unit.name));
                }
            }
        }
        self.scripts.push(script);
        Ok(())
    }

    fn row(&mut self, method: &'a MethodDefinition) -> Result<[u8; ROW_BYTES], String> {
        let bytes = postcard::to_allocvec(&method.code).map_err(|e| e.to_string())?;
        let start = self.codes.len();
        self.codes.extend(bytes);
        let number = |place: Option<usize>| {
            let place = place.and_then(|place| u32::try_from(place).ok());
            place.ok_or("the library is too large")
        };
        let place = |texts: &[&str], text: &str| texts.iter().position(|&other| other == text);
        let row = Row {
            selector: SymbolId(number(place(&self.symbols, &method.code.selector))?),
            category: number(place(&self.categories, &method.category))?,
            code: (number(Some(start))?, number(Some(self.codes.len()))?),
        };
        Ok(row.to_bytes())
    }
}

pub(crate) fn classes(unit: &Unit) -> impl Iterator<Item = &ClassDefinition> {
    unit.definitions
        .iter()
        .filter_map(|definition| match definition {
            Definition::Class(class) => Some(class),
            _ => None,
        })
}

fn pack_unit<'a>(
    unit: &'a Unit,
    sides: &'a [Side<'a>],
    script: Option<&'a [u8]>,
) -> PackedUnit<'a> {
    let without_methods = |class: &ClassDefinition| ClassDefinition {
        methods: Vec::new(),
        ..class.clone()
    };
    let side = |(class, class_side, rows): &'a Side<'a>| PackedSide {
        class,
        class_side: *class_side,
        rows,
    };
    PackedUnit {
        name: &unit.name,
        source: unit.source.as_bytes(),
        classes: classes(unit).map(without_methods).collect(),
        sides: sides.iter().map(side).collect(),
        script,
    }
}

/// Room for methods of a program.
const SPARE_METHODS: usize = 512;

impl Image {
    /// Growing tables are copied at each step. A short script must not pay for that.
    pub(crate) fn make_room_for(&mut self, library: &Packed<'static>) {
        let units = &library.units;
        let rows = units.iter().flat_map(|unit| &unit.sides);
        let methods: usize = rows.map(|side| side.rows.len() / ROW_BYTES).sum();
        let classes: usize = units.iter().map(|unit| unit.classes.len()).sum();
        self.methods.reserve(methods + SPARE_METHODS);
        // So the sizes at which the table grows do not depend on the number of classes in the library.
        let room = (2 * classes).next_power_of_two();
        let spare = room.saturating_sub(self.classes.len());
        self.classes.reserve_exact(spare);
        self.globals.reserve(2 * classes);
        self.global_ids.reserve(2 * classes);
        self.units.reserve(units.len());
        self.library_sources.reserve(units.len());
    }

    /// Gives the symbols of a library their numbers. It must run before any other symbol is made.
    pub(crate) fn take_symbols(&mut self, library: &Packed<'static>) -> Result<(), String> {
        self.symbols.take_library(library.symbols)?;
        self.implementors.resize(library.symbols.len(), 0);
        Ok(())
    }
}
