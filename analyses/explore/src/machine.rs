//! The machine of the costs: what each primitive takes, in ticks. Document 002, section 4, with all parameters.

use crate::program::{Becomes, Effect, Step};

/// The parameters of a machine, in ticks. By default all are 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Machine {
    /// What a message takes from its sender.
    pub send_sending: u64,
    /// What it takes from the actor that receives it.
    pub send_receiving: u64,
    /// What the creation of an actor takes from its creator.
    pub new_sending: u64,
    /// What it takes at the beginning of the new lifeline.
    pub new_receiving: u64,
    /// A replacement of the behaviour.
    pub replace: u64,
    /// A disposal.
    pub dispose: u64,
    /// The way of a message or of a creation.
    pub latency: u64,
    /// The least time from one send or creation of a turn to the next.
    pub gap: u64,
    /// When messages and creations leave.
    pub departure: Departure,
}

/// When the messages and creations of a turn leave.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Departure {
    /// At the end of the turn, as in the paper.
    #[default]
    End,
    /// When the turn executes the primitive.
    Exact,
}

/// The names of the parameters, in the order of [`Form`]'s coefficients.
pub const PARAMETERS: [&str; 7] = [
    "or(send)",
    "os(send)",
    "os(new)",
    "or(new)",
    "o(beh)",
    "o(dispose)",
    "L",
];

/// The costs of a machine as users name them, and their places in [`PARAMETERS`]. The gap is in no sum.
pub const COSTS: [(&str, Option<usize>); 8] = [
    ("send.sending", Some(1)),
    ("send.receiving", Some(0)),
    ("new.sending", Some(2)),
    ("new.receiving", Some(3)),
    ("replace", Some(4)),
    ("dispose", Some(5)),
    ("latency", Some(6)),
    ("gap", None),
];

/// The most ticks of a cost. Sums of larger ones could overflow.
pub const MOST_TICKS: u64 = 1 << 40;

/// The machine that every project has.
const UNIT: &str = "unit";

impl Departure {
    /// The departure with this name: `end` or `exact`.
    pub fn named(name: &str) -> Option<Departure> {
        match name {
            "end" => Some(Departure::End),
            "exact" => Some(Departure::Exact),
            _ => None,
        }
    }
}

impl Machine {
    /// The machine with this name: `unit`, where each cost is a tick, or one of a project's own.
    ///
    /// # Errors
    ///
    /// A sentence, if there is none. It lists those that there are.
    pub fn named(name: &str, own: &[(String, Machine)]) -> Result<Machine, String> {
        if name == UNIT {
            return Ok(Machine::uniform(1));
        }
        if let Some((_, machine)) = own.iter().find(|(other, _)| other == name) {
            return Ok(*machine);
        }
        let names = own.iter().map(|(name, _)| name.as_str());
        let names: Vec<&str> = std::iter::once(UNIT).chain(names).collect();
        Err(format!(
            "there is no machine {name}; there are {}; others are tables [machine.NAME] in tally.toml",
            names.join(", ")
        ))
    }

    /// Sets a cost by its name in [`COSTS`], in ticks. Other names change nothing.
    pub fn set(&mut self, name: &str, ticks: u64) {
        match COSTS.iter().find(|(cost, _)| *cost == name) {
            Some((_, Some(parameter))) => *self = self.with(*parameter, ticks),
            Some((_, None)) => self.gap = ticks,
            None => {}
        }
    }

    /// A machine whose overheads and latency are all the same.
    pub fn uniform(ticks: u64) -> Machine {
        Machine {
            send_sending: ticks,
            send_receiving: ticks,
            new_sending: ticks,
            new_receiving: ticks,
            replace: ticks,
            dispose: ticks,
            latency: ticks,
            ..Machine::default()
        }
    }

    /// The parameters in the order of [`PARAMETERS`].
    pub(crate) fn parameters(&self) -> [u64; 7] {
        [
            self.send_receiving,
            self.send_sending,
            self.new_sending,
            self.new_receiving,
            self.replace,
            self.dispose,
            self.latency,
        ]
    }

    /// The machine with another value for one parameter, by its place in [`PARAMETERS`].
    #[must_use]
    pub fn with(mut self, parameter: usize, value: u64) -> Machine {
        let parameters = [
            &mut self.send_receiving,
            &mut self.send_sending,
            &mut self.new_sending,
            &mut self.new_receiving,
            &mut self.replace,
            &mut self.dispose,
            &mut self.latency,
        ];
        if let Some(found) = parameters.into_iter().nth(parameter) {
            *found = value;
        }
        self
    }

    /// Whether times are sums of parameters: forms show them then.
    pub fn is_linear(&self) -> bool {
        self.gap == 0 && self.departure == Departure::End
    }

    /// The times of a turn.
    pub(crate) fn times(&self, effect: &Effect) -> TurnTimes {
        let mut times = TurnTimes::default();
        let mut now = self.send_receiving;
        let mut next_start = 0;
        let mut done = 0;
        for step in &effect.steps {
            let (at, overhead, is_new) = match step {
                Step::New { at, .. } => (*at, self.new_sending, true),
                Step::Send { at, .. } => (*at, self.send_sending, false),
                Step::Output { .. } => continue,
            };
            now = (now + at.saturating_sub(done)).max(next_start);
            done = at.max(done);
            next_start = now + self.gap;
            now += overhead;
            let list = if is_new {
                &mut times.news
            } else {
                &mut times.sends
            };
            list.push(now);
        }
        now += effect.local.saturating_sub(done);
        now += match effect.becomes {
            Becomes::Disposed => self.dispose,
            Becomes::Behaviour { is_replaced, .. } => u64::from(is_replaced) * self.replace,
        };
        if self.departure == Departure::End {
            times.sends.fill(now);
            times.news.fill(now);
        }
        times.weight = now;
        times
    }
}

/// The times of a turn from its beginning.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct TurnTimes {
    /// Its end: the paper's weight.
    pub(crate) weight: u64,
    /// When each message leaves.
    pub(crate) sends: Vec<u64>,
    /// When each creation leaves.
    pub(crate) news: Vec<u64>,
}

/// A sum of parameters and ticks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Form {
    /// How often each parameter is in the sum, in the order of [`PARAMETERS`].
    pub parameters: [u64; 7],
    /// The local time.
    pub local: u64,
}

/// The latency's place in [`PARAMETERS`].
const LATENCY: usize = 6;

impl Form {
    /// A start-up.
    pub(crate) fn start_up() -> Form {
        let mut form = Form::default();
        form.parameters[3] = 1;
        form
    }

    /// The weight of a turn.
    pub(crate) fn of(effect: &Effect) -> Form {
        let mut form = Form {
            local: effect.local,
            ..Form::default()
        };
        form.parameters[0] = 1;
        for step in &effect.steps {
            match step {
                Step::New { .. } => form.parameters[2] += 1,
                Step::Send { .. } => form.parameters[1] += 1,
                Step::Output { .. } => {}
            }
        }
        match effect.becomes {
            Becomes::Disposed => form.parameters[5] += 1,
            Becomes::Behaviour { is_replaced, .. } => form.parameters[4] += u64::from(is_replaced),
        }
        form
    }

    /// The sum of two.
    #[must_use]
    pub(crate) fn plus(mut self, other: &Form) -> Form {
        for (own, other) in self.parameters.iter_mut().zip(&other.parameters) {
            *own += other;
        }
        self.local += other.local;
        self
    }

    /// With the way of a message.
    #[must_use]
    pub(crate) fn sent(mut self) -> Form {
        self.parameters[LATENCY] += 1;
        self
    }

    /// Its value on a machine.
    pub fn value(&self, machine: &Machine) -> u64 {
        let parameters = self.parameters.iter().zip(machine.parameters());
        let sum = parameters.map(|(times, value)| times.saturating_mul(value));
        sum.fold(self.local, u64::saturating_add)
    }

    /// Whether no machine makes the other one larger.
    pub(crate) fn dominates(&self, other: &Form) -> bool {
        let mut pairs = self.parameters.iter().zip(&other.parameters);
        self.local >= other.local && pairs.all(|(own, other)| own >= other)
    }
}

impl std::fmt::Display for Form {
    /// As the paper writes it: `7·or(send) + 4·L + 12`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut terms = Vec::new();
        for (times, name) in self.parameters.iter().zip(PARAMETERS) {
            match times {
                0 => {}
                1 => terms.push(name.to_string()),
                _ => terms.push(format!("{times}·{name}")),
            }
        }
        if self.local > 0 || terms.is_empty() {
            terms.push(self.local.to_string());
        }
        f.write_str(&terms.join(" + "))
    }
}

/// The largest of several forms, for every machine: no form that another one dominates.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Forms(pub(crate) Vec<Form>);

/// More forms than these are not kept: the maximum is not shown then.
const MOST_FORMS: usize = 256;

impl Forms {
    /// The forms, largest coefficients first.
    pub fn all(&self) -> &[Form] {
        &self.0
    }

    /// Adds a form. Answers false if there are too many.
    pub(crate) fn add(&mut self, form: Form) -> bool {
        if self.0.iter().any(|other| other.dominates(&form)) {
            return true;
        }
        self.0.retain(|other| !form.dominates(other));
        self.0.push(form);
        self.0.sort_unstable_by(|left, right| right.cmp(left));
        self.0.len() <= MOST_FORMS
    }

    /// The largest value on a machine.
    pub fn value(&self, machine: &Machine) -> u64 {
        let values = self.0.iter().map(|form| form.value(machine));
        values.max().unwrap_or(0)
    }
}

impl std::fmt::Display for Forms {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let forms: Vec<String> = self.0.iter().map(Form::to_string).collect();
        match &forms[..] {
            [form] => f.write_str(form),
            forms => write!(f, "max({})", forms.join(", ")),
        }
    }
}
