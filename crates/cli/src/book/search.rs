//! What the search of the site reads: every section, in a script, so that it works from a folder as well as from a server.

use serde_json::json;

use super::Page;
use super::markdown::address;

/// The script that fills the index: address, title of the page, heading, words.
pub(super) fn index(pages: &[(&str, Page)]) -> String {
    let entries: Vec<_> = pages
        .iter()
        .flat_map(|(path, page)| {
            page.sections.iter().map(move |section| {
                let place = if section.level == 1 {
                    address(path)
                } else {
                    format!("{}#{}", address(path), section.id)
                };
                let words: Vec<&str> = section.text.split_whitespace().collect();
                json!([place, page.title, section.heading, words.join(" ")])
            })
        })
        .collect();
    let entries = serde_json::Value::Array(entries);
    format!("window.bookIndex = {entries};\n")
}
