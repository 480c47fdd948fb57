//! The book as a site: pages, style, script and search index. Nothing is loaded from elsewhere.

use super::contents::{Contents, Item};
use super::markdown::{Page, address};
use super::{files, is_page, pages, search};

/// A file of the site.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SiteFile {
    /// Where it is, from the root of the site.
    pub path: String,
    /// What it is.
    pub media: &'static str,
    /// What it holds.
    pub text: String,
}

/// What a page may load: its own style and script.
pub(crate) const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'";

const STYLE: &str = include_str!("book.css");
const SCRIPT: &str = include_str!("book.js");

/// Every file of the site.
pub fn site() -> Vec<SiteFile> {
    let is_file = |path: &str| files().any(|(own, _)| own == path);
    let first = pages().find(|(path, _)| *path == "README.md");
    let contents = Contents::read(first.map_or("", |(_, text)| text));
    let pages: Vec<(&str, Page)> = pages()
        .map(|(path, text)| (path, Page::render(path, text, &is_file)))
        .collect();
    let mut site: Vec<SiteFile> = pages
        .iter()
        .map(|(path, page)| SiteFile {
            path: address(path),
            media: "text/html; charset=utf-8",
            text: document(path, page, &contents),
        })
        .collect();
    for (path, media, text) in [
        ("book.css", "text/css; charset=utf-8", STYLE.to_owned()),
        (
            "book.js",
            "text/javascript; charset=utf-8",
            SCRIPT.to_owned(),
        ),
        (
            "book-index.js",
            "text/javascript; charset=utf-8",
            search::index(&pages),
        ),
    ] {
        site.push(SiteFile {
            path: path.to_owned(),
            media,
            text,
        });
    }
    site.extend(
        files()
            .filter(|(path, _)| !is_page(path))
            .map(|(path, text)| SiteFile {
                path: path.to_owned(),
                media: media(path),
                text: text.to_owned(),
            }),
    );
    site
}

/// What a file that is not a page is, by its ending.
fn media(path: &str) -> &'static str {
    match path.rsplit_once('.').map(|(_, ending)| ending) {
        Some("json") => "application/json",
        Some("svg") => "image/svg+xml",
        _ => "text/plain; charset=utf-8",
    }
}

/// A whole page.
fn document(path: &str, page: &Page, contents: &Contents) -> String {
    let up = "../".repeat(path.matches('/').count());
    let title = escape(&page.title);
    let article = &page.html;
    let beside = beside(page);
    let menu = menu(path, contents, &up);
    let onward = onward(path, contents, &up);
    format!(
        r##"<!doctype html>
<html lang="en" data-up="{up}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{POLICY}">
<meta name="color-scheme" content="light dark">
<title>{title} · AON</title>
<link rel="stylesheet" href="{up}book.css">
<script src="{up}book.js"></script>
</head>
<body>
<a class="skip" href="#page">Skip to the page</a>
<header>
<a id="menu" href="#contents" aria-label="Contents">☰</a>
<a class="home" href="{up}index.html">AON</a>
<search><input id="search" type="search" placeholder="Search the book" aria-label="Search the book" autocomplete="off" spellcheck="false"></search>
<button id="theme" type="button" aria-label="Light or dark">◐</button>
<div id="results" hidden></div>
</header>
<main id="page">
<article>
{article}</article>
{onward}</main>
{beside}<nav id="contents" aria-label="Contents">
{menu}</nav>
</body>
</html>
"##
    )
}

/// The headings of the page itself.
fn beside(page: &Page) -> String {
    let headings: Vec<String> = page
        .sections
        .iter()
        .filter(|section| section.level == 2)
        .map(|section| {
            format!(
                "<li><a href=\"#{}\">{}</a></li>\n",
                escape(&section.id),
                escape(&section.heading)
            )
        })
        .collect();
    if headings.len() < 2 {
        return String::new();
    }
    format!(
        "<aside aria-label=\"On this page\"><p>On this page</p>\n<ul>\n{}</ul></aside>\n",
        headings.concat()
    )
}

fn menu(path: &str, contents: &Contents, up: &str) -> String {
    let mut out = String::new();
    for group in &contents.groups {
        out.push_str("<p>");
        out.push_str(&escape(&group.title));
        out.push_str("</p>\n<ul>\n");
        for item in &group.items {
            let here = if item.path == path {
                " aria-current=\"page\""
            } else {
                ""
            };
            let place = escape(&address(&item.path));
            let title = escape(&item.title);
            out.push_str("<li><a href=\"");
            out.push_str(up);
            out.push_str(&place);
            out.push('"');
            out.push_str(here);
            out.push('>');
            out.push_str(&title);
            out.push_str("</a></li>\n");
        }
        out.push_str("</ul>\n");
    }
    out
}

/// The page before and the page after.
fn onward(path: &str, contents: &Contents, up: &str) -> String {
    let items: Vec<&Item> = contents.items().collect();
    let here = items.iter().position(|item| item.path == path);
    let (before, after) = match here {
        Some(at) => (
            at.checked_sub(1).and_then(|before| items.get(before)),
            items.get(at + 1),
        ),
        None if path == "README.md" => (None, items.first()),
        None => (None, None),
    };
    let link = |item: Option<&&Item>, class: &str, arrow: &str| {
        item.map_or_else(String::new, |item| {
            format!(
                "<a class=\"{class}\" href=\"{up}{}\"><small>{arrow}</small> {}</a>\n",
                escape(&address(&item.path)),
                escape(&item.title)
            )
        })
    };
    let links = [
        link(before, "before", "Before"),
        link(after, "after", "Next"),
    ]
    .concat();
    if links.is_empty() {
        String::new()
    } else {
        format!("<footer>\n{links}</footer>\n")
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}
