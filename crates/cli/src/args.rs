//! The arguments of `aon`, as clap reads them.

use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;

use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

use crate::exit;

mod demo;

pub(crate) use demo::Demo;

/// Errors that say the same on REST, MCP and A2A, and the tools around them.
#[derive(Debug, Parser)]
#[command(name = "aon", bin_name = "aon", version, after_help = exit::HELP, propagate_version = true, arg_required_else_help = true)]
pub(crate) struct Cli {
    /// Write errors of the command itself as problem JSON on standard error.
    #[arg(long, global = true)]
    pub(crate) json: bool,

    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The arguments of `aon`, for what is made from them.
pub(crate) fn command() -> clap::Command {
    Cli::command()
}

#[derive(Debug, Subcommand)]
#[expect(
    clippy::large_enum_variant,
    reason = "there is one of it, read from the command line"
)]
pub(crate) enum Command {
    /// Try it: an example on REST, MCP and A2A, with a page that calls all three.
    Demo(Demo),
    /// Read the book in a browser or a terminal, offline.
    Docs(Docs),
    /// Set up a repository: settings, a hook for pre-commit, a workflow for GitHub.
    Init(Init),
    /// Check manifests for choices a caller cannot discover and errors without a way out.
    Lint(Box<crate::lint::args::LintArgs>),
    /// Score APIs on five dimensions of maturity, with evidence.
    Score(Box<crate::commands::score::args::ScoreArgs>),
    /// Generate clients, schemas, tool lists, agent cards and documentation from manifests or a catalog.
    Gen(Gen),
    /// Explain a problem code, a lint rule or a clause of the contract, offline.
    Explain(Explain),
    /// List every problem a program can emit, keep the list in a lock file, or compare two lists.
    Catalog(Catalog),
    /// Check whether a running server keeps the rules of REST, MCP, A2A and the live protocol.
    Check(Check),
    /// Follow a call while it runs, and report how it ended.
    Tail(crate::commands::tail::args::Tail),
    /// Answer a step that could not heal itself and asks a person.
    Heal(crate::commands::heal::args::Heal),
    /// Give an MCP, REST or A2A server that was written without AON the same errors.
    Proxy(crate::proxy::args::Proxy),
    /// Run a worker, a daemon or a remote agent.
    Agent(Box<crate::commands::agent::args::Agent>),
    /// Show what a problem looks like on a surface.
    Project(Project),
    /// Read a problem back from what a surface sent.
    Recover(Recover),
    /// Run the language server: findings, quick fixes and explanations in an editor.
    Lsp(Lsp),
    /// Generate a completion script for a shell.
    Completions(Completions),
    /// Write manual pages.
    Man(ManPage),
}

/// Writes code for every consumer of an API, each target into its own folder.
#[derive(Debug, Args)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a switch of its own on the command line"
)]
#[command(after_help = "Examples:
  aon gen --target rust,typescript --out generated api.aon.yaml
  aon gen --target docs --out site --catalog target/debug/my-server
  aon gen --target python --out clients openapi.yaml tools.json --check")]
pub(crate) struct Gen {
    /// The targets, separated by commas: rust, rust-client, typescript, python, openapi, openapi-3.2, mcp, a2a, json-schema, docs,
    /// or all.
    #[arg(long, required = true, value_delimiter = ',', value_name = "TARGET")]
    pub(crate) target: Vec<String>,

    /// The folder to write into; each target gets a folder in it.
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,

    /// Manifests, or folders of them. Documents of one API (the same slug, or a group in `aon.toml`) become one.
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,

    /// The catalog of the program that serves the API: a document, or the program itself.
    #[arg(long, value_name = "FILE")]
    pub(crate) catalog: Option<PathBuf>,

    /// Leave out the problems of the framework; only what the program itself declares.
    #[arg(long)]
    pub(crate) own: bool,

    /// Write nothing; list the files that are not current, and exit with 1 if there are any.
    #[arg(long)]
    pub(crate) check: bool,

    /// Write nothing; show what would change.
    #[arg(long)]
    pub(crate) diff: bool,

    /// Overwrite files that a person edited or that were not generated.
    #[arg(long)]
    pub(crate) force: bool,

    /// Settings, instead of the `aon.toml` found upwards from the first path.
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
}

/// Writes aon.toml, .pre-commit-config.yaml and .github/workflows/aon.yml, as far as they are not there, and says what it did.
///
/// A file that is there is never changed.
#[derive(Debug, Args)]
pub(crate) struct Init {
    /// The root of the repository.
    #[arg(value_name = "FOLDER", default_value = ".")]
    pub(crate) folder: PathBuf,
}

/// Reads problem JSON on standard input and writes the envelope.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  aon project < problem.json
  aon project --surface all --args '{\"auth_ux\":\"Hosted\"}' < problem.json
  aon project --lines < problems.ndjson")]
pub(crate) struct Project {
    /// The surface to write.
    #[arg(long, value_enum, default_value_t = SurfaceName::Rest)]
    pub(crate) surface: SurfaceName,

    /// The arguments of the call that failed, as JSON: a correction is derived from them.
    #[arg(long, value_name = "JSON")]
    pub(crate) args: Option<String>,

    /// The table of numbers and the form of data (surface a2a).
    #[arg(long, value_enum, default_value_t = ProfileName::Pspace)]
    pub(crate) profile: ProfileName,

    /// Where to put the envelope in a tool result (surface mcp).
    #[arg(long, value_enum, default_value_t = McpMode::Structured)]
    pub(crate) mode: McpMode,

    /// The form of what a person reads (surface human).
    #[arg(long, value_enum, default_value_t = HumanForm::Text)]
    pub(crate) form: HumanForm,

    /// The id of the request, as JSON (surface a2a).
    #[arg(long, value_name = "JSON")]
    pub(crate) id: Option<String>,

    /// One problem per line in, one envelope per line out. A bad line is reported; the other lines are still processed.
    #[arg(long)]
    pub(crate) lines: bool,

    /// Indent the JSON.
    #[arg(long, conflicts_with = "lines")]
    pub(crate) pretty: bool,

    /// Before the body, write the status line and the headers (surface rest).
    #[arg(long, conflicts_with = "lines")]
    pub(crate) head: bool,
}

/// Reads an envelope on standard input and writes the canonical problem.
#[derive(Debug, Args)]
pub(crate) struct Recover {
    /// The surface the envelope comes from. For human, give the page.
    #[arg(long, value_enum, default_value_t = SurfaceName::Rest)]
    pub(crate) surface: SurfaceName,

    /// One envelope per line in, one problem per line out. A bad line is reported; the other lines are still processed.
    #[arg(long)]
    pub(crate) lines: bool,

    /// Indent the JSON.
    #[arg(long, conflicts_with = "lines")]
    pub(crate) pretty: bool,
}

/// Explains a problem code from the built-in catalog and the lock file found upwards, a lint rule, or a clause of the contract.
#[derive(Debug, Args)]
pub(crate) struct Explain {
    /// The code, as in `code`; a `type` URI works too. Or the name or code of a lint rule, or the number of a clause (S5).
    pub(crate) code: String,

    /// A catalog to look in first, as `aon catalog` wrote it.
    #[arg(long, value_name = "FILE")]
    pub(crate) catalog: Option<PathBuf>,

    /// How to write the page.
    #[arg(long, value_enum, default_value_t = PageFormat::Text)]
    pub(crate) format: PageFormat,
}

/// Writes the catalog of a program as JSON, or compares two.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Catalog {
    #[command(subcommand)]
    pub(crate) command: Option<CatalogCommand>,

    /// A program that embeds its catalog, or a catalog document. Without it: the catalog of `aon` itself.
    ///
    /// The program is read, not run.
    #[arg(value_name = "PROGRAM")]
    pub(crate) source: Option<PathBuf>,

    /// Write the lock file instead of standard output.
    #[arg(long, value_name = "FILE")]
    pub(crate) lock: Option<PathBuf>,

    /// Compare with the lock file instead of writing it.
    #[arg(long)]
    pub(crate) check: bool,

    /// Leave out the problems of the framework; only what the program itself declares.
    #[arg(long)]
    pub(crate) own: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum CatalogCommand {
    /// Show what changed between two catalogs, and whether it breaks callers.
    Diff(CatalogDiff),
}

/// Exits with 1 when a change is breaking.
#[derive(Debug, Args)]
pub(crate) struct CatalogDiff {
    /// The catalog before.
    pub(crate) old: PathBuf,
    /// The catalog after.
    pub(crate) new: PathBuf,
    /// How to write the changes.
    #[arg(long, value_enum, default_value_t = ReportFormat::Human)]
    pub(crate) format: ReportFormat,
}

/// Serves the book as a site that can be searched, writes it into a folder, or prints a page.
///
/// Everything is in the program; nothing is loaded from the internet. Writes one line when it is ready, with its address, and runs until
/// Ctrl-C.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  aon docs
  aon docs getting-started
  aon docs --out site")]
pub(crate) struct Docs {
    /// Print this page as Markdown, such as getting-started or rules/undeclared-choice.
    #[arg(value_name = "PAGE")]
    pub(crate) page: Option<String>,

    /// Write the site into this folder instead.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["page", "port", "host"])]
    pub(crate) out: Option<PathBuf>,

    /// The port; 0 picks one.
    #[arg(long, default_value_t = 8788, conflicts_with = "page")]
    pub(crate) port: u16,

    /// The address to listen on.
    #[arg(long, default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST), conflicts_with = "page")]
    pub(crate) host: IpAddr,
}

/// Probes a running server and writes a table: what the protocols demand, what the contract promises, and what is good practice.
///
/// Each row says where its duty stands. A row that does not pass says what was sent, what came, what was expected and how to fix it. What a
/// server does not speak is untested, and advice is not a failure.
///
/// Only calls that must be refused are made: unknown routes, tools and methods, values outside a closed set, broken
/// bodies. It works against any server. The live protocol is probed with calls that succeed: on the operation that `--live`
/// names, or on the playground (`POST /play`) of a server with `/.well-known/aon`.
#[derive(Debug, Args)]
pub(crate) struct Check {
    /// The address, such as `http://127.0.0.1:8787`.
    #[arg(required_unless_present_any = ["worker", "daemon", "southbound"], conflicts_with_all = ["worker", "daemon", "southbound"])]
    pub(crate) url: Option<String>,

    /// Probe the socket of an agents' worker instead. Its sessions and streams are used.
    #[arg(long, value_name = "PATH", conflicts_with_all = ["daemon", "surface", "only", "mcp", "a2a", "route", "live"])]
    pub(crate) worker: Option<PathBuf>,

    /// Probe an agents' daemon at this address instead. Its sessions and streams are used, and harmless actions asked for.
    #[arg(long, value_name = "URL", conflicts_with_all = ["surface", "only", "mcp", "a2a", "route", "live"])]
    pub(crate) daemon: Option<String>,

    /// Check the side of southbound agents that acts, at http:// with --keys or at wss:// with --cert, --key and --ca.
    ///
    /// Nothing is run or changed: the actions are pushes of telemetry, and what must be refused.
    #[cfg(unix)]
    #[arg(long, value_name = "URL", conflicts_with_all = ["worker", "daemon"], requires = "agent")]
    pub(crate) southbound: Option<String>,

    #[cfg(unix)]
    #[command(flatten)]
    pub(crate) reach: crate::commands::agent::south::args::Identity,

    /// The surfaces to probe.
    #[arg(long, value_enum, value_delimiter = ',', default_values_t = [Probed::Rest, Probed::Mcp, Probed::A2a, Probed::Live])]
    pub(crate) surface: Vec<Probed>,

    /// Judge these duties alone: rfc (RFC 9457 and HTTP), mcp, a2a, or the contract of AON.
    #[arg(long, value_enum, value_delimiter = ',')]
    pub(crate) only: Vec<Only>,

    /// Where MCP is served. Default: the path of the address if it ends in /mcp, else /mcp.
    #[arg(long, value_name = "PATH")]
    pub(crate) mcp: Option<String>,

    /// Where A2A is served. Default: what the agent card says, else /a2a.
    #[arg(long, value_name = "PATH")]
    pub(crate) a2a: Option<String>,

    /// An operation that takes a JSON body. Default: the example request of a problem that was met.
    #[arg(long, value_name = "METHOD PATH")]
    pub(crate) route: Option<String>,

    /// An operation that may be called for the live protocol. Default: the playground of a server that has one.
    #[arg(long, value_name = "METHOD PATH")]
    pub(crate) live: Option<String>,

    /// The JSON body to call it with.
    #[arg(long, value_name = "JSON", requires = "live")]
    pub(crate) live_body: Option<String>,

    /// A header to send with every call, as `Name: value`, such as `Authorization: Bearer …`. May be given several times.
    #[arg(short = 'H', long = "header", value_name = "HEADER", conflicts_with_all = ["worker", "southbound"])]
    pub(crate) header: Vec<String>,

    /// How long to wait for an answer, in seconds.
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=600))]
    pub(crate) timeout: u64,

    /// How to write the table.
    #[arg(long, value_enum, default_value_t = ReportFormat::Human)]
    pub(crate) format: ReportFormat,
}

/// Whose duties `aon check` judges.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Only {
    /// RFC 9457 and HTTP.
    Rfc,
    /// The Model Context Protocol.
    Mcp,
    /// The protocol between agents.
    A2a,
    /// What AON promises.
    Contract,
}

impl Only {
    pub(crate) const fn surface(self) -> Option<Probed> {
        match self {
            Self::Rfc => Some(Probed::Rest),
            Self::Mcp => Some(Probed::Mcp),
            Self::A2a => Some(Probed::A2a),
            Self::Contract => None,
        }
    }
}

/// Serves the language server protocol on standard input and output.
///
/// Editors start it; there is nothing to type. `aon.toml` counts as it does for `aon lint`.
#[derive(Debug, Args)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a switch of its own on the command line"
)]
pub(crate) struct Lsp {
    /// Show hints as well.
    #[arg(long)]
    pub(crate) pedantic: bool,

    /// Run rules that are not settled yet.
    #[arg(long)]
    pub(crate) preview: bool,

    /// Warnings are errors, and deferrals need a reason.
    #[arg(long)]
    pub(crate) strict: bool,

    /// Use standard input and output, which is done anyway. Some editors always pass it.
    #[arg(long)]
    pub(crate) stdio: bool,
}

/// Writes the script to standard output.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  aon completions bash > /etc/bash_completion.d/aon
  aon completions zsh > ~/.zfunc/_aon
  aon completions fish --for aon-lint > ~/.config/fish/completions/aon-lint.fish")]
pub(crate) struct Completions {
    /// The shell.
    #[arg(value_enum)]
    pub(crate) shell: Shell,

    /// The program whose arguments are completed.
    #[arg(long = "for", value_enum, default_value_t = ProgramName::Aon, value_name = "PROGRAM")]
    pub(crate) program: ProgramName,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProgramName {
    /// All commands.
    Aon,
    /// The linter alone.
    AonLint,
}

/// Writes a manual page to standard output, or all of them into a folder.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  aon man | man -l -
  aon man catalog diff
  aon man --out ~/.local/share/man/man1")]
pub(crate) struct ManPage {
    /// The command the page is about. Without it: the page of `aon`.
    #[arg(value_name = "COMMAND")]
    pub(crate) page: Vec<String>,

    /// Write every page into this folder.
    #[arg(long, value_name = "DIR", conflicts_with = "page")]
    pub(crate) out: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Probed {
    /// RFC 9457 on every error.
    Rest,
    /// Tool results with the envelope.
    Mcp,
    /// JSON-RPC errors with the envelope.
    A2a,
    /// The live protocol: negotiation, events, channels, resume.
    Live,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SurfaceName {
    /// RFC 9457 problem+json.
    Rest,
    /// A tool result with `isError`.
    Mcp,
    /// A JSON-RPC response with the error.
    A2a,
    /// The terminal event of a stream.
    Stream,
    /// What / Why / Try this.
    Human,
    /// One object with each of them.
    All,
}

impl SurfaceName {
    /// Each surface, in the order `all` has them.
    pub(crate) const EACH: [Self; 5] =
        [Self::Rest, Self::Mcp, Self::A2a, Self::Stream, Self::Human];

    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Rest => "rest",
            Self::Mcp => "mcp",
            Self::A2a => "a2a",
            Self::Stream => "stream",
            Self::Human => "human",
            Self::All => "all",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProfileName {
    /// The numbers of the contract; data is the envelope itself.
    Pspace,
    /// The official numbers of A2A 1.0; data is an array.
    #[value(name = "a2a-1.0")]
    A2a10,
    /// The official numbers of A2A 0.3; data is an array.
    #[value(name = "a2a-0.3")]
    A2a03,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum HumanForm {
    /// For a terminal.
    Text,
    /// A page for a browser.
    Html,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum McpMode {
    /// In `structuredContent.error`.
    Structured,
    /// In a second text block.
    #[value(alias = "text_only")]
    TextOnly,
    /// In `_meta`.
    Meta,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PageFormat {
    /// For the terminal.
    Text,
    /// The catalog record.
    Json,
    /// A Markdown page.
    Markdown,
    /// A page for a browser.
    Html,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportFormat {
    /// For people.
    Human,
    /// For programs.
    Json,
}
