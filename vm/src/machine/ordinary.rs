//! States to the log of a recorded run what happens to processes: who waits for what, where, and who ends the wait. A run that is not recorded
//! leaves each function at its first test. No function here changes what a program does.

use hashbrown::HashMap;

use super::Vm;
use crate::base::{ActorId, ClassId, Known, MethodId, ProcessId, SymbolId, Value};
use crate::bytecode::CodeKind;
use crate::processes::{FrameView, Status};
use crate::separate::{
    Event, EventKind, LaneWork, Obstacle, ObstacleKind, Ordinary, Runs, TimelineObstacle,
};

/// Frames of the library that are looked through.
const MOST_FRAMES: usize = 32;

/// The library's classes that are made of semaphores.
const KINDS: [(&str, ObstacleKind); 3] = [
    ("Mutex", ObstacleKind::Mutex),
    ("Monitor", ObstacleKind::Monitor),
    ("SharedQueue", ObstacleKind::SharedQueue),
];

/// A place of the program: a method, and a byte of its unit.
type Site = (MethodId, u32);

impl Vm {
    /// Whether the program has made a processor.
    pub fn has_processors(&self) -> bool {
        self.separate.engine.is_some()
    }

    fn executed_ticks(&self) -> u64 {
        self.sends().wrapping_add(self.loops())
    }

    fn with_lanes(&mut self, act: impl FnOnce(&mut Ordinary, u64)) {
        if self.separate.ordinary.is_some() {
            let ticks = self.executed_ticks();
            if let Some(lanes) = &mut self.separate.ordinary {
                act(lanes, ticks);
            }
        }
    }

    /// The running process is that of a script.
    pub(crate) fn script_begins(&mut self) {
        let id = self.running.id;
        self.with_lanes(|lanes, ticks| lanes.script(id, ticks));
    }

    /// The running process goes on, or begins.
    pub(crate) fn process_goes_on(&mut self) {
        let id = self.running.id;
        self.with_lanes(|lanes, ticks| lanes.goes_on(id, ticks));
    }

    /// The running process leaves.
    pub(crate) fn process_leaves(&mut self) {
        self.with_lanes(|lanes, ticks| lanes.leaves(ticks));
    }

    /// The process has ended, or never runs.
    pub(crate) fn process_ends(&mut self, id: ProcessId) {
        if self.separate.is_recorded {
            let was_blocked = self.separate.blocked.remove(&id).is_some();
            let turn = self.actors.turn.as_ref();
            let is_disposed = turn.is_some_and(|turn| turn.process == id && turn.next.is_nil());
            self.with_lanes(|lanes, ticks| {
                if was_blocked {
                    lanes.frees(id, ticks);
                }
                lanes.ends(id, is_disposed, ticks);
            });
        }
    }

    /// The running process falls asleep.
    pub(crate) fn process_sleeps(&mut self) {
        let id = self.running.id;
        self.with_lanes(|lanes, ticks| lanes.happens(id, ticks, EventKind::Sleeps));
    }

    /// The process wakes.
    pub(crate) fn process_wakes(&mut self, id: ProcessId) {
        self.with_lanes(|lanes, ticks| lanes.happens(id, ticks, EventKind::Wakes));
    }

    /// All processes sleep for these microseconds.
    pub(crate) fn processes_rest(&mut self, microseconds: u64) {
        let idle = microseconds.div_ceil(self.config.virtual_tick.max(1));
        self.with_lanes(|lanes, ticks| lanes.rests(ticks, idle));
    }

    /// The running process is about to wait for a signal of the semaphore, or until it is resumed if there is none.
    pub(crate) fn process_blocks(&mut self, semaphore: Option<Value>) {
        if self.separate.is_recorded {
            let obstacle = self.obstacle(semaphore);
            self.blocks_on(self.running.id, obstacle);
        }
    }

    /// The process, which could run, has been suspended by the running one.
    pub(crate) fn process_is_suspended(&mut self, id: ProcessId) {
        if self.separate.is_recorded {
            let obstacle = Obstacle {
                kind: ObstacleKind::Suspended,
                object: None,
                site: None,
            };
            self.blocks_on(id, obstacle);
        }
    }

    /// The run is recorded from here on: states which processes wait already, though no longer for what and where.
    pub(crate) fn processes_wait_already(&mut self) {
        let sleepers = self.processes.sleepers.iter();
        let mut others: Vec<ProcessId> = sleepers.map(|one| one.process).collect();
        others.push(self.running.id);
        let table = (0..).zip(&self.processes.table);
        let waiting = table.filter_map(|(number, process)| {
            let process = process.as_ref()?;
            let is_blocked = process.started && process.status == Status::Waiting;
            is_blocked.then_some(ProcessId(number))
        });
        let waiting: Vec<ProcessId> = waiting.filter(|id| !others.contains(id)).collect();
        for id in waiting {
            self.process_is_suspended(id);
        }
    }

    fn blocks_on(&mut self, id: ProcessId, obstacle: Obstacle) {
        let on = self.separate.obstacles.number(obstacle);
        self.separate.blocked.insert(id, on);
        self.with_lanes(|lanes, ticks| lanes.happens(id, ticks, EventKind::Blocks { on }));
    }

    /// The running process has made the process ready, which waited or has never run.
    pub(crate) fn process_is_freed(&mut self, id: ProcessId) {
        if !self.separate.is_recorded {
            return;
        }
        self.separate.blocked.remove(&id);
        let Some(lanes) = &self.separate.ordinary else {
            return;
        };
        if lanes.knows(id) {
            self.with_lanes(|lanes, ticks| lanes.frees(id, ticks));
        } else if let Some(work) = self.work_of_process(id) {
            self.with_lanes(|lanes, ticks| lanes.begins(id, work, ticks));
        }
    }

    /// What the running processor waits for, all of whose processes wait: what its last process waits for, or else its oldest one.
    pub(crate) fn obstacle_of_processor(&self) -> Option<u32> {
        let blocked = &self.separate.blocked;
        let running = self.running.id;
        if let Some(on) = blocked.get(&running).filter(|_| !self.running.ended) {
            return Some(*on);
        }
        let owned = blocked
            .iter()
            .filter(|(id, _)| self.separate.owner(**id) == self.separate.running);
        owned.min_by_key(|(id, _)| id.0).map(|(_, on)| *on)
    }

    // --- actors -------------------------------------------------------------------------------------

    /// The running process has made the actor with this behaviour.
    pub(crate) fn actor_is_created(&mut self, actor: ActorId, behaviour: Value) {
        if self.separate.ordinary.is_some() {
            let work = LaneWork {
                class: self.class_of(behaviour),
                selector: SymbolId(0),
                runs: Runs::Message,
                site: self.site_of_request(),
            };
            self.with_lanes(|lanes, ticks| lanes.creates_actor(actor, work, ticks));
        }
    }

    /// The running process sends a message to the actor. Answers the number of its request in the log, if there is one.
    pub(crate) fn message_is_sent(&mut self, address: Value, selector: SymbolId) -> Option<u32> {
        self.separate.ordinary.as_ref()?;
        let actor = self.actor_of(address)?;
        let work = LaneWork {
            class: self.class_of(self.behaviour_at(address)),
            selector,
            runs: Runs::Message,
            site: self.site_of_request(),
        };
        let mut request = None;
        self.with_lanes(|lanes, ticks| request = lanes.posts(actor, work, ticks));
        request
    }

    /// The process is that of a turn, in which the actor processes the message of the request.
    pub(crate) fn turn_begins(&mut self, process: ProcessId, actor: ActorId, request: Option<u32>) {
        let is_after_script = self.actors.resting.is_none();
        self.with_lanes(|lanes, ticks| {
            if is_after_script {
                lanes.script_ends(ticks);
            }
            if let Some(request) = request {
                lanes.takes(process, actor, request, ticks);
            }
        });
    }

    /// The actor of a message is disposed.
    pub(crate) fn message_is_dropped(&mut self, address: Value, request: Option<u32>) {
        if let (Some(actor), Some(request)) = (self.actor_of(address), request) {
            self.with_lanes(|lanes, ticks| lanes.drops(actor, request, ticks));
        }
    }

    // --- what is waited for -------------------------------------------------------------------------

    /// What the running process waits for: the outermost object that the program's own code calls, if that is made of semaphores, else the semaphore
    /// itself.
    fn obstacle(&mut self, semaphore: Option<Value>) -> Obstacle {
        let kinds = KINDS.map(|(name, kind)| (self.find_class(name), kind));
        let mut found = semaphore.map(|semaphore| (semaphore, ObstacleKind::Semaphore));
        let mut walk = self.walk_frames();
        let mut site = None;
        for _ in 0..MOST_FRAMES {
            let Some(view) = walk.next(self) else { break };
            if let Some(own) = self.own_site(&view) {
                site = Some(own);
                break;
            }
            if semaphore.is_some()
                && let Some(whole) = self.made_of_semaphores(&view, &kinds)
            {
                found = Some(whole);
            }
        }
        let kind = found.map_or(ObstacleKind::Suspended, |(_, kind)| kind);
        let object = found.map(|(object, _)| {
            let class = self.class_of(object);
            (class, self.number_of_object(object, class))
        });
        Obstacle { kind, object, site }
    }

    /// The place of a frame that runs the program's own code.
    pub(super) fn own_site(&self, view: &FrameView) -> Option<Site> {
        let target = self.registers.code_of(view);
        let is_own = !self.image.is_of_library(target.method);
        is_own.then(|| {
            let offset = self.offset_in_code(target, view.ip, view.is_top);
            (target.method, offset)
        })
    }

    /// The receiver of a frame of the library, if it is of one of the kinds.
    fn made_of_semaphores(
        &self,
        view: &FrameView,
        kinds: &[(Option<ClassId>, ObstacleKind)],
    ) -> Option<(Value, ObstacleKind)> {
        if self.registers.code_of(view).is_block {
            return None;
        }
        let receiver = self.running.frame_register(view.frame, 0);
        if !receiver.is_object() {
            return None;
        }
        let class = self.class_of(receiver);
        let mut kinds = kinds.iter();
        let kind = kinds.find(|(one, _)| one.is_some_and(|one| self.inherits(class, one)));
        kind.map(|(_, kind)| (receiver, *kind))
    }

    fn number_of_object(&mut self, object: Value, class: ClassId) -> u32 {
        let statistics = &self.heap.statistics;
        let collections = statistics.full.count() + statistics.minor.count();
        self.separate.obstacles.object(object, class, collections)
    }

    /// Forgets numbered objects to which nothing else refers, before the program can see that they are still there. Collects
    /// everything.
    pub(crate) fn forget_dead_obstacles(&mut self) {
        let objects = self.separate.obstacles.objects();
        if objects.is_empty() {
            return;
        }
        self.collect_garbage();
        let mut obstacles = std::mem::take(&mut self.separate.obstacles);
        let objects = obstacles.objects();
        let are_live = self.with_roots(|heap, roots| heap.are_live(&objects, roots));
        obstacles.keep(&are_live);
        self.separate.obstacles = obstacles;
    }

    // --- what processes run -------------------------------------------------------------------------

    /// What the process runs, which has never run.
    fn work_of_process(&mut self, process: ProcessId) -> Option<LaneWork> {
        let row = self.processes.table.get(process.0 as usize)?.as_deref()?;
        let view = FrameView {
            frame: row.fp,
            code: crate::processes::code_of_meta(row.stack.word(row.fp - 2)),
            mark: None,
            ip: row.ip,
            is_top: true,
            awaiting: None,
        };
        let (target, object) = (self.registers.code_of(&view), row.object);
        let (method, id) = (target.method, target.id);
        let block = self.code.links.get(method);
        let code = self.method(method).code.get();
        let block = block.and_then(|first| {
            let index = id.0.checked_sub(first.0 + 1)?;
            code.blocks.get(index as usize)
        });
        let offset = block.map_or(code.span.start, |block| block.span.start);
        let name = self.name_of_process(object);
        let lanes = self.separate.ordinary.as_mut();
        let number = name.and_then(|name| lanes?.name(name));
        let runs = number.map_or(Runs::Block(method, offset), Runs::Named);
        let row = self.method(method);
        let (class, selector) = (row.holder, row.selector);
        Some(LaneWork {
            class,
            selector,
            runs,
            site: self.site_of_request(),
        })
    }

    /// The name that the program gave to a process.
    fn name_of_process(&self, process: Value) -> Option<String> {
        let place = self.field(Known::Process.into(), "name")?;
        let slots = process.is_object().then(|| self.heap.slots(process))?;
        self.text_of(*slots.get(place)?)
            .filter(|name| !name.is_empty())
    }

    /// Class and selector of a request, as they are shown.
    pub(crate) fn names_of_request(
        &self,
        (class, selector, runs): (ClassId, SymbolId, Runs),
    ) -> (String, String) {
        match runs {
            Runs::Message => (
                self.class(class).name.to_string(),
                self.symbol_text(selector).to_string(),
            ),
            Runs::Named(number) => {
                let lanes = self.separate.ordinary.as_ref();
                let name = lanes.map_or("", |lanes| lanes.named(number));
                (name.to_string(), String::new())
            }
            Runs::Block(method, offset) => {
                let line = self.source_place(method, offset).line;
                let row = self.method(method);
                match row.code.get().kind {
                    CodeKind::Script => (format!("script [line {line}]"), String::new()),
                    CodeKind::Method => (
                        self.class(row.holder).display_name(),
                        format!("{} [line {line}]", self.symbol_text(row.selector)),
                    ),
                }
            }
        }
    }

    /// The obstacles with these numbers of the machine, which follow those before. Objects have numbers in this order, so that the
    /// numbers do not depend on how far processors run ahead of the others.
    pub(crate) fn shown_obstacles(&self, before: &[u32], numbers: &[u32]) -> Vec<TimelineObstacle> {
        if numbers.is_empty() {
            return Vec::new();
        }
        let all = self.separate.obstacles.all();
        let mut objects: HashMap<(ClassId, u32), u32> = HashMap::new();
        let mut last: HashMap<ClassId, u32> = HashMap::new();
        let mut shown = Vec::new();
        for (place, number) in before.iter().chain(numbers).enumerate() {
            let Some(obstacle) = all.get(*number as usize) else {
                continue;
            };
            if let Some(object) = obstacle.object.filter(|(_, number)| *number > 0) {
                objects.entry(object).or_insert_with(|| {
                    let last = last.entry(object.0).or_default();
                    *last += 1;
                    *last
                });
            }
            if place < before.len() {
                continue;
            }
            let name = |class| self.class(class).name.to_string();
            shown.push(TimelineObstacle {
                kind: obstacle.kind,
                object: obstacle.object.map_or(String::new(), |object| {
                    match objects.get(&object) {
                        Some(number) => format!("{} #{number}", name(object.0)),
                        None => name(object.0),
                    }
                }),
                site: obstacle
                    .site
                    .map(|(method, offset)| self.site(method, offset)),
            });
        }
        shown
    }

    /// What the running process has executed and is not noted yet, and the last moment.
    pub(crate) fn unfinished_lane(&self, lanes: &Ordinary) -> (Option<Event>, u64) {
        lanes.unfinished(self.executed_ticks())
    }
}
