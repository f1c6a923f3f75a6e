//! `tally profile`: runs files with the recorder on and shows what each method cost.

use tally_profiler::{Order, Profile, check_identities, profile_report};
use tally_vm::Detail;

use crate::arguments::{ProfileArguments, Sort};
use crate::collector;
use crate::exit::{Exit, Failure};
use crate::formats::Outputs;
use crate::host::ProgramOutput;
use crate::program::Program;

pub(crate) fn profile(arguments: ProfileArguments) -> Result<Exit, Failure> {
    let outputs = Outputs::new(arguments.format, &arguments.outputs)?;
    let where_to = match outputs.is_standard_output() {
        false => ProgramOutput::Standard,
        true => ProgramOutput::Error,
    };
    let mut program = Program::load(
        &arguments.program.files,
        None,
        arguments.program.arguments.clone(),
        &arguments.machine,
        where_to,
    )?;
    // What people read needs no more than the recorder; what programs read gets the whole cost vector.
    let for_programs = outputs.is_for_programs();
    if for_programs {
        program.vm.count_everything();
    }
    program.vm.start_profile(Detail {
        sites: for_programs,
        ..Detail::default()
    });
    let outcome = program.run();
    let cost = program.cost();
    let recorded = program.vm.finish_profile();
    let profile = Profile::collect(&program.vm, &recorded, &cost, program.description(&outcome));
    if arguments.gc_stats {
        collector::report(&program.vm.heap.statistics);
    }
    outputs.write(&profile, |profile| {
        let limit = (arguments.limit > 0).then_some(arguments.limit);
        profile_report(profile, order(arguments.sort), limit)
    })?;
    program.ended(&outcome)?;
    // A count that does not add up is worth nothing; better no verdict than a wrong one.
    match check_identities(&profile).first() {
        Some(violation) => Err(Failure::new(Exit::Internal, violation.to_string())),
        None => Ok(Exit::Success),
    }
}

fn order(sort: Sort) -> Order {
    match sort {
        Sort::Total => Order::Total,
        Sort::Own => Order::Own,
        Sort::Calls => Order::Calls,
    }
}
