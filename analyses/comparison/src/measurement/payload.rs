//! A measurement's content: the table of texts, then all members. Tables are stored by columns, which compress better
//! than rows. The reader checks every property that the rest of the crate relies on.

use tally_profiler::columns;
use tally_profiler::recording::{
    MAX_MEMORY, RecordingError,
    bytes::{Codec, Input, Reader, Writer, damaged, push_number},
    payload::{
        ENDINGS, KINDS, call_rows, called, cost_vector, definitions, inputs, limits, texts, unit,
    },
};
use tally_profiler::{ContextKind, CostVector, Ending, ExplorationCosts, ProcessorCosts};

use super::{LineCounts, MeasuredMethod, MeasuredRun, Measurement, MethodCounts, RunContext};

type Done = Result<(), RecordingError>;

pub(super) fn write(measurement: &Measurement) -> Result<Vec<u8>, RecordingError> {
    // A codec assigns each member that it visits, when it writes its old value; so it gets a copy.
    let mut measurement = measurement.clone();
    check(&measurement)?;
    let mut writer = Writer::default();
    members(&mut writer, &mut measurement)?;
    let texts = writer.texts.write();
    let mut content = Vec::with_capacity(texts.len() + writer.bytes.len() + 10);
    push_number(&mut content, texts.len() as u64);
    content.extend(texts);
    content.extend(writer.bytes);
    Ok(content)
}

/// The measurement in a content; the version of the model comes from the container.
pub(super) fn read(content: &[u8], model: u32) -> Result<Measurement, RecordingError> {
    let mut input = Input(content);
    let length = input.number()?;
    let mut reader = Reader::new(input.take(length)?, MAX_MEMORY)?;
    reader.input = input;
    let mut measurement = Measurement {
        model,
        ..Measurement::default()
    };
    members(&mut reader, &mut measurement)?;
    if !reader.input.0.is_empty() {
        return Err(damaged("something follows its end"));
    }
    check(&measurement)?;
    Ok(measurement)
}

fn members(codec: &mut impl Codec, measurement: &mut Measurement) -> Done {
    let mut is_imported = !measurement.unit.is_tally();
    codec.flag(&mut is_imported)?;
    if is_imported {
        unit(codec, &mut measurement.unit)?;
    }
    codec.text(&mut measurement.library)?;
    texts(codec, &mut measurement.arguments)?;
    codec.signed(&mut measurement.seed)?;
    limits(codec, &mut measurement.limits)?;
    inputs(codec, &mut measurement.inputs)?;
    let mut has_definitions = measurement.definitions.is_some();
    codec.flag(&mut has_definitions)?;
    if has_definitions {
        definitions(codec, measurement.definitions.get_or_insert_default())?;
    }
    methods(codec, &mut measurement.methods)?;
    let rows = &mut measurement.runs;
    codec.rows(rows, &blank_run(), 20)?;
    rows.iter_mut().try_for_each(|row| run(codec, row))
}

fn methods(codec: &mut impl Codec, rows: &mut Vec<MeasuredMethod>) -> Done {
    codec.rows(rows, &blank_method(), 11)?;
    columns! { codec, rows, m =>
        text(m.name), text(m.class), text(m.selector), text(m.package), text(m.file), size(m.line),
        number(m.digest), optional(m.code), flag(m.is_library), text(m.source)
    }?;
    rows.iter_mut().try_for_each(|m| {
        let mut is_known = m.sends.is_some();
        codec.flag(&mut is_known)?;
        match is_known {
            true => texts(codec, m.sends.get_or_insert_default()),
            false => Ok(()),
        }
    })
}

fn run(codec: &mut impl Codec, run: &mut MeasuredRun) -> Done {
    codec.text(&mut run.name)?;
    codec.choice(&mut run.ending, &ENDINGS)?;
    codec.flag(&mut run.is_reproducible)?;
    cost_vector(codec, &mut run.cost)?;
    called(codec, &mut run.cost)?;
    counts(codec, &mut run.methods)?;
    contexts(codec, &mut run.contexts)?;
    codec.flag(&mut run.is_tree_complete)?;
    call_rows(codec, &mut run.calls)?;
    lines(codec, &mut run.lines)?;
    processors(codec, &mut run.processors)?;
    explorations(codec, &mut run.explorations)?;
    texts(codec, &mut run.outcomes)
}

fn explorations(codec: &mut impl Codec, costs: &mut Option<ExplorationCosts>) -> Done {
    let mut is_known = costs.is_some();
    codec.flag(&mut is_known)?;
    if !is_known {
        return Ok(());
    }
    let costs = costs.get_or_insert_default();
    codec.number(&mut costs.states)?;
    codec.number(&mut costs.computations)?;
    codec.number(&mut costs.cost)?;
    codec.number(&mut costs.depth)
}

fn processors(codec: &mut impl Codec, costs: &mut Option<ProcessorCosts>) -> Done {
    let mut is_known = costs.is_some();
    codec.flag(&mut is_known)?;
    if !is_known {
        return Ok(());
    }
    let costs = costs.get_or_insert_default();
    codec.number(&mut costs.span)?;
    codec.number(&mut costs.ticks)?;
    codec.number(&mut costs.waiting)
}

fn lines(codec: &mut impl Codec, rows: &mut Vec<LineCounts>) -> Done {
    codec.rows(rows, &LineCounts::default(), 3)?;
    columns! { codec, rows, l => index(l.method), index(l.line), number(l.sends) }
}

fn counts(codec: &mut impl Codec, rows: &mut Vec<MethodCounts>) -> Done {
    codec.rows(rows, &MethodCounts::default(), 9)?;
    columns! { codec, rows, m =>
        index(m.method), number(m.calls), number(m.block_calls), number(m.own),
        difference(m.total, m.own), number(m.allocations.objects), number(m.allocations.bytes),
        number(m.own_work), difference(m.total_work, m.own_work)
    }
}

fn contexts(codec: &mut impl Codec, rows: &mut Vec<RunContext>) -> Done {
    codec.rows(rows, &blank_context(), 7)?;
    columns! { codec, rows, c =>
        index(c.parent), choice(c.kind, &KINDS), optional_index(c.method), index(c.block),
        number(c.calls), number(c.own), number(c.work)
    }
}

/// What holds for every measurement.
fn check(measurement: &Measurement) -> Done {
    let methods = measurement.methods.len();
    if measurement
        .methods
        .iter()
        .any(|method| method.name.is_empty())
    {
        return Err(damaged("a method has no name"));
    }
    for run in &measurement.runs {
        check_counts(&run.methods, methods)?;
        let calls = run.calls.iter();
        let mut called = calls.flat_map(|call| call.caller.into_iter().chain([call.callee]));
        if !called.all(|method| (method as usize) < methods) {
            return Err(damaged("a call mentions a method that is not there"));
        }
        check_contexts(run, methods)?;
        check_lines(&run.lines, methods)?;
    }
    Ok(())
}

fn check_counts(rows: &[MethodCounts], methods: usize) -> Done {
    if rows.iter().any(|row| row.method as usize >= methods) {
        return Err(damaged("a run mentions a method that is not there"));
    }
    match rows.is_sorted_by(|a, b| a.method < b.method) {
        true => Ok(()),
        false => Err(damaged("the methods of a run are not in order")),
    }
}

fn check_lines(rows: &[LineCounts], methods: usize) -> Done {
    if rows.iter().any(|row| row.method as usize >= methods) {
        return Err(damaged("a line mentions a method that is not there"));
    }
    match rows.is_sorted_by(|a, b| (a.method, a.line) < (b.method, b.line)) {
        true => Ok(()),
        false => Err(damaged("the lines of a run are not in order")),
    }
}

fn check_contexts(run: &MeasuredRun, methods: usize) -> Done {
    let mut own: u128 = 0;
    for (index, context) in run.contexts.iter().enumerate() {
        let parent = context.parent as usize;
        let is_root = index == 0 && parent == 0 && context.kind == ContextKind::Run;
        let is_below = parent < index && context.kind != ContextKind::Run;
        if !is_root && !is_below {
            return Err(damaged("a context stands before the one above it"));
        }
        let names_method = match context.kind {
            ContextKind::Method | ContextKind::Block => context.method.is_some(),
            ContextKind::Run => context.method.is_none(),
            ContextKind::Other => true,
        };
        let is_known = context
            .method
            .is_none_or(|method| (method as usize) < methods);
        if !names_method || !is_known {
            return Err(damaged("a context mentions a method that is not there"));
        }
        own += u128::from(context.own);
    }
    match run.contexts.is_empty() || own == u128::from(run.cost.sends) {
        true => Ok(()),
        false => Err(damaged("the contexts of a run do not add up to its sends")),
    }
}

fn blank_method() -> MeasuredMethod {
    MeasuredMethod {
        name: String::new(),
        class: String::new(),
        selector: String::new(),
        package: String::new(),
        file: String::new(),
        line: 0,
        digest: 0,
        code: None,
        is_library: false,
        sends: None,
        source: String::new(),
    }
}

fn blank_run() -> MeasuredRun {
    MeasuredRun {
        name: String::new(),
        ending: Ending::Finished,
        is_reproducible: false,
        cost: CostVector::default(),
        processors: None,
        explorations: None,
        outcomes: Vec::new(),
        methods: Vec::new(),
        contexts: Vec::new(),
        is_tree_complete: false,
        calls: Vec::new(),
        lines: Vec::new(),
    }
}

fn blank_context() -> RunContext {
    RunContext {
        parent: 0,
        kind: ContextKind::Run,
        method: None,
        block: 0,
        calls: 0,
        own: 0,
        work: 0,
    }
}
