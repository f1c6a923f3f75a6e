//! Closed forms of how many schedules and results there are, worked out by hand.

use tally_vm::Timing;
use tally_workbench::schedules::ScheduleEnding;

use super::explored;
use crate::checks::Checked;

fn expect(
    text: &str,
    (schedules, most_redundant): (u64, u64),
    ends: &[(ScheduleEnding, u64)],
) -> Checked {
    let found = explored(text, Timing::Any)?;
    let mut sums: Vec<(ScheduleEnding, u64)> = Vec::new();
    for one in &found.results {
        match sums.iter_mut().find(|(ending, _)| *ending == one.ending) {
            Some(sum) => sum.1 += one.schedules,
            None => sums.push((one.ending, one.schedules)),
        }
    }
    sums.sort_unstable();
    let is_well = found.redundant <= most_redundant;
    if is_well && (found.schedules, &sums[..]) == (schedules, ends) {
        return Ok(());
    }
    let (seen, redundant) = (found.schedules, found.redundant);
    Err(format!(
        "{seen} schedules, {redundant} redundant, {sums:?}\n{text}"
    ))
}

/// n philosophers take one fork, then the other one, once.
fn dinner(n: u32, is_last_left_handed: bool) -> String {
    let last = if is_last_left_handed { n } else { 0 };
    format!(
        "\
Object subclass: Fork [ | uses | initialize [ uses := 0 ] use [ uses := uses + 1 ] ]
Object subclass: Philosopher [
    | left right |
    left: aFork right: anotherFork [ left := aFork. right := anotherFork ]
    dine [ self takeLeft: left ]
    takeLeft: aFork [ <separate> self eat: aFork with: right ]
    eat: aFork with: anotherFork [ <separate> aFork use. anotherFork use ]
]
| forks all |
forks := (1 to: {n}) collect: [ :i | Fork separate new ].
all := (1 to: {n}) collect: [ :i | Philosopher separate new ].
all keysAndValuesDo: [ :i :each |
    | own next |
    own := forks at: i. next := forks at: i \\\\ {n} + 1.
    i = {last} ifTrue: [each left: next right: own] ifFalse: [each left: own right: next] ].
all do: [ :each | each dine ].
"
    )
}

/// Two want each fork, in one of two orders: 2ⁿ. If all take the left fork first, one of these orders has all want the right fork before, which none
/// does; in another one all have the left fork, which is the deadlock. If the last one takes the right fork first, two orders make a circle, which
/// cannot be.
pub(super) fn philosophers() -> Checked {
    use ScheduleEnding::{Deadlock, Finished};
    for n in 2..=5_u32 {
        let whole = (1 << n) - 1;
        let ends = [(Finished, whole - 1), (Deadlock, 1)];
        expect(&dinner(n, false), (whole, 0), &ends)?;
    }
    for n in 3..=6_u32 {
        let whole = (1 << n) - 2;
        // Runs that are given up find the circles.
        expect(&dinner(n, true), (whole, whole), &[(Finished, whole)])?;
    }
    Ok(())
}

/// n clients want two servers together: n! orders.
pub(super) fn together() -> Checked {
    for (n, orders) in [(2, 2), (3, 6), (4, 24)] {
        let text = format!(
            "\
Object subclass: Server [ | n | initialize [ n := 0 ] hit [ n := n + 1 ] ]
Object subclass: Client [
    | a b |
    a: x b: y [ a := x. b := y ]
    go [ self both: a and: b ]
    both: x and: y [ <separate> x hit. y hit ]
]
| s t all |
s := Server separate new. t := Server separate new.
all := (1 to: {n}) collect: [:i | Client separate new].
all do: [:each | each a: s b: t].
all do: [:each | each go].
"
        );
        expect(&text, (orders, 0), &[(ScheduleEnding::Finished, orders)])?;
    }
    Ok(())
}

/// One client wants a lock m times, another one n times, each time for a query and a command: (m + n)! / (m! n!) orders.
pub(super) fn rounds() -> Checked {
    for (m, n, orders) in [(1, 3, 4), (2, 2, 6), (3, 3, 20), (2, 5, 21)] {
        let text = format!(
            "\
Object subclass: Counter [ | n | initialize [ n := 0 ] n [ ^n ] n: k [ n := k ] ]
Object subclass: Client [
    | to |
    to: aCounter [ to := aCounter ]
    go: times [ times timesRepeat: [self add: to] ]
    add: aCounter [ <separate> aCounter n: aCounter n + 1 ]
]
| counter one other |
counter := Counter separate new.
one := Client separate new. other := Client separate new.
one to: counter. other to: counter.
one go: {m}. other go: {n}.
"
        );
        expect(&text, (orders, 0), &[(ScheduleEnding::Finished, orders)])?;
    }
    Ok(())
}

/// n clients want the lock of one server once: n! orders.
pub(super) fn arrivals() -> Checked {
    for (n, orders) in [(2, 2), (3, 6), (4, 24)] {
        let text = format!(
            "\
Object subclass: Keeper [ | kept | keep: n [ kept := n ] ]
Object subclass: Giver [ | to | to: aKeeper [ to := aKeeper ] give: n [ self give: n into: to ]
    give: n into: aKeeper [ <separate> aKeeper keep: n ] ]
| keeper givers |
keeper := Keeper separate new.
givers := (1 to: {n}) collect: [:i | Giver separate new].
givers do: [:each | each to: keeper].
givers keysAndValuesDo: [:i :each | each give: i].
"
        );
        expect(&text, (orders, 0), &[(ScheduleEnding::Finished, orders)])?;
    }
    Ok(())
}

/// Workers that have nothing to do with each other have one schedule, however many there are, and however long they work.
pub(super) fn apart() -> Checked {
    for (n, work) in [(1, 10), (4, 10), (9, 10), (2, 300_000)] {
        let text = format!(
            "\
Object subclass: Worker [ | done | run: n [ n timesRepeat: [ ]. done := true ] done [ ^done ] ]
| workers |
workers := (1 to: {n}) collect: [:i | Worker separate new].
workers do: [:each | each run: {work}].
(workers collect: [:each | each done]) size printNl.
"
        );
        expect(&text, (1, 0), &[(ScheduleEnding::Finished, 1)])?;
    }
    Ok(())
}
