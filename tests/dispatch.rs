//! In optimised builds the handlers of instructions end in tail calls (`vm/src/interpreter/dispatch`). If the optimiser
//! kept a frame for one handler, a stack of ordinary size would hide the error for a while. So programs run here on a
//! stack that overflows after a few thousand such frames. In other builds this tests nothing new.

use std::sync::Arc;

use libtest_mimic::Trial;
use tally_tests::modes;
use tally_tests::observe::{Options, compile, observe};
use tally_vm::Outcome;

use crate::checks::trial;

/// Bytes of the stack. Primitives, the compiler and the collector have to get by with it too.
const STACK: usize = 512 << 10;

/// Repetitions of each loop: with 16 bytes left behind by each, ten times what the stack holds.
const PROGRAM: &str = "
Object subclass: Base [ ping: x [ ^x ] ]
Base subclass: Probe [
    | held array |
    held [ ^held ]
    held: x [ held := x ]
    array: anArray [ array := anArray ]
    ping: x [ ^super ping: x + 1 ]
    leave: x [ #(1 2) do: [:each | each = x ifTrue: [^each]]. ^nil ]
    run: n [
        | f sum text block |
        f := 0.0. sum := 0. text := 'ab' copy. block := [:x | x + sum].
        1 to: n do: [:i |
            self held: i.
            sum := sum + self held - (self ping: 3).
            sum := sum bitAnd: 1023. sum := sum bitOr: 1. sum := sum \\\\ 511 * 2 // 3.
            f := f + 1.5 * 0.5 - 0.25 / 2.0. f < 3.0 ifTrue: [sum := sum + 1].
            array at: 1 put: sum. sum := sum + (array at: 1).
            text = 'ab' ifTrue: [sum := sum + 1]. text == nil ifTrue: [sum := 0].
            (i odd and: [i > 3]) | (i <= 2) ifTrue: [sum := sum + (block value: 1)].
            held isNil ifFalse: [sum := sum - (i bitShift: 1)].
            sum := sum + (self leave: 2) + { i. 2 } size + [:a :b | a] numArgs.
            (array at: 1) yourself printString size > 100 ifTrue: [sum := 0].
            i ~= 0 & (i ~~ nil) ifFalse: [sum := 0] ].
        n to: 1 by: -1 do: [:i | sum := sum + 1].
        [sum > 0] whileTrue: [sum := sum - 7].
        [sum >= 0] whileFalse: [sum := sum + 5].
        n timesRepeat: [sum := (sum ifNil: [0] ifNotNil: [:s | s + 1])].
        ^sum ] ]
| probe others blocks |
probe := Probe new array: (Array new: 2); yourself.
(probe run: 300000) printNl.
others := {3. nil. 'a'. probe. $c. #s}.
blocks := {[1]. [2]. [3]. [4]. [5]. [6]. [7]. [8]. [9]. [10]. [11]. [12]. [13]. [14]. [15]. [16]. [17]. [18]. [19]. [20]}.
1 to: 200000 do: [:i | (blocks at: i \\\\ 20 + 1) value].
1 to: 100000 do: [:i | (others at: i \\\\ 6 + 1) isNil; yourself; class]";

/// Closes short cuts of all shapes, so that their instructions take the way round.
const REDEFINITIONS: &str = "
SmallInteger extend [
    + x [ <primitive: integerAdd> ^super + x ]
    <= x [ <primitive: integerLessEqual> ^super <= x ]
    - x [ <primitive: integerSubtract> ^super - x ] ]
Object extend [ == x [ <primitive: objectSame> ^false ] ]
Array extend [
    at: index [ <primitive: objectBasicAt> ^super at: index ]
    at: index put: x [ <primitive: objectBasicAtPut> ^super at: index put: x ] ]";

/// A test for each mode whose copy of the loop is another.
pub(crate) fn trials() -> Vec<Trial> {
    let modes = [
        modes::PLAIN,
        modes::RECORDING,
        modes::PROFILE,
        modes::REFERENCE,
    ];
    let test = |mode: modes::Mode, name: &str, definitions: &'static str| {
        let name = format!("dispatch/{name}/{}", mode.name.replace(' ', "_"));
        trial(name, move || on_small_stack(mode, definitions))
    };
    let both = |mode| {
        [
            test(mode, "small_stack", ""),
            test(mode, "small_stack_and_guards", REDEFINITIONS),
        ]
    };
    modes.into_iter().flat_map(both).collect()
}

fn on_small_stack(mode: modes::Mode, definitions: &str) -> Result<(), String> {
    let compiled = compile("dispatch.st", &format!("{definitions}{PROGRAM}"))?;
    let unit = compiled.unit.ok_or(format!("{:?}", compiled.diagnostics))?;
    let unit = Arc::new(unit);
    let run = move || observe(&unit, &Options::default(), &mode);
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(run);
    let seen = thread.map_err(|error| error.to_string())?.join();
    let seen = seen.map_err(|_| "the program panicked".to_string())??;
    match seen.outcome {
        Outcome::Finished => Ok(()),
        other => Err(format!("{other:?}: {}", seen.error)),
    }
}
