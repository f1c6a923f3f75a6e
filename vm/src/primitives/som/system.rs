//! Primitives of SOM's System: globals, classes from the class path, output, time, the end of the run.

use super::row::{Asked, Failed, Said, request, som_rows, symbol, text_argument};
use crate::base::{Stop, Value};
use crate::bytecode::GlobalRef;
use crate::machine::Vm;
use crate::run::{Args, Request};

som_rows! {
    "som:System>>global:"(1) => global, "A Symbol: the value of the global, nil if there is none.";
    "som:System>>global:put:"(2) => global_put, "A Symbol and anything, which becomes the global's value: the receiver.";
    "som:System>>hasGlobal:"(1) => has_global, "A Symbol: whether it names a global.";
    "som:System>>load:"(1) => load,
        "A Symbol: the class of that name, defined from the class path if need be; nil if there is none.";
    "som:System>>loadFile:"(1) => load_file, "A path: the file's text, nil if it cannot be read.", READ_BYTES;
    "som:System>>exit:"(1) => exit, "An Integer: the run ends, with its lowest byte as exit code.";
    "som:System>>printString:"(1) => |vm, args| print(vm, args, "", false), "A String: the receiver.", WRITE_ARGUMENT;
    "som:System>>printNewline"(0) => print_newline, "The receiver.";
    "som:System>>errorPrint:"(1) => |vm, args| print(vm, args, "", true), "A String: the receiver.", WRITE_ARGUMENT;
    "som:System>>errorPrintln:"(1) => |vm, args| print(vm, args, "\n", true), "A String: the receiver.", WRITE_ARGUMENT;
    "som:System>>time"(0) => time, "Milliseconds of the real clock.";
    "som:System>>ticks"(0) => ticks, "Microseconds of the real clock.";
    "som:System>>fullGC"(0) => full_collection, "true: all garbage is collected.";
    "som:System>>printStackTrace"(0) => print_stack_trace,
        "true: where the program stands is written to standard error.";
}

fn reference(vm: &Vm, args: Args) -> Result<GlobalRef, Failed> {
    let name = vm.symbol_text(symbol(vm, args, 0)?);
    Ok(GlobalRef::Global(name.to_string()))
}

fn global(vm: &mut Vm, args: Args) -> Said {
    let name = vm.symbol_text(symbol(vm, args, 0)?);
    Ok(vm.global_value(name).unwrap_or(Value::NIL))
}

fn has_global(vm: &mut Vm, args: Args) -> Said {
    let name = vm.symbol_text(symbol(vm, args, 0)?);
    Ok(Value::bool(vm.global_value(name).is_some()))
}

fn global_put(vm: &mut Vm, args: Args) -> Said {
    let reference = reference(vm, args)?;
    let value = args.at(vm, 1);
    let id = vm.global(&reference) as usize;
    vm.image.globals[id].value = value;
    vm.image.globals[id].defined = true;
    Ok(args.receiver(vm))
}

fn load(vm: &mut Vm, args: Args) -> Asked {
    let name = symbol(vm, args, 0)?;
    Ok(request(vm, Request::LoadClass { name }))
}

fn load_file(vm: &mut Vm, args: Args) -> Said {
    let path = text_argument(vm, args, 0)?;
    let content = vm
        .world
        .host
        .read_file(&path)
        .ok()
        .and_then(|bytes| String::from_utf8(bytes).ok());
    Ok(match content {
        Some(content) => super::string::make_text(vm, &content),
        None => Value::NIL,
    })
}

fn exit(vm: &mut Vm, args: Args) -> Asked {
    match args.at(vm, 0).as_int() {
        Some(code) => Ok(request(vm, Request::Stop(Stop::Exit(code as u8)))),
        None => Err("an exit code is an Integer".into()),
    }
}

fn write(vm: &mut Vm, content: &str, to_error: bool) -> Result<(), Failed> {
    let written = match to_error {
        true => vm.world.host.write_error(content),
        false => vm.world.host.write_out(content),
    };
    written.map_err(|error| format!("output failed: {error}").into())
}

fn print(vm: &mut Vm, args: Args, end: &str, to_error: bool) -> Said {
    let content = text_argument(vm, args, 0)?;
    write(vm, &(content + end), to_error)?;
    Ok(args.receiver(vm))
}

fn print_newline(vm: &mut Vm, args: Args) -> Said {
    write(vm, "\n", false)?;
    Ok(args.receiver(vm))
}

fn time(vm: &mut Vm, _args: Args) -> Said {
    let now = vm.clock() / 1000;
    Ok::<Value, Failed>(vm.make_integer_i128(i128::from(now)))
}

fn ticks(vm: &mut Vm, _args: Args) -> Said {
    let now = vm.clock();
    Ok::<Value, Failed>(vm.make_integer_i128(i128::from(now)))
}

fn full_collection(vm: &mut Vm, _args: Args) -> Said {
    vm.collect_garbage();
    Ok::<Value, Failed>(Value::TRUE)
}

fn print_stack_trace(vm: &mut Vm, _args: Args) -> Said {
    let trace = vm.trace(None).text(false);
    write(vm, &trace, true)?;
    Ok(Value::TRUE)
}
