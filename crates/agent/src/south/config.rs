//! The configuration of the side that acts, as its file has it.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;

use serde::Deserialize;

use super::exec::{Command, InvalidCommand, Pattern, ResourceLimits};
use super::ledger::Limits;
use super::wire::{CAPABILITIES, Policy, Timeouts, good_id};

/// A file like `agent.toml`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Config {
    /// The ledger.
    pub ledger: LedgerConfig,
    /// HTTP, signed.
    pub http: Option<HttpConfig>,
    /// WebSocket, with certificates.
    pub websocket: Option<WebSocketConfig>,
    /// Metrics, for Prometheus.
    pub metrics: Option<MetricsConfig>,
    /// What both sides keep to.
    #[serde(default)]
    pub policy: PolicyConfig,
    /// Who is let in.
    #[serde(default, rename = "agent")]
    pub agents: Vec<AgentConfig>,
    /// What may be run.
    #[serde(default, rename = "command")]
    pub commands: Vec<CommandConfig>,
    /// What may be changed.
    #[serde(default)]
    pub files: FilesConfig,
}

/// Where the ledger is, and how much it holds.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct LedgerConfig {
    /// The file of this machine.
    pub path: Option<PathBuf>,
    /// The engine that the machines of a fleet share, instead of a file: `redis://HOST:PORT?replicas=1`.
    pub redis: Option<Address>,
    /// The fleet: machines with the same name here share what was done.
    #[serde(default = "fleet")]
    pub fleet: String,
    /// The name of this machine in its fleet. With it, what ran when the program died is known to be unknown at once when it
    /// starts again; without it, after the lease.
    pub node: Option<String>,
    /// How long actions are remembered.
    #[serde(default = "day")]
    pub retention_hours: u64,
    /// How many.
    #[serde(default = "most_actions")]
    pub actions: usize,
    /// How many bytes of answers.
    #[serde(default = "most_bytes")]
    pub bytes: u64,
}

impl LedgerConfig {
    /// The limits of the ledger.
    pub const fn limits(&self) -> Limits {
        Limits {
            retention: self.retention_hours.saturating_mul(3600 * 1000),
            lines: self.actions,
            bytes: self.bytes,
        }
    }
}

/// An address that may have a password in it.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct Address(String);

impl Address {
    /// The address, with its password.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for Address {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Address")
    }
}

fn fleet() -> String {
    "fleet".to_owned()
}

const fn day() -> u64 {
    24
}

const fn most_actions() -> usize {
    Limits::DEFAULT.lines
}

const fn most_bytes() -> u64 {
    Limits::DEFAULT.bytes
}

/// HTTP, signed with HMAC.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct HttpConfig {
    /// Where to listen.
    pub listen: SocketAddr,
    /// The file of keys; `aon agent keys rotate` writes it.
    pub keys: PathBuf,
}

/// `GET /metrics`, without a signature: keep it on an address that only the collector reaches.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct MetricsConfig {
    /// Where to listen.
    pub listen: SocketAddr,
}

/// WebSocket with certificates on both sides.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct WebSocketConfig {
    /// Where to listen.
    pub listen: SocketAddr,
    /// The certificate of this side, PEM, with what is between it and its authority.
    pub certificate: PathBuf,
    /// Its private key, PEM.
    pub key: PathBuf,
    /// Who signs the certificates of agents, PEM.
    pub client_ca: PathBuf,
    /// Certificates that are no longer good, PEM.
    pub revoked: Option<PathBuf>,
}

/// What both sides keep to.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct PolicyConfig {
    /// The longest command, in milliseconds.
    pub exec_timeout: u64,
    /// The largest message, in bytes.
    pub max_payload: u64,
    /// How much of each output of a command is kept, in bytes.
    pub max_output: usize,
    /// How many actions run at once.
    pub parallel: usize,
    /// How many wait for their turn; what comes beyond them is refused.
    pub waiting: usize,
}

impl Default for PolicyConfig {
    fn default() -> Self {
        let policy = Policy::default();
        Self {
            exec_timeout: policy.timeouts.exec,
            max_payload: policy.max_payload,
            max_output: 256 << 10,
            parallel: 64,
            waiting: 16_384,
        }
    }
}

impl PolicyConfig {
    /// As `hello` answers it.
    pub const fn policy(&self) -> Policy {
        Policy {
            timeouts: Timeouts {
                exec: self.exec_timeout,
            },
            max_payload: self.max_payload,
        }
    }
}

/// An agent that is let in.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct AgentConfig {
    /// Its id: the name in its certificate, `X-Agent-Id`.
    pub id: String,
    /// What it may do; without it, everything.
    pub capabilities: Option<Vec<String>>,
    /// The SHA-256 of its certificates in hex; without it, any certificate of the authority with its name.
    pub certificates: Option<Vec<String>>,
    /// Whether it may follow and cancel the actions of others.
    #[serde(default)]
    pub operator: bool,
}

impl AgentConfig {
    /// What it may do.
    pub fn granted(&self) -> Vec<String> {
        let all = || CAPABILITIES.iter().map(|name| (*name).to_owned()).collect();
        self.capabilities.clone().unwrap_or_else(all)
    }
}

/// A program that may be run.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct CommandConfig {
    /// Its absolute path.
    pub program: String,
    /// A pattern for each argument.
    #[serde(default)]
    pub args: Vec<String>,
    /// A pattern for each argument after those.
    pub rest: Option<String>,
    /// The folders it may run in; the first is where it runs unless asked otherwise.
    #[serde(default = "root")]
    pub cwd: Vec<String>,
    /// Its whole environment.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// The user it runs as; only root can change it.
    pub user: Option<String>,
    /// What it may use up.
    #[serde(default)]
    pub limits: ResourceLimits,
}

fn root() -> Vec<String> {
    vec!["/".to_owned()]
}

/// Files that may be compared and changed.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct FilesConfig {
    /// The folders.
    pub roots: Vec<PathBuf>,
    /// Whether a caller that asks for it sees secrets in a diff.
    pub reveal: bool,
}

impl Default for FilesConfig {
    fn default() -> Self {
        Self {
            roots: Vec::new(),
            reveal: true,
        }
    }
}

/// Why a configuration cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidConfig {
    /// It is not one.
    #[error("{0}")]
    Unreadable(#[from] toml::de::Error),
    /// It says nothing to do.
    #[error("there is neither [http] nor [websocket], so nobody could connect")]
    NoListener,
    /// The ledger is nowhere, or in two places.
    #[error(
        "[ledger] must have either `path`, a file of this machine, or `redis`, an engine that a fleet shares"
    )]
    Ledger,
    /// Nobody is let in.
    #[error("there is no [[agent]], so nobody could connect")]
    NoAgent,
    /// An id is not one.
    #[error("agent {0:?} is not a valid id, or is there twice")]
    Agent(String),
    /// A capability does not exist.
    #[error(
        "agent {0} has the unknown capability {1:?}; the valid ones are command.exec, telemetry.push, file.diff and file.apply"
    )]
    Capability(String, String),
    /// A program cannot be allowed.
    #[error("command {0:?}: {1}")]
    Command(String, InvalidCommand),
    /// A folder is not absolute.
    #[error("the folder {0:?} in `files.roots` is not an absolute path")]
    Root(PathBuf),
}

impl Config {
    /// Reads and checks a file.
    ///
    /// # Errors
    ///
    /// When something in it cannot be meant.
    pub fn parse(text: &str) -> Result<Self, InvalidConfig> {
        let config: Self = toml::from_str(text)?;
        if config.http.is_none() && config.websocket.is_none() {
            return Err(InvalidConfig::NoListener);
        }
        if config.ledger.path.is_some() == config.ledger.redis.is_some() {
            return Err(InvalidConfig::Ledger);
        }
        if config.agents.is_empty() {
            return Err(InvalidConfig::NoAgent);
        }
        for (index, agent) in config.agents.iter().enumerate() {
            let twice = config
                .agents
                .iter()
                .skip(index + 1)
                .any(|other| other.id == agent.id);
            if twice || !good_id(&agent.id) {
                return Err(InvalidConfig::Agent(agent.id.clone()));
            }
            let unknown = |name: &&String| !CAPABILITIES.contains(&name.as_str());
            if let Some(name) = agent.capabilities.iter().flatten().find(unknown) {
                return Err(InvalidConfig::Capability(agent.id.clone(), name.clone()));
            }
        }
        if let Some(root) = config.files.roots.iter().find(|root| !root.is_absolute()) {
            return Err(InvalidConfig::Root(root.clone()));
        }
        config.commands()?;
        Ok(config)
    }

    /// The programs that may be run.
    ///
    /// # Errors
    ///
    /// When a path or a pattern is not one.
    pub fn commands(&self) -> Result<Vec<Command>, InvalidConfig> {
        self.commands
            .iter()
            .map(|command| {
                let pattern = |text: &String| Pattern::new(text);
                let args = command.args.iter().map(pattern).collect::<Result<_, _>>();
                args.and_then(|args| {
                    let rest = command.rest.as_ref().map(pattern).transpose()?;
                    Command::new(
                        command.program.clone(),
                        args,
                        rest,
                        command.cwd.clone(),
                        command.env.clone(),
                        command.user.clone(),
                        command.limits,
                    )
                })
                .map_err(|error| InvalidConfig::Command(command.program.clone(), error))
            })
            .collect()
    }
}
