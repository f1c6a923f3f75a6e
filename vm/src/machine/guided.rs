//! A guide from outside decides what processors do next.

use std::sync::{Arc, Mutex, PoisonError};

use super::Vm;
use crate::separate::{
    GuideProblem, Guided, ScheduleSearcher, StepCandidate, StepGuide, StepKind, Timing,
    processor_name,
};

impl Vm {
    /// Lets the guide decide from here on what happens next among processors. Nothing is recorded any more.
    ///
    /// Between two interactions a processor runs ahead of the others without a bound: to catch up would be a step, and no result depends on it.
    pub fn guide_processors(&mut self, timing: Timing, guide: Arc<Mutex<dyn StepGuide>>) {
        self.run_ahead(u64::MAX);
        let guided = Guided::new(timing, guide);
        if let Some(engine) = &mut self.separate.engine {
            engine.guide_from_here(guided.clone());
        }
        self.separate.is_recorded = false;
        self.separate.ordinary = None;
        self.separate.guided = Some(guided);
    }

    /// Lets this machine and its copies execute blocks of assertions under every schedule.
    pub fn search_schedules_with(&mut self, searcher: Arc<dyn ScheduleSearcher>) {
        self.separate.searcher = Some(searcher);
    }

    /// The run is over: the guide gets to know what its last step has touched.
    pub fn end_guided(&mut self) {
        if let Some(engine) = &mut self.separate.engine {
            engine.end_guided();
        }
    }

    /// Whether a guide decides in this timing what happens next among processors.
    pub fn is_guided(&self, timing: Timing) -> bool {
        let guided = self.separate.guided.as_ref();
        guided.is_some_and(|guided| guided.timing == timing)
    }

    /// Whether a guide has ended the run.
    pub(crate) fn is_ended_by_guide(&self) -> bool {
        let engine = self.separate.engine.as_ref();
        let guided = engine.and_then(|engine| engine.guided.as_ref());
        guided.is_some_and(|guided| guided.is_over)
    }

    /// What the guide could not do as it wanted, after a run.
    pub fn guide_problem(&self) -> Option<GuideProblem> {
        let guided = self.separate.guided.as_ref().map(|guided| &guided.guide);
        let watched = self
            .watching
            .as_ref()
            .map(|watching| watching.shared_guide());
        let guide = guided
            .or(watched)?
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        guide.problem()
    }

    /// A step in words.
    pub fn text_of_step(&self, step: &StepCandidate) -> String {
        let request = step.request.map(|(class, selector)| {
            let class = self.class(class).name.to_string();
            format!(" {class}>>{}", self.symbol_text(selector))
        });
        let request = request.unwrap_or_default();
        let others: Vec<String> = step
            .others
            .iter()
            .map(|path| processor_name(path))
            .collect();
        let (others, locks) = (
            others.join(" and "),
            if others.len() > 1 { "locks" } else { "lock" },
        );
        let what = match step.kind {
            StepKind::Calls => format!("sends{request} to {others}"),
            StepKind::Joins => format!("waits for{request}"),
            StepKind::Locks if request.is_empty() => format!("wants the {locks} of {others}"),
            StepKind::Locks => format!("wants the {locks} of {others} for{request}"),
            StepKind::Retries => format!("finds its condition false, and gives {others} back"),
            StepKind::Returns => format!("ends{request}"),
            StepKind::Shows => "writes, or accesses a shared variable".to_string(),
            StepKind::Rests => "rests".to_string(),
            StepKind::Arrives => format!("reaches {others} with{request}"),
            StepKind::Answers => format!("answers {others}:{request}"),
            StepKind::Unlocks => format!("unlocks {others}"),
            StepKind::Wakes => "wakes".to_string(),
            StepKind::Approves => "is approved".to_string(),
            StepKind::Goes => {
                let what = step.access.map(|(kind, changes)| {
                    let verb = if changes { "changes" } else { "reads" };
                    format!("{verb} {}", self.text_of_kind(kind))
                });
                self.text_at(what.as_deref().unwrap_or("goes on"), step)
            }
            StepKind::Waits => self.text_at("waits for a semaphore", step),
            StepKind::Controls => self.text_at("changes another process", step),
            StepKind::Ends => self.text_at("ends the run", step),
        };
        let name = processor_name(&step.path);
        let is_process = matches!(
            step.kind,
            StepKind::Goes | StepKind::Waits | StepKind::Controls | StepKind::Ends
        );
        match is_process || matches!(*step.path, [] | [0, ..]) {
            true => format!("{name} {what}"),
            false => format!("{name} {} {what}", self.class(step.class).name),
        }
    }

    fn text_at(&self, what: &str, step: &StepCandidate) -> String {
        match step.place {
            Some(place) => format!("{what} in {}", self.text_of_place(place)),
            None => format!("{what} at its beginning"),
        }
    }
}
