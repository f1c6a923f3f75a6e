//! Documents that must agree with the code: `docs/COUNTING.md` with the golden programs that it names, `docs/BYTECODE.md`
//! and `docs/PRIMITIVES.md` with their tables in the code, and the primitives with the library that binds them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use libtest_mimic::Trial;
use tally_tests::{compare_with_file, files_below, root};
use tally_vm::Work;
use tally_vm::bytecode::{Counts, Effect, Flow, Immediate, Op, OpInfo, Operand, Shape};
use tally_vm::primitives::Reach;

use crate::checks::{Checked, trials_of};

/// A test for each document.
pub(crate) fn trials() -> Vec<Trial> {
    trials_of(&[
        (
            "documents/counting_rules_name_their_tests",
            counting_rules_name_their_tests,
        ),
        (
            "documents/work_counters_are_in_step",
            work_counters_are_in_step,
        ),
        (
            "documents/bytecode_manual_is_in_step",
            bytecode_manual_is_in_step,
        ),
        (
            "documents/primitives_manual_is_in_step",
            primitives_manual_is_in_step,
        ),
        (
            "documents/the_library_binds_known_primitives",
            the_library_binds_known_primitives,
        ),
        (
            "documents/every_primitive_is_bound",
            every_primitive_is_bound,
        ),
    ])
}

// --- counting -------------------------------------------------------------------------------------

/// Words of the form `counting/name`, `actors/name` or `work/name` in the document name golden programs.
fn counting_rules_name_their_tests() -> Checked {
    rules_name_their_tests("counting")?;
    rules_name_their_tests("actors")?;
    rules_name_their_tests("work")
}

fn rules_name_their_tests(folder: &str) -> Checked {
    let text = read("docs/COUNTING.md")?;
    let word = format!("`{folder}/");
    let is_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let named: BTreeSet<&str> = text
        .match_indices(word.as_str())
        .filter_map(|(at, word)| text[at + word.len()..].split(|c| !is_name(c)).next())
        .filter(|name| !name.is_empty())
        .collect();
    let folder = root().join("tests/golden").join(folder);
    let files = files_below(&folder, "st").map_err(|error| error.to_string())?;
    let stems: BTreeSet<String> = files
        .iter()
        .filter_map(|path| Some(path.file_stem()?.to_string_lossy().into_owned()))
        .collect();
    let missing: Vec<_> = named
        .iter()
        .filter(|name| !stems.contains(**name))
        .collect();
    let unnamed: Vec<_> = stems
        .iter()
        .filter(|stem| !named.contains(stem.as_str()))
        .collect();
    if missing.is_empty() && unnamed.is_empty() {
        return Ok(());
    }
    Err(format!(
        "COUNTING.md names {missing:?}, which do not exist, and does not name {unnamed:?}"
    ))
}

fn read(path: &str) -> Result<String, String> {
    std::fs::read_to_string(root().join(path)).map_err(|error| format!("{path}: {error}"))
}

/// The table of counters in the document is the machine's.
fn work_counters_are_in_step() -> Checked {
    let text = read("docs/COUNTING.md")?;
    let others = Work::OTHERS
        .iter()
        .map(|&(name, weight)| format!("| {name} | {weight} |"));
    let counters = Work::ALL.iter().map(|work| {
        let (name, weight, charge) = (work.name(), work.weight(), work.doc());
        format!("| `{name}` | {weight} | {charge} |")
    });
    let missing: Vec<String> = others
        .chain(counters)
        .filter(|row| !text.contains(row))
        .collect();
    match missing.is_empty() {
        true => Ok(()),
        false => Err(format!(
            "docs/COUNTING.md lacks these rows:\n{}",
            missing.join("\n")
        )),
    }
}

// --- instructions -----------------------------------------------------------------------------------

const BYTECODE_HEAD: &str = "\
# The instructions

Made from the one list of instructions, `vm/src/bytecode/instructions.rs`, by a test; to change it change
the list and run the tests with `TALLY_UPDATE=1`.

An instruction is a word of 64 bits: `op8 a8 b8 c8 imm32`, the opcode in the lowest byte. A *plain*
instruction is one word. A *send-shaped* one is three: the second holds the inline cache's class (32
bits), the base of the send's window (16 bits) and the register that gets the answer (16 bits), the
third the inline cache's target. The numbers of registers count from the frame's base, where the
receiver stands; arguments, temporaries and windows follow.

What an instruction counts is a rule of the counting model (COUNTING.md), not of the machine.

*Goes on* says where execution continues when no message is sent: behind the instruction unless told otherwise. *May*
names the effects that an instruction can have beside those on registers. An instruction that *sends* can activate a
method, and so have every effect. One that *switches* can let another process run, which has every effect but that.

";

fn bytecode_manual_is_in_step() -> Checked {
    let mut text = String::from(BYTECODE_HEAD);
    for shape in [Shape::Plain, Shape::Send] {
        let title = match shape {
            Shape::Plain => "## Plain instructions",
            Shape::Send => "## Send-shaped instructions",
        };
        let _ = writeln!(
            text,
            "{title}\n\n| opcode | name | operands | counts | goes on | may | meaning |"
        );
        let _ = writeln!(text, "| --- | --- | --- | --- | --- | --- | --- |");
        for (number, info) in Op::INFO
            .iter()
            .enumerate()
            .filter(|(_, i)| i.shape == shape)
        {
            let _ = writeln!(text, "{}", bytecode_row(number, info));
        }
        text.push('\n');
    }
    compare_with_file(
        &root().join("docs/BYTECODE.md"),
        &(text.trim_end().to_string() + "\n"),
    )
}

fn bytecode_row(number: usize, info: &OpInfo) -> String {
    let letters = [("a", info.a), ("b", info.b), ("c", info.c)];
    let mut operands: Vec<String> = letters
        .into_iter()
        .filter_map(|(letter, operand)| Some(format!("{letter} {}", operand_text(operand)?)))
        .collect();
    operands.extend(immediate_text(info.imm).map(str::to_string));
    let counts = match info.counts {
        Counts::Nothing => "",
        Counts::Send => "send",
        Counts::Loop => "loop",
    };
    let doc = info
        .doc
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .replace('|', "\\|");
    format!(
        "| {number} | `{}` | {} | {counts} | {} | {} | {doc} |",
        info.name,
        operands.join(", "),
        flow_text(info.flow),
        effects_text(info)
    )
}

fn flow_text(flow: Flow) -> &'static str {
    match flow {
        Flow::Onward => "",
        Flow::Jumps => "at imm",
        Flow::Branches => "behind itself or at imm",
        Flow::Leaves => "nowhere",
    }
}

/// The effects, without the effects that another effect implies.
fn effects_text(info: &OpInfo) -> String {
    for strongest in [Effect::Sends, Effect::Switches] {
        if info.effects.has(strongest) {
            return effect_text(strongest).to_string();
        }
    }
    let effects = Effect::ALL.into_iter();
    let named = effects.filter(|&effect| info.effects.has(effect));
    named.map(effect_text).collect::<Vec<_>>().join(", ")
}

fn effect_text(effect: Effect) -> &'static str {
    match effect {
        Effect::Reads => "read",
        Effect::Writes => "write",
        Effect::Allocates => "allocate",
        Effect::Switches => "switch",
        Effect::Invalidates => "invalidate",
        Effect::Sends => "send",
    }
}

fn operand_text(operand: Operand) -> Option<&'static str> {
    match operand {
        Operand::Nil => None,
        Operand::Write => Some("written"),
        Operand::Read => Some("read"),
        Operand::First => Some("first of a group that is read"),
        Operand::Count => Some("a number"),
        Operand::Int8 => Some("an integer"),
        Operand::Sense => Some("the sense of the jump"),
        Operand::Steps => Some("steps"),
    }
}

fn immediate_text(immediate: Immediate) -> Option<&'static str> {
    match immediate {
        Immediate::Nil => None,
        Immediate::Int32 => Some("imm an integer"),
        Immediate::WidePair => Some("imm two registers"),
        Immediate::Literal => Some("imm a literal"),
        Immediate::Global => Some("imm a global"),
        Immediate::Ivar => Some("imm an instance variable"),
        Immediate::Slot => Some("imm a slot"),
        Immediate::Jump => Some("imm where to go on"),
        Immediate::Block => Some("imm a block"),
        Immediate::Site => Some("imm a send site"),
        Immediate::Frame => Some("imm a kind of frame"),
        Immediate::Definition => Some("imm a definition"),
    }
}

// --- primitives -------------------------------------------------------------------------------------

const PRIMITIVES_HEAD: &str = "\
# The primitives

Made from the tables in `vm/src/primitives` and from the library by a test; to change it change those
and run the tests with `TALLY_UPDATE=1`.

A method of Smalltalk binds a primitive by `<primitive: name>`. When the primitive succeeds its answer is the
method's, and no frame is made; when it declines the method's body runs. When it succeeds is part of the
counting model (COUNTING.md): what a primitive declines costs the sends of the body. A method of SOM that says
`primitive` binds the one with its own name, `som:Class>>selector`, which never declines: what it cannot do ends
the run.

Every primitive is safe for memory whatever it is applied to. One that is *open* can be bound in any source. The others
are for the library alone: they read or change what the machine keeps (frames, processes, counters, code, the outside
world), and counts rely on how the library uses them. A program that names one does not compile (E0216), nor does one
that marks a frame by `<frame: …>`. A name or number that the machine does not know is warned of (W0307), and the method's
body runs.

A *leaf* makes no object, causes no collection and makes no request to the loop. One that *allocates* can make objects and so
collect. One that *requests* can also ask the loop for what needs frames, another process or another mode. A primitive declines
whatever it does not succeed for. What an *ordered* one does happens in the order of virtual time (TIMELINE.md, R14 and R18): while
there are processors, the others catch up before it is carried out.

The column *work* has the charge of a call that succeeds (COUNTING.md, *Work inside primitives*). There w(x) is the size of an integer
in words of 64 bits, at least 1. Two operands have the sizes n ≤ m. The column also names the operands for which a call is *simple*.
All other calls that succeed count as `called`.

| name | arguments | for | reach | succeeds for, and answers | work | bound in |
| --- | --- | --- | --- | --- | --- | --- |
";

fn primitives_manual_is_in_step() -> Checked {
    let bindings = bindings()?;
    let mut text = String::from(PRIMITIVES_HEAD);
    for row in tally_vm::primitives::all() {
        let arguments = row
            .arguments
            .map_or("any".to_string(), |count| count.to_string());
        let doc = row
            .doc
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
            .replace('|', "\\|");
        let files = bindings.get(row.name).map(|files| {
            files
                .iter()
                .map(|file| format!("`{file}`"))
                .collect::<Vec<_>>()
                .join(", ")
        });
        let bound = files.unwrap_or_default();
        let border = if row.is_open { "open" } else { "library" };
        let reach = match row.reach {
            Reach::Leaf => "leaf",
            Reach::Allocates => "allocates",
            Reach::Requests => "requests",
        };
        let order = if row.is_ordered { ", ordered" } else { "" };
        let _ = writeln!(
            text,
            "| `{}` | {arguments} | {border} | {reach}{order} | {doc} | {} | {bound} |",
            row.name,
            row.work()
        );
    }
    compare_with_file(&root().join("docs/PRIMITIVES.md"), &text)
}

/// The library's files by the primitives that they bind.
fn bindings() -> Result<BTreeMap<String, BTreeSet<String>>, String> {
    let library = root().join("stdlib");
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for path in files_below(&library, "st").map_err(|error| error.to_string())? {
        let text = std::fs::read_to_string(&path).map_err(|error| error.to_string())?;
        let file = path
            .strip_prefix(&library)
            .unwrap_or(&path)
            .to_string_lossy()
            .replace('\\', "/");
        for (at, start) in text.match_indices("<primitive:") {
            let rest = &text[at + start.len()..];
            let name = rest
                .split('>')
                .next()
                .unwrap_or_default()
                .trim()
                .to_string();
            found.entry(name).or_default().insert(file.clone());
        }
    }
    som_bindings(&library, &mut found)?;
    Ok(found)
}

/// The files of SOM's library by the primitives that they bind: `selector = primitive`, and what the class
/// and the side make of it. The row for methods without a primitive belongs to all of them.
fn som_bindings(
    library: &std::path::Path,
    found: &mut BTreeMap<String, BTreeSet<String>>,
) -> Checked {
    for path in files_below(library, "som").map_err(|error| error.to_string())? {
        let text = std::fs::read_to_string(&path).map_err(|error| error.to_string())?;
        let class = path.file_stem().unwrap_or_default().to_string_lossy();
        let file = format!("som/{class}.som");
        let mut side = "";
        for line in text.lines() {
            if line.trim().starts_with("----") {
                side = " class";
            }
            let Some(pattern) = line.trim_end().strip_suffix("= primitive") else {
                continue;
            };
            let words: Vec<&str> = pattern.split_whitespace().collect();
            let selector = match words.as_slice() {
                [unary] => (*unary).to_string(),
                [operator, _] if !operator.ends_with(':') => (*operator).to_string(),
                keywords => keywords.iter().step_by(2).copied().collect(),
            };
            let name = format!("som:{class}{side}>>{selector}");
            let name = tally_vm::primitives::row_name(&name).to_string();
            found.entry(name).or_default().insert(file.clone());
        }
    }
    found
        .entry("som:unknown".to_string())
        .or_default()
        .insert("som".to_string());
    Ok(())
}

fn the_library_binds_known_primitives() -> Checked {
    let known: BTreeSet<&str> = tally_vm::primitives::all().map(|row| row.name).collect();
    let bindings = bindings()?;
    let unknown: Vec<_> = bindings
        .iter()
        .filter(|(name, _)| !known.contains(name.as_str()))
        .collect();
    if unknown.is_empty() {
        Ok(())
    } else {
        Err(format!("no such primitives: {unknown:?}"))
    }
}

fn every_primitive_is_bound() -> Checked {
    let bindings = bindings()?;
    let rows = tally_vm::primitives::all().map(|row| row.name);
    let is_unbound = |name: &&str| {
        !bindings.contains_key(*name) && !tally_vm::primitives::FOR_TESTS.contains(name)
    };
    let unbound: Vec<_> = rows.filter(is_unbound).collect();
    if unbound.is_empty() {
        Ok(())
    } else {
        Err(format!("primitives that nothing binds: {unbound:?}"))
    }
}
