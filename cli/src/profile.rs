//! `tally profile`: runs files with the recorder on and shows what each method cost.

use tally_profiler::{Order, Profile, check_identities, profile_report, to_json};

use tally_vm::Detail;

use crate::arguments::{Format, ProfileArguments, Sort};
use crate::exit::{Exit, Failure};
use crate::host::ProgramOutput;
use crate::program::Program;
use crate::{collector, output};

pub(crate) fn profile(arguments: ProfileArguments) -> Result<Exit, Failure> {
    let where_to = match arguments.output {
        Some(_) => ProgramOutput::Standard,
        None => ProgramOutput::Error,
    };
    let mut program = Program::load(
        &arguments.program.files,
        None,
        arguments.program.arguments.clone(),
        &arguments.machine,
        where_to,
    )?;
    // What people read needs no more than the recorder; what programs read gets the whole cost vector.
    if arguments.format == Format::Json {
        program.vm.count_everything();
    }
    program.vm.start_profile(Detail {
        sites: arguments.format == Format::Json,
        ..Detail::default()
    });
    let outcome = program.run();
    let cost = program.cost();
    let recorded = program.vm.finish_profile();
    let profile = Profile::collect(&program.vm, &recorded, &cost, program.description(&outcome));
    if arguments.gc_stats {
        collector::report(&program.vm.heap.statistics);
    }
    write_profile(&profile, &arguments)?;
    program.ended(&outcome)?;
    // A count that does not add up is worth nothing; better no verdict than a wrong one.
    match check_identities(&profile).first() {
        Some(violation) => Err(Failure::new(Exit::Internal, violation.to_string())),
        None => Ok(Exit::Success),
    }
}

fn write_profile(profile: &Profile, arguments: &ProfileArguments) -> Result<(), Failure> {
    let text = match arguments.format {
        Format::Human => {
            let limit = (arguments.limit > 0).then_some(arguments.limit);
            profile_report(profile, order(arguments.sort), limit)
        }
        Format::Json => {
            to_json(profile).map_err(|error| Failure::new(Exit::Internal, error.to_string()))?
        }
    };
    output::write(&text, arguments.output.as_deref())
}

fn order(sort: Sort) -> Order {
    match sort {
        Sort::Total => Order::Total,
        Sort::Own => Order::Own,
        Sort::Calls => Order::Calls,
    }
}
