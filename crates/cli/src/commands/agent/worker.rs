//! `aon agent worker`.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use aon_agent::worker::{self, Backend, Command, Echo};

use super::args::Worker;
use super::find;
use crate::exit;
use crate::fault::Fault;
use crate::output::Output;
use crate::server::{Stop, runtime};

pub(super) fn run(args: &Worker, output: &mut Output) -> Result<u8, Fault> {
    let backend = backend("--backend", &args.backend, &args.arguments)?;
    let path = socket(args.socket.as_ref());
    super::log::start(args.quiet);
    runtime()?.block_on(async {
        let asked = Stop::listen()?;
        let name = backend.name().to_owned();
        let worker = worker::Worker::shared(backend).limits(|limits| {
            limits.operation = Duration::from_secs(args.timeout);
            limits.session = Duration::from_secs(args.session_expiry);
            limits.sessions = args.sessions;
        });
        let socket = worker.bind(path).map_err(Fault::Agent)?;
        if let Some(mode) = socket.open_directory() {
            output.note(&format!(
                "note: others may enter the directory of the socket (mode {mode:04o}); the socket itself is closed to them"
            ));
        }
        output.line(format!("ready {} backend={name}", socket.path().display()))?;
        output.flush()?;
        socket.serve(asked.asked()).await;
        Ok(exit::OK)
    })
}

/// Where the socket is.
pub(super) fn socket(named: Option<&PathBuf>) -> PathBuf {
    let set = || std::env::var_os(worker::SOCKET_VARIABLE).filter(|path| !path.is_empty());
    named
        .cloned()
        .or_else(|| set().map(PathBuf::from))
        .unwrap_or_else(|| PathBuf::from(worker::DEFAULT_SOCKET))
}

/// The backend of that name.
pub(super) fn backend(
    option: &str,
    name: &str,
    arguments: &[std::ffi::OsString],
) -> Result<Arc<dyn Backend>, Fault> {
    match name.split_once(':') {
        None if name == "echo" && arguments.is_empty() => Ok(Arc::new(Echo)),
        Some(("command", program)) if !program.is_empty() => {
            find::program(option, program.as_ref())?;
            Ok(Arc::new(Command::new(program).args(arguments)))
        }
        _ => Err(Fault::InvalidUsage {
            message: format!("{option}: {name:?} is not a valid backend"),
            hint: format!("Use {option} echo, or {option} command:PROGRAM."),
            valid: Some((
                "backend".to_owned(),
                vec!["echo".to_owned(), "command:PROGRAM".to_owned()],
            )),
        }),
    }
}
