//! What a reader could not make sense of, and the way out.

use std::fmt;
use std::sync::Arc;

use crate::source::Source;
use crate::span::{Place, Position, Span};

/// One mistake found while reading: what, where, and what to do about it.
///
/// Readers collect issues and go on. An issue of [`Severity::Error`] means that part of the document is missing from the model;
/// a warning means that everything was understood although the text is questionable.
///
/// ```
/// use aon_manifest::{IssueKind, ParseOptions, parse};
///
/// let tree = parse("pets.json", "{\"a\": 1,\n \"a\": 2}", &ParseOptions::default());
/// let issue = &tree.issues()[0];
/// assert_eq!(issue.kind(), IssueKind::DuplicateKey);
/// assert_eq!((issue.start().line, issue.start().column), (2, 2));
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Issue {
    kind: IssueKind,
    file: Arc<str>,
    place: Place,
    start: Position,
    end: Position,
    message: String,
    help: String,
}

impl Issue {
    pub(crate) fn new(
        source: &Source,
        span: Span,
        kind: IssueKind,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Issue {
        Issue {
            kind,
            file: source.shared_name(),
            place: Place::new(source.file(), span),
            start: source.position(span.start()),
            end: source.position(span.end()),
            message: message.into(),
            help: help.into(),
        }
    }

    /// What sort of mistake it is.
    pub fn kind(&self) -> IssueKind {
        self.kind
    }

    /// How much harm it does.
    pub fn severity(&self) -> Severity {
        self.kind.severity()
    }

    /// The name of the file, as it was given.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// File number and byte range.
    pub fn place(&self) -> Place {
        self.place
    }

    /// Line and column of the first character.
    pub fn start(&self) -> Position {
        self.start
    }

    /// Line and column after the last character.
    pub fn end(&self) -> Position {
        self.end
    }

    /// What is wrong, in one sentence without a full stop.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// What to do about it.
    pub fn help(&self) -> &str {
        &self.help
    }
}

impl fmt::Display for Issue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}:{}: {} ({})",
            self.file, self.start, self.message, self.help
        )
    }
}

impl std::error::Error for Issue {}

/// How much harm an [`Issue`] does.
#[expect(
    clippy::exhaustive_enums,
    reason = "there are exactly two consequences: something is missing, or nothing is"
)]
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum Severity {
    /// Everything was understood.
    Warning,
    /// Something is missing from the model.
    Error,
}

macro_rules! issue_kinds {
    ($($(#[$doc:meta])* $variant:ident = $code:literal $severity:ident,)*) => {
        /// The sorts of mistakes, with stable names.
        #[non_exhaustive]
        #[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
        pub enum IssueKind { $($(#[$doc])* $variant,)* }

        impl IssueKind {
            /// All kinds, in the order of this list.
            pub const ALL: &'static [IssueKind] = &[$(IssueKind::$variant,)*];

            /// The stable kebab-case name.
            pub const fn code(self) -> &'static str {
                match self { $(IssueKind::$variant => $code,)* }
            }

            /// How much harm this kind does.
            pub const fn severity(self) -> Severity {
                match self { $(IssueKind::$variant => Severity::$severity,)* }
            }
        }
    };
}

issue_kinds! {
    /// The file is larger than the limit.
    TooLarge = "too-large" Error,
    /// The file is not UTF-8 text but UTF-16 or UTF-32.
    WideEncoding = "wide-encoding" Error,
    /// The file is not text at all.
    Binary = "binary" Error,
    /// Some bytes are not UTF-8.
    InvalidUtf8 = "invalid-utf8" Error,
    /// There is nothing in the file.
    Empty = "empty" Error,
    /// The text breaks the grammar of JSON or YAML.
    Syntax = "syntax" Error,
    /// The text ends too early.
    Truncated = "truncated" Error,
    /// Something stands behind the end of a JSON value.
    TrailingContent = "trailing-content" Error,
    /// A comment in JSON.
    Comment = "comment" Error,
    /// A trailing comma in JSON.
    TrailingComma = "trailing-comma" Error,
    /// Nesting beyond the limit.
    TooDeep = "too-deep" Error,
    /// Aliases that would expand beyond the limit.
    AliasBomb = "alias-bomb" Error,
    /// An alias without an anchor, or inside its own anchor.
    UnknownAlias = "unknown-alias" Error,
    /// A mapping key that is itself a collection.
    ComplexKey = "complex-key" Error,
    /// The same key twice in one object; the last one counts.
    DuplicateKey = "duplicate-key" Error,
    /// Half of a surrogate pair in a string; replaced.
    LoneSurrogate = "lone-surrogate" Warning,
    /// More mistakes than are worth listing.
    TooManyIssues = "too-many-issues" Error,
    /// The document is none of the formats we read.
    UnknownFormat = "unknown-format" Error,
    /// A version of a known format that is not read.
    UnknownVersion = "unknown-version" Warning,
    /// A member has the wrong type or is missing, so its parent could not be read in full.
    WrongShape = "wrong-shape" Error,
    /// A `$ref` that points at nothing.
    DanglingRef = "dangling-ref" Error,
    /// A `$ref` that only leads back to itself.
    CircularRef = "circular-ref" Error,
    /// A `$ref` to a URL; nothing is fetched.
    RefToUrl = "ref-to-url" Error,
    /// A `$ref` to a file outside the root.
    RefOutsideRoot = "ref-outside-root" Error,
    /// A `$ref` to a file that cannot be read.
    UnreadableRef = "unreadable-ref" Error,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_unique_and_kebab_case() {
        let mut codes: Vec<_> = IssueKind::ALL.iter().map(|kind| kind.code()).collect();
        assert!(codes.len() > 20);
        assert!(codes.iter().all(|code| {
            code.bytes()
                .all(|b| b == b'-' || b.is_ascii_lowercase() || b.is_ascii_digit())
        }));
        codes.sort_unstable();
        codes.dedup();
        assert_eq!(codes.len(), IssueKind::ALL.len());
    }
}
