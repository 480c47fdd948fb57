//! Findings for people and for programs, one renderer per format.

use std::fmt::Write as _;

mod github;
mod grouped;
mod human;
mod json;
mod junit;
mod sarif;
mod statistics;

use serde::Serialize;

use crate::finding::{Finding, Severity};
use crate::fix::Safety;

pub use human::{Layout, Style};
#[cfg(feature = "schema")]
pub use json::schema;

/// Everything a run found, in order.
#[non_exhaustive]
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The findings, ordered.
    pub findings: Vec<Finding>,
    /// The numbers.
    pub summary: Summary,
}

impl Report {
    /// Orders findings and counts them. `files` is how many manifests were read, `deferred` how many findings were set aside.
    pub fn new(mut findings: Vec<Finding>, files: usize, deferred: usize) -> Report {
        crate::engine::sort(&mut findings);
        let count = |severity| findings.iter().filter(|f| f.severity == severity).count();
        let summary = Summary {
            files,
            findings: findings.len(),
            errors: count(Severity::Error),
            warnings: count(Severity::Warning),
            infos: count(Severity::Info),
            deferred,
            fixable: findings.iter().filter(|f| f.repair.is_some()).count(),
            unsafe_fixes: findings
                .iter()
                .filter_map(|f| f.repair.as_ref())
                .filter(|fix| fix.safety == Safety::Unsafe)
                .count(),
        };
        Report { findings, summary }
    }

    /// Writes the report in a format.
    pub fn render(&self, format: ReportFormat, style: Style) -> String {
        match format {
            ReportFormat::Human => human::render(self, style),
            ReportFormat::Json => json::render(self),
            ReportFormat::Sarif => sarif::render(self),
            ReportFormat::Github => github::render(self),
            ReportFormat::Junit => junit::render(self),
        }
    }

    /// How often each rule was broken, most often first.
    pub fn statistics(&self) -> String {
        statistics::render(self)
    }
}

/// The numbers of a report.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Summary {
    /// Manifests that were read.
    pub files: usize,
    /// All findings.
    pub findings: usize,
    /// Errors among them.
    pub errors: usize,
    /// Warnings among them.
    pub warnings: usize,
    /// Remarks among them.
    pub infos: usize,
    /// Findings that were set aside by a deferral, and are not in the list.
    pub deferred: usize,
    /// Findings that have a fix.
    pub fixable: usize,
    /// Those among them whose fix needs a look, so that `--fix` alone does not apply it.
    pub unsafe_fixes: usize,
}

impl Summary {
    /// One line for people.
    pub fn line(&self) -> String {
        let count = |number: usize, one: &str, many: &str| {
            format!("{number} {}", if number == 1 { one } else { many })
        };
        let files = count(self.files, "manifest", "manifests");
        let mut line = if self.findings == 0 {
            format!("no findings in {files}")
        } else {
            let mut parts = Vec::new();
            if self.errors > 0 {
                parts.push(count(self.errors, "error", "errors"));
            }
            if self.warnings > 0 {
                parts.push(count(self.warnings, "warning", "warnings"));
            }
            if self.infos > 0 {
                parts.push(count(self.infos, "remark", "remarks"));
            }
            format!("{} in {files}", parts.join(", "))
        };
        if self.deferred > 0 {
            let _ = write!(line, "; {} deferred", self.deferred);
        }
        if self.fixable > 0 {
            let how = match self.unsafe_fixes {
                0 => "`--fix`".to_owned(),
                all if all == self.fixable => "`--unsafe-fixes`".to_owned(),
                some => format!("`--fix`, {some} of them `--unsafe-fixes`"),
            };
            let _ = write!(line, "; {} with a fix ({how})", self.fixable);
        }
        line
    }
}

macro_rules! report_formats {
    ($($(#[$doc:meta])* $variant:ident = $name:literal,)*) => {
        /// The formats a report is written in.
        #[expect(clippy::exhaustive_enums, reason = "a new format is a new renderer")]
        #[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
        pub enum ReportFormat { $($(#[$doc])* $variant,)* }

        impl ReportFormat {
            /// All formats.
            pub const ALL: &'static [ReportFormat] = &[$(ReportFormat::$variant,)*];

            /// The name on the command line.
            pub const fn name(self) -> &'static str {
                match self { $(ReportFormat::$variant => $name,)* }
            }

            /// Reads a name.
            pub fn parse(name: &str) -> Option<ReportFormat> {
                match name { $($name => Some(ReportFormat::$variant),)* _ => None }
            }
        }
    };
}

report_formats! {
    /// For a person: excerpt, underline, why, fix.
    #[default]
    Human = "human",
    /// For a program: `{version, findings, summary}`.
    Json = "json",
    /// SARIF 2.1.0, for code scanning.
    Sarif = "sarif",
    /// Annotations of GitHub Actions.
    Github = "github",
    /// JUnit XML, for test reports.
    Junit = "junit",
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_parse_back() {
        for format in ReportFormat::ALL {
            assert_eq!(ReportFormat::parse(format.name()), Some(*format));
        }
    }

    #[test]
    fn the_summary_is_one_readable_line() {
        let summary = Summary {
            files: 1,
            findings: 3,
            errors: 1,
            warnings: 2,
            deferred: 4,
            fixable: 1,
            ..Summary::default()
        };
        assert_eq!(
            summary.line(),
            "1 error, 2 warnings in 1 manifest; 4 deferred; 1 with a fix (`--fix`)"
        );
        let hard = Summary {
            fixable: 3,
            unsafe_fixes: 2,
            ..summary
        };
        assert!(
            hard.line()
                .ends_with("3 with a fix (`--fix`, 2 of them `--unsafe-fixes`)")
        );
        assert_eq!(Summary::default().line(), "no findings in 0 manifests");
    }

    /// Two findings with everything that is hard to render.
    pub(super) fn sample() -> Report {
        let text = "operations:\n  - id: set\n    parameters:\n      - { name: auth_ux, type: string, description: 'Must be one of \"é&x>\" or \"ünï\".' }\n      - { name: x, in: query, default: z, enum: [] }\n";
        let document = aon_manifest::Document::from_text("dir/a b.aon.yaml", text);
        let outcome = crate::lint(&document, &crate::Settings::default());
        assert!(!outcome.findings.is_empty());
        Report::new(outcome.findings, 1, 0)
    }
}
