//! The arguments of `aon demo`.

use std::net::{IpAddr, Ipv4Addr};

use clap::Args;

/// Serves the example of the README on one port: REST, MCP at /mcp, A2A at /a2a, and a page at /.
///
/// It is also a playground for the live protocol: `POST /play` does what the script in its body says, in either mode, and
/// the page at /live shows a session on two channels.
///
/// Writes one line when it is ready, with its addresses, and runs until Ctrl-C. Each problem is one line on standard error.
#[derive(Debug, Args)]
pub(crate) struct Demo {
    /// The port; 0 picks one.
    #[arg(long, default_value_t = 8787)]
    pub(crate) port: u16,

    /// The address to listen on.
    #[arg(long, default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    pub(crate) host: IpAddr,

    /// How many events of a live session are kept for readers that come late.
    #[arg(long, default_value_t = 256, value_name = "COUNT", value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..=100_000))]
    pub(crate) ring: usize,

    /// Know callers by tokens that are signed with this secret (HS256), and show details to admins alone.
    ///
    /// A token has `exp` and `aud`. Its `roles` say more: `admin` sees details and may heal, `heal` may answer for its own
    /// sessions, `operator` may follow and heal everybody's.
    #[arg(long, value_name = "SECRET", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    pub(crate) jwt_secret: Option<String>,

    /// The audience that a token has to name.
    #[arg(long, value_name = "NAME", default_value = "aon")]
    pub(crate) jwt_audience: String,

    /// Let push notifications of A2A go to this origin; may be given several times.
    ///
    /// `https://hooks.example.com`; a port of `*` is every port. When it listens on the loopback interface, the demo also calls
    /// addresses there, and `https://example.com`.
    #[arg(long, value_name = "ORIGIN")]
    pub(crate) push: Vec<String>,

    /// Measure: serve `/metrics` for Prometheus and a page of moving plots at `/aon/live`.
    #[arg(long)]
    pub(crate) metrics: bool,

    /// Keep live sessions in this engine (Redis or Valkey), so that several demos serve each other's.
    ///
    /// `redis://HOST:PORT`, or a primary and its replicas with commas between them and `?replicas=1` after them; `lease_ms` says how
    /// long a silent node keeps its sessions.
    #[arg(long, value_name = "URL")]
    pub(crate) redis: Option<String>,

    /// The name of this node among those that share an engine.
    #[arg(long, value_name = "NAME", requires = "redis")]
    pub(crate) node: Option<String>,

    /// Another node, to show on the page at `/cluster`, which kills nodes too; may be given several times.
    #[arg(long, value_name = "URL", requires = "redis")]
    pub(crate) peer: Vec<String>,

    /// Serve MCP on standard input and output instead.
    #[arg(long, conflicts_with_all = ["port", "host", "ring", "jwt_secret", "push", "metrics", "redis"])]
    pub(crate) stdio: bool,

    /// Do not write a line to standard error for each problem.
    #[arg(long)]
    pub(crate) quiet: bool,
}
