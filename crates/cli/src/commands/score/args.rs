//! The arguments of `aon score`.

use std::path::PathBuf;

use aon_lint::score::Dimension;
use clap::{Args, ValueEnum};

use crate::lint::args::ManifestName;

/// Scores APIs from 0 to 4 on five dimensions: choices, clarity, remediation, auto-fix, parity.
///
/// OpenAPI, Swagger, MCP tool lists, A2A cards and native manifests are read. Documents with the same slug are one API.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a switch of its own on the command line"
)]
#[derive(Clone, Debug, Args)]
#[command(after_help = "Examples:
  aon score apis/
  aon score --explain D3 orders.aon.yaml
  aon score --next apis/
  aon score --format html --output report.html apis/
  aon score --fail-under 3 --compare main.json --fail-on-regression apis/")]
pub(crate) struct ScoreArgs {
    /// Files or folders; `-` is standard input. Without any: the current folder.
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,

    /// How to write the report.
    #[arg(long, value_enum, default_value_t = ScoreFormat::Terminal, value_name = "FORMAT")]
    pub(crate) format: ScoreFormat,

    /// Write the report to a file instead of standard output.
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// Show how a dimension (D1 to D5) gets from here to 4.
    #[arg(long, value_name = "DIMENSION")]
    pub(crate) explain: Option<Dimension>,

    /// List the cheapest steps that raise the most levels.
    #[arg(long)]
    pub(crate) next: bool,

    /// Exit with 1 when an applicable dimension is under this level.
    #[arg(long, value_name = "LEVEL", value_parser = clap::value_parser!(u8).range(0..=4))]
    pub(crate) fail_under: Option<u8>,

    /// Show what moved since an earlier report (`--format json`).
    #[arg(long, value_name = "OLD.json")]
    pub(crate) compare: Option<PathBuf>,

    /// Exit with 1 when a score is lower than in the earlier report.
    #[arg(long, requires = "compare")]
    pub(crate) fail_on_regression: bool,

    /// Say what is missing for every API, however many there are.
    #[arg(long, short)]
    pub(crate) verbose: bool,

    /// Read the files as this format instead of detecting it.
    #[arg(long = "as", value_enum, value_name = "FORMAT")]
    pub(crate) read_as: Option<ManifestName>,

    /// The name to show for standard input; it also decides where relative references lead.
    #[arg(long, value_name = "NAME")]
    pub(crate) stdin_filename: Option<String>,

    /// References may reach files in this folder and below. Default: the folder of each file.
    #[arg(long, value_name = "DIR")]
    pub(crate) root: Option<PathBuf>,

    /// Let references leave the root.
    #[arg(long)]
    pub(crate) allow_outside_root: bool,

    /// The `aon.toml` to use. Default: the nearest one upwards.
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,

    /// When to use colours.
    #[arg(long, value_enum, default_value_t = ColourWhen::Auto, value_name = "WHEN")]
    pub(crate) color: ColourWhen,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
pub(crate) enum ScoreFormat {
    /// A table with bars.
    #[value(aliases = ["human", "text"])]
    Terminal,
    /// For programs.
    Json,
    /// For pull requests.
    #[value(alias = "md")]
    Markdown,
    /// One page for people.
    Html,
    /// A small SVG.
    Badge,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
pub(crate) enum ColourWhen {
    /// On a terminal, unless `NO_COLOR` is set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

impl ColourWhen {
    pub(crate) const fn is_wanted(self, terminal: bool) -> bool {
        match self {
            Self::Auto => terminal,
            Self::Always => true,
            Self::Never => false,
        }
    }
}
