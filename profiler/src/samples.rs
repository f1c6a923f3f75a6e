//! The results of a sampling profiler: times, estimated from how often a method was met on the stack. They are a contrast
//! to the counts: they vary from run to run, and the counting model does not define them.

use std::fmt::Write as _;

use serde::Serialize;
use tally_presentation::{Align, Cell, Layout, Page, Tint, grouped, share};
use tally_vm::bytecode::CodeKind;
use tally_vm::{Samples, Vm};

/// The schema of a sampled run as JSON.
pub const SAMPLES_SCHEMA: &str = "tally.samples/1";

/// A run that was sampled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SampleProfile {
    /// `tally.samples/1`.
    pub schema: String,
    /// Always false: times are different in every run.
    pub reproducible: bool,
    /// The files that were run, as the user named them.
    pub files: Vec<String>,
    /// The arguments of the script.
    pub arguments: Vec<String>,
    /// Intervals in a second.
    pub rate: u32,
    /// Time that the run took, in microseconds.
    pub microseconds: u64,
    /// Intervals that ended before a look at the stack.
    pub samples: u64,
    /// Looks at the stack.
    pub looks: u64,
    /// Looks at stacks that were too deep to be seen as a whole.
    pub cut: u64,
    /// Methods that were met, those with the most samples first.
    pub methods: Vec<SampledMethod>,
}

/// How often a method was met.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SampledMethod {
    /// `Class>>selector`, or a file's name.
    pub name: String,
    /// The file that it stands in.
    pub file: String,
    /// Its first line there, from 1.
    pub line: usize,
    /// Whether it belongs to the library.
    pub is_library: bool,
    /// Samples in which it, or a block in it, was on top of the stack.
    pub own: u64,
    /// Samples in which it, or a block in it, was on the stack.
    pub total: u64,
}

impl SampleProfile {
    /// Makes the report of a machine's samples.
    pub fn collect(
        vm: &Vm,
        samples: &Samples,
        rate: u32,
        files: Vec<String>,
        arguments: Vec<String>,
    ) -> SampleProfile {
        let row = |&(id, count): &(_, tally_vm::SampleCount)| {
            let code = vm.method(id).code.get();
            let place = vm.source_place(id, code.span.start);
            let is_known = code.kind == CodeKind::Method || files.contains(&place.file);
            SampledMethod {
                name: match is_known {
                    true => vm.method_name(id),
                    false => format!("{}:{}", place.file, place.line),
                },
                is_library: place.file.starts_with("<library>/"),
                file: place.file,
                line: place.line,
                own: count.own,
                total: count.total,
            }
        };
        let mut methods: Vec<SampledMethod> = samples.methods.iter().map(row).collect();
        sort(&mut methods, false);
        SampleProfile {
            schema: SAMPLES_SCHEMA.to_string(),
            reproducible: false,
            rate,
            microseconds: u64::try_from(samples.elapsed.as_micros()).unwrap_or(u64::MAX),
            samples: samples.samples,
            looks: samples.looks,
            cut: samples.cut,
            methods,
            files,
            arguments,
        }
    }
}

fn sort(methods: &mut [SampledMethod], by_own: bool) {
    let key = |method: &SampledMethod| match by_own {
        true => (method.own, method.total),
        false => (method.total, method.own),
    };
    methods.sort_by(|a, b| {
        let names = || (&a.name, &a.file, a.line).cmp(&(&b.name, &b.file, b.line));
        key(b).cmp(&key(a)).then_with(names)
    });
}

/// The ranking as a table: the first `limit` methods or all, by samples on top of the stack or anywhere on it.
pub fn sample_report(
    profile: &SampleProfile,
    by_own: bool,
    limit: Option<usize>,
    page: Page,
) -> String {
    use Align::{Flexible, Right};
    let mut methods = profile.methods.clone();
    sort(&mut methods, by_own);
    let shown = limit.unwrap_or(methods.len()).min(methods.len());
    let mut layout = Layout::new(&[Flexible, Right, Right, Right, Right, Right]);
    layout.row(["  method", "own", "total", "share", "own ms", "total ms"]);
    for method in &methods[..shown] {
        let key = if by_own { method.own } else { method.total };
        layout.row([
            name_cell(method),
            Cell::from(grouped(method.own)),
            Cell::from(grouped(method.total)),
            Cell::from(share(key, profile.samples)),
            Cell::from(milliseconds(profile, method.own)),
            Cell::from(milliseconds(profile, method.total)),
        ]);
    }
    let mut text = page.wrapped(&headline(profile)) + "\n\n";
    text.push_str(&layout.render_on(page));
    if shown < methods.len() {
        let _ = writeln!(text, "… {} more methods", methods.len() - shown);
    }
    text + &page.wrapped(&foot(profile))
}

fn headline(profile: &SampleProfile) -> String {
    let files = tally_presentation::printable(&profile.files.join(", ")).into_owned();
    format!(
        "{files}: {} samples in {}.{:03} s, {} a second wanted, {} looks at the stack",
        grouped(profile.samples),
        profile.microseconds / 1_000_000,
        profile.microseconds / 1000 % 1000,
        grouped(u64::from(profile.rate)),
        grouped(profile.looks),
    )
}

fn foot(profile: &SampleProfile) -> String {
    let mut text = String::new();
    if profile.cut > 0 {
        let _ = writeln!(
            text,
            "\n{} looks met stacks that were too deep to be seen as a whole; totals are too low by as much.",
            grouped(profile.cut)
        );
    }
    text.push_str(
        "\nown: samples in which the method or a block in it was on top; total: in which it was on the stack. Times are estimates.\n\
         Samples are noisy and not reproducible: the next run says something else. They are taken at poll points (entry of\n\
         methods and blocks, loops), so that what is between two of them shows up at the second. Without --sample everything is counted, exactly.\n",
    );
    text
}

/// The time of a number of samples, in tenths of a millisecond.
fn milliseconds(profile: &SampleProfile, samples: u64) -> String {
    let tenths = u128::from(samples) * 10_000 / u128::from(profile.rate.max(1));
    let whole = u64::try_from(tenths / 10).unwrap_or(u64::MAX);
    format!("{}.{}", grouped(whole), tenths % 10)
}

fn name_cell(method: &SampledMethod) -> Cell {
    let (lead, tint) = match method.is_library {
        true => ("· ", Tint::Dim),
        false => ("  ", Tint::Plain),
    };
    Cell {
        lead: lead.to_string(),
        tint,
        ..Cell::from(method.name.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn method(name: &str, own: u64, total: u64) -> SampledMethod {
        SampledMethod {
            name: name.to_string(),
            file: "a.st".to_string(),
            line: 1,
            is_library: false,
            own,
            total,
        }
    }

    #[test]
    fn samples_are_ranked_and_said_to_be_noisy() {
        let profile = SampleProfile {
            schema: SAMPLES_SCHEMA.to_string(),
            reproducible: false,
            files: vec!["a.st".to_string()],
            arguments: Vec::new(),
            rate: 1000,
            microseconds: 2_003_000,
            samples: 2000,
            looks: 1990,
            cut: 0,
            methods: vec![method("a.st", 10, 2000), method("A>>b", 1990, 1990)],
        };
        let text = sample_report(&profile, true, Some(1), Page::default());
        let expected = "\
a.st: 2,000 samples in 2.003 s, 1,000 a second wanted, 1,990 looks at the stack

  method    own  total  share   own ms  total ms
  A>>b    1,990  1,990  99.5%  1,990.0   1,990.0
… 1 more methods
";
        assert!(text.starts_with(expected), "{text}");
        assert!(text.contains("not reproducible"));
    }
}
