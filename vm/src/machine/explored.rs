//! Turns of actors, one at a time, for an exploration. The machine runs the script and stands still behind it. Each turn is executed in a
//! copy of it. So no turn sees what another one did, and what a turn changes outside of its behaviour and message is found by comparing
//! the copy with the machine.

use super::Vm;
use crate::actors::{
    ActorsAtStart, AskedTurn, Canonical, Noted, Posted, Sending, TurnDone, TurnFault, TurnHost,
    TurnMachine, TurnStep,
};
use crate::base::{Limit, MethodId, Outcome, SymbolId, Value};
use crate::heap::SettledExtent;
use crate::observers::Question;
use crate::separate::Made;
use crate::world::{Failure, Trace};

use super::canonical::Parsed;

impl Vm {
    /// From now on, messages to actors wait: no turn begins behind the script.
    pub fn hold_messages(&mut self) {
        self.actors.noted = Some(Box::default());
    }

    /// How many actors the program has made.
    pub fn actors_made(&self) -> usize {
        self.actors.count()
    }

    /// The actors and messages that the last script has left, after [`Vm::hold_messages`]. From now on the machine executes turns only.
    ///
    /// # Errors
    ///
    /// A sentence, if the program cannot be explored.
    pub fn actors_at_start(&mut self) -> Result<ActorsAtStart, TurnFault> {
        let noted = self.actors.noted.take().unwrap_or_default();
        let pending = std::mem::take(&mut self.actors.pending);
        if self.separate.engine.is_some() || self.has_processes() {
            let why = "a program with actors and processes cannot be explored";
            return Err(TurnFault::Unkept(why.to_string()));
        }
        let actors = noted.created.len();
        // All that is wanted stays in view of the collector.
        let mut kept = noted.created;
        kept.extend(pending.iter().flat_map(|posted| {
            let target = std::iter::once(posted.target);
            target.chain(posted.arguments.iter().copied())
        }));
        let posted: Vec<_> = pending
            .iter()
            .map(|posted| (posted.selector, posted.arguments.len()))
            .collect();
        self.actors.noted = Some(Box::new(Noted {
            kept,
            ..Noted::default()
        }));
        self.drop_stopped_run();
        self.run.result = Value::NIL;
        self.link_everything();
        self.settle_objects();
        self.check_addresses(actors)?;
        let mut at_start = ActorsAtStart::default();
        for actor in 0..actors {
            let behaviour = self.behaviour_at(self.kept(actor));
            at_start
                .actors
                .push(self.form_at_start(None, &[behaviour])?);
        }
        let mut next = actors;
        for (selector, count) in posted {
            let target = self.actor_of(self.kept(next)).map_or(0, |id| id.0);
            let arguments: Vec<Value> = (next + 1..=next + count).map(|at| self.kept(at)).collect();
            next += count + 1;
            let message = self.form_at_start(Some(selector), &arguments)?;
            let position = target.saturating_sub(1);
            at_start.messages.push((position, message));
        }
        self.heap.draw_all_hashes();
        Ok(at_start)
    }

    fn kept(&self, index: usize) -> Value {
        let noted = self.actors.noted.as_ref();
        let kept = noted.and_then(|noted| noted.kept.get(index).copied());
        kept.unwrap_or(Value::NIL)
    }

    /// The canonical form of what the script has left.
    fn form_at_start(
        &mut self,
        selector: Option<SymbolId>,
        roots: &[Value],
    ) -> Result<Canonical, TurnFault> {
        let extent = self.heap.extent();
        let form = self.canonical(selector, roots, extent, false);
        form.map_err(TurnFault::Unkept)
    }

    /// The canonical form of what a turn has left.
    fn form(
        &mut self,
        selector: Option<SymbolId>,
        roots: &[Value],
        extent: SettledExtent,
    ) -> Result<Canonical, TurnFault> {
        let form = self.canonical(selector, roots, extent, true);
        form.map_err(TurnFault::Unkept)
    }

    /// Whether there are processes beside the running one that have not ended.
    pub fn has_processes(&self) -> bool {
        self.processes.table.iter().any(Option::is_some)
    }

    /// Links all methods, so that literals are there, and code of blocks has its numbers, in all copies alike.
    fn link_everything(&mut self) {
        for number in 0..self.image.methods.len() {
            self.link(MethodId(number as u32));
        }
    }

    /// Refuses addresses of actors in variables that all turns see.
    fn check_addresses(&mut self, actors: usize) -> Result<(), TurnFault> {
        let mut noted = self.actors.noted.take().unwrap_or_default();
        let addresses: Vec<Value> = noted.kept.iter().take(actors).copied().collect();
        let kept = std::mem::take(&mut noted.kept);
        let are_live = self.with_roots(|heap, roots| heap.are_live(&addresses, roots));
        noted.kept = kept;
        self.actors.noted = Some(noted);
        if !are_live.contains(&true) {
            return Ok(());
        }
        let holder = self.global_with(&addresses);
        let holder = holder.map_or("a variable".to_string(), |name| {
            format!("the variable {name}")
        });
        Err(TurnFault::Unkept(format!(
            "{holder} that all actors see leads to the address of an actor: pass the address in messages, and declare variables of the script"
        )))
    }

    /// The name of a global that holds one of these values.
    fn global_with(&self, values: &[Value]) -> Option<String> {
        let mut globals = self.image.globals.iter().zip(self.image.references.iter());
        let (_, reference) = globals.find(|(global, _)| values.contains(&global.value))?;
        Some(reference.name().to_string())
    }

    /// Executes one turn, in a copy of this machine.
    fn turn_of_actor(&mut self, asked: &AskedTurn<'_>) -> Result<TurnDone, TurnFault> {
        let extent = self.heap.extent();
        let host = TurnHost::default();
        let mut copy = self.fork(Box::new(host.clone()));
        let outcome = copy.execute_asked(asked, extent)?;
        let seen = host.take();
        let noted = copy.actors.noted.as_ref();
        let uncontrolled = noted.and_then(|noted| noted.uncontrolled).or(seen.asked);
        if let Some(what) = uncontrolled {
            return Err(TurnFault::Uncontrolled(what.to_string()));
        }
        let failure = match self.change_in(&copy) {
            Some(what) => Some(plain_failure(&what)),
            None => copy.failure_of(&outcome)?,
        };
        copy.turn_done(asked, extent, seen.output, failure)
    }

    /// Makes behaviour, message and addresses, and lets the actor take the message.
    fn execute_asked(
        &mut self,
        asked: &AskedTurn<'_>,
        extent: SettledExtent,
    ) -> Result<Outcome, TurnFault> {
        let broken = || TurnFault::Stopped("the bytes of a turn are broken".to_string());
        let behaviour = Parsed::read(asked.behaviour).ok_or_else(broken)?;
        let message = Parsed::read(asked.message).ok_or_else(broken)?;
        let selector = message.selector.as_deref().ok_or_else(broken)?;
        let selector = self.symbol(selector).as_symbol().ok_or_else(broken)?;
        self.keep_failures();
        self.actors.begin_with(asked.names.len());
        let first = self.run.handles.len();
        for (place, name) in (0..).zip(asked.names) {
            let made = match *name == place {
                true => self.address_with(place + 1, Value::TRUE),
                false => self.run.handles.get(first + *name as usize).copied(),
            };
            self.run.handles.push(made.ok_or_else(broken)?);
        }
        let slots: Vec<usize> = (first..self.run.handles.len()).skip(1).collect();
        let of_behaviour = behaviour.slots();
        let (own, others) = slots.split_at_checked(of_behaviour).ok_or_else(broken)?;
        let made = self
            .make_parsed(&behaviour, extent, own)
            .ok_or_else(broken)?;
        self.run
            .handles
            .push(made.first().copied().ok_or_else(broken)?);
        let arguments = self
            .make_parsed(&message, extent, others)
            .ok_or_else(broken)?;
        let behaviour = self.run.handles.pop().unwrap_or(Value::NIL);
        let target = self.run.handles[first];
        self.run.handles.truncate(first);
        self.set_behaviour_at(target, behaviour);
        if let Some(noted) = &mut self.actors.noted {
            noted.kept.push(target);
            noted.turns = 1;
        }
        self.actors.pending.push_back(Posted {
            target,
            selector,
            arguments,
            made: Made::default(),
            sending: Sending::default(),
            request: None,
        });
        let outcome = self.run_turn_of_actor(asked.most_ticks, asked.stop);
        outcome.ok_or(TurnFault::Interrupted)
    }

    /// The error that has ended a turn, if one did.
    fn failure_of(&mut self, outcome: &Outcome) -> Result<Option<Failure>, TurnFault> {
        let mut failures = self.take_failures().into_iter();
        let first = failures.find(|failure| failure.is_unhandled);
        Ok(match outcome {
            Outcome::Finished => None,
            Outcome::Limit(Limit::Ticks) => return Err(TurnFault::Endless),
            Outcome::Failed | Outcome::Limit(Limit::Depth) => {
                Some(first.unwrap_or_else(|| plain_failure("the turn has failed")))
            }
            Outcome::Exited(_) => Some(plain_failure("a turn of an actor may not end the program")),
            Outcome::Deadlock => Some(plain_failure("a turn of an actor may not wait")),
            Outcome::Limit(limit) => {
                return Err(TurnFault::Stopped(format!("the turn reaches {limit}")));
            }
            Outcome::NotCompiled => {
                let why = "a class that a turn needs does not compile";
                return Err(TurnFault::Stopped(why.to_string()));
            }
            Outcome::Internal(why) => return Err(TurnFault::Stopped(why.clone())),
        })
    }

    /// What the turn did, seen from its copy of the machine.
    fn turn_done(
        &mut self,
        asked: &AskedTurn<'_>,
        extent: SettledExtent,
        output: String,
        failure: Option<Failure>,
    ) -> Result<TurnDone, TurnFault> {
        let ticks = self.total_ticks();
        let noted = self.actors.noted.take().unwrap_or_default();
        let counted = ticks
            .saturating_sub(noted.began)
            .saturating_sub(noted.apart);
        let local = noted.cost.unwrap_or(counted);
        let pending = std::mem::take(&mut self.actors.pending);
        let (mut created, mut sent) = (noted.created.iter(), pending.iter());
        let mut steps = Vec::new();
        for (is_creation, at) in noted.steps {
            if is_creation {
                let Some(&address) = created.next() else {
                    continue;
                };
                let behaviour = self.behaviour_at(address);
                steps.push(TurnStep::Creates(
                    self.form(None, &[behaviour], extent)?,
                    at,
                ));
            } else if let Some(posted) = sent.next() {
                let form = self.form(Some(posted.selector), &posted.arguments, extent)?;
                let target = self.form(None, &[posted.target], extent)?;
                let target = target.addresses.first().copied().unwrap_or(0);
                steps.push(TurnStep::Sends(target, form, at));
            }
        }
        let own = noted.kept.last().copied().unwrap_or(Value::NIL);
        let behaviour = self.behaviour_at(own);
        let goes_on = failure.is_none() && !behaviour.is_nil();
        let next = goes_on.then(|| self.form(None, &[behaviour], extent));
        let before = failure.is_some().then(|| asked.behaviour_before());
        let next = next.transpose()?.or(before).map(|form| {
            let slots = asked.names.iter().skip(1);
            let is_as_before = form.bytes == asked.behaviour
                && slots.take(form.addresses.len()).eq(&form.addresses);
            (
                form,
                failure.is_none() && noted.is_replaced || !is_as_before,
            )
        });
        Ok(TurnDone {
            steps,
            next,
            output,
            failure,
            local,
            draws_hashes: noted.draws_hashes,
        })
    }

    /// What a turn has changed that others see, if it has.
    fn change_in(&self, copy: &Vm) -> Option<String> {
        let what = self.change_of_object(copy);
        let what = what.or_else(|| self.change_of_image(copy))?;
        Some(format!(
            "a turn of an actor may not change what others see: {what}"
        ))
    }

    fn change_of_object(&self, copy: &Vm) -> Option<String> {
        let changed = self.heap.changed_in(&copy.heap)?;
        if let Some(class) = self.class_of_class_object(changed) {
            return Some(format!("the variables of {}", self.class(class).name));
        }
        let class = &self.class(self.class_of(changed)).name;
        let what = match self.global_with(&[changed]) {
            Some(name) => format!("the object in {name}"),
            None => format!("an object of class {class}"),
        };
        Some(what)
    }

    /// What a turn has changed of classes, methods, literals and variables.
    fn change_of_image(&self, copy: &Vm) -> Option<String> {
        let (image, other) = (&self.image, &copy.image);
        let has_same_code = image.classes.is_same(&other.classes)
            && image.methods.is_same(&other.methods)
            && image.wrappers.len() == other.wrappers.len();
        if !has_same_code {
            return Some("a class or method".to_string());
        }
        if !self.has_same_values(copy, &self.code.literals, &copy.code.literals) {
            return Some("a literal of a method".to_string());
        }
        if !self.has_same_values(copy, &image.class_objects, &other.class_objects) {
            return Some("a class".to_string());
        }
        if !self.has_same_locals(copy) {
            return Some("a value that is kept for a processor".to_string());
        }
        self.change_of_variable(copy)
    }

    /// Whether the values that are kept for processors are the same objects in the copy.
    fn has_same_locals(&self, copy: &Vm) -> bool {
        let (here, there) = (&self.separate.locals, &copy.separate.locals);
        let mut kept = here.iter();
        here.len() == there.len()
            && kept.all(|(processor, value)| {
                let other = there.get(processor);
                other.is_some_and(|other| self.has_same_values(copy, &[*value], &[*other]))
            })
    }

    /// The global variable that a turn has changed. One of the library may be nil until its first use. Each turn gives it a value again,
    /// so no turn sees that of another one.
    fn change_of_variable(&self, copy: &Vm) -> Option<String> {
        let (image, other) = (&self.image, &copy.image);
        let mut pairs = image.globals.iter().zip(&other.globals).enumerate();
        let changed = pairs.find(|(id, (here, there))| {
            let is_lazy = *id < image.library_variables && here.value.is_nil();
            let is_same = here.defined == there.defined
                && self.has_same_values(copy, &[here.value], &[there.value]);
            !is_same && !is_lazy
        });
        if let Some(name) = changed.and_then(|(id, _)| image.references.iter().nth(id)) {
            return Some(format!("the variable {}", name.name()));
        }
        let mut more = other.globals.iter().skip(image.globals.len());
        let is_new = more.any(|global| global.defined);
        is_new.then(|| "a new global variable".to_string())
    }

    /// Whether the values of this machine and those of its copy are the same objects.
    fn has_same_values(&self, copy: &Vm, here: &[Value], there: &[Value]) -> bool {
        let extent = self.heap.extent();
        let place = |vm: &Vm, value: Value| match value.is_object() {
            true => Err(vm.heap.position(value, extent)),
            false => Ok(value),
        };
        let mut pairs = here.iter().zip(there);
        here.len() <= there.len()
            && pairs.all(|(here, there)| place(self, *here) == place(copy, *there))
    }

    /// The turn that an exploration executes reads something that depends on other turns or runs.
    pub(crate) fn note_uncontrolled(&mut self, what: &'static str) {
        if let Some(noted) = &mut self.actors.noted {
            noted.uncontrolled.get_or_insert(what);
        }
    }

    /// The turn reads a value that the counting model does not fix.
    pub(crate) fn note_reading(&mut self, question: Question) {
        match question {
            Question::Clock => self.note_uncontrolled("the time"),
            Question::Seed => self.note_uncontrolled("random numbers without a seed"),
            Question::Address => self.note_uncontrolled("where an object lies in memory"),
            Question::IdentityHash => {}
        }
    }

    /// The turn draws the identity hash of an object.
    pub(crate) fn note_hash(&mut self) {
        if let Some(noted) = &mut self.actors.noted {
            noted.draws_hashes = true;
        }
    }
}

impl AskedTurn<'_> {
    /// The behaviour before the turn.
    fn behaviour_before(&self) -> Canonical {
        let slots = Parsed::read(self.behaviour).map_or(0, |parsed| parsed.slots());
        Canonical {
            bytes: self.behaviour.to_vec(),
            addresses: self.names.iter().skip(1).take(slots).copied().collect(),
        }
    }
}

impl TurnMachine for Vm {
    fn turn(&mut self, asked: &AskedTurn<'_>) -> Result<TurnDone, TurnFault> {
        self.turn_of_actor(asked)
    }

    fn text(&self, bytes: &[u8]) -> String {
        self.canonical_text(bytes)
    }
}

/// A failure without a place.
fn plain_failure(message: &str) -> Failure {
    Failure {
        message: message.to_string(),
        help: None,
        trace: Trace::default(),
        is_unhandled: true,
    }
}
