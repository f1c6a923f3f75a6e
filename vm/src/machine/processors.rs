//! Processors: their creation, their time, and the failures of their requests.

use super::Vm;
use crate::base::Value;
use crate::separate::{Costs, Engine, ProcessorId, Timeline, TimelineProcessor, TimelineRequest};

impl Vm {
    /// A new processor that handles the class; answers the reference to the class.
    pub(crate) fn new_processor(&mut self, class: Value) -> Value {
        if self.separate.engine.is_none() {
            self.begin_virtual_time();
        }
        let (creator, time) = (self.separate.running, self.virtual_time());
        let Some(engine) = &mut self.separate.engine else {
            return Value::NIL;
        };
        let id = engine.create(creator, time);
        self.new_reference(class, id)
    }

    /// The engine begins: the script has run up to this moment.
    fn begin_virtual_time(&mut self) {
        let now = self.sends().wrapping_add(self.loops());
        let (cpus, costs) = (self.separate.cpus, self.separate.costs);
        let mut engine = Engine::new(now, cpus, costs);
        engine.serves(ProcessorId::default(), self.running.id);
        self.separate.engine = Some(Box::new(engine));
        self.separate.running = ProcessorId::default();
        self.separate.started = now;
    }

    /// The time of the running processor, which runs ahead of the others.
    pub(crate) fn virtual_time(&self) -> u64 {
        let ticks = self.sends().wrapping_add(self.loops());
        let now = self
            .separate
            .engine
            .as_ref()
            .map_or(0, |engine| engine.now());
        now.wrapping_add(ticks.wrapping_sub(self.separate.started))
    }

    /// The request of the running process fails by this exception. False if no client waits for it.
    pub(crate) fn fail_request(&mut self, failure: Value) -> bool {
        let (id, process) = (self.separate.running, self.running.id);
        let Some(engine) = &mut self.separate.engine else {
            return false;
        };
        let number = engine.innermost(id);
        let request = engine.request_mut(number);
        let is_its = request.waits && request.process == Some(process);
        if is_its {
            request.failure = failure;
        }
        is_its
    }

    /// What a client is to signal for the exception of its request: an Array of the class, and of the text or nil.
    pub(crate) fn describe_failure(&mut self, exception: Value) -> Value {
        let class = self.class_of(exception);
        let names = &self.class(class).ivars;
        let place = names.iter().position(|name| &**name == "messageText");
        let text = place.and_then(|place| self.heap.slots(exception).get(place).copied());
        let text = text.and_then(|text| self.text_of(text));
        let before = self.allocations_now();
        let text = text.map_or(Value::NIL, |text| self.make_string(&text));
        let class = self.class_object(class);
        let described = self.make_array(&[class, text]);
        self.forget_allocations_since(before);
        described
    }

    /// How a reference prints: `separate Account #1.2/7`.
    pub(crate) fn name_of_reference(&self, value: Value) -> Option<String> {
        let (owner, target) = self.referred(value)?;
        let engine = self.separate.engine.as_ref()?;
        let path: Vec<String> = engine.path(owner).iter().map(u32::to_string).collect();
        let class = &self.class(self.class_of(target)).name;
        let export = self.heap.slots(value).last().and_then(|slot| slot.as_int());
        let export = export.unwrap_or(0);
        Some(format!("separate {class} #{}/{export}", path.join(".")))
    }

    /// Simulates a number of CPUs, any number if `None`, with these costs of communication. Holds for processors that the
    /// program makes from now on.
    pub fn simulate(&mut self, cpus: Option<u64>, costs: Costs) {
        (self.separate.cpus, self.separate.costs) = (cpus, costs);
    }

    /// What has happened in virtual time; nothing if the program made no processor.
    pub fn timeline(&self) -> Option<Timeline> {
        let engine = self.separate.engine.as_ref()?;
        let processors = engine.paths();
        let requests = engine.requests().iter().map(|request| TimelineRequest {
            class: self.class(request.class).name.to_string(),
            selector: self.symbol_text(request.message.selector).to_string(),
            client: request.client.0,
            supplier: request.supplier.0,
            sender: request.sender.map(|sender| sender.0),
            waits: request.waits,
            is_local: request.is_local,
            is_callback: request.is_callback,
        });
        Some(Timeline {
            processors: processors
                .map(|path| TimelineProcessor {
                    path: path.to_vec(),
                })
                .collect(),
            requests: requests.collect(),
            events: engine.events().to_vec(),
            end: engine.now(),
        })
    }
}
