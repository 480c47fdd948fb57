//! Repairs: small edits of the source text that leave every other byte alone.

pub(crate) mod edits;

use aon_manifest::Span;

/// How a finding can be repaired. All edits are in the file of the finding.
#[non_exhaustive]
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Fix {
    /// What it does, as an imperative.
    pub title: String,
    /// Whether it may be applied without a look.
    pub safety: Safety,
    /// The edits; they do not overlap.
    pub edits: Vec<Edit>,
}

impl Fix {
    pub(crate) fn new(title: impl Into<String>, safety: Safety, edits: Vec<Edit>) -> Fix {
        Fix {
            title: title.into(),
            safety,
            edits,
        }
    }
}

/// One replacement.
#[non_exhaustive]
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Edit {
    /// The bytes that go.
    pub span: Span,
    /// What comes instead.
    pub replacement: String,
}

impl Edit {
    pub(crate) fn new(span: Span, replacement: impl Into<String>) -> Edit {
        Edit {
            span,
            replacement: replacement.into(),
        }
    }
}

/// Whether a fix keeps the meaning of a document.
#[expect(clippy::exhaustive_enums, reason = "`--fix` and `--unsafe-fixes`")]
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum Safety {
    /// Applied by `--fix`: the document says the same before and after, or says now what its prose said.
    Safe,
    /// Applied by `--unsafe-fixes` only: a person should look.
    Unsafe,
}

/// Applies edits to a text. They must not overlap; of two that do, the later one is left out.
pub fn apply(text: &str, edits: &[Edit]) -> String {
    let mut ordered: Vec<&Edit> = edits.iter().collect();
    ordered.sort_by_key(|edit| (edit.span.start(), edit.span.end()));
    let mut out = String::with_capacity(text.len() + 256);
    let mut at = 0;
    for edit in ordered {
        if edit.span.start() < at {
            continue;
        }
        out.push_str(text.get(at..edit.span.start()).unwrap_or(""));
        out.push_str(&edit.replacement);
        at = edit.span.end();
    }
    out.push_str(text.get(at..).unwrap_or(""));
    out
}
