//! The arguments of `aon agent`.

use std::ffi::OsString;
use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

/// The programs of the agents' specification.
#[derive(Debug, Args)]
pub(crate) struct Agent {
    #[command(subcommand)]
    pub(crate) command: AgentCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum AgentCommand {
    /// Serve sessions and streams of tokens on a Unix socket.
    Worker(Worker),
    /// Serve a worker over HTTP with server-sent events, actions and questions to people.
    Daemon(Daemon),
    /// Carry out commands, file changes and telemetry for agents that ask over the network.
    #[cfg(unix)]
    Serve(super::south::args::Serve),
    /// Send one request to `aon agent serve`.
    #[cfg(unix)]
    Call(super::south::args::Call),
    /// Make the keys that sign requests.
    #[cfg(unix)]
    Keys(super::south::args::Keys),
    #[cfg(unix)]
    #[command(hide = true)]
    Launch(super::south::args::Launch),
}

/// Serves `create_session`, `generate`, `abort`, `close_session` and `status` on a Unix socket, one JSON object per line.
///
/// Writes one line when it is ready and runs until Ctrl-C. The socket has mode 0600, a directory that is made for it 0700, and only
/// processes of the same user (and root) may connect. The log is one line of JSON per event, on standard error.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  aon agent worker --socket /run/fazai/gemma.sock
  aon agent worker --socket worker/w.sock --backend command:ollama -- run gemma3
  printf '{\"type\":\"status\"}\\n' | nc -N -U worker/w.sock")]
pub(crate) struct Worker {
    /// The socket. Default: the variable `FAZAI_GEMMA_SOCK`, else /run/fazai/gemma.sock.
    #[arg(long, value_name = "PATH")]
    pub(crate) socket: Option<PathBuf>,

    /// What makes the tokens: `echo`, or `command:PROGRAM`, which gets the prompt on standard input and writes the text.
    #[arg(long, value_name = "BACKEND", default_value = "echo")]
    pub(crate) backend: String,

    /// How long one generation may take, in seconds. The specification recommends 30 to 120.
    #[arg(long, value_name = "SECONDS", default_value_t = 120, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub(crate) timeout: u64,

    /// The most sessions at a time.
    #[arg(long, value_name = "COUNT", default_value_t = 1024, value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..=1_000_000))]
    pub(crate) sessions: usize,

    /// After how many seconds without use a session expires.
    #[arg(long, value_name = "SECONDS", default_value_t = 1800, value_parser = clap::value_parser!(u64).range(1..=604_800))]
    pub(crate) session_expiry: u64,

    /// Write no log.
    #[arg(long)]
    pub(crate) quiet: bool,

    /// Arguments of the program of `command:PROGRAM`.
    #[arg(last = true, value_name = "ARGUMENT")]
    pub(crate) arguments: Vec<OsString>,
}

/// Serves `POST /agent/sessions`, `POST /agent/generate` (server-sent events), `POST /agent/abort`, `GET /agent/status` and
/// `GET /metrics`.
///
/// Each generate is a session that can be followed, resumed and cancelled under `/aon/sessions`. Writes one line when it is ready and
/// runs until Ctrl-C. The log is one line of JSON per event, on standard error. There is no access control: let it listen where only
/// its callers get.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  aon agent daemon --port 8790 --worker /run/fazai/gemma.sock
  aon agent daemon --action shell=./run-command --iterations 8
  curl -N -H 'content-type: application/json' -d '{\"prompt\":\"hello\"}' http://127.0.0.1:8790/agent/generate")]
pub(crate) struct Daemon {
    /// The port; 0 picks one.
    #[arg(long, default_value_t = 8790)]
    pub(crate) port: u16,

    /// The address to listen on.
    #[arg(long, default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    pub(crate) host: IpAddr,

    /// The socket of the worker. Default: the variable `FAZAI_GEMMA_SOCK`, else /run/fazai/gemma.sock.
    #[arg(long, value_name = "PATH")]
    pub(crate) worker: Option<PathBuf>,

    /// What answers when no worker does: `echo`, `command:PROGRAM`, or `off`. `status` says when it is in use.
    #[arg(long, value_name = "BACKEND", default_value = "echo")]
    pub(crate) fallback: String,

    /// A program that does an action, as `shell=PROGRAM`: it gets the action as JSON on standard input. May be given several times.
    #[arg(long, value_name = "ACTION=PROGRAM")]
    pub(crate) action: Vec<String>,

    /// How many generations one request may take; each may do one action with effects, and the next one is given its result.
    #[arg(long, value_name = "COUNT", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) iterations: u32,

    /// What happens to the work when its caller leaves. `AON-On-Disconnect` of a request overrules it.
    #[arg(long, value_enum, default_value_t = Leaving::Continue)]
    pub(crate) on_disconnect: Leaving,

    /// How long a request may take, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 600, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub(crate) timeout: u64,

    /// How long a person has to answer a question, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 120, value_parser = clap::value_parser!(u64).range(1..=900))]
    pub(crate) answer_timeout: u64,

    /// Write no log.
    #[arg(long)]
    pub(crate) quiet: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Leaving {
    /// It goes on, and can be resumed.
    Continue,
    /// It is cancelled.
    Cancel,
    /// It is cancelled unless somebody else follows it.
    CancelIfUnwatched,
}
