//! From a tree to the model, one file for each format.

mod a2a;
mod errors;
pub mod extension;
mod mcp;
mod native;
mod openapi;
mod parameters;
mod responses;

pub(crate) use self::openapi::named_schemas;
use crate::builder::shorten;
use crate::document::{Document, first_line};
use crate::format::Format;
use crate::issue::{Issue, IssueKind};
use crate::model::Api;
use crate::node::{Kind, Node};
use crate::tree::Raw;

pub(crate) fn read<'a>(document: &'a Document, root: Node<'a>, format: Format) -> Api<'a> {
    let mut api = match format {
        Format::Native => native::read(document, root),
        Format::OpenApi | Format::Swagger => openapi::read(document, root, format),
        Format::Mcp => mcp::read(document, root),
        Format::A2a => a2a::read(document, root),
    };
    let fits = root.is_object() || (format == Format::Mcp && root.is_array());
    if !fits {
        let issue = wrong_shape(
            root,
            "a manifest is an object",
            "start with the members of the format",
        );
        api.issues.push(issue);
    }
    let restricted = !api.visibility.is_public();
    for operation in &mut api.operations {
        operation.public = operation.visibility.is_public()
            && !(restricted && operation.visibility == crate::model::Visibility::Unstated);
    }
    api
}

/// The members of an object that should be there; complains when the node is something else.
fn expect_object<'a>(
    node: Option<Node<'a>>,
    what: &str,
    issues: &mut Vec<Issue>,
) -> Option<Node<'a>> {
    expect_kind(node, Kind::Object, what, "an object", issues)
}

/// A list that should be there; complains when the node is something else.
fn expect_array<'a>(
    node: Option<Node<'a>>,
    what: &str,
    issues: &mut Vec<Issue>,
) -> Option<Node<'a>> {
    expect_kind(node, Kind::Array, what, "a list", issues)
}

fn expect_kind<'a>(
    node: Option<Node<'a>>,
    kind: Kind,
    what: &str,
    wanted: &str,
    issues: &mut Vec<Issue>,
) -> Option<Node<'a>> {
    let node = node.filter(|node| !node.is_null())?;
    if node.kind() == kind {
        return Some(node);
    }
    let found = shorten(node.source_text().lines().next().unwrap_or(""));
    issues.push(wrong_shape(
        node,
        &format!("{what} should be {wanted}, not `{found}`"),
        "correct the value",
    ));
    None
}

fn wrong_shape(node: Node<'_>, message: &str, help: &str) -> Issue {
    Issue::new(
        node.tree().source(),
        first_line(node),
        IssueKind::WrongShape,
        message,
        help,
    )
}

/// Keys that state a score by hand (contract M3).
fn stated_scores<'a>(node: Node<'a>, found: &mut Vec<Node<'a>>) {
    if !node.has_flag(Raw::EXTENDED) {
        return;
    }
    let keys = node.members().filter(|member| {
        matches!(
            member.name(),
            "self_healing_score"
                | "self_healing_scores"
                | "self-healing-score"
                | "selfHealingScore"
                | "x-self-healing-score"
                | "x-aon-score"
                | "maturity_score"
        )
    });
    found.extend(keys.map(|member| member.key));
}
