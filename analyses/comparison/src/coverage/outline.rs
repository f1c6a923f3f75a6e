//! The outline that coverage fills in: the methods, blocks and send sites that files define, with their locations,
//! executed or not.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use tally_profiler::Places;
use tally_vm::bytecode::{Code, CodeKind, Counts, instructions};
use tally_vm::{MethodId, Vm};

/// The files in the order in which they were named.
#[derive(Debug, Default)]
pub(super) struct Outline {
    pub(super) files: Vec<FileOutline>,
    /// File by file, in the order of the text.
    pub(super) routines: Vec<Routine>,
    /// What each method of the machine stands for. The methods that classes have from a trait are one.
    numbers: HashMap<MethodId, usize>,
}

#[derive(Debug)]
pub(super) struct FileOutline {
    pub(super) name: String,
    /// Empty if it defines no method.
    pub(super) text: String,
    pub(super) routines: Range<usize>,
}

/// A method.
#[derive(Debug)]
pub(super) struct Routine {
    /// `Class>>selector`.
    pub(super) name: String,
    /// `Foo` or `Foo class`.
    pub(super) class: String,
    pub(super) line: usize,
    pub(super) last_line: usize,
    /// Whether it may be executed without being activated: it is quick, or has a primitive.
    pub(super) may_need_no_frame: bool,
    pub(super) blocks: Vec<Place>,
    pub(super) sites: Vec<SitePlace>,
    /// For each of the code's sites, its index among `sites`; `None` if it is not counted as a send.
    places_of_sites: Vec<Option<usize>>,
}

/// Line and column, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub(super) line: usize,
    pub(super) column: usize,
}

#[derive(Debug)]
pub(super) struct SitePlace {
    pub(super) line: usize,
    pub(super) column: usize,
    pub(super) selector: String,
}

impl Routine {
    /// The place among the sites of one that has this index in the code.
    pub(super) fn place_of_site(&self, index: u32) -> Option<usize> {
        *self.places_of_sites.get(index as usize)?
    }

    fn new(vm: &Vm, places: &mut Places<'_>, id: MethodId) -> Routine {
        let method = vm.method(id);
        let code = method.code.get();
        let (line, _) = places.of(id, code.span.start);
        let (last_line, _) = places.of(id, code.span.end.saturating_sub(1).max(code.span.start));
        let mut place = |offset| {
            let (line, column) = places.of(id, offset);
            Place { line, column }
        };
        let blocks = code.blocks.iter().map(|b| place(b.span.start)).collect();
        // A send whose code stands twice is one site.
        let mut by_place: BTreeMap<Place, (&str, Vec<usize>)> = BTreeMap::new();
        for index in sends(code) {
            let site = &code.sites[index];
            let at = place(site.selector_span.start);
            let row = by_place.entry(at).or_insert((&site.selector, Vec::new()));
            row.1.push(index);
        }
        let mut places_of_sites = vec![None; code.sites.len()];
        let mut sites = Vec::new();
        for (Place { line, column }, (selector, indices)) in by_place {
            for index in indices {
                places_of_sites[index] = Some(sites.len());
            }
            let selector = selector.to_string();
            sites.push(SitePlace {
                line,
                column,
                selector,
            });
        }
        Routine {
            name: vm.method_name(id),
            class: vm.class(method.holder).display_name(),
            line,
            last_line,
            may_need_no_frame: code.quick.is_some() || code.primitive.is_some(),
            blocks,
            sites,
            places_of_sites,
        }
    }
}

/// The code's sites whose messages are counted when they are sent, each once.
fn sends(code: &Code) -> Vec<usize> {
    let mut sites = Vec::new();
    let bodies = code.blocks.iter().map(|block| &block.words);
    for words in std::iter::once(&code.words).chain(bodies) {
        let sends = instructions(words).filter(|found| found.op.info().counts == Counts::Send);
        let found = sends.filter_map(|found| found.site());
        sites.extend(found.map(|index| index as usize));
    }
    sites.retain(|index| *index < code.sites.len());
    sites.sort_unstable();
    sites.dedup();
    sites
}

impl Outline {
    pub(super) fn new(vm: &Vm, files: &[&str]) -> Outline {
        let mut places = Places::new(vm);
        // Methods with the same location in the text are the same.
        let mut found: Vec<BTreeMap<u32, Vec<MethodId>>> = vec![BTreeMap::new(); files.len()];
        let by_name: HashMap<&str, usize> = files.iter().copied().zip(0..).collect();
        let methods = vm.program_methods();
        for id in methods.filter(|&id| vm.method(id).code.get().kind == CodeKind::Method) {
            if let Some(&number) = by_name.get(places.file(id)) {
                let start = vm.method(id).code.get().span.start;
                found[number].entry(start).or_default().push(id);
            }
        }
        let mut outline = Outline::default();
        for (name, methods) in files.iter().zip(found) {
            let first = outline.routines.len();
            let any = methods.values().flatten().next();
            let text = any.map(|&id| vm.unit_text(vm.unit_of(id)).into_owned());
            for ids in methods.into_values() {
                let number = outline.routines.len();
                outline.numbers.extend(ids.iter().map(|&id| (id, number)));
                outline
                    .routines
                    .extend(ids.first().map(|&id| Routine::new(vm, &mut places, id)));
            }
            outline.files.push(FileOutline {
                name: (*name).to_string(),
                text: text.unwrap_or_default(),
                routines: first..outline.routines.len(),
            });
        }
        outline
    }

    pub(super) fn number_of(&self, method: MethodId) -> Option<usize> {
        self.numbers.get(&method).copied()
    }
}
