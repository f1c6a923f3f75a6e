//! Hostile programs: messages to everything in the library, with unexpected receivers and arguments; every primitive
//! bound by a method of a program; programs made of bytes. `tests/sweep.rs` and the fuzz target `machine` run them.

pub mod grammar;
pub mod isolation;

use std::fmt::Write as _;
use std::sync::Arc;

use tally_compiler::environment::MachineEnvironment;
use tally_compiler::library::ExtendedLibrary;
use tally_vm::bytecode::Unit;
use tally_vm::{Config, Host, Outcome, Vm};

use crate::host::TestHost;
use crate::modes::Mode;

/// The classes that hostile programs use, and what draws messages.
pub const CLASSES: &str = include_str!("classes.st");

/// Puts the classes and the messages that a sweep counts through where its batches find them. A batch then begins with a
/// fork, which is cheaper than asking anew.
const COLLECT: &str = "
| classes pairs |
classes := Smalltalk allClasses asArray.
pairs := WriteStream on: Array new.
classes do: [:class |
    class selectors do: [:selector | pairs nextPut: {class. selector}].
    class class selectors do: [:selector | pairs nextPut: {class class. selector}]].
Smalltalk at: #SweepClasses put: classes.
Smalltalk at: #SweepPairs put: pairs contents.
pairs contents size printNl";

/// Sends the messages that a batch is made of. Arguments: the number to start with, the first message and how many. Messages
/// from 0 on are those of the library, each sent to an instance of its class. The others are random.
const BATCH: &str = "
| sweep first count pairs classes |
sweep := Sweep new start: (Smalltalk arguments at: 1) asInteger.
first := (Smalltalk arguments at: 2) asInteger.
count := (Smalltalk arguments at: 3) asInteger.
pairs := Smalltalk at: #SweepPairs.
classes := Smalltalk at: #SweepClasses.
first < 0
    ifTrue: [count timesRepeat: [first = -1 ifTrue: [sweep one: classes] ifFalse: [sweep sharp: classes]]]
    ifFalse: [
        first + 1 to: (first + count min: pairs size) do: [:i |
            | pair class |
            pair := pairs at: i.
            class := pair first.
            sweep send: pair last to: (class isMeta ifTrue: [class instanceSide] ifFalse: [sweep receiverOf: class])]]";

/// Sends the messages behind which primitives stand, to receivers of all kinds. Arguments as before.
const PRIMITIVES: &str = "
| sweep first count selectors |
sweep := Sweep new start: (Smalltalk arguments at: 1) asInteger.
first := (Smalltalk arguments at: 2) asInteger.
count := (Smalltalk arguments at: 3) asInteger.
selectors := Smalltalk at: #SweepPrimitives.
first + 1 to: first + count do: [:i |
    sweep
        send: (selectors at: i - 1 \\\\ selectors size + 1)
        to: (sweep receiverOf: (sweep class: (Smalltalk at: #SweepClasses)))]";

/// Which messages a sweep sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Messages {
    /// Each message of the library, to what its class makes.
    Library,
    /// Messages that are drawn, to receivers that are drawn.
    Drawn,
    /// Messages that change frames, processes, classes and methods, inside each other.
    Sharp,
    /// Each primitive with each number of arguments that its row allows, to receivers of all classes.
    Primitives,
}

/// A machine that has the classes of a sweep, and what its batches run.
pub struct Sweep {
    machine: Vm,
    batch: Arc<Unit>,
    messages: Messages,
    number: usize,
}

/// What a batch showed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// How it ended.
    pub outcome: Outcome,
    /// Its standard output; a dot for each message.
    pub out: String,
    /// Its standard error.
    pub error: String,
    /// Its counted sends.
    pub sends: u64,
    /// Loop iterations.
    pub loops: u64,
    /// Objects.
    pub objects: u64,
}

impl Seen {
    /// Whether another mode showed the same. Where a run ends by memory is not part of the counting model.
    pub fn agrees_with(&self, other: &Seen) -> bool {
        let by_memory = |seen: &Seen| seen.outcome == Outcome::Limit(tally_vm::Limit::Memory);
        self == other || by_memory(self) || by_memory(other)
    }
}

impl Sweep {
    /// A sweep in a mode.
    ///
    /// # Errors
    /// A sentence, if the library or the programs of the sweep do not load.
    pub fn new(messages: Messages, mode: &Mode) -> Result<Sweep, String> {
        let host = TestHost::new();
        let mut machine = machine(mode, &host)?;
        machine.allow_ticks(None);
        run(&mut machine, "classes.st", CLASSES)?;
        let mut batch = BATCH;
        if messages == Messages::Primitives {
            run(&mut machine, "primitives.st", &bindings())?;
            batch = PRIMITIVES;
        }
        run(&mut machine, "collect.st", COLLECT)?;
        let printed = host.out();
        let number = printed.lines().last().and_then(|line| line.parse().ok());
        let batch = unit(&machine, "batch.st", batch)?;
        Ok(Sweep {
            machine,
            batch,
            messages,
            number: number.ok_or("no messages were found")?,
        })
    }

    /// How many messages the library has.
    pub fn number(&self) -> usize {
        self.number
    }

    /// Sends `count` messages from number `first` on, in a copy of the machine. With `tell`, prints receivers and
    /// arguments, which sends further messages.
    pub fn run(&mut self, mode: &Mode, seed: u64, first: usize, count: usize, tell: bool) -> Seen {
        let host = TestHost::new();
        let mut copy = self.machine.fork(Box::new(host.clone()) as Box<dyn Host>);
        let first = match self.messages {
            Messages::Drawn => "-1".to_string(),
            Messages::Sharp => "-2".to_string(),
            _ => first.to_string(),
        };
        let mut arguments = vec![seed.to_string(), first, count.to_string()];
        arguments.extend(tell.then(String::new));
        copy.set_arguments(arguments);
        see(copy, &self.batch, mode, &host)
    }
}

/// The machines in which a program made of bytes runs.
pub struct Programs {
    machines: Vec<(Mode, Vm)>,
    selectors: Vec<String>,
}

impl Programs {
    /// Machines in these modes; the first is the usual one.
    ///
    /// # Errors
    /// A sentence, if the library does not load.
    pub fn new(modes: &[Mode]) -> Result<Programs, String> {
        let mut machines = Vec::new();
        for mode in modes {
            machines.push((*mode, machine(mode, &TestHost::new())?));
        }
        let host = TestHost::new();
        let mut asked = machine(&modes[0], &host)?;
        asked.allow_ticks(None);
        run(&mut asked, "selectors.st", SELECTORS)?;
        let selectors = host.out().lines().map(str::to_string).collect();
        Ok(Programs {
            machines,
            selectors,
        })
    }

    /// Runs the program for these bytes in each mode, compares what they show, and answers whether it compiles.
    ///
    /// # Errors
    /// The program and what differs, or what the machine holds to be impossible.
    pub fn run(&mut self, bytes: &[u8], skip: impl Fn(&Mode) -> bool) -> Result<bool, String> {
        let source = grammar::program(bytes, &self.selectors);
        let Some((_, first)) = self.machines.first() else {
            return Ok(false);
        };
        let environment = MachineEnvironment(first);
        let Some(unit) = tally_compiler::compile("machine.st", &source, &environment).unit else {
            return Ok(false);
        };
        let unit = Arc::new(unit);
        let mut usual: Option<Seen> = None;
        for (mode, machine) in &mut self.machines {
            if skip(mode) {
                continue;
            }
            let host = TestHost::new();
            let copy = machine.fork(Box::new(host.clone()));
            let seen = see(copy, &unit, mode, &host);
            if let Outcome::Internal(what) = &seen.outcome {
                return Err(format!("{}: {what}\n{source}", mode.name));
            }
            match &usual {
                None => usual = Some(seen),
                Some(usual) if usual.agrees_with(&seen) => {}
                Some(usual) => return Err(format!("{}: {seen:?}\n{usual:?}\n{source}", mode.name)),
            }
        }
        Ok(true)
    }
}

/// Prints the selectors of all classes.
const SELECTORS: &str = "
| all |
all := Set new.
Smalltalk allClasses do: [:class | all addAll: class selectors; addAll: class class selectors].
(all asSortedCollection: [:a :b | a asString < b asString]) do: [:each | Stdio stdout nextPutAll: each; lf]";

/// A machine with the limits of hostile programs.
fn machine(mode: &Mode, host: &TestHost) -> Result<Vm, String> {
    let config = Config {
        nursery_bytes: 1 << 16,
        least_old_bytes: 0,
        gc_stress: mode.gc_stress,
        max_memory: Some(24 << 20),
        max_ticks: Some(TICKS),
        max_depth: 2_000,
        optimisations: mode.optimisations,
        ..Config::default()
    };
    let mut machine = tally_stdlib::machine(config, Box::new(host.clone()))?;
    tally_compiler::runtime::equip(&mut machine);
    Ok(machine)
}

/// Ticks of a batch or program: a message that loops for ever ends soon.
const TICKS: u64 = 40_000;

/// Runs a unit in a machine. Answers what it printed and counted.
fn see(mut machine: Vm, unit: &Arc<Unit>, mode: &Mode, host: &TestHost) -> Seen {
    machine.reset_counters();
    if mode.everything {
        machine.count_everything();
    }
    if mode.profile {
        machine.start_profile(tally_vm::Detail::default());
    }
    machine.allow_ticks(Some(TICKS));
    let outcome = machine.run_unit(unit.clone());
    let cost = machine.cost();
    Seen {
        outcome,
        out: host.out(),
        error: host.error(),
        sends: cost.sends,
        loops: cost.loops,
        objects: cost.allocations.objects,
    }
}

/// Methods of `Object` that bind every primitive, and the list of their selectors.
fn bindings() -> String {
    let mut source = String::from("Object extend [\n");
    let mut selectors = Vec::new();
    for (index, row) in tally_vm::primitives::all().enumerate() {
        let arities = match row.arguments {
            Some(count) => count..=count,
            None => 0..=4,
        };
        for arity in arities {
            let parts: Vec<String> = (0..arity).map(|i| format!("with{i}: x{i}")).collect();
            let (selector, pattern) = match arity {
                0 => (format!("sweep{index}"), format!("sweep{index}")),
                _ => (
                    format!(
                        "sweep{index}{}",
                        (0..arity).map(|i| format!("with{i}:")).collect::<String>()
                    ),
                    format!("sweep{index}{}", parts.join(" ")),
                ),
            };
            let _ = writeln!(
                source,
                "    {pattern} [ <primitive: #'{}'> ^#declined ]",
                row.name
            );
            selectors.push(selector);
        }
    }
    source.push_str("]\nSmalltalk at: #SweepPrimitives put: #(");
    for selector in selectors {
        let _ = write!(source, "#{selector} ");
    }
    source.push_str(").\n");
    source
}

fn unit(machine: &Vm, name: &str, source: &str) -> Result<Arc<Unit>, String> {
    let environment = ExtendedLibrary(MachineEnvironment(machine));
    let compiled = tally_compiler::compile(name, source, &environment);
    let diagnostics = format!("{:?}", compiled.diagnostics);
    compiled.unit.map(Arc::new).ok_or(diagnostics)
}

fn run(machine: &mut Vm, name: &str, source: &str) -> Result<(), String> {
    let unit = unit(machine, name, source)?;
    match machine.run_unit(unit) {
        Outcome::Finished => Ok(()),
        other => Err(format!("{name}: {other:?}")),
    }
}
