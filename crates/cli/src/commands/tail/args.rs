//! The arguments of `aon tail`.

use clap::{Args, ValueEnum};

/// Sends a request, shows the events of its session as they happen, and ends with the outcome.
///
/// A stream that breaks is resumed by itself, after the last event that was seen. The request itself is never sent twice.
/// In a terminal the events are coloured and what is going on is one changing line; in a pipe they are plain lines. With
/// `--json` they are written as they came, one JSON object per line.
#[derive(Debug, Args)]
#[command(after_help = "Exit codes:
  0  the stream ended with a result
  1  the stream ended with an error: the problem is shown
  2  wrong usage
  3  the server cannot be reached, or the output or the system failed
  4  the stream was cut: whether the work was done is not known

Examples:
  aon tail -d '{\"payload\":{\"id\":1},\"steps\":[{\"do\":\"sleep\",\"ms\":500}]}' http://127.0.0.1:8787/play
  aon tail http://127.0.0.1:8787/aon/sessions/<id>/events
  aon tail --json -X POST http://127.0.0.1:8787/live/deploy | jq -c 'select(.type == \"healing\")'")]
pub(crate) struct Tail {
    /// The address: an operation, or the events of a session (`http` or `ws`).
    pub(crate) url: String,

    /// The method. Default: GET, or POST when there is a body.
    #[arg(short = 'X', long = "request", value_name = "METHOD")]
    pub(crate) method: Option<String>,

    /// The body, as JSON unless a header says otherwise. `@file` reads a file, `@-` standard input.
    #[arg(short = 'd', long = "data", value_name = "BODY")]
    pub(crate) data: Option<String>,

    /// A header to send, as `Name: value`. May be given several times.
    #[arg(short = 'H', long = "header", value_name = "HEADER")]
    pub(crate) header: Vec<String>,

    /// Read a session from after this event.
    #[arg(long, value_name = "ID")]
    pub(crate) since: Option<String>,

    /// The channel on which a broken stream continues.
    #[arg(long, value_enum, default_value_t = ChannelName::Sse)]
    pub(crate) channel: ChannelName,

    /// How many attempts to reconnect may fail in a row.
    #[arg(long, default_value_t = 10, value_name = "COUNT")]
    pub(crate) attempts: u32,

    /// Ask on standard error when a step needs a person, and read the answers from standard input, even if that is not a
    /// terminal.
    #[arg(long, conflicts_with = "no_ask")]
    pub(crate) ask: bool,

    /// Ask nobody: somebody else answers.
    #[arg(long)]
    pub(crate) no_ask: bool,

    /// Events as they came, one JSON object per line. Set by the option of all commands.
    #[arg(skip)]
    pub(crate) json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ChannelName {
    /// Lines of JSON.
    Ndjson,
    /// Server-sent events.
    Sse,
    /// A WebSocket.
    Ws,
}
