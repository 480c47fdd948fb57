//! The arguments of the two sides of southbound.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Subcommand};

/// Serves `hello`, `command.exec`, `telemetry.push`, `file.diff` and `file.apply` over HTTP signed with HMAC and over WebSocket with
/// certificates, as the configuration says.
///
/// Writes one line when it is ready, with its addresses, and runs until Ctrl-C. The log is one line of JSON per event, on standard
/// error. Keys that `aon agent keys rotate` changes are used at once.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  aon agent serve --config agent.toml
  aon docs southbound")]
pub(crate) struct Serve {
    /// The configuration: who is let in, what may be run, which files may be changed.
    #[arg(long, value_name = "FILE")]
    pub(crate) config: PathBuf,

    /// Write no log.
    #[arg(long)]
    pub(crate) quiet: bool,
}

/// Who asks, and how it shows that.
#[derive(Debug, Args)]
pub(crate) struct Identity {
    /// The id of the agent that asks: the name in its certificate, or the owner of its key.
    #[arg(long, value_name = "ID")]
    pub(crate) agent: Option<String>,

    /// The file with the keys (http://); the newest one of the agent signs.
    #[arg(long, value_name = "FILE")]
    pub(crate) keys: Option<PathBuf>,

    /// The certificate of this agent, PEM (wss://).
    #[arg(long, value_name = "FILE", requires = "key", requires = "ca")]
    pub(crate) cert: Option<PathBuf>,

    /// Its private key, PEM.
    #[arg(long, value_name = "FILE")]
    pub(crate) key: Option<PathBuf>,

    /// The authority that signed the certificate of the server, PEM.
    #[arg(long, value_name = "FILE")]
    pub(crate) ca: Option<PathBuf>,

    /// Accept answers that are not signed (http://), from a side that does not sign them. Anybody on the way can forge them.
    #[arg(long)]
    pub(crate) unsigned_answers: bool,
}

/// Sends one message and writes the answer.
///
/// A message without `action_id` gets a new one. When the connection breaks, the same message is sent again with the same id, which
/// is safe: nothing is done twice. Exit code 1 when the answer is a failure.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  aon agent call http://127.0.0.1:8790 --agent ops-1 --keys keys.toml '{\"method\":\"command.exec\",\"command\":\"/bin/date\"}'
  aon agent call wss://host:8791 --agent ops-1 --cert ops-1.pem --key ops-1.key --ca ca.pem --follow '{\"method\":\"command.exec\",\"command\":\"/bin/date\"}'")]
pub(crate) struct Call {
    /// The address: http:// for signed requests, wss:// for certificates.
    #[arg(value_name = "URL")]
    pub(crate) url: String,

    /// The message, as JSON; `-` reads it from standard input.
    #[arg(value_name = "MESSAGE")]
    pub(crate) message: String,

    #[command(flatten)]
    pub(crate) reach: Identity,

    /// Show the output of a command while it runs (wss://).
    #[arg(long)]
    pub(crate) follow: bool,

    /// How often to send the message again when the connection breaks or the action still runs.
    #[arg(long, default_value_t = 5, value_name = "COUNT")]
    pub(crate) retries: u32,
}

/// Makes and shows keys.
#[derive(Debug, Args)]
pub(crate) struct Keys {
    #[command(subcommand)]
    pub(crate) command: KeysCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum KeysCommand {
    /// Give an agent a new key; the previous one stays valid until the next rotation.
    Rotate(Rotate),
    /// Take an agent's keys away, all of them or one.
    Revoke(Revoke),
}

/// Writes the file with mode 0600 and shows the new key once. An agent has at most two keys that are good.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  aon agent keys rotate --keys keys.toml --agent ops-1")]
pub(crate) struct Rotate {
    /// The file with the keys; it is made when it does not exist.
    #[arg(long, value_name = "FILE")]
    pub(crate) keys: PathBuf,

    /// The agent.
    #[arg(long, value_name = "ID")]
    pub(crate) agent: String,
}

/// Writes the file without the keys. Do this before an agent's id is given to somebody else: anyone who has the old key would be let in
/// under that id again.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  aon agent keys revoke --keys keys.toml --agent ops-1")]
pub(crate) struct Revoke {
    /// The file with the keys.
    #[arg(long, value_name = "FILE")]
    pub(crate) keys: PathBuf,

    /// The agent.
    #[arg(long, value_name = "ID")]
    pub(crate) agent: String,

    /// Only this key.
    #[arg(long, value_name = "ID")]
    pub(crate) key: Option<String>,
}

/// For the acting side's own use.
#[derive(Debug, Args)]
pub(crate) struct Launch {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub(crate) arguments: Vec<OsString>,
}
