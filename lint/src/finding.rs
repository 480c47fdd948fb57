//! What a rule reports.

use std::sync::Arc;

use aon_manifest::Span;
use serde::Serialize;

use crate::fix::Fix;
use crate::rule::Rule;
use crate::rules::unreadable_manifest;

/// One thing that is wrong: what, where, why, and what to do (contract R3).
///
/// The members that are serialised are the published ones; the rest is for renderers and fixes.
#[non_exhaustive]
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Finding {
    /// The stable code of the rule, such as `AON101`.
    pub code: &'static str,
    /// The name of the rule.
    pub rule: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// How sure the rule is.
    pub confidence: Confidence,
    /// What is wrong, in one sentence.
    pub message: String,
    /// Why it matters.
    pub why: &'static str,
    /// What to do about it.
    pub fix: String,
    /// The file.
    pub file: Arc<str>,
    /// The first line, from 1.
    pub line: u32,
    /// The first column in characters, from 1.
    pub column: u32,
    /// The last line.
    pub end_line: u32,
    /// The column after the last character.
    pub end_column: u32,
    /// The JSON Pointer of what the finding is about.
    pub pointer: String,
    /// A few words for under the marked text.
    #[serde(skip)]
    pub label: String,
    /// The marked bytes.
    #[serde(skip)]
    pub span: Span,
    /// The marked line, cut to a readable length.
    #[serde(skip)]
    pub excerpt: Excerpt,
    /// How a program can repair it.
    #[serde(skip)]
    pub repair: Option<Fix>,
    /// What speaks for it, for a rule that weighs; of many findings the best are shown.
    #[serde(skip)]
    pub weight: f32,
    /// Whether the file could not be read because of this.
    #[serde(skip)]
    pub unreadable: bool,
}

impl Finding {
    /// What to say about a file or folder that cannot be opened at all.
    ///
    /// ```
    /// let finding = aon_lint::Finding::unreadable("api.yaml", "No such file or directory");
    /// assert_eq!((finding.rule, finding.line), ("unreadable-manifest", 1));
    /// ```
    pub fn unreadable(file: &str, reason: impl std::fmt::Display) -> Finding {
        let rule = &unreadable_manifest::RULE;
        Finding {
            code: rule.code(),
            rule: rule.name(),
            severity: Severity::Error,
            confidence: Confidence::Certain,
            message: format!("it cannot be opened: {reason}"),
            why: rule.why(),
            fix: "correct the path, or check its permissions".to_owned(),
            file: Arc::from(file),
            line: 1,
            column: 1,
            end_line: 1,
            end_column: 1,
            pointer: String::new(),
            label: String::new(),
            span: Span::default(),
            excerpt: Excerpt::default(),
            repair: None,
            weight: 0.0,
            unreadable: true,
        }
    }

    /// The rule; none for a code that is no longer known.
    pub fn declared(&self) -> Option<&'static Rule> {
        crate::rules::find(self.code)
    }

    /// What the order of a report goes by: file, place, code.
    pub fn order(&self) -> (&str, u32, u32, &'static str, &str) {
        (&self.file, self.line, self.column, self.code, &self.pointer)
    }
}

/// The part of a line that is shown, and where in it the mark stands.
#[non_exhaustive]
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Excerpt {
    /// The text.
    pub text: String,
    /// Whether something was cut off before it.
    pub cut_before: bool,
    /// Whether something was cut off behind it.
    pub cut_after: bool,
    /// Bytes of the text before the mark.
    pub start: usize,
    /// Bytes of the text up to the end of the mark.
    pub end: usize,
}

macro_rules! words {
    ($(#[$head:meta])* $type:ident { $($(#[$doc:meta])* $variant:ident = $word:literal,)* }) => {
        $(#[$head])*
        #[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[serde(rename_all = "snake_case")]
        pub enum $type { $($(#[$doc])* $variant,)* }

        impl $type {
            /// All of them, in order.
            pub const ALL: &'static [$type] = &[$($type::$variant,)*];

            /// The word in reports.
            pub const fn as_str(self) -> &'static str {
                match self { $($type::$variant => $word,)* }
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }
    };
}

words! {
    /// How bad a finding is.
    #[expect(clippy::exhaustive_enums, reason = "every report format knows these three")]
    Severity {
        /// Shown only when asked for.
        Info = "info",
        /// Probably wrong, or harmful only to some callers.
        Warning = "warning",
        /// Wrong.
        Error = "error",
    }
}

words! {
    /// How sure a rule is.
    #[expect(clippy::exhaustive_enums, reason = "the contract names these three")]
    Confidence {
        /// A hint; shown with `--pedantic`.
        Possible = "possible",
        /// More likely than not.
        Likely = "likely",
        /// The document says so itself.
        Certain = "certain",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_what_is_serialised() {
        for severity in Severity::ALL {
            assert_eq!(serde_json::to_value(severity).unwrap(), severity.as_str());
        }
        for confidence in Confidence::ALL {
            assert_eq!(
                serde_json::to_value(confidence).unwrap(),
                confidence.as_str()
            );
        }
        assert!(Severity::Error > Severity::Warning && Confidence::Certain > Confidence::Likely);
    }
}
