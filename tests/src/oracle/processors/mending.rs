//! Where the machine does not yet follow the rules. A constant that is true lets the simulator follow them, and the
//! generator use what they are about; a false one lets the simulator do as the machine does, or leaves programs out.

/// §2.4: a call outside all scopes travels as any other. The machine lets it arrive at once.
pub(super) const SINGLE_CALLS_TRAVEL: bool = true;

/// R11: an answer that comes while a callback waits is kept. The machine loses it: such programs are left out.
pub(super) const ANSWERS_WAIT_FOR_CALLBACKS: bool = true;

/// §3, CPUs: what is granted at the same moment keeps its CPU. The machine gives the CPU to others that are ready.
pub(super) const FREE_LOCKS_KEEP_THE_CPU: bool = true;

/// R12: a failure leaves local scopes on its way to the client. The machine ends the request as if no client waited:
/// such programs are left out.
pub(super) const FAILURES_LEAVE_LOCAL_SCOPES: bool = true;

/// R11: a callback belongs to the chain while it runs. The machine forgets this for callbacks that no processor waits for:
/// programs in which it matters are left out.
pub(super) const CALLBACKS_SHARE_LOCKS: bool = true;

/// §3, CPUs: a processor runs until it waits. After a callback the machine gives up the CPU, even if the answer is there.
pub(super) const CALLBACKS_KEEP_THE_CPU: bool = true;
