//! No link is dead, and every page can be reached from the contents.

use std::collections::BTreeSet;
use std::fs;

use aon_cli::book::{self, Contents, Page};
use aon_tests::place;

/// Every page, rendered.
fn pages() -> Vec<(&'static str, Page)> {
    book::pages()
        .map(|(path, text)| {
            let page = Page::render(path, text, &|other| {
                book::files().any(|(own, _)| own == other)
            });
            (path, page)
        })
        .collect()
}

/// The path from the root of the project that a link of a page leads to, and its anchor. `None` for other sites.
fn target(from: &str, link: &str) -> Option<(String, String)> {
    if link.contains("://") || link.starts_with("mailto:") {
        return None;
    }
    let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
    if path.is_empty() {
        return Some((format!("docs/{from}"), anchor.to_owned()));
    }
    let mut parts = vec!["docs"];
    parts.extend(from.split('/'));
    parts.pop();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop().expect("inside of the project");
            }
            part => parts.push(part),
        }
    }
    Some((parts.join("/"), anchor.to_owned()))
}

#[test]
fn every_link_leads_to_a_file_and_to_a_heading_that_is_there() {
    let pages = pages();
    let mut followed = 0;
    let mut dead = Vec::new();
    for (from, page) in &pages {
        for link in &page.links {
            let Some((path, anchor)) = target(from, link) else {
                continue;
            };
            followed += 1;
            if !place::root().join(&path).exists() {
                dead.push(format!("docs/{from}: {link}"));
                continue;
            }
            let inside = path.strip_prefix("docs/").unwrap_or_default();
            let known = pages.iter().find(|(own, _)| *own == inside);
            if let (Some((_, page)), false) = (known, anchor.is_empty())
                && page.sections.iter().all(|section| section.id != anchor)
            {
                dead.push(format!("docs/{from}: {link} has no such heading"));
            }
        }
    }
    assert!(dead.is_empty(), "dead links:\n{}", dead.join("\n"));
    assert!(followed > 150, "only {followed} links");
    place::say(&format!(
        "count: links of the book, {followed} on {} pages",
        pages.len()
    ));
}

#[test]
fn every_page_can_be_reached_from_the_contents() {
    let pages = pages();
    let mut reached = BTreeSet::from(["README.md".to_owned()]);
    let mut open = vec!["README.md".to_owned()];
    while let Some(from) = open.pop() {
        let Some((_, page)) = pages.iter().find(|(path, _)| *path == from) else {
            continue;
        };
        for link in &page.links {
            let inside = target(&from, link)
                .and_then(|(path, _)| path.strip_prefix("docs/").map(str::to_owned));
            let Some(path) = inside else {
                continue;
            };
            let is_page = pages.iter().any(|(own, _)| *own == path);
            if is_page && reached.insert(path.clone()) {
                open.push(path);
            }
        }
    }
    let lost: Vec<_> = pages
        .iter()
        .map(|(path, _)| *path)
        .filter(|path| !reached.contains(*path))
        .collect();
    assert!(lost.is_empty(), "no way leads to {lost:?}");
}

#[test]
fn the_contents_list_every_page_outside_of_the_folders() {
    let (_, text) = book::pages()
        .find(|(path, _)| *path == "README.md")
        .expect("the contents");
    let contents = Contents::read(text);
    let listed: BTreeSet<&str> = contents.items().map(|item| item.path.as_str()).collect();
    assert_eq!(
        listed.len(),
        contents.items().count(),
        "a page is listed twice"
    );
    let missing: Vec<&str> = book::pages()
        .map(|(path, _)| path)
        .filter(|path| *path != "README.md" && (!path.contains('/') || path.starts_with("how-to/")))
        .filter(|path| !listed.contains(path))
        .collect();
    assert!(missing.is_empty(), "not in docs/README.md: {missing:?}");
    assert!(contents.groups.len() >= 5, "{contents:?}");
}

#[test]
fn the_program_carries_the_book_as_it_is() {
    let mut compared = 0;
    for (path, text) in book::files() {
        let there = fs::read_to_string(place::root().join("docs").join(path));
        assert_eq!(
            there.ok().as_deref(),
            Some(text),
            "docs/{path}: run `cargo regen`"
        );
        compared += 1;
    }
    assert!(compared > 60, "only {compared} files");
}
