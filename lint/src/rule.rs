//! What a rule is: its name, its documentation, and its check.

use std::sync::OnceLock;

use crate::engine::{Findings, Subject};
use crate::finding::{Confidence, Severity};

/// A rule. There is one static of it in each file of `rules/`, made by `declare_rule!`.
#[derive(Debug)]
pub struct Rule {
    name: &'static str,
    code: &'static str,
    category: Category,
    stage: Stage,
    docs: &'static str,
    check: Check,
    why: OnceLock<String>,
}

/// What a rule does with a manifest.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Check {
    /// Looks at an API.
    Api(for<'a> fn(&Subject<'_, 'a>, &mut Findings<'a>)),
    /// Looks at an API for what could be better. Runs with `--pedantic`, or when `aon.toml` gives it a level.
    Hints(for<'a> fn(&Subject<'_, 'a>, &mut Findings<'a>)),
    /// Reported by the engine itself: what the readers found, and deferrals.
    Engine,
}

impl Rule {
    pub(crate) const fn new(
        name: &'static str,
        code: &'static str,
        category: Category,
        stage: Stage,
        docs: &'static str,
        check: Check,
    ) -> Rule {
        Rule {
            name,
            code,
            category,
            stage,
            docs,
            check,
            why: OnceLock::new(),
        }
    }

    /// The name, in kebab case. It names the defect.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// The code, such as `AON101`. Codes are never reused.
    pub const fn code(&self) -> &'static str {
        self.code
    }

    /// The family it belongs to.
    pub const fn category(&self) -> Category {
        self.category
    }

    /// How settled it is.
    pub const fn stage(&self) -> Stage {
        self.stage
    }

    /// Its documentation in Markdown, as it stands in its file.
    pub const fn docs(&self) -> &'static str {
        self.docs
    }

    pub(crate) const fn check(&self) -> Check {
        self.check
    }

    /// The defect as a noun phrase: the first line of the documentation.
    pub fn summary(&self) -> &'static str {
        self.docs.trim().lines().next().unwrap_or("").trim()
    }

    /// Why it matters: the first paragraph under `## Why`.
    pub fn why(&self) -> &str {
        self.why.get_or_init(|| {
            let section = self.docs.split("## Why").nth(1).unwrap_or("");
            let lines = section
                .trim_start()
                .lines()
                .map(str::trim)
                .take_while(|line| !line.is_empty());
            lines.collect::<Vec<_>>().join(" ")
        })
    }

    /// The executed examples of the documentation.
    pub fn examples(&self) -> Vec<Example> {
        let mut found = Vec::new();
        let mut open: Option<Example> = None;
        for line in self.docs.lines() {
            let line = line.strip_prefix(' ').unwrap_or(line);
            match (&mut open, line.strip_prefix("```")) {
                (None, Some(tags)) => {
                    let mut words = tags.split_whitespace();
                    let language = words.next().unwrap_or("").to_owned();
                    let bad = match words.next() {
                        Some("bad") => true,
                        Some("good") => false,
                        _ => continue,
                    };
                    let mode = words.next();
                    open = Some(Example {
                        bad,
                        strict: mode == Some("strict"),
                        pedantic: mode == Some("pedantic"),
                        language,
                        text: String::new(),
                    });
                }
                (Some(_), Some(_)) => found.extend(open.take()),
                (Some(example), None) => {
                    example.text.push_str(line);
                    example.text.push('\n');
                }
                (None, None) => {}
            }
        }
        found
    }

    /// How bad a finding of this rule is, given how sure it is: the family decides, and doubt lowers it.
    pub fn severity(&self, confidence: Confidence) -> Severity {
        match confidence {
            Confidence::Certain => self.category.severity(),
            Confidence::Likely => self.category.severity().min(Severity::Warning),
            Confidence::Possible => Severity::Info,
        }
    }
}

/// An example in the documentation of a rule.
#[non_exhaustive]
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Example {
    /// Whether it shows the defect.
    pub bad: bool,
    /// Whether the defect only shows with `--strict`.
    pub strict: bool,
    /// Whether the defect only shows with `--pedantic`.
    pub pedantic: bool,
    /// `yaml` or `json`.
    pub language: String,
    /// The manifest.
    pub text: String,
}

/// How settled a rule is. A rule that goes away moves to [`crate::rules::RETIRED`], so its code stays known.
#[expect(
    clippy::exhaustive_enums,
    reason = "a rule is on by default, on request, or gone"
)]
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Stage {
    /// Runs by default.
    Stable,
    /// Runs with `--preview`, or when `aon.toml` gives it a level.
    Preview,
}

impl Stage {
    /// The word in lists.
    pub const fn as_str(self) -> &'static str {
        match self {
            Stage::Stable => "stable",
            Stage::Preview => "preview",
        }
    }
}

macro_rules! categories {
    ($($(#[$doc:meta])* $variant:ident = $name:literal $digit:literal $severity:ident,)*) => {
        /// The family of a rule. It decides the hundreds of the code and the severity.
        #[expect(clippy::exhaustive_enums, reason = "a new family is a new clause of the contract")]
        #[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
        pub enum Category { $($(#[$doc])* $variant,)* }

        impl Category {
            /// All families.
            pub const ALL: &'static [Category] = &[$(Category::$variant,)*];

            /// The name in reports.
            pub const fn name(self) -> &'static str {
                match self { $(Category::$variant => $name,)* }
            }

            /// The digit its codes start with, behind `AON`.
            pub const fn digit(self) -> u8 {
                match self { $(Category::$variant => $digit,)* }
            }

            /// How bad a certain finding of this family is.
            pub const fn severity(self) -> Severity {
                match self { $(Category::$variant => Severity::$severity,)* }
            }
        }
    };
}

categories! {
    /// What a caller may choose from (R1).
    Choices = "choices" 1 Error,
    /// How failures are described (R2).
    Errors = "errors" 2 Warning,
    /// What a caller can do about a failure (P5 to P8).
    Remediation = "remediation" 3 Error,
    /// What must not be published (P7, L9).
    Safety = "safety" 4 Error,
    /// The same on every surface (R2, S9).
    Parity = "parity" 5 Warning,
    /// The document itself (M1 to M3).
    Manifest = "manifest" 6 Error,
    /// Deferred findings (R4).
    Deferral = "deferral" 7 Warning,
}

/// Declares the one rule of a file. The doc comment is the documentation.
macro_rules! declare_rule {
    ($(#[doc = $doc:literal])+ $name:literal { code: $code:literal, category: $category:ident, stage: $stage:ident, check: $check:expr $(,)? }) => {
        pub(crate) static RULE: $crate::rule::Rule = $crate::rule::Rule::new(
            $name,
            $code,
            $crate::rule::Category::$category,
            $crate::rule::Stage::$stage,
            concat!($($doc, "\n",)+),
            $check,
        );
    };
}
pub(crate) use declare_rule;
