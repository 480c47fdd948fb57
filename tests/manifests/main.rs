//! Reading manifests: grammars, references, formats, real documents, hostile ones (contract M).

mod corpus;
mod examples;
mod formats;
mod hostile;
mod json;
mod modern;
mod readers;
mod recovery;
mod references;
mod spellings;
mod yaml;

use aon_manifest::{Issue, IssueKind, ParseOptions, Tree};

/// Parses with default limits.
fn parse(name: &str, text: impl Into<Vec<u8>>) -> Tree {
    aon_manifest::parse(name, text, &ParseOptions::default())
}

/// The kinds of issues, in order.
fn kinds<'a>(issues: impl IntoIterator<Item = &'a Issue>) -> Vec<IssueKind> {
    issues.into_iter().map(Issue::kind).collect()
}

/// What must hold for every tree, however broken its text: spans inside the text and inside their parents, pointers that lead
/// back, every issue with a place, a message and a way out.
fn check_tree(tree: &Tree, thorough: bool) {
    let len = tree.source().text().len();
    for index in 0..tree.node_count() {
        let node = tree.node(index).expect("below the count");
        let span = node.span();
        assert!(span.end() <= len, "{node:?} ends behind the text");
        assert!(
            tree.source().text().is_char_boundary(span.start()),
            "{node:?}"
        );
        assert!(
            tree.source().text().is_char_boundary(span.end()),
            "{node:?}"
        );
        if let Some(parent) = node.parent() {
            assert!(
                parent.index() < node.index() || node.index() != index,
                "{node:?}"
            );
        }
    }
    if thorough {
        let step = (tree.node_count() / 500).max(1);
        for index in (0..tree.node_count()).step_by(step) {
            let node = tree.node(index).expect("below the count");
            let pointer = node.pointer();
            let Some(found) = node.root().at(&pointer) else {
                // Of two members with one name the other one counts.
                assert!(!tree.issues().is_empty(), "{pointer} of {node:?}");
                continue;
            };
            let wanted = node.value().unwrap_or(node);
            assert!(
                found == wanted || !tree.issues().is_empty(),
                "{pointer} of {node:?} leads to {found:?}"
            );
        }
    }
    for issue in tree.issues() {
        assert!(issue.place().span.end() <= len);
        assert!(!issue.message().is_empty() && !issue.help().is_empty());
        assert!(issue.start().line >= 1 && issue.start().column >= 1);
    }
}
