//! Primitives that reach beyond the running program: global variables, the script's arguments, output, input, files,
//! the environment and clocks. Everything outside the machine goes through its `Host`.

use std::io;

use super::reflection::answer;
use super::text::{Letters, make_strings, text};
use super::{Answer, Primitive, rows};
use crate::base::{Known, Value};
use crate::bytecode::GlobalRef;
use crate::heap::Contents;
use crate::machine::Vm;
use crate::run::Args;
use crate::world::{FileKind, Writing};

rows! {
    "systemGlobalAt"(1) library allocates ordered => global_at, "A Symbol that names a defined global: its value.";
    "systemGlobalAtPut"(2) library requests ordered => global_at_put,
        "A Symbol and anything: the latter, now the global's value.";
    "systemIncludesGlobal"(1) library leaf => includes_global, "A Symbol: whether it names a defined global.";
    "systemGlobalNames"(0) library allocates => global_names,
        "Always: an Array of Symbols in the order of definition.", LIST;
    "systemArguments"(0) library allocates => arguments, "Always: an Array of Strings.", LIST;
    "systemVersion"(0) library allocates => version, "Always: a String.";
    "systemMillisecondClock"(0) library allocates ordered => milliseconds, "Always: an integer from 0 on.";
    "systemMicrosecondClock"(0) library allocates ordered => microseconds, "Always: an integer from 0 on.";
    "systemCalendarMicroseconds"(0) library allocates ordered => calendar,
        "Always: the microseconds since the start of 1970, UTC.";
    "randomSeed"(0) library leaf ordered => random_seed,
        "Always: an integer from 1 to 2147483646, another one at each use.";
    "stdoutWrite"(1) library leaf ordered => |vm, args| write(vm, args, false),
        "A string: the receiver, when the text could be written.", WRITE_ARGUMENT;
    "stderrWrite"(1) library leaf ordered => |vm, args| write(vm, args, true),
        "A string: the receiver, when the text could be written.", WRITE_ARGUMENT;
    "stdoutFlush"(0) library leaf ordered => flush, "Always, when the output could be written: the receiver.";
    "stdinNextLine"(0) library allocates ordered => next_line,
        "When there is input to be had: a String without the line's end, or nil at the end.", READ_BYTES;
    "stdinUpToEnd"(0) library allocates ordered => up_to_end, "When there is input to be had: a String.", READ_BYTES;
    "fileContents"(1) library allocates ordered => file_contents,
        "A path: a String, or one of the Symbols missing, denied, directory, notUtf8, failed.", READ_BYTES;
    "fileBytes"(1) library allocates ordered => file_bytes,
        "A path: a ByteArray, or one of the Symbols missing, denied, directory, failed.", READ_BYTES;
    "fileExists"(1) library leaf ordered => file_exists,
        "A path: whether a file or directory is there that the script may read.";
    "fileFacts"(1) library allocates ordered => file_facts,
        "A path: an Array of three elements, or one of the Symbols missing, denied, failed. The elements are one of the \
         Symbols file, directory, other; the size in bytes, 0 unless it is a file; and whether it is a link.";
    "fileModified"(1) library leaf ordered => file_modified,
        "A path: the seconds from 1970 to the last change, or one of the Symbols missing, denied, failed.";
    "fileNames"(1) library allocates ordered => file_names,
        "A path of a directory: an Array of Strings, sorted; or one of the Symbols missing, denied, noDirectory, failed.", LIST;
    "fileWrite"(2) library leaf ordered => |vm, args| file_write(vm, args, Writing::Replace),
        "A path and a string or ByteArray: nil, or one of the Symbols missing, denied, directory, failed.", WRITE_ARGUMENT;
    "fileAppend"(2) library leaf ordered => |vm, args| file_write(vm, args, Writing::Append),
        "A path and a string or ByteArray: nil, or one of the Symbols missing, denied, directory, failed.", WRITE_ARGUMENT;
    "fileCreateDirectory"(1) library leaf ordered => file_create_directory,
        "A path: nil, or one of the Symbols missing, denied, exists, failed.";
    "fileDelete"(1) library leaf ordered => file_delete,
        "A path: nil, or one of the Symbols missing, denied, notEmpty, failed.";
    "fileRename"(2) library leaf ordered => file_rename,
        "Two paths: nil, or one of the Symbols missing, denied, exists, failed.";
    "fileWorkingDirectory"(0) library allocates => working_directory,
        "Always: a String, or one of the Symbols denied, failed.";
    "systemEnvironmentAt"(1) library allocates => environment_at,
        "A string: a String, nil when there is no such variable, or the Symbol denied.";
    "systemEnvironmentNames"(0) library allocates => environment_names,
        "Always: an Array of Strings, sorted, or the Symbol denied.", LIST;
}

// --- globals -----------------------------------------------------------------------------------

/// The global that an argument names.
fn reference(vm: &Vm, args: Args) -> Option<GlobalRef> {
    let id = args.at(vm, 0).as_symbol()?;
    Some(GlobalRef::Global(vm.symbol_text(id).to_string()))
}

/// The number of a global that is defined.
fn defined(vm: &Vm, reference: &GlobalRef) -> Option<usize> {
    let id = *vm.image.global_ids.get(reference)? as usize;
    let global = vm.image.globals.get(id)?;
    global.defined.then_some(id)
}

fn global_at(vm: &mut Vm, args: Args) -> Option<Value> {
    let id = defined(vm, &reference(vm, args)?)?;
    Some(vm.read_global(id))
}

fn includes_global(vm: &mut Vm, args: Args) -> Option<Value> {
    let reference = reference(vm, args)?;
    Some(Value::bool(defined(vm, &reference).is_some()))
}

fn global_at_put(vm: &mut Vm, args: Args) -> Answer {
    let Some(reference) = reference(vm, args) else {
        return Answer::DECLINE;
    };
    let value = args.at(vm, 1);
    let id = vm.global(&reference) as usize;
    vm.write_global(id, value);
    answer(vm, value)
}

fn global_names(vm: &mut Vm, _args: Args) -> Option<Value> {
    let mut names = Vec::new();
    for (global, reference) in vm.image.globals.iter().zip(vm.image.references.iter()) {
        if let (GlobalRef::Global(name), true) = (&**reference, global.defined) {
            names.push(Value::symbol(vm.image.symbols.intern(name)));
        }
    }
    vm.has_room_for(Contents::Slots(names.len()))
        .then(|| vm.make_array(&names))
}

// --- the run -----------------------------------------------------------------------------------

pub(super) fn letters(content: &str) -> Letters {
    match content.is_ascii() {
        true => Letters::Narrow(content.as_bytes().to_vec()),
        false => Letters::Codes(content.chars().map(u32::from).collect()),
    }
}

fn arguments(vm: &mut Vm, _args: Args) -> Option<Value> {
    let arguments: Vec<Letters> = vm.world.arguments.iter().map(|a| letters(a)).collect();
    make_strings(vm, &arguments)
}

fn version(vm: &mut Vm, _args: Args) -> Option<Value> {
    Some(vm.make_string(env!("CARGO_PKG_VERSION")))
}

fn milliseconds(vm: &mut Vm, _args: Args) -> Option<Value> {
    let now = vm.clock() / 1000;
    Some(vm.make_integer_i128(i128::from(now)))
}

fn microseconds(vm: &mut Vm, _args: Args) -> Option<Value> {
    let now = vm.clock();
    Some(vm.make_integer_i128(i128::from(now)))
}

fn calendar(vm: &mut Vm, _args: Args) -> Option<Value> {
    let now = vm.calendar();
    Some(vm.make_integer_i128(i128::from(now)))
}

fn random_seed(vm: &mut Vm, _args: Args) -> Option<Value> {
    let seed = vm.next_seed();
    Value::try_int(i64::try_from(seed).ok()?)
}

// --- streams -----------------------------------------------------------------------------------

fn write(vm: &mut Vm, args: Args, to_error: bool) -> Option<Value> {
    let content = text(vm, args.at(vm, 0))?.to_text();
    let written = match to_error {
        true => vm.world.host.write_error(&content),
        false => vm.world.host.write_out(&content),
    };
    written.ok().map(|()| args.receiver(vm))
}

fn flush(vm: &mut Vm, args: Args) -> Option<Value> {
    vm.world.host.flush().ok().map(|()| args.receiver(vm))
}

fn next_line(vm: &mut Vm, _args: Args) -> Option<Value> {
    match vm.world.host.read_line().ok()? {
        Some(line) => letters(&line).make(vm),
        None => Some(Value::NIL),
    }
}

fn up_to_end(vm: &mut Vm, _args: Args) -> Option<Value> {
    let rest = vm.world.host.read_to_end().ok()?;
    letters(&rest).make(vm)
}

// --- files -------------------------------------------------------------------------------------

fn path(vm: &Vm, args: Args) -> Option<String> {
    Some(text(vm, args.at(vm, 0))?.to_text())
}

fn reason(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::NotFound => "missing",
        io::ErrorKind::PermissionDenied => "denied",
        io::ErrorKind::IsADirectory => "directory",
        io::ErrorKind::NotADirectory => "noDirectory",
        io::ErrorKind::AlreadyExists => "exists",
        io::ErrorKind::DirectoryNotEmpty => "notEmpty",
        _ => "failed",
    }
}

/// Nil, or the Symbol that says why not.
fn nil_or_reason(vm: &mut Vm, done: io::Result<()>) -> Value {
    match done {
        Ok(()) => Value::NIL,
        Err(error) => vm.symbol(reason(&error)),
    }
}

fn file_contents(vm: &mut Vm, args: Args) -> Option<Value> {
    let path = path(vm, args)?;
    match vm.world.host.read_file(&path) {
        Ok(bytes) => match std::str::from_utf8(&bytes) {
            Ok(content) => letters(content).make(vm),
            Err(_) => Some(vm.symbol("notUtf8")),
        },
        Err(error) => Some(vm.symbol(reason(&error))),
    }
}

fn file_bytes(vm: &mut Vm, args: Args) -> Option<Value> {
    let path = path(vm, args)?;
    match vm.world.host.read_file(&path) {
        Ok(bytes) => vm
            .has_room_for(Contents::Bytes(bytes.len()))
            .then(|| vm.make_bytes(Known::ByteArray.into(), &bytes)),
        Err(error) => Some(vm.symbol(reason(&error))),
    }
}

fn file_exists(vm: &mut Vm, args: Args) -> Option<Value> {
    let path = path(vm, args)?;
    let exists = match vm.world.host.read_file(&path) {
        Ok(_) => true,
        Err(error) => error.kind() == io::ErrorKind::IsADirectory,
    };
    Some(Value::bool(exists))
}

fn file_facts(vm: &mut Vm, args: Args) -> Option<Value> {
    let path = path(vm, args)?;
    let facts = match vm.world.host.file_facts(&path) {
        Ok(facts) => facts,
        Err(error) => return Some(vm.symbol(reason(&error))),
    };
    let kind = vm.symbol(match facts.kind {
        FileKind::File => "file",
        FileKind::Directory => "directory",
        FileKind::Other => "other",
    });
    let size = Value::try_int(i64::try_from(facts.size).ok()?)?;
    let is_link = Value::bool(facts.is_link);
    vm.has_room_for(Contents::Slots(3))
        .then(|| vm.make_array(&[kind, size, is_link]))
}

fn file_modified(vm: &mut Vm, args: Args) -> Option<Value> {
    let path = path(vm, args)?;
    match vm.world.host.file_modified(&path) {
        Ok(modified) => Value::try_int(modified),
        Err(error) => Some(vm.symbol(reason(&error))),
    }
}

fn names(vm: &mut Vm, found: io::Result<Vec<String>>) -> Option<Value> {
    match found {
        Ok(names) => {
            let names: Vec<Letters> = names.iter().map(|name| letters(name)).collect();
            make_strings(vm, &names)
        }
        Err(error) => Some(vm.symbol(reason(&error))),
    }
}

fn file_names(vm: &mut Vm, args: Args) -> Option<Value> {
    let path = path(vm, args)?;
    let found = vm.world.host.file_names(&path);
    names(vm, found)
}

fn file_write(vm: &mut Vm, args: Args, writing: Writing) -> Option<Value> {
    let path = path(vm, args)?;
    let contents = args.at(vm, 1);
    let bytes = match text(vm, contents) {
        Some(text) => text.to_text().into_bytes(),
        None if vm.is_a(contents, Known::ByteArray) => vm.heap.bytes(contents).to_vec(),
        None => return None,
    };
    let done = vm.world.host.write_file(&path, &bytes, writing);
    Some(nil_or_reason(vm, done))
}

fn file_create_directory(vm: &mut Vm, args: Args) -> Option<Value> {
    let path = path(vm, args)?;
    let done = vm.world.host.create_directory(&path);
    Some(nil_or_reason(vm, done))
}

fn file_delete(vm: &mut Vm, args: Args) -> Option<Value> {
    let path = path(vm, args)?;
    let done = vm.world.host.delete_file(&path);
    Some(nil_or_reason(vm, done))
}

fn file_rename(vm: &mut Vm, args: Args) -> Option<Value> {
    let old = path(vm, args)?;
    let new = text(vm, args.at(vm, 1))?.to_text();
    let done = vm.world.host.rename_file(&old, &new);
    Some(nil_or_reason(vm, done))
}

fn working_directory(vm: &mut Vm, _args: Args) -> Option<Value> {
    match vm.world.host.working_directory() {
        Ok(path) => letters(&path).make(vm),
        Err(error) => Some(vm.symbol(reason(&error))),
    }
}

// --- the environment ---------------------------------------------------------------------------

fn environment_at(vm: &mut Vm, args: Args) -> Option<Value> {
    let name = path(vm, args)?;
    match vm.world.host.environment(&name) {
        Ok(Some(value)) => letters(&value).make(vm),
        Ok(None) => Some(Value::NIL),
        Err(error) => Some(vm.symbol(reason(&error))),
    }
}

fn environment_names(vm: &mut Vm, _args: Args) -> Option<Value> {
    let found = vm.world.host.environment_names();
    names(vm, found)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{machine, run};
    use super::*;

    #[test]
    fn seeds_differ_and_keep_to_their_range() {
        let mut vm = machine();
        let mut seeds = Vec::new();
        for _ in 0..100 {
            let seed = run(&mut vm, "randomSeed", &[Value::NIL]).and_then(Value::as_int);
            seeds.extend(seed.filter(|seed| (1..=2_147_483_646).contains(seed)));
        }
        seeds.sort_unstable();
        seeds.dedup();
        assert_eq!(seeds.len(), 100);
    }

    #[test]
    fn globals_come_to_be_by_assignment() {
        let mut vm = machine();
        let name = vm.symbol("Counter");
        assert_eq!(run(&mut vm, "systemGlobalAt", &[Value::NIL, name]), None);
        let includes = run(&mut vm, "systemIncludesGlobal", &[Value::NIL, name]);
        assert_eq!(includes, Some(Value::FALSE));
        for number in [1, 2] {
            let value = Value::int(number);
            run(&mut vm, "systemGlobalAtPut", &[Value::NIL, name, value]).expect("the value");
            assert_eq!(
                run(&mut vm, "systemGlobalAt", &[Value::NIL, name]),
                Some(value)
            );
        }
        let names = run(&mut vm, "systemGlobalNames", &[Value::NIL]).expect("an Array");
        assert_eq!(
            vm.heap
                .slots(names)
                .iter()
                .filter(|&&found| found == name)
                .count(),
            1
        );
    }

    #[test]
    fn a_script_may_not_reach_files_by_default() {
        let mut vm = machine();
        let path = vm.make_string("/etc/passwd");
        let denied = vm.symbol("denied");
        assert_eq!(
            run(&mut vm, "fileContents", &[Value::NIL, path]),
            Some(denied)
        );
        assert_eq!(
            run(&mut vm, "fileExists", &[Value::NIL, path]),
            Some(Value::FALSE)
        );
        assert_eq!(
            run(&mut vm, "fileWrite", &[Value::NIL, path, path]),
            Some(denied)
        );
    }
}
