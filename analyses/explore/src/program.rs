//! What the exploration knows of a program: the actors and messages at its start, and the effect of each turn. This file holds no
//! states and no machine. Another crate runs the turns.

/// An actor program: what its turns do. Behaviours, messages and outputs are numbers of an interner that the program owns. Equal
/// numbers mean equal contents. Addresses inside a behaviour or message are not part of its number: it has slots 0 to k, and a state says
/// which actor is in each slot.
pub trait Program {
    /// Why a turn could not be executed at all. A turn that fails is no error: see [`TurnEnding::Failed`].
    type Error;

    /// What happens when an actor with this behaviour takes this message. `names` says which addresses are equal. Its places are the actor
    /// itself, the slots of the behaviour, and the slots of the message. Each place holds the number of the first place with the same
    /// address, so `names[0]` is 0. The effect is the same for equal arguments: the exploration keeps it.
    ///
    /// # Errors
    ///
    /// If the program cannot execute the turn. The exploration ends with this error.
    fn turn(&mut self, behaviour: u32, message: u32, names: &[u32]) -> Result<Effect, Self::Error>;

    /// The class of a behaviour and its variables, with slots as `{0}`.
    fn behaviour_text(&self, behaviour: u32) -> String;

    /// The selector of a message and its arguments, with slots as `{0}`.
    fn message_text(&self, message: u32) -> String;

    /// The text of an output.
    fn output_text(&self, output: u32) -> String;
}

/// An address in an effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Place {
    /// A place of `names`: 0 is the actor itself. Its slots follow, then those of the message.
    Known(u32),
    /// The n-th actor that the turn creates, from 0.
    New(u32),
}

/// What a turn does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Effect {
    /// What it does to others, in order.
    pub steps: Vec<Step>,
    /// What the actor is after the turn.
    pub becomes: Becomes,
    /// How the turn ends.
    pub ending: TurnEnding,
    /// The local time of the turn in ticks, without the primitives.
    pub local: u64,
}

/// One primitive that a turn executes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// Creates an actor.
    New {
        /// Its first behaviour.
        behaviour: u32,
        /// The addresses in the behaviour.
        slots: Vec<Place>,
        /// Ticks of the turn before the creation.
        at: u64,
    },
    /// Sends a message.
    Send {
        /// The actor that it goes to.
        to: Place,
        /// Its contents.
        message: u32,
        /// The addresses in the message.
        slots: Vec<Place>,
        /// Ticks of the turn before the send.
        at: u64,
    },
    /// Writes an output.
    Output {
        /// What it writes.
        text: u32,
    },
}

/// What an actor is after a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Becomes {
    /// It goes on.
    Behaviour {
        /// Its next behaviour.
        behaviour: u32,
        /// The addresses in the behaviour.
        slots: Vec<Place>,
        /// Whether it is another behaviour, which the machine of the costs charges.
        is_replaced: bool,
    },
    /// It takes no more messages.
    Disposed,
}

/// How a turn ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TurnEnding {
    /// At its end.
    Done,
    /// With an error. The number is an output's: its text is the message.
    Failed(u32),
}

/// With what a program begins: the actors that its script creates, and the messages that the script sends.
///
/// One actor alone is the paper's root, named `r`. The messages of the script then have no sender. Of several actors, the script is the
/// lifeline `r`, which creates `a1`, `a2` and so on. In both cases the script takes no time, and its actors need no start-up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Start {
    /// The actors, in the order of their creation.
    pub actors: Vec<StartActor>,
    /// The messages, in the order in which the script sends them.
    pub messages: Vec<StartMessage>,
}

/// An actor at the start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StartActor {
    /// Its behaviour.
    pub behaviour: u32,
    /// The addresses in the behaviour, as positions in [`Start::actors`].
    pub slots: Vec<u32>,
}

/// A message at the start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StartMessage {
    /// The actor that it goes to, as a position in [`Start::actors`].
    pub to: u32,
    /// Its contents.
    pub message: u32,
    /// The addresses in the message, as positions in [`Start::actors`].
    pub slots: Vec<u32>,
}
