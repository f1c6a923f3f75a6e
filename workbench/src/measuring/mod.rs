//! What programs cost: one program that was loaded, by its scripts or by each of its tests; a version of a project, by a process
//! or by this one; the number of a version that is followed through its history.

mod keeping;
mod pair;
mod process;
mod quantity;
mod subject;
mod task;
mod tests_from;
mod versions;

pub use pair::{Giver, side_by_side};
pub use process::{Request, Worker, Written};
pub use quantity::{Count, Quantity, sum};
pub use subject::Subject;
pub use task::{KeptRevision, Measured, Task};
pub use versions::Measuring;

use tally_comparison::{Measurement, MeasurementBuilder};
use tally_profiler::definitions;
use tally_vm::Detail;

use crate::embedder::Front;
use crate::error::Error;
use crate::loading::{MachineSettings, Program, VirtualTime};
use crate::outside::inputs::merged;
use crate::project::Project;
use crate::testing::suite::measure_tests;

/// What a script costs. One that fails is measured as far as it came.
pub fn of_script(mut program: Program) -> Measurement {
    program.vm.count_everything();
    program.vm.start_profile(Detail {
        sites: true,
        ..Detail::default()
    });
    let time = VirtualTime::of_processors(&mut program.vm);
    let outcome = program.run();
    let cost = program.cost();
    let processors = time.costs(&mut program.vm);
    let recorded = program.vm.finish_profile();
    let about = program.description(&outcome);
    let library = program.vm.library_digest();
    let mut builder = MeasurementBuilder::new(library, &about);
    builder.set_definitions(definitions(&program.units));
    builder.add_inputs(program.inputs());
    builder.add_recorded("", &program.vm, &recorded, &cost, &about);
    builder.set_processors(processors);
    builder.finish()
}

/// The cost of each test whose name fits a filter. The cost of loading the program belongs to no test.
///
/// # Errors
/// If the scripts do not come to their ends, or there is no such test.
pub fn of_tests(
    mut program: Program,
    project: &Project,
    machine: &MachineSettings,
    filters: &[String],
    front: &Front,
) -> Result<Measurement, Error> {
    let outcome = program.run();
    program.ended(&outcome)?;
    let about = program.description(&outcome);
    let mut builder = MeasurementBuilder::new(program.vm.library_digest(), &about);
    builder.set_definitions(definitions(&program.units));
    let loading = program.inputs();
    let (mut builder, mut inputs) =
        measure_tests(&mut program, project, machine, filters, front, builder)?;
    inputs.push(loading);
    let (inputs, _) = merged(inputs);
    builder.add_inputs(inputs);
    Ok(builder.finish())
}
