//! The arguments of `aon proxy`.

use std::path::PathBuf;

use clap::Args;

/// Stands between an MCP client and a server on standard input and output, and gives the failures of the server an envelope.
///
/// Everything passes as it is. Arguments are checked against the tool's own schema before they reach the server; errors of the protocol,
/// texts with `isError`, time-outs and a server that goes away become envelopes with pointer, valid values and corrected arguments, as far as the schema
/// and the descriptions tell. The server's own words stay, without secrets.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  aon proxy -- npx -y @modelcontextprotocol/server-everything
  aon proxy --observe observed -- python server.py")]
pub(crate) struct Proxy {
    /// Write what failed and how callers recovered into this folder: `tools.json` for the linter, `catalog.json`, a draft,
    /// and `failures.json`.
    #[arg(long, value_name = "FOLDER")]
    pub(crate) observe: Option<PathBuf>,

    /// Answer a call with a time-out after so many seconds; 0 waits forever.
    #[arg(long, default_value_t = 0, value_name = "SECONDS")]
    pub(crate) timeout: u64,

    /// The server and its arguments.
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub(crate) command: Vec<String>,
}
