//! The arguments of `aon proxy`.

use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;

use clap::{ArgGroup, Args};

/// Stands between a client and a server, and gives the failures of the server an envelope.
///
/// Everything else passes as it is. A call that the schema of the server refuses is answered before it leaves; errors, time-outs and a server that
/// goes away become envelopes with pointer, valid values and corrections, as far as the schema and the descriptions tell. The server's own words stay, without
/// secrets.
#[derive(Debug, Args)]
#[command(
    group = ArgGroup::new("server").required(true).args(["command", "mcp", "rest", "a2a"]),
    after_help = "Examples:
  aon proxy -- npx -y @modelcontextprotocol/server-everything
  aon proxy --observe observed -- python server.py
  aon proxy --mcp http://127.0.0.1:3000/mcp
  aon proxy --rest https://api.example.com --manifest openapi.yaml
  aon proxy --a2a http://127.0.0.1:9999/"
)]
pub(crate) struct Proxy {
    /// An MCP server over streamable HTTP. The proxy serves the same path.
    #[arg(long, value_name = "URL")]
    pub(crate) mcp: Option<String>,

    /// A REST API; its document is needed too. The proxy serves the same paths.
    #[arg(long, value_name = "URL", requires = "manifest")]
    pub(crate) rest: Option<String>,

    /// The OpenAPI or Swagger document of the API.
    #[arg(long, value_name = "FILE", requires = "rest")]
    pub(crate) manifest: Option<PathBuf>,

    /// An A2A agent over JSON-RPC. The proxy serves the same path, and an agent card that names the proxy.
    #[arg(long, value_name = "URL")]
    pub(crate) a2a: Option<String>,

    /// The port to listen on; 0 picks one.
    #[arg(long, default_value_t = 8788, conflicts_with = "command")]
    pub(crate) port: u16,

    /// The address to listen on.
    #[arg(long, default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST), conflicts_with = "command")]
    pub(crate) host: IpAddr,

    /// Write what failed and how callers recovered into this folder: `failures.json`, `catalog.json` (a draft) and `lint-baseline.json`
    /// beside the manifest it is about.
    #[arg(long, value_name = "FOLDER")]
    pub(crate) observe: Option<PathBuf>,

    /// Answer a call with a time-out after this many seconds; 0 waits forever.
    #[arg(long, default_value_t = 0, value_name = "SECONDS")]
    pub(crate) timeout: u64,

    /// An MCP server on standard input and output, and its arguments.
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) command: Vec<String>,
}
