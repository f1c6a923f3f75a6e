//! A recording's content: sections of a number, a length and members. Tables are stored by columns, which compress better
//! than rows. New members are added only at the end of a section or in a new section, with a greater minor version. So an
//! older reader can skip them.

use std::collections::BTreeMap;

use super::bytes::{Codec, Input, Reader, Writer, damaged, push_number};
use super::{MAX_MEMORY, MINOR, RecordingError};
use crate::columns;
use crate::profile::{
    Allocation, Call, Context, ContextKind, CostVector, Ending, Limits, MethodProfile, Profile,
    Site,
};
use crate::sources::{Definition, DefinitionKind, Input as Read, InputKind, Revision};
use crate::unit::Unit;

type Done = Result<(), RecordingError>;

/// The ways for a run to end, in the order of their numbers.
pub const ENDINGS: [Ending; 4] = [
    Ending::Finished,
    Ending::Failed,
    Ending::Limit,
    Ending::Counted,
];

/// The kinds of contexts, in the order of their numbers.
pub const KINDS: [ContextKind; 4] = [
    ContextKind::Run,
    ContextKind::Method,
    ContextKind::Block,
    ContextKind::Other,
];

const DEFINITIONS: [DefinitionKind; 3] = [
    DefinitionKind::Class,
    DefinitionKind::Method,
    DefinitionKind::Script,
];

const INPUTS: [InputKind; 8] = [
    InputKind::File,
    InputKind::Folder,
    InputKind::Facts,
    InputKind::Variable,
    InputKind::VariableNames,
    InputKind::StandardInput,
    InputKind::Room,
    InputKind::WorkingDirectory,
];

/// The number of the table of texts, which comes first.
const TEXTS: u64 = 1;

/// A section: its number, whether a profile has it, and its members.
struct Section<C> {
    number: u64,
    is_there: fn(&Profile) -> bool,
    members: fn(&mut C, &mut Profile) -> Done,
}

/// The sections after the texts, in their order.
fn sections<C: Codec>() -> [Section<C>; 15] {
    let section = |number, is_there, members| Section {
        number,
        is_there,
        members,
    };
    [
        section(2, |_| true, run),
        section(3, |_| true, cost),
        section(4, |profile| profile.inlined.is_some(), inlined),
        section(5, |_| true, methods),
        section(6, |profile| !profile.contexts.is_empty(), contexts),
        section(7, |profile| !profile.calls.is_empty(), calls),
        section(8, |profile| !profile.sites.is_empty(), sites),
        section(9, |profile| !profile.allocations.is_empty(), allocations),
        section(
            10,
            |profile| profile.methods.iter().any(|method| method.code.is_some()),
            codes,
        ),
        section(
            11,
            |profile| profile.definitions.is_some(),
            |codec, profile| definitions(codec, profile.definitions.get_or_insert_default()),
        ),
        section(
            12,
            |profile| profile.inputs.is_some(),
            |codec, profile| inputs(codec, profile.inputs.get_or_insert_default()),
        ),
        section(13, |profile| profile.revision.is_some(), revision),
        section(
            14,
            |profile| !profile.unit.is_tally(),
            |codec, profile| unit(codec, &mut profile.unit),
        ),
        section(15, Profile::has_work, work),
        section(
            16,
            |profile| profile.cost.has_work(),
            |codec, profile| called(codec, &mut profile.cost),
        ),
    ]
}

fn run(codec: &mut impl Codec, profile: &mut Profile) -> Done {
    codec.text(&mut profile.schema)?;
    codec.text(&mut profile.library)?;
    codec.text(&mut profile.program)?;
    texts(codec, &mut profile.files)?;
    texts(codec, &mut profile.arguments)?;
    codec.signed(&mut profile.seed)?;
    limits(codec, &mut profile.limits)?;
    codec.choice(&mut profile.ending, &ENDINGS)?;
    codec.flag(&mut profile.reproducible)?;
    codec.flag(&mut profile.is_tree_complete)
}

/// Goes over limits.
pub fn limits(codec: &mut impl Codec, limits: &mut Limits) -> Done {
    codec.optional(&mut limits.sends)?;
    codec.optional(&mut limits.memory)?;
    codec.number(&mut limits.depth)
}

/// Goes over a list of texts.
pub fn texts(codec: &mut impl Codec, texts: &mut Vec<String>) -> Done {
    codec.rows(texts, &String::new(), 1)?;
    texts.iter_mut().try_for_each(|text| codec.text(text))
}

fn cost(codec: &mut impl Codec, profile: &mut Profile) -> Done {
    cost_vector(codec, &mut profile.cost)
}

/// Goes over costs, but for [`called`].
pub fn cost_vector(codec: &mut impl Codec, cost: &mut CostVector) -> Done {
    codec.number(&mut cost.sends)?;
    codec.number(&mut cost.loops)?;
    codec.number(&mut cost.activations)?;
    codec.number(&mut cost.blocks)?;
    codec.number(&mut cost.allocations.objects)?;
    codec.number(&mut cost.allocations.bytes)?;
    codec.number(&mut cost.steps)?;
    counts(codec, &mut cost.primitives)
}

/// Goes over the called primitives, the work and the counters of costs.
pub fn called(codec: &mut impl Codec, cost: &mut CostVector) -> Done {
    codec.number(&mut cost.called)?;
    codec.number(&mut cost.work)?;
    counts(codec, &mut cost.counters)
}

fn inlined(codec: &mut impl Codec, profile: &mut Profile) -> Done {
    counts(codec, profile.inlined.get_or_insert_default())
}

/// Counts by name. The names have to rise, so that none is there twice.
fn counts(codec: &mut impl Codec, counts: &mut BTreeMap<String, u64>) -> Done {
    let mut rows: Vec<(String, u64)> = std::mem::take(counts).into_iter().collect();
    codec.rows(&mut rows, &(String::new(), 0), 2)?;
    // The nodes of the map.
    codec.takes(rows.len().saturating_mul(2 * size_of::<(String, u64)>()))?;
    rows.iter_mut().try_for_each(|(name, _)| codec.text(name))?;
    rows.iter_mut()
        .try_for_each(|(_, count)| codec.number(count))?;
    if !rows.is_sorted_by(|(a, _), (b, _)| a < b) {
        return Err(damaged("names are not in order"));
    }
    *counts = rows.into_iter().collect();
    Ok(())
}

fn methods(codec: &mut impl Codec, profile: &mut Profile) -> Done {
    let rows = &mut profile.methods;
    codec.rows(rows, &MethodProfile::default(), 17)?;
    columns! { codec, rows, m =>
        text(m.name), text(m.class), text(m.selector), text(m.package), text(m.category),
        text(m.file), size(m.line), text(m.digest), number(m.calls), number(m.block_calls),
        number(m.own), difference(m.total, m.own), difference(m.cumulative, m.total),
        number(m.allocations.objects), number(m.allocations.bytes), flag(m.is_library),
        text(m.source)
    }
}

fn contexts(codec: &mut impl Codec, profile: &mut Profile) -> Done {
    let rows = &mut profile.contexts;
    codec.rows(rows, &Context::default(), 9)?;
    for (index, row) in rows.iter_mut().enumerate() {
        parent(codec, &mut row.parent, index)?;
    }
    columns! { codec, rows, c =>
        choice(c.kind, &KINDS), optional_index(c.method), index(c.block), number(c.calls),
        number(c.own)
    }?;
    totals(codec, rows, |c| (c.own, &mut c.total))?;
    columns! { codec, rows, c =>
        number(c.allocations.objects), number(c.allocations.bytes)
    }
}

/// The distance in rows from the context up to its parent; 0 if it has none. So only an earlier context can be a parent.
fn parent(codec: &mut impl Codec, parent: &mut Option<u32>, index: usize) -> Done {
    let index = index as u64;
    let distance = match parent {
        None => Some(0),
        Some(parent) => index
            .checked_sub(u64::from(*parent))
            .filter(|distance| *distance > 0),
    };
    let misplaced = || damaged("a context stands before the one above it");
    let mut distance = distance.ok_or_else(misplaced)?;
    codec.number(&mut distance)?;
    *parent = match distance {
        0 => None,
        _ => {
            let above = index.checked_sub(distance).ok_or_else(misplaced)?;
            Some(u32::try_from(above).map_err(|_| misplaced())?)
        }
    };
    Ok(())
}

/// Totals, from the last to the first, as differences to the expected totals.
fn totals(
    codec: &mut impl Codec,
    rows: &mut [Context],
    counts: fn(&mut Context) -> (u64, &mut u64),
) -> Done {
    let mut below = vec![0_u64; rows.len()];
    for index in (0..rows.len()).rev() {
        let parent = rows[index].parent;
        let (own, total) = counts(&mut rows[index]);
        codec.difference(total, own.wrapping_add(below[index]))?;
        if let Some(parent) = parent {
            let sum = &mut below[parent as usize];
            *sum = sum.wrapping_add(*total);
        }
    }
    Ok(())
}

fn calls(codec: &mut impl Codec, profile: &mut Profile) -> Done {
    call_rows(codec, &mut profile.calls)
}

/// Goes over calls between methods.
pub fn call_rows(codec: &mut impl Codec, rows: &mut Vec<Call>) -> Done {
    codec.rows(rows, &Call::default(), 5)?;
    columns! { codec, rows, c =>
        optional_index(c.caller), index(c.callee), number(c.calls), number(c.block_calls),
        number(c.total)
    }
}

fn sites(codec: &mut impl Codec, profile: &mut Profile) -> Done {
    let rows = &mut profile.sites;
    codec.rows(rows, &Site::default(), 8)?;
    columns! { codec, rows, s =>
        index(s.method), size(s.line), size(s.column), text(s.selector), flag(s.is_super),
        number(s.sends), number(s.calls), number(s.total)
    }
}

fn allocations(codec: &mut impl Codec, profile: &mut Profile) -> Done {
    let rows = &mut profile.allocations;
    let blank = Allocation {
        context: 0,
        class: String::new(),
        site: None,
        objects: 0,
        bytes: 0,
    };
    codec.rows(rows, &blank, 5)?;
    columns! { codec, rows, a =>
        index(a.context), text(a.class), optional_index(a.site), number(a.objects), number(a.bytes)
    }
}

/// The digests of the methods' compiled code, in the order of the methods; the empty text if one is not known.
fn codes(codec: &mut impl Codec, profile: &mut Profile) -> Done {
    profile.methods.iter_mut().try_for_each(|method| {
        let mut code = method.code.take().unwrap_or_default();
        codec.text(&mut code)?;
        method.code = (!code.is_empty()).then_some(code);
        Ok(())
    })
}

/// Goes over definitions.
pub fn definitions(codec: &mut impl Codec, rows: &mut Vec<Definition>) -> Done {
    let blank = Definition {
        name: String::new(),
        kind: DefinitionKind::Method,
        file: String::new(),
        line: 0,
        digest: 0,
        code: 0,
        is_silent: false,
        sends: Vec::new(),
    };
    codec.rows(rows, &blank, 8)?;
    columns! { codec, rows, d =>
        text(d.name), choice(d.kind, &DEFINITIONS), text(d.file), size(d.line), number(d.digest),
        number(d.code), flag(d.is_silent)
    }?;
    rows.iter_mut().try_for_each(|d| texts(codec, &mut d.sends))
}

/// Goes over what was read.
pub fn inputs(codec: &mut impl Codec, rows: &mut Vec<Read>) -> Done {
    let blank = Read {
        kind: InputKind::File,
        name: String::new(),
        digest: None,
    };
    codec.rows(rows, &blank, 3)?;
    columns! { codec, rows, i =>
        choice(i.kind, &INPUTS), text(i.name)
    }?;
    rows.iter_mut().try_for_each(|i| {
        let mut is_there = i.digest.is_some();
        codec.flag(&mut is_there)?;
        let mut digest = i.digest.take().unwrap_or_default();
        if is_there {
            codec.text(&mut digest)?;
        }
        i.digest = is_there.then_some(digest);
        Ok(())
    })
}

fn revision(codec: &mut impl Codec, profile: &mut Profile) -> Done {
    let revision = profile.revision.get_or_insert_with(|| Revision {
        commit: String::new(),
        is_dirty: false,
    });
    codec.text(&mut revision.commit)?;
    codec.flag(&mut revision.is_dirty)
}

/// Goes over the unit of an import.
pub fn unit(codec: &mut impl Codec, unit: &mut Unit) -> Done {
    codec.text(&mut unit.name)?;
    codec.text(unit.format.get_or_insert_default())?;
    codec.flag(&mut unit.calls)
}

/// The work of all tables, whose rows are there already.
fn work(codec: &mut impl Codec, profile: &mut Profile) -> Done {
    let rows = &mut profile.methods;
    columns! { codec, rows, m =>
        number(m.own_work), difference(m.total_work, m.own_work)
    }?;
    let rows = &mut profile.contexts;
    columns! { codec, rows, c =>
        number(c.work)
    }?;
    totals(codec, rows, |c| (c.work, &mut c.total_work))?;
    columns! { codec, rows, c =>
        number(c.primitive_work)
    }?;
    let rows = &mut profile.calls;
    columns! { codec, rows, c =>
        number(c.total_work)
    }?;
    let rows = &mut profile.sites;
    columns! { codec, rows, s =>
        number(s.work), number(s.total_work)
    }
}

/// The content of a profile's recording.
pub(super) fn write(profile: &Profile) -> Result<Vec<u8>, RecordingError> {
    // A codec assigns each member that it visits, when it writes its old value; so it gets a copy.
    let mut profile = profile.clone();
    let mut writer = Writer::default();
    let mut rest = Vec::new();
    for section in sections() {
        if (section.is_there)(&profile) {
            (section.members)(&mut writer, &mut profile)?;
            let members = std::mem::take(&mut writer.bytes);
            push_section(&mut rest, section.number, &members);
        }
    }
    let mut content = Vec::new();
    push_section(&mut content, TEXTS, &writer.texts.write());
    content.extend(rest);
    // A written content must be readable: the reader's limits hold here too.
    read(&content, profile.model, MINOR, MAX_MEMORY)?;
    Ok(content)
}

fn push_section(content: &mut Vec<u8>, number: u64, members: &[u8]) {
    push_number(content, number);
    push_number(content, members.len() as u64);
    content.extend(members);
}

/// The first version of the counting model with steps. Before, the number of instructions stood in their place.
const FIRST_WITH_STEPS: u32 = 2;

/// The profile in a content; it takes `most` bytes of memory at most. The container says the versions of the model and,
/// within the major number, of the format.
pub(super) fn read(
    content: &[u8],
    model: u32,
    minor: u16,
    most: usize,
) -> Result<Profile, RecordingError> {
    let is_newer = minor > MINOR;
    let mut found = split(content, is_newer)?;
    let texts = found
        .remove(&TEXTS)
        .ok_or_else(|| damaged("it has no texts"))?;
    let mut reader = Reader::new(texts, most)?;
    let mut profile = blank_profile(model);
    for section in sections() {
        let Some(members) = found.get(&section.number) else {
            // What a blank profile has may not be missing.
            if (section.is_there)(&profile) {
                return Err(damaged("a part of it is missing"));
            }
            continue;
        };
        reader.input = Input(members);
        (section.members)(&mut reader, &mut profile)?;
        if !reader.input.0.is_empty() && !is_newer {
            return Err(damaged("a part of it is too long"));
        }
    }
    if model < FIRST_WITH_STEPS {
        profile.cost.steps = 0;
    }
    crate::json::validate(&profile).map_err(RecordingError::Invalid)?;
    Ok(profile)
}

/// Sections by number, which has to rise. Only a newer version may have more than this crate knows.
fn split(content: &[u8], is_newer: bool) -> Result<BTreeMap<u64, &[u8]>, RecordingError> {
    let known = sections::<Writer>().map(|section| section.number);
    let mut found = BTreeMap::new();
    let mut input = Input(content);
    let mut last = 0;
    while !input.0.is_empty() {
        let number = input.number()?;
        if number <= last {
            return Err(damaged("its parts are not in order"));
        }
        last = number;
        let length = input.number()?;
        let members = input.take(length)?;
        if number == TEXTS || known.contains(&number) {
            found.insert(number, members);
        } else if !is_newer {
            return Err(damaged("it has an unknown part"));
        }
    }
    Ok(found)
}

fn blank_profile(model: u32) -> Profile {
    Profile {
        schema: String::new(),
        model,
        library: String::new(),
        program: String::new(),
        unit: Unit::default(),
        files: Vec::new(),
        arguments: Vec::new(),
        seed: 0,
        limits: Limits::default(),
        ending: Ending::Finished,
        reproducible: false,
        cost: CostVector::default(),
        inlined: None,
        definitions: None,
        inputs: None,
        revision: None,
        methods: Vec::new(),
        contexts: Vec::new(),
        is_tree_complete: false,
        calls: Vec::new(),
        sites: Vec::new(),
        allocations: Vec::new(),
    }
}
