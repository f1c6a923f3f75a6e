//! Metrics of single requests (document 000, Figure 4, definitions 1 to 5), and parts of virtual time.

use crate::names::FeatureId;

/// A request with its moments and metrics, in ticks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Measured {
    /// The feature that it applies.
    pub feature: FeatureId,
    /// The feature that sent it.
    pub asker: Option<FeatureId>,
    /// When its client began to wait for it, if it is that of a future.
    pub joined: Option<u64>,
    /// The number of the request in which it was sent.
    pub sender: Option<u32>,
    /// The number of the processor that sent it.
    pub client: u32,
    /// The number of the processor that served it.
    pub supplier: u32,
    /// Whether the client waits for the answer.
    pub waits: bool,
    /// Whether it is an activation of the client's own.
    pub is_local: bool,
    /// Whether the supplier serves it while it waits itself.
    pub is_callback: bool,
    /// The number of the text of its place in the program, if that is known.
    pub(crate) site: Option<u32>,
    /// Its place in the order of calls and of scopes that wait; 0 if that is not known.
    pub(crate) ordinal: u64,
    /// When the client sent it; absent for an activation of the processor's own.
    pub called: Option<u64>,
    /// When the supplier took it up.
    pub synchronizes: Option<u64>,
    /// When the feature began.
    pub executes: Option<u64>,
    /// When the feature ended.
    pub returns: Option<u64>,
    /// Ticks in which it waited while it executed: for answers and for locks of nested scopes. Overlaps count once.
    pub waiting: u64,
    /// How often its condition was evaluated.
    pub evaluations: u64,
}

impl Measured {
    /// When it was sent, or taken up if it is an activation of the processor's own.
    pub fn begins(&self) -> Option<u64> {
        self.called.or(self.synchronizes)
    }

    /// Definition 1: from the call to the begin of the synchronization step; 0 for an activation of the processor's own.
    pub fn queue_time(&self) -> Option<u64> {
        let Some(called) = self.called else {
            return self.synchronizes.map(|_| 0);
        };
        Some(self.synchronizes?.saturating_sub(called))
    }

    /// Definition 2: from there to the begin of the feature.
    pub fn synchronization_time(&self) -> Option<u64> {
        Some(self.executes?.saturating_sub(self.synchronizes?))
    }

    /// Definition 3: from there to its end.
    pub fn execution_time(&self) -> Option<u64> {
        Some(self.returns?.saturating_sub(self.executes?))
    }

    /// Definition 4: the execution time without the waiting time.
    pub fn useful_time(&self) -> Option<u64> {
        Some(self.execution_time()?.saturating_sub(self.waiting))
    }

    /// The request with its moments moved into the window; its first missing moment is the end of the window. Nothing if no
    /// part of it is in the window.
    pub fn within(&self, window: Window) -> Option<Measured> {
        let begins = self.begins()?;
        if begins > window.to || self.returns.is_some_and(|returns| returns < window.from) {
            return None;
        }
        let inside = |moment: u64| moment.clamp(window.from, window.to);
        let mut is_missing = false;
        let mut moved = |moment: Option<u64>| match moment {
            Some(moment) => Some(inside(moment)),
            None if std::mem::replace(&mut is_missing, true) => None,
            None => Some(window.to),
        };
        Some(Measured {
            called: self.called.map(inside),
            synchronizes: moved(self.synchronizes),
            executes: moved(self.executes),
            returns: moved(self.returns),
            ..self.clone()
        })
    }
}

/// A part of virtual time, in ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Its first moment.
    pub from: u64,
    /// Its last moment.
    pub to: u64,
}

impl Window {
    /// All of it.
    pub const WHOLE: Window = Window {
        from: 0,
        to: u64::MAX,
    };

    /// Ticks of the interval that are in the window.
    pub fn overlap(self, from: u64, to: u64) -> u64 {
        to.min(self.to).saturating_sub(from.max(self.from))
    }

    pub(crate) fn contains(self, moment: u64) -> bool {
        (self.from..=self.to).contains(&moment)
    }
}

/// What is added up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// The part of virtual time.
    pub window: Window,
    /// Whether the window is a segment, of which requests have parts. Otherwise the requests that begin before it are left out.
    pub is_segment: bool,
    /// The last moment.
    pub end: u64,
}

impl Extent {
    /// A whole run that ends at this moment.
    pub fn whole(end: u64) -> Extent {
        Extent {
            window: Window::WHOLE,
            is_segment: false,
            end,
        }
    }

    /// The requests of a run from this moment on.
    pub fn since(from: u64, end: u64) -> Extent {
        Extent {
            window: Window { from, to: u64::MAX },
            is_segment: false,
            end,
        }
    }

    /// A segment of a run.
    pub fn segment(from: u64, to: u64, end: u64) -> Extent {
        Extent {
            window: Window { from, to },
            is_segment: true,
            end: end.min(to),
        }
    }

    /// Whether the request counts: in a segment as far as it is in it, otherwise if it begins in the window.
    pub(crate) fn has(&self, number: u32, request: &Measured) -> bool {
        let begins = request.begins();
        let is_in = number == 0 || begins.is_some_and(|begins| begins >= self.window.from);
        // A request that was never sent has no moment; it counts as not begun.
        self.is_segment || is_in || self.window == Window::WHOLE
    }

    /// The request, as far as it belongs to the part.
    pub(crate) fn part_of(&self, number: u32, request: &Measured) -> Option<Measured> {
        if self.is_segment {
            let to = self.window.to.min(self.end);
            return request.within(Window { to, ..self.window });
        }
        self.has(number, request).then(|| request.clone())
    }

    /// Its length in ticks.
    pub fn makespan(&self) -> u64 {
        self.end.saturating_sub(self.window.from)
    }
}
