//! Reads the values out of a Markdown table.

use super::{List, Prose};
use crate::choice::tokens::Kind;

/// The heading and the cells of the first column of the table that starts at a bar.
pub(in crate::choice) fn table(prose: Prose<'_>, at: usize) -> Option<(&str, List<'_>)> {
    let first = prose
        .tokens
        .get(at)
        .filter(|token| token.kind == Kind::Pipe)?;
    let mut rows = prose.text.get(first.start as usize..)?.lines();
    let heading = cell(rows.next()?)?;
    let rule = rows.next()?.trim();
    let ruled = rule.contains("--") && rule.bytes().all(|b| b"|-: ".contains(&b));
    if !ruled {
        return None;
    }
    let mut list = List {
        block: true,
        explained: true,
        ..List::default()
    };
    for row in rows {
        let Some(value) = cell(row) else {
            break;
        };
        let bare = value.trim_matches(['`', '*', '"', '\'']);
        if bare.is_empty() || bare.len() > 40 || bare.split_whitespace().count() > 3 {
            return None;
        }
        list.push(bare, bare.len() < value.len());
    }
    let list = list.finish().filter(|list| list.len() >= 2)?;
    Some((heading.trim_matches(['`', '*']), list))
}

/// The first cell of a row.
fn cell(row: &str) -> Option<&str> {
    let (cell, _) = row.trim().strip_prefix('|')?.split_once('|')?;
    Some(cell.trim())
}
