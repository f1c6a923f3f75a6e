//! `tally annotate`: source text with counts in its margin, from a run or from a saved profile.

use crate::measured::MeasuredArguments;
use clap::Args;
use tally_profiler::{Annotated, Profile, fnv1a};

use crate::arguments::MachineArguments;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::front::front;
use crate::measured::{Wanted, measure};
use crate::saved::EventArguments;
use crate::{console, output, saved, view};
use tally_workbench::ProgramOutput;
use tally_workbench::loading;
use tally_workbench::loading::Source;

#[derive(Clone, Debug, Args)]
#[command(
    override_usage = "tally annotate [OPTIONS] <FILE>... [-- <ARGS>...]\n       \
tally annotate [OPTIONS] --profile <PROFILE> [FILE]...",
    after_help = "The margin shows the sends that a line executed, and those that they caused. The output of the program \
goes to standard error."
)]
pub(crate) struct AnnotateArguments {
    #[command(flatten)]
    pub(crate) what: MeasuredArguments,
    /// Take the counts of a saved profile instead of running anything; FILEs are its sources
    #[arg(long, value_name = "PROFILE", conflicts_with_all = ["evaluate", "tests", "filters"])]
    pub(crate) profile: Option<String>,
    /// Show only METHOD, of the library too: 'Class>>selector', a class, a selector, or a pattern with *
    #[arg(long, value_name = "METHOD")]
    pub(crate) method: Option<String>,
    /// Show also files and parts of files without sends
    #[arg(long)]
    pub(crate) all: bool,
    #[command(flatten)]
    pub(crate) machine: MachineArguments,
}

pub(crate) fn annotate(arguments: &AnnotateArguments) -> Result<Exit, Failure> {
    if let Some(path) = &arguments.profile {
        return of_saved(
            &saved::read(path, &EventArguments::default(), Exit::Io, Exit::Io)?,
            arguments,
        );
    }
    let wanted = Wanted {
        sites: true,
        ..Wanted::default()
    };
    let measured = measure(
        &arguments.what,
        &arguments.machine,
        ProgramOutput::Error,
        wanted,
    )?;
    let texts: Vec<Source> = measured.program.texts().map(source).collect();
    show(&measured.profile, &texts, arguments)?;
    measured.exit()
}

fn source((name, text): (&str, &str)) -> Source {
    Source::script(name, text.to_string())
}

/// The texts are those of the files that are named, or else the profile's own, which holds those of the methods that
/// ran.
fn of_saved(profile: &Profile, arguments: &AnnotateArguments) -> Result<Exit, Failure> {
    let texts = loading::read_texts(&arguments.what.files, &*front())?;
    if !texts.is_empty() {
        let digest = fnv1a(texts.iter().map(|source| source.text.as_str()));
        if profile.program != format!("{digest:016x}") {
            let why = "the profile is of other texts than these: they were changed since, are not all, or are in another order";
            console::warning(why);
        }
    }
    show(profile, &texts, arguments).map(|()| Exit::Success)
}

fn show(profile: &Profile, texts: &[Source], arguments: &AnnotateArguments) -> Result<(), Failure> {
    let shown = match &arguments.method {
        Some(name) => of_methods(profile, view::named(profile, name)?),
        None if texts.is_empty() => {
            let is_own = |&index: &usize| !profile.methods[index].is_library;
            of_methods(profile, (0..profile.methods.len()).filter(is_own).collect())
        }
        None => texts.iter().map(of_file).collect(),
    };
    let page = console::results_page();
    let text = tally_profiler::annotate(profile, &shown, arguments.all, page);
    output::write(&text.map_err(view::missing)?, None)
}

fn of_file(source: &Source) -> Annotated<'_> {
    Annotated {
        title: &source.name,
        file: &source.name,
        first_line: 1,
        text: &source.text,
        method: None,
    }
}

/// Methods in the order of their files and lines, whose texts the profile holds.
fn of_methods(profile: &Profile, mut methods: Vec<usize>) -> Vec<Annotated<'_>> {
    methods.retain(|&index| !profile.methods[index].source.is_empty());
    methods.sort_by_key(|&index| {
        let method = &profile.methods[index];
        (method.is_library, &method.file, method.line, index)
    });
    let annotated = |index: usize| {
        let method = &profile.methods[index];
        Annotated {
            title: &method.name,
            file: &method.file,
            first_line: method.line,
            text: &method.source,
            method: Some(index),
        }
    };
    methods.into_iter().map(annotated).collect()
}
