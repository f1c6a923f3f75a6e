use libtest_mimic::Trial;
use tally_tests::oracle::actors::examples::{self, Join};
use tally_tests::oracle::actors::explore::{Setting, explore};
use tally_tests::oracle::actors::costs::Machine;
use tally_tests::oracle::actors::state::Delivery;
use tally_tests::oracle::actors::language::Program;
use crate::checks::{Checked, trial};

pub(crate) fn trials() -> Vec<Trial> {
    vec![trial("oracle/actors", survey)]
}
fn survey() -> Checked {
    let cases: Vec<(&str, Program)> = vec![
        ("4", examples::modulo((1, 4), Join::Remainder)),
        ("4 printed", examples::modulo((1, 4), Join::Printed)),
        ("6", examples::modulo((1, 6), Join::Remainder)),
        ("8", examples::modulo((1, 8), Join::Remainder)),
        ("order 3", examples::receiver(3, true)),
        ("count 3", examples::receiver(3, false)),
        ("3,3", examples::receivers(3, 3)),
        ("triangle", examples::triangle()),
        ("ping 4", examples::ping_pong(4)),
        ("ring", examples::token_ring()),
        ("fib5", examples::fib(5)),
        ("pipe 3 4", examples::pipeline(3, 4, 10)),
        ("el 123", examples::election(&[1, 2, 3])),
        ("el 321", examples::election(&[3, 2, 1])),
        ("el 1234", examples::election(&[1, 2, 3, 4])),
        ("el 4321", examples::election(&[4, 3, 2, 1])),
    ];
    for (name, p) in cases {
        for d in [Delivery::Any, Delivery::Fifo, Delivery::Causal] {
          for drops in [false, true] {
            let mut s = Setting::new(d);
            s.machine = Machine::units();
            s.drops = drops;
            let t = std::time::Instant::now();
            let Some(f) = explore(&p, &s) else { println!("{name} {d:?}: none"); continue };
            let c = f.computations.as_ref().map(|c| (c.prefixes, c.complete, c.failed, c.schedules, c.failing_schedules, c.nodes, c.work, c.depth));
            println!("{name} {d:?} drops {drops}: {} {} results {} failures {} comp {c:?} {:?}", f.states, f.transitions, f.results.len(), f.failures.len(), t.elapsed());
          }
        }
    }
    Ok(())
}
