//! The measurements as a file: a line of JSON for each fact. Lines are only ever appended, so a write that is cut off
//! loses one line only.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The schema of a data file.
pub const DATA_SCHEMA: &str = "tally.study-data/2";

/// The context that others are held against: this build of the command, without options.
pub const NORMAL: &str = "normal";

/// One line of a data file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "camelCase")]
pub enum Entry {
    /// Where a context's samples were taken. A later one for the same context is of a later session.
    Context(Context),
    /// A program that was measured.
    Application(Application),
    /// What the library's source says about inlined messages.
    Library(Messages),
    /// One run in a process of its own.
    Sample(Sample),
    /// A requested measurement that failed.
    Missing(Missing),
}

/// A way to run programs: a build of the command, and options.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Context {
    /// `tally.study-data/2`.
    pub schema: String,
    /// `normal`, `reference`, `heap 64 KiB`, or what the user called it.
    pub name: String,
    /// A description, in words for people.
    pub about: String,
    /// Version of the command.
    pub tally: String,
    /// How it was built: `release, calls in the last place`.
    pub build: String,
    /// Digest of the command's file, in hexadecimal digits.
    #[serde(default)]
    pub binary: String,
    /// Digest of the library, in hexadecimal digits.
    pub library: String,
    /// Version of the counting model.
    pub model: u32,
    /// The processor's name, as the system reports it.
    pub processor: String,
    /// System and architecture: `linux x86_64`.
    pub system: String,
    /// Processors that the system has.
    pub processors: u32,
}

/// Why a program is measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Role {
    /// An application of the basket: all results are computed from these.
    #[default]
    Basket,
    /// Held out: a model fitted to the other programs predicts its time.
    HeldOut,
    /// Held out, and written after the weights of the counting model were set.
    Blind,
    /// Built so that its count is a bad stand-in for time.
    Counterexample,
    /// Another with a method that remembers nothing: see [`Application::variant_of`].
    Variant,
}

impl Role {
    /// The roles of programs by which counts are judged, in the order of reports.
    pub const JUDGED: [Role; 4] = [
        Role::Basket,
        Role::HeldOut,
        Role::Blind,
        Role::Counterexample,
    ];

    /// What the programs of a role are called together.
    pub fn group(self) -> &'static str {
        match self {
            Role::Basket => "the basket",
            Role::HeldOut => "held-out programs",
            Role::Blind => "blind programs",
            Role::Counterexample => "counter-examples",
            Role::Variant => "variants",
        }
    }
}

/// The programs of the examples that are held out. Others stand in the same folder.
pub const HELD_OUT: [&str; 6] = [
    "bank",
    "constraints",
    "json",
    "queens",
    "scheduler",
    "textindex",
];

/// A program that was measured.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Application {
    /// Its name, unique in a data file.
    pub name: String,
    /// Why it is measured.
    pub role: Role,
    /// The application that this one is a variant of.
    pub variant_of: Option<String>,
    /// A description, in a few words.
    pub about: String,
    /// Digest of its sources, in hexadecimal digits. Samples of other sources are of no account.
    pub program: String,
    /// Lines of source.
    pub lines: u64,
    /// Classes that it defines.
    pub classes: u64,
    /// Methods that it defines.
    pub methods: u64,
    /// Unit tests; 0 for a script, which is run as a whole.
    pub tests: u64,
    /// The category that is wrapped when one package alone is.
    pub package: String,
    /// Methods of that package.
    pub package_methods: u64,
    /// What its source says about inlined messages.
    pub messages: Messages,
}

/// Messages in source text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Messages {
    /// Messages written.
    pub written: u64,
    /// The number of messages that the compiler inlines, by selector.
    pub inlined: BTreeMap<String, u64>,
}

/// How a program is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Form {
    /// As users run it: sends are counted, and nothing else is done.
    Counted,
    /// By the copy of the machine's loop that counts nothing.
    Uncounted,
    /// With the recorder, which counts by methods (the built-in form of wrappers), started and finished included.
    Recorded,
    /// With wrappers in the language on all methods of the application and its tests, installed and uninstalled included.
    Wrapped,
    /// With wrappers in the language on the methods of one package, installed and uninstalled included.
    WrappedPackage,
    /// With the sampling profiler.
    Sampled,
    /// With the whole cost vector, by methods too. Its time is of no account.
    Vector,
    /// With evaluations of inlined control messages counted. Its time is of no account.
    Inlined,
}

/// One run in a process of its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Sample {
    /// The application's name.
    pub application: String,
    /// Digest of its sources, in hexadecimal digits.
    pub program: String,
    /// The context's name.
    pub context: String,
    /// How it was run.
    pub form: Form,
    /// Which repetition it is, from 1.
    pub round: u32,
    /// Processor time, user and system, of the tests or the script alone: without loading and compiling.
    pub seconds: f64,
    /// What it cost. Only [`Form::Vector`] knows all of it; elsewhere activations, blocks, steps and primitives are 0.
    pub cost: Cost,
    /// Evaluations of inlined control messages, by selector; [`Form::Inlined`] alone knows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inlined: Option<BTreeMap<String, u64>>,
    /// The methods that cost most, of [`Form::Recorded`], [`Form::Sampled`] and [`Form::Vector`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub methods: Option<Methods>,
}

/// The cost vector (counting model, 2).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Cost {
    /// Send instructions executed.
    pub sends: u64,
    /// Repetitions of inlined loops.
    pub loops: u64,
    /// Methods entered.
    pub activations: u64,
    /// Activations of real blocks.
    pub blocks: u64,
    /// Objects allocated.
    pub objects: u64,
    /// Bytes allocated, by the model.
    pub bytes: u64,
    /// Assignments, sends, decisions, blocks and brace arrays made, returns.
    pub steps: u64,
    /// Primitives that succeeded, of all names.
    pub primitives: u64,
    /// Primitives that succeeded and are not simple. Absent from older data, as are the next two.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub called: u64,
    /// Work inside primitives, by counter.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub counters: BTreeMap<String, u64>,
    /// The weighted sum of all counts.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub work: u64,
}

/// The methods of the application, its tests included and the library left out, that cost most.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Methods {
    /// How many there are, those that are not listed included.
    pub known: u64,
    /// Samples taken, where samples are: what `own` and `total` are parts of.
    pub samples: u64,
    /// The first of the ranking by total and the first of the ranking by own, each once, in the ranking's order by total.
    pub listed: Vec<MethodRow>,
}

/// The costs of a method.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MethodRow {
    /// `Class>>selector`.
    pub name: String,
    /// Its place in the ranking by total, from 1. Equal totals have different places, by own and then by name.
    pub by_total: u32,
    /// Its place in the ranking by own, from 1.
    pub by_own: u32,
    /// Sends (or samples) in itself and its blocks.
    pub own: u64,
    /// Sends (or samples) below its outermost activations, its own included.
    pub total: u64,
    /// Activations; [`Form::Vector`] alone knows this and what follows.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub calls: u64,
    /// Activations of its blocks.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub block_calls: u64,
    /// Objects allocated in itself and its blocks.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub objects: u64,
    /// Their bytes, by the model.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub bytes: u64,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// A requested measurement that failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Missing {
    /// The application, or empty for all.
    pub application: String,
    /// The context's name.
    pub context: String,
    /// How it was to be run.
    pub form: Form,
    /// Why it could not be.
    pub why: String,
}

/// All entries of a data file, in their order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Data {
    /// The entries.
    pub entries: Vec<Entry>,
}

/// Why a data file cannot be read: the line, from 1, and its fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataError {
    /// The line, from 1.
    pub line: usize,
    /// The line's fault.
    pub why: String,
}

impl std::fmt::Display for DataError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {}: {}", self.line, self.why)
    }
}

impl std::error::Error for DataError {}

impl Data {
    /// Reads a data file's text. A last line without its end was cut off and is left out.
    pub fn read(text: &str) -> Result<Data, DataError> {
        let mut entries = Vec::new();
        for (index, line) in text.split_inclusive('\n').enumerate() {
            if !line.ends_with('\n') || line.trim().is_empty() {
                continue;
            }
            let entry = serde_json::from_str(line).map_err(|error| DataError {
                line: index + 1,
                why: error.to_string(),
            })?;
            if let Entry::Context(Context { schema, .. }) = &entry
                && schema != DATA_SCHEMA
            {
                let why = format!("this is '{schema}', and '{DATA_SCHEMA}' was expected");
                return Err(DataError {
                    line: index + 1,
                    why,
                });
            }
            entries.push(entry);
        }
        Ok(Data { entries })
    }

    /// The contexts, each as it was measured last, the normal one first, the others as they came.
    pub fn contexts(&self) -> Vec<&Context> {
        let mut contexts: Vec<&Context> = Vec::new();
        for entry in &self.entries {
            if let Entry::Context(context) = entry {
                match contexts.iter_mut().find(|c| c.name == context.name) {
                    Some(known) => *known = context,
                    None => contexts.push(context),
                }
            }
        }
        contexts.sort_by_key(|context| context.name != NORMAL);
        contexts
    }

    /// The applications, each as it was measured last, in the order in which they came.
    pub fn applications(&self) -> Vec<&Application> {
        let mut applications: Vec<&Application> = Vec::new();
        for entry in &self.entries {
            if let Entry::Application(application) = entry {
                match applications.iter_mut().find(|a| a.name == application.name) {
                    Some(known) => *known = application,
                    None => applications.push(application),
                }
            }
        }
        applications
    }

    /// What the library's source says about inlined messages, if that is known.
    pub fn library(&self) -> Option<&Messages> {
        self.entries.iter().rev().find_map(|entry| match entry {
            Entry::Library(messages) => Some(messages),
            _ => None,
        })
    }

    /// The samples of an application as its sources are now, in a context and a form, by rounds; of a round that is there
    /// twice the later one.
    pub fn samples(&self, application: &Application, context: &str, form: Form) -> Vec<&Sample> {
        let mut by_round = BTreeMap::new();
        for entry in &self.entries {
            if let Entry::Sample(sample) = entry
                && sample.application == application.name
                && sample.program == application.program
                && sample.context == context
                && sample.form == form
            {
                by_round.insert(sample.round, sample);
            }
        }
        by_round.into_values().collect()
    }

    /// The contexts without a measurement, in this session and later ones.
    pub fn missing(&self) -> impl Iterator<Item = &Missing> {
        let of = |sample: &Sample, missing: &Missing| {
            sample.context == missing.context
                && sample.form == missing.form
                && (missing.application.is_empty() || sample.application == missing.application)
        };
        let later = move |from: usize, missing: &Missing| {
            let entries = self.entries[from..].iter();
            entries
                .filter_map(|entry| match entry {
                    Entry::Sample(sample) => Some(sample),
                    _ => None,
                })
                .any(|sample| of(sample, missing))
        };
        let numbered = self.entries.iter().enumerate();
        numbered.filter_map(move |(at, entry)| match entry {
            Entry::Missing(missing) if !later(at, missing) => Some(missing),
            _ => None,
        })
    }
}

impl Entry {
    /// The entry as a line of a data file, its end included.
    pub fn line(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string(self).map(|line| line + "\n")
    }
}
