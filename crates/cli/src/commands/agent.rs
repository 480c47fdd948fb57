//! `aon agent`: the programs of the agents' specification.

use crate::fault::Fault;
use crate::output::Output;

pub(crate) mod args;
#[cfg(unix)]
mod daemon;
#[cfg(unix)]
mod find;
mod log;
#[cfg(unix)]
pub(crate) mod south;
#[cfg(unix)]
mod worker;

use args::AgentCommand;

/// Runs one of them until it is asked to stop.
pub(crate) fn run(command: &AgentCommand, output: &mut Output) -> Result<u8, Fault> {
    match command {
        #[cfg(unix)]
        AgentCommand::Worker(args) => worker::run(args, output),
        #[cfg(unix)]
        AgentCommand::Daemon(args) => daemon::run(args, output),
        #[cfg(unix)]
        AgentCommand::Serve(args) => south::serve(args, output),
        #[cfg(unix)]
        AgentCommand::Call(args) => south::call(args, output),
        #[cfg(unix)]
        AgentCommand::Keys(args) => south::keys(args, output),
        #[cfg(unix)]
        AgentCommand::Launch(args) => Ok(south::launch(&args.arguments, output)),
        #[cfg(not(unix))]
        AgentCommand::Worker(_) | AgentCommand::Daemon(_) => {
            let _ = output;
            Err(Fault::usage(
                "agents need Unix sockets, which this system does not have",
                "Run it on Linux or macOS.",
            ))
        }
    }
}
