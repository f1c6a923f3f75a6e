//! Measures each activation in every golden program and every example, and compares the sums with the recorder's. Measuring
//! changes no count.

use std::sync::Arc;

use libtest_mimic::Trial;
use tally_tests::host::TestHost;
use tally_tests::modes::{self, Mode};
use tally_tests::observe::{Options, machine};
use tally_vm::bytecode::Unit;
use tally_vm::{Cost, Detail};

use crate::programs;

/// A test for each program.
pub(crate) fn trials() -> Result<Vec<Trial>, Box<dyn std::error::Error>> {
    programs::trials("extents", measured_in_modes)
}

fn measured_in_modes(unit: &Arc<Unit>, options: &Options) -> Result<(), String> {
    for mode in [modes::PROFILE, modes::REFERENCE] {
        let usual = run(unit, options, &mode, false)?;
        let measured = run(unit, options, &mode, true)?;
        let [usual, measured] = [usual, measured].map(|c| (c.sends, c.loops, c.activations));
        if usual != measured {
            return Err(format!("{}: {usual:?} became {measured:?}", mode.name));
        }
    }
    Ok(())
}

/// Runs a program. Measures its activations on request, and compares them with the recorder's sums.
fn run(
    unit: &Arc<Unit>,
    options: &Options,
    mode: &Mode,
    is_measured: bool,
) -> Result<Cost, String> {
    let mut vm = machine(options, mode, &TestHost::new())?;
    vm.start_profile(Detail::default());
    if is_measured {
        vm.measure_extents();
    }
    vm.run_unit(Arc::clone(unit));
    let cost = vm.cost();
    let extents = vm.take_extents();
    let tallies = vm.finish_profile().tallies();
    if !is_measured {
        return Ok(cost);
    }
    for (method, extent) in &extents {
        let name = vm.method_name(*method);
        let tally = tallies.get(method).copied().unwrap_or_default();
        let sums = (extent.calls, u64::try_from(extent.sum).unwrap_or(u64::MAX));
        if sums != (tally.calls, tally.cumulative) {
            return Err(format!(
                "{}: {name}: {extent:?}, recorded: {tally:?}",
                mode.name
            ));
        }
        let most = extent.sum - u128::from(extent.least) * u128::from(extent.calls - 1);
        if extent.least > extent.most || u128::from(extent.most) > most {
            return Err(format!("{}: {name}: {extent:?}", mode.name));
        }
    }
    let known = |method| extents.iter().any(|(other, _)| other == method);
    let missing = tallies
        .iter()
        .find(|(method, tally)| tally.calls > 0 && !known(*method));
    match missing {
        Some((method, tally)) => {
            let name = vm.method_name(*method);
            Err(format!("{}: {name} was not measured: {tally:?}", mode.name))
        }
        None => Ok(cost),
    }
}
