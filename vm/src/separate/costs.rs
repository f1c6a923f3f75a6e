//! What communication costs, in ticks.

/// Charges of the cost model, in ticks (LogP's and LogGP's parameters, and the costs of locks). All are 0 by default. They are
/// overhead: they are no sends and no work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Costs {
    /// From the sending of a request, an answer or an unlock to its arrival.
    pub latency: u64,
}
