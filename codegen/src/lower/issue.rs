//! What keeps an API from being generated.

use std::fmt;

use aon_manifest::{Issue, Node};

/// Everything that is wrong with the input, at least one thing.
#[derive(Clone, Debug)]
pub struct LowerError(Vec<LowerIssue>);

impl LowerError {
    pub(super) fn new(mut issues: Vec<LowerIssue>) -> LowerError {
        issues
            .sort_by(|a, b| (&a.places, a.kind, &a.message).cmp(&(&b.places, b.kind, &b.message)));
        issues.dedup();
        LowerError(issues)
    }

    /// The mistakes, sorted by place.
    pub fn issues(&self) -> &[LowerIssue] {
        &self.0
    }
}

impl fmt::Display for LowerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.as_slice() {
            [only] => only.fmt(f),
            [first, rest @ ..] => write!(f, "{first} (and {} more)", rest.len()),
            [] => f.write_str("the input cannot be used"),
        }
    }
}

impl std::error::Error for LowerError {}

/// One mistake.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct LowerIssue {
    /// What sort of mistake it is.
    pub kind: LowerIssueKind,
    /// What is wrong, in one sentence without a full stop.
    pub message: String,
    /// Where, as `file:line:column pointer`; two places when two things collide.
    pub places: Vec<String>,
    /// What to do about it.
    pub help: String,
}

impl LowerIssue {
    pub(super) fn new(
        kind: LowerIssueKind,
        places: impl IntoIterator<Item = String>,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> LowerIssue {
        let places = places.into_iter().collect();
        LowerIssue {
            kind,
            message: message.into(),
            places,
            help: help.into(),
        }
    }

    pub(super) fn of_reader(issue: &Issue) -> LowerIssue {
        LowerIssue {
            kind: LowerIssueKind::Unreadable,
            message: issue.message().to_owned(),
            places: vec![format!("{}:{}", issue.file(), issue.start())],
            help: issue.help().to_owned(),
        }
    }
}

impl fmt::Display for LowerIssue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.places.is_empty() {
            write!(f, "{}: ", self.places.join(" and "))?;
        }
        write!(f, "{} ({})", self.message, self.help)
    }
}

/// The sorts of mistakes.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
#[non_exhaustive]
pub enum LowerIssueKind {
    /// A reader could not make sense of part of the document.
    Unreadable,
    /// A reference leads nowhere, or only to itself.
    Unresolved,
    /// Two things would have the same name.
    Collision,
    /// A chosen name is not an identifier, or names nothing.
    BadName,
    /// A type contains itself without an end, so that no value can have it.
    Endless,
    /// A problem breaks the contract.
    BadProblem,
}

/// Where a node stands, for people.
pub(super) fn place(node: Node<'_>) -> String {
    let source = node.tree().source();
    let position = source.position(node.span().start());
    let pointer = node.pointer();
    format!(
        "{}:{position} {}",
        source.name(),
        if pointer.is_empty() { "/" } else { &pointer }
    )
}
