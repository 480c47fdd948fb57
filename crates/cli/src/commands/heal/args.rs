//! The arguments of `aon heal`.

use clap::Args;

/// Answers the question of a step that cannot repair itself.
///
/// The address is `patch_url` of the `interactive_healing_request` event, or that of its session where one question is
/// open. Without an answer it shows what is asked.
#[derive(Debug, Args)]
#[command(after_help = "Exit codes:
  0  the answer was taken, or the question is shown
  1  the answer was refused: the problem says why
  2  wrong usage
  3  the server cannot be reached, or the output or the system failed

Examples:
  aon heal http://127.0.0.1:8787/aon/sessions/<id>/healing/<request>
  aon heal --set /email=ann@example.com http://127.0.0.1:8787/aon/sessions/<id>
  aon heal --patch @fix.json --if-match <base_hash> http://127.0.0.1:8787/aon/sessions/<id>/healing/<request>
  aon heal --deny http://127.0.0.1:8787/aon/sessions/<id>")]
pub(crate) struct Heal {
    /// The address of the question, or of its session.
    pub(crate) url: String,

    /// A place and its new value, as `/path=value`; the value is JSON, or else a text. May be given several times.
    #[arg(long, value_name = "PATH=VALUE", conflicts_with_all = ["deny", "retry"])]
    pub(crate) set: Vec<String>,

    /// A place to remove. May be given several times.
    #[arg(long, value_name = "PATH", conflicts_with_all = ["deny", "retry"])]
    pub(crate) remove: Vec<String>,

    /// A JSON Patch (RFC 6902). `@file` reads a file, `@-` standard input.
    #[arg(long, value_name = "JSON", conflicts_with_all = ["deny", "retry"])]
    pub(crate) patch: Option<String>,

    /// Run the step again as it was.
    #[arg(long, conflicts_with = "deny")]
    pub(crate) retry: bool,

    /// Give up.
    #[arg(long)]
    pub(crate) deny: bool,

    /// Answer only while the payload is this one: `base_hash` of the question.
    #[arg(long, value_name = "HASH")]
    pub(crate) if_match: Option<String>,

    /// A header to send, as `Name: value`. May be given several times.
    #[arg(short = 'H', long = "header", value_name = "HEADER")]
    pub(crate) header: Vec<String>,

    /// The answer of the server as it came. Set by the option of all commands.
    #[arg(skip)]
    pub(crate) json: bool,
}
