//! The arguments of `aon lint`.

use std::path::PathBuf;

use aon_lint::{Layout, ReportFormat};
use aon_manifest::Format;
use clap::{Args, ValueEnum};

/// Checks manifests: OpenAPI, Swagger, MCP tool lists, A2A cards and native manifests.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a switch of its own on the command line"
)]
#[derive(Clone, Debug, Args)]
#[command(after_help = "Examples:
  aon-lint openapi.yaml
  aon-lint --format sarif api/ > findings.sarif
  aon-lint --fix --diff openapi.yaml
  aon-lint --changed=origin/main api/
  aon-lint --explain undeclared-choice
  cat tools.json | aon-lint - --stdin-filename tools.json")]
pub(crate) struct LintArgs {
    /// Files or folders; `-` is standard input. Without any: the current folder.
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,

    /// How to write the findings.
    #[arg(long, value_enum, default_value_t = FormatName::Human, value_name = "FORMAT")]
    pub(crate) format: FormatName,

    /// How much to say about each finding, in the format for people.
    #[arg(long, value_enum, default_value_t = OutputName::Grouped, value_name = "HOW")]
    pub(crate) output: OutputName,

    /// The lowest level that makes the run exit with 1.
    #[arg(long, value_enum, default_value_t = FailOn::Error, value_name = "LEVEL")]
    pub(crate) fail_on: FailOn,

    /// Read the files as this format instead of detecting it.
    #[arg(long = "as", value_enum, value_name = "FORMAT")]
    pub(crate) read_as: Option<ManifestName>,

    /// The name to show for standard input; it also decides where relative references lead.
    #[arg(long, value_name = "NAME")]
    pub(crate) stdin_filename: Option<String>,

    /// Show hints as well.
    #[arg(long)]
    pub(crate) pedantic: bool,

    /// Run rules that are not settled yet.
    #[arg(long)]
    pub(crate) preview: bool,

    /// Warnings are errors, and deferrals need a reason.
    #[arg(long)]
    pub(crate) strict: bool,

    /// The same for native manifests only, which say themselves what they promise.
    #[arg(long)]
    pub(crate) strict_native: bool,

    /// Apply safe fixes.
    #[arg(long)]
    pub(crate) fix: bool,

    /// Apply fixes that need a look as well.
    #[arg(long)]
    pub(crate) unsafe_fixes: bool,

    /// Show what the fixes would change, and write nothing.
    #[arg(long)]
    pub(crate) diff: bool,

    /// Findings listed in this file are known and not reported.
    #[arg(long, value_name = "FILE")]
    pub(crate) baseline: Option<PathBuf>,

    /// Write what is found now into a baseline, and report nothing.
    #[arg(long, value_name = "FILE")]
    pub(crate) write_baseline: Option<PathBuf>,

    /// The tracking issue of new entries of a baseline.
    #[arg(long, value_name = "ISSUE", requires = "write_baseline")]
    pub(crate) issue: Option<String>,

    /// The configuration. Default: `aon.toml` in the current folder or above.
    #[arg(long, value_name = "FILE", conflicts_with = "no_config")]
    pub(crate) config: Option<PathBuf>,

    /// Read no configuration.
    #[arg(long)]
    pub(crate) no_config: bool,

    /// Check only files that git says have changed, compared with BASE or the last commit.
    #[arg(long, value_name = "BASE", num_args = 0..=1, default_missing_value = "HEAD", require_equals = true)]
    pub(crate) changed: Option<String>,

    /// Check again whenever a file changes.
    #[arg(long, conflicts_with_all = ["fix", "unsafe_fixes", "write_baseline"])]
    pub(crate) watch: bool,

    /// Count findings by rule instead of showing them.
    #[arg(long)]
    pub(crate) statistics: bool,

    /// Explain a rule, by code or name.
    #[arg(long, value_name = "RULE")]
    pub(crate) explain: Option<String>,

    /// List all rules.
    #[arg(long)]
    pub(crate) rules: bool,

    /// References may reach files in this folder and below. Default: the folder of each file.
    #[arg(long, value_name = "DIR")]
    pub(crate) root: Option<PathBuf>,

    /// Let references leave the root.
    #[arg(long)]
    pub(crate) allow_outside_root: bool,

    /// When to use colours.
    #[arg(long, value_enum, default_value_t = Colour::Auto, value_name = "WHEN")]
    pub(crate) color: Colour,
}

impl LintArgs {
    /// Whether to use colours, given whether the output is a terminal.
    pub(crate) fn colour(&self, terminal: bool) -> bool {
        match self.color {
            Colour::Always => true,
            Colour::Never => false,
            Colour::Auto => {
                terminal && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
            }
        }
    }
}

#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
pub(crate) enum OutputName {
    /// By file and rule, a line for each finding; long lists are cut short and counted.
    Grouped,
    /// A line for each finding.
    Concise,
    /// With the marked line, the reason and the fix.
    Full,
}

impl From<OutputName> for Layout {
    fn from(name: OutputName) -> Layout {
        match name {
            OutputName::Grouped => Layout::Grouped,
            OutputName::Concise => Layout::Concise,
            OutputName::Full => Layout::Full,
        }
    }
}

#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
pub(crate) enum FailOn {
    /// Errors fail, warnings do not.
    Error,
    /// Warnings fail too.
    Warning,
    /// Findings never fail; unreadable input does.
    Never,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
pub(crate) enum FormatName {
    /// For people.
    Human,
    /// For programs.
    Json,
    /// SARIF 2.1.0.
    Sarif,
    /// Annotations of GitHub Actions.
    Github,
    /// JUnit XML.
    Junit,
}

impl From<FormatName> for ReportFormat {
    fn from(name: FormatName) -> ReportFormat {
        match name {
            FormatName::Human => ReportFormat::Human,
            FormatName::Json => ReportFormat::Json,
            FormatName::Sarif => ReportFormat::Sarif,
            FormatName::Github => ReportFormat::Github,
            FormatName::Junit => ReportFormat::Junit,
        }
    }
}

#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
pub(crate) enum ManifestName {
    /// The native manifest.
    Native,
    /// OpenAPI 3.
    #[value(name = "openapi")]
    OpenApi,
    /// Swagger 2.0.
    Swagger,
    /// An MCP tool list.
    Mcp,
    /// An A2A agent card.
    A2a,
}

impl From<ManifestName> for Format {
    fn from(name: ManifestName) -> Format {
        match name {
            ManifestName::Native => Format::Native,
            ManifestName::OpenApi => Format::OpenApi,
            ManifestName::Swagger => Format::Swagger,
            ManifestName::Mcp => Format::Mcp,
            ManifestName::A2a => Format::A2a,
        }
    }
}

#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
pub(crate) enum Colour {
    /// On a terminal, unless `NO_COLOR` is set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}
