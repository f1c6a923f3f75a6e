//! The `tally` command.
#![allow(missing_docs, clippy::print_stdout, clippy::print_stderr)]
use std::sync::Arc;
use std::io::{self, Write};
#[global_allocator]
static GLOBAL: mimalloc::MiMalloc = mimalloc::MiMalloc;
struct H(io::BufWriter<io::Stdout>);
impl tally_vm::Host for H {
    fn write_out(&mut self, t: &str) -> io::Result<()> { self.0.write_all(t.as_bytes()) }
    fn write_error(&mut self, t: &str) -> io::Result<()> { eprint!("{t}"); Ok(()) }
    fn flush(&mut self) -> io::Result<()> { self.0.flush() }
    fn read_line(&mut self) -> io::Result<Option<String>> { let mut s=String::new(); let n=io::stdin().read_line(&mut s)?; Ok((n>0).then(|| s.trim_end_matches('\n').to_string())) }
    fn read_to_end(&mut self) -> io::Result<String> { io::read_to_string(io::stdin()) }
    fn read_file(&mut self, p: &str) -> io::Result<Vec<u8>> { std::fs::read(p) }
    fn milliseconds(&mut self) -> u64 { 0 }
}
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let mut config = tally_vm::Config::default();
    if std::env::var("GCSTRESS").is_ok() { config.gc_stress = true; }
    if std::env::var("REF").is_ok() { config.optimisations = tally_vm::Optimisations::NONE; }
    let mut vm = tally_stdlib::machine(config, Box::new(H(io::BufWriter::new(io::stdout())))).unwrap_or_else(|e| { eprintln!("{e}"); std::process::exit(70) });
    let mut rest = &args[1..];
    if rest.first().is_some_and(|a| a == "run") { rest = &rest[1..]; }
    let (name, source) = if rest[0] == "-e" { ("<command line>".to_string(), format!("({}) printNl", rest[1])) } else { (rest[0].clone(), std::fs::read_to_string(&rest[0]).unwrap_or_default()) };
    if let Some(at) = rest.iter().position(|a| a == "--") { vm.set_arguments(rest[at+1..].to_vec()); }
    if std::env::var("UNCOUNTED").is_ok() { vm.stop_counting(); }
    if std::env::var("PROFILE").is_ok() { vm.start_profile(); }
    let compiled = tally_compiler::compile(&name, &source, &tally_compiler::environment::MachineEnvironment(&vm));
    if !compiled.diagnostics.is_empty() { eprint!("{}", tally_compiler::render::render(&compiled.diagnostics, &name, &source, false)); }
    let Some(unit) = compiled.unit else { std::process::exit(8) };
    let outcome = vm.run_unit(Arc::new(unit));
    let r = vm.finish_profile();
    for (m, t) in r.tallies() { eprintln!("{:40} {:?}", vm.method_name(m), t); }
    eprintln!("{outcome:?} {:?}", vm.cost());
}
