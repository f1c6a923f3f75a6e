//! Reports which processors wait for each other, for what, and where.

use super::Vm;
use crate::base::ProcessId;
use crate::processes::{FrameView, FrameWalk};
use crate::separate::{Need, ProcessorId, ROOT, RequestId, processor_name};
use crate::world::{Failure, Trace, TraceFrame};

/// Lines about processors in one report.
const MOST_LINES: usize = 20;

impl Vm {
    /// Reports the circles that were closed since the last call.
    pub(crate) fn tell_circles(&mut self) {
        let engine = self.separate.engine.as_mut();
        let circles = engine.map_or(Vec::new(), |engine| std::mem::take(&mut engine.circles));
        for circle in circles {
            if let Some(engine) = &mut self.separate.engine {
                engine.reported.extend(&circle);
            }
            let names: Vec<String> = circle.iter().map(|id| self.processor_name(*id)).collect();
            let first = names.first().cloned().unwrap_or_default();
            let message = format!("deadlock: {} → {first}", names.join(" → "));
            self.tell_waiting(message, &circle);
        }
    }

    /// Reports all that stands still at the end of the run, apart from the processors of circles that were reported.
    pub(crate) fn tell_what_stands_still(&mut self) {
        let engine = self.separate.engine.as_ref();
        let Some(engine) = engine.filter(|engine| !engine.is_over()) else {
            return;
        };
        let stuck = engine.stuck().into_iter().map(|(id, _)| id);
        let stuck = stuck.filter(|id| !engine.reported.contains(id));
        let stuck: Vec<ProcessorId> = stuck.collect();
        if stuck.is_empty() {
            return;
        }
        let message = match (stuck.len(), engine.reported.is_empty()) {
            (1, true) => "a processor cannot go on".to_string(),
            (1, false) => "one more processor cannot go on".to_string(),
            (count, true) => format!("{count} processors cannot go on"),
            (count, false) => format!("{count} more processors cannot go on"),
        };
        self.tell_waiting(message, &stuck);
    }

    fn tell_waiting(&mut self, message: String, processors: &[ProcessorId]) {
        let mut lines: Vec<String> = Vec::new();
        for &id in processors.iter().take(MOST_LINES) {
            lines.extend(self.line_about(id));
        }
        if processors.len() > MOST_LINES {
            lines.push(format!("and {} more", processors.len() - MOST_LINES));
        }
        self.tell_failure(Failure {
            message: format!("{message}\n  {}", lines.join("\n  ")),
            help: None,
            trace: Trace::default(),
            is_unhandled: true,
        });
    }

    /// `the script`, or the path of its creation.
    pub(crate) fn processor_name(&self, id: ProcessorId) -> String {
        let engine = self.separate.engine.as_ref();
        match engine.map_or(&[][..], |engine| engine.path(id)) {
            [] => "the script".to_string(),
            path => processor_name(path),
        }
    }

    /// The same with the class that it was created for.
    fn name_with_class(&self, id: ProcessorId) -> String {
        let name = self.processor_name(id);
        match &self.separate.engine {
            Some(engine) if id != ROOT => format!("{name} {}", self.class(engine.class(id)).name),
            _ => name,
        }
    }

    /// What the processor waits for, and where.
    fn line_about(&mut self, id: ProcessorId) -> Option<String> {
        let engine = self.separate.engine.as_ref()?;
        let (_, need) = engine.stuck().into_iter().find(|(other, _)| *other == id)?;
        let name = self.name_with_class(id);
        let wanted = match need {
            Need::Answer(request) => self.wanted_answer(request),
            Need::Locks(suppliers) => format!("waits for {}", self.wanted_locks(&suppliers)),
            Need::Condition(suppliers) => {
                let names: Vec<String> = suppliers
                    .iter()
                    .map(|one| self.name_with_class(*one))
                    .collect();
                let names = names.join(" and ");
                format!(
                    "waits until a condition holds, which was false: no processor unlocks {names}"
                )
            }
            Need::Signal => "rests: its processes wait for semaphores or are suspended".to_string(),
            Need::Service => {
                let holder = engine.holder(id).map(|holder| self.name_with_class(holder));
                let holder = holder.unwrap_or_else(|| "another".to_string());
                format!("does not serve its requests: {holder} holds its lock")
            }
        };
        let place = engine
            .last_process(id)
            .and_then(|process| self.place_of(process));
        let place = place.map_or(String::new(), |place| format!(" ({place})"));
        Some(format!("{name} {wanted}{place}"))
    }

    fn wanted_answer(&self, request: RequestId) -> String {
        let Some(engine) = &self.separate.engine else {
            return String::new();
        };
        let request = engine.request(request);
        let class = &self.class(request.class).name;
        let selector = self.symbol_text(request.message.selector);
        let supplier = self.name_with_class(request.supplier);
        let lock = match engine.holder_of_scope(request.supplier) {
            Some(holder) if holder != request.client => {
                format!(", whose lock {} holds", self.name_with_class(holder))
            }
            _ => self.executed_there(request.supplier),
        };
        format!("waits for the answer of {class}>>{selector} from {supplier}{lock}")
    }

    /// The request that keeps the processor from serving others.
    fn executed_there(&self, id: ProcessorId) -> String {
        let engine = self.separate.engine.as_ref();
        let served = engine.and_then(|engine| Some(engine.request(engine.served(id)?)));
        served.map_or(String::new(), |served| {
            let class = &self.class(served.class).name;
            let selector = self.symbol_text(served.message.selector);
            format!(", which executes {class}>>{selector}")
        })
    }

    fn wanted_locks(&self, suppliers: &[ProcessorId]) -> String {
        let Some(engine) = &self.separate.engine else {
            return String::new();
        };
        let each = suppliers.iter().map(|&supplier| {
            let name = self.name_with_class(supplier);
            match engine.holder_of_scope(supplier) {
                Some(holder) => format!("{name}, which {} holds", self.name_with_class(holder)),
                None => name + &self.executed_there(supplier),
            }
        });
        let each: Vec<String> = each.collect();
        format!("the lock of {}", each.join(" and of "))
    }

    /// File, line and column of the program's own code that the process stands in.
    fn place_of(&mut self, process: ProcessId) -> Option<String> {
        let frame = self.frame_index();
        let row = self.processes.table.get(process.0 as usize)?.as_deref();
        let (stack, marks, mut walk) = match row {
            Some(row) => (&row.stack, &row.marks, FrameWalk::new(row.fp, row.ip)),
            None if self.running.id == process && !self.running.ended => {
                let walk = FrameWalk::new(frame, self.registers.ip);
                (&self.running.stack, &self.running.marks, walk)
            }
            None => return None,
        };
        let views = std::iter::from_fn(|| walk.step(stack, marks));
        let frames = views.map(|view: FrameView| self.describe_frame(view));
        let mut own = frames.filter(|frame: &TraceFrame| !frame.is_library);
        let place = own.find_map(|frame| frame.place)?;
        Some(format!("{}:{}:{}", place.file, place.line, place.column))
    }
}
