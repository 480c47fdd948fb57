//! The table of decisions, as source code: every client recovers by the same one.

use aon_core::recovery::{Line, TABLE};

use crate::json::Tree;

/// The file with the table put in its place: a row is `open`, three texts, `close`.
pub(super) fn with_table(source: &str, open: &str, close: &str) -> String {
    let text = |text: &str| Tree::from(text).to_compact();
    let rows: Vec<String> = TABLE
        .iter()
        .map(|line| {
            let Line {
                rule,
                when: _,
                action,
                because,
            } = line;
            let [rule, action, because] = [rule.as_str(), action.as_str(), because].map(text);
            format!("{open}{rule}, {action}, {because}{close}")
        })
        .collect();
    source.replace("__TABLE__", &rows.join("\n"))
}
